"""Signed notes (C2SP signed-note): a text, a blank line, and lines that sign it; with Ed25519 keys only.

A verifier key reads `<name>+<key id in hex>+<base64 of 0x01 and the 32 public bytes>`. The vectors in
`tests/unit/log/test_note.py` are the specification's own.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from typing import Any

from ledger.errors import InputError, UsageError

_ED25519 = b"\x01"
_ID_BYTES = 4
_PUBLIC_BYTES = 32
_LARGEST = 1 << 20  # bytes of a note that is read at all
_SIGNED_BY = "— "


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """Whose signature to believe: a name, and 32 bytes of an Ed25519 public key."""

    name: str
    public: bytes

    def __str__(self) -> str:
        return f"{self.name}+{self.id.hex()}+{_b64(_ED25519 + self.public)}"

    @property
    def id(self) -> bytes:
        """The first four bytes of SHA-256(name, newline, 0x01, public key)."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519 + self.public).digest()[:_ID_BYTES]

    @classmethod
    def parse(cls, text: str) -> VerifierKey:
        """Read a verifier key. Raises UsageError when it is none, or none of ours."""
        name, _, rest = text.strip().partition("+")
        key_id, _, encoded = rest.partition("+")
        try:
            raw = base64.b64decode(encoded, validate=True)
        except binascii.Error:
            raw = b""
        key = cls(name, raw[1:])
        if raw[:1] != _ED25519 or len(key.public) != _PUBLIC_BYTES or key_id != key.id.hex() or not is_name(name):
            fix = "`ledger log key` prints one: NAME+ID+KEY"
            raise UsageError("is no Ed25519 verifier key", where=text[:80] or "''", fix=fix)
        return key


def is_name(name: str) -> bool:
    """Whether it may name a key: not empty, no space of any kind, no plus, no control character."""
    return bool(name) and "+" not in name and not any(char.isspace() or char < " " for char in name)


def sign(text: str, name: str, private: bytes) -> str:
    """The note over `text`, which ends in a newline, signed by the key with these 32 private bytes.

    Raises:
        UsageError: the package that signs is not installed.
    """
    signer = _ed25519().Ed25519PrivateKey.from_private_bytes(private)
    key = VerifierKey(name, signer.public_key().public_bytes_raw())
    return f"{text}\n{_SIGNED_BY}{name} {_b64(key.id + signer.sign(text.encode()))}\n"


def public_key(private: bytes) -> bytes:
    """The public half of 32 private bytes. Raises UsageError as `sign` does."""
    public: bytes = _ed25519().Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()
    return public


def open_note(data: bytes, key: VerifierKey) -> str:
    """The text of a note that `key` signed.

    Raises:
        InputError: it is no note, `key` did not sign it, or its signature is wrong.
        UsageError: the package that verifies is not installed.
    """
    text, signatures = split(data)
    public = _ed25519().Ed25519PublicKey.from_public_bytes(key.public)
    from cryptography.exceptions import InvalidSignature

    signed = False
    for name, raw in signatures:
        if (name, raw[:_ID_BYTES]) != (key.name, key.id):
            continue
        try:
            public.verify(raw[_ID_BYTES:], text.encode())
        except InvalidSignature:
            raise InputError(f"the signature of {key.name} does not fit its text") from None
        signed = True
    if not signed:
        signers = ", ".join(f"{name}+{raw[:_ID_BYTES].hex()}" for name, raw in signatures)
        raise InputError(f"is not signed by {key.name}+{key.id.hex()} but by {signers}")
    return text


def split(data: bytes) -> tuple[str, list[tuple[str, bytes]]]:
    """The text and the (key name, key id and signature) pairs of a note. Raises InputError when it is none."""
    try:
        note = data.decode() if len(data) <= _LARGEST else ""
    except UnicodeDecodeError:
        note = ""
    text, blank, lines = note.rpartition("\n\n")
    signatures = [signature for line in lines.split("\n") if (signature := _signature(line))]
    whole = blank and lines.endswith("\n") and len(signatures) == lines.count("\n")
    if not whole or not signatures or any(char < " " and char != "\n" for char in note):
        raise InputError("is no signed note (a text, an empty line, signatures)")
    return text + "\n", signatures


def _signature(line: str) -> tuple[str, bytes] | None:
    name, _, encoded = line.removeprefix(_SIGNED_BY).partition(" ")
    try:
        raw = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return None
    return (name, raw) if line.startswith(_SIGNED_BY) and is_name(name) and len(raw) > _ID_BYTES else None


def _ed25519() -> Any:
    """The library's Ed25519; imported only where something is signed or verified."""
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ModuleNotFoundError:
        fix = "pip install 'evidence-ledger[sign]'"
        raise UsageError("signing needs the package cryptography, which is not installed", fix=fix) from None
    return ed25519


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()
