"""A segment's head and proofs of its entries in the open formats of transparency logs (C2SP tlog-checkpoint and
tlog-proof), so that other people's verifiers check them.

Each segment is a log of its own there; its origin is `evidence-ledger/<segment id>`.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ledger.canon import DIGEST_BYTES
from ledger.errors import InputError
from ledger.log.segment import Head

PROOF_HEADER = "c2sp.org/tlog-proof@v1"
_DECIMAL = re.compile(r"0|[1-9][0-9]{0,18}")


def origin(segment: str) -> str:
    """The name of a segment as a log, and of the key that signs its checkpoints."""
    return f"evidence-ledger/{segment}"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a log was at one size."""

    origin: str
    size: int
    root: bytes

    @classmethod
    def of(cls, head: Head) -> Checkpoint:
        return cls(origin(head.segment), head.size, bytes.fromhex(head.root))

    def __str__(self) -> str:
        """The text that is signed: three lines."""
        return f"{self.origin}\n{self.size}\n{_b64(self.root)}\n"

    @classmethod
    def parse(cls, text: str) -> Checkpoint:
        """Read the text of a checkpoint; extension lines are passed over. Raises InputError when it is none."""
        lines = text.split("\n")
        if len(lines) < 4 or "" in lines[:-1] or lines[-1] or not _DECIMAL.fullmatch(lines[1]):
            raise InputError("is no checkpoint (an origin, a size, a root hash)")
        return cls(lines[0], int(lines[1]), _hash(lines[2]))


@dataclass(frozen=True, slots=True)
class TlogProof:
    """That one entry is in a log: its index, its audit path, the signed checkpoint, and the entry itself as `extra`."""

    index: int
    path: Sequence[bytes]
    checkpoint: str  # the signed note, verbatim
    extra: bytes

    def __str__(self) -> str:
        extra = [f"extra {_b64(self.extra)}"] if self.extra else []
        head = [PROOF_HEADER, *extra, f"index {self.index}", *map(_b64, self.path)]
        return "\n".join(head) + f"\n\n{self.checkpoint}"

    @classmethod
    def parse(cls, text: str) -> TlogProof:
        """Read a proof. Raises InputError when it is none."""
        head, blank, checkpoint = text.partition("\n\n")
        header, *lines = head.split("\n")
        extra = b""
        if lines and lines[0].startswith("extra "):
            extra = _decoded(lines.pop(0).removeprefix("extra "))
        index = lines.pop(0).removeprefix("index ") if lines and lines[0].startswith("index ") else ""
        if header != PROOF_HEADER or not blank or not _DECIMAL.fullmatch(index):
            raise InputError(f"is no proof that begins with {PROOF_HEADER} and an index")
        return cls(int(index), tuple(map(_hash, lines)), checkpoint, extra)


def _hash(text: str) -> bytes:
    data = _decoded(text)
    if len(data) != DIGEST_BYTES:
        raise InputError(f"{text[:80]!r} is no hash of {DIGEST_BYTES} bytes in base64")
    return data


def _decoded(text: str) -> bytes:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        data = None
    if data is None or _b64(data) != text:  # one spelling for each value
        raise InputError(f"{text[:80]!r} is not base64")
    return data


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()
