"""The key that signs checkpoints: one for each user and machine, made at the first use, in the user's configuration.

It says whose copy of the log a checkpoint came from. It proves nothing alone: a verifier must know the key already.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from ledger.errors import InputError
from ledger.log import note
from ledger.log.checkpoint import Checkpoint, origin
from ledger.log.segment import Head
from ledger.store import atomic

_BYTES = 32


def key_file() -> Path:
    """Where the private key lies (XDG)."""
    base = Path(os.environ.get("XDG_CONFIG_HOME") or Path(os.path.expanduser("~")) / ".config")  # noqa: PTH111 (no home: no error)
    return base / "evidence-ledger" / "signing.key"


def private_key() -> bytes:
    """The 32 private bytes.

    Raises:
        InputError: the file is no key; it is never replaced.
        StoreError: it cannot be read or made.
    """
    path = key_file()
    with atomic.explained(path):
        if not path.exists():
            with contextlib.suppress(FileExistsError):  # another process was faster; its key is as good
                _make(path)
        data = path.read_bytes()
    try:
        key = bytes.fromhex(data.decode())
    except ValueError:
        key = b""
    if len(key) != _BYTES:
        fix = "move it away and a new key is made; checkpoints signed before stay valid under the old one"
        raise InputError("is no signing key (64 hex digits)", where=path, fix=fix)
    return key


def verifier_key(segment: str) -> note.VerifierKey:
    """What others need to check this user's checkpoints of a segment. Raises as `private_key` does."""
    return note.VerifierKey(origin(segment), note.public_key(private_key()))


def sign_checkpoint(head: Head) -> str:
    """The checkpoint of a segment as a signed note. Raises as `private_key` does."""
    return note.sign(str(Checkpoint.of(head)), origin(head.segment), private_key())


def _make(path: Path) -> None:
    """Write a new key whole under its name, readable by nobody else. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(os.urandom(_BYTES).hex().encode() + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
        os.link(draft, path)  # never over a key that is there
    finally:
        draft.unlink()
