"""The stored subtree hashes of each segment, in the user's cache: what makes a proof cost O(log n) reads.

One file for each segment, 32 bytes a hash, in the order of `ledger.log.proof.stored_index`. It may lag behind the
segment and is brought up to date before use; if its root is not the segment's, it is made anew.
"""

from __future__ import annotations

from pathlib import Path

from ledger.canon import DIGEST_BYTES
from ledger.errors import LedgerError
from ledger.log import proof
from ledger.log.merkle import leaf_hash
from ledger.project import Project
from ledger.store import atomic


class StoredHashes:
    """Hashes of one segment, given the segment's bytes."""

    def __init__(self, project: Project, segment: str, data: bytes) -> None:
        self.lines = data.split(b"\n")[:-1]
        self._path: Path = project.cache / f"hashes-{segment}"
        self._bytes = bytearray(self._read())
        self._extend()

    def __call__(self, index: int) -> bytes:
        start = index * DIGEST_BYTES
        return bytes(self._bytes[start : start + DIGEST_BYTES])

    @property
    def size(self) -> int:
        return len(self.lines)

    def root(self, size: int | None = None) -> bytes:
        return proof.tree_root(self.size if size is None else size, self)

    def _read(self) -> bytes:
        try:
            data = self._path.read_bytes()
        except OSError:
            return b""
        size = _leaves(len(data) // DIGEST_BYTES)
        whole = data[: proof.stored_count(size) * DIGEST_BYTES]
        # the last leaf stands for all before it: a segment is only ever appended to, and fsck proves that
        known = size and size <= len(self.lines) and self._ends_with(whole, size)
        return whole if known else b""

    def _ends_with(self, data: bytes, size: int) -> bool:
        start = proof.stored_index(0, size - 1) * DIGEST_BYTES
        return data[start : start + DIGEST_BYTES] == leaf_hash(self.lines[size - 1])

    def _extend(self) -> None:
        known = _leaves(len(self._bytes) // DIGEST_BYTES)
        if known == len(self.lines):
            return
        for size in range(known, len(self.lines)):
            for added in proof.append_hashes(size, leaf_hash(self.lines[size]), self):
                self._bytes += added
        try:
            atomic.write_bytes(self._path, bytes(self._bytes))
        except LedgerError:
            return  # a cache that cannot be kept is made again next time


def _leaves(hashes: int) -> int:
    """The largest number of leaves whose stored hashes are at most `hashes` many."""
    low, high = 0, hashes
    while low < high:
        middle = (low + high + 1) // 2
        if proof.stored_count(middle) <= hashes:
            low = middle
        else:
            high = middle - 1
    return low
