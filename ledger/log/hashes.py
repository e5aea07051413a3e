"""The subtree hashes of one segment, in the order of `ledger.log.proof.stored_index`: what proofs are made from.

They are made from the segment's own lines each time and kept nowhere: a stored hash that nobody recomputes could
vouch for a line that was altered since.
"""

from __future__ import annotations

from collections.abc import Iterable

from ledger.canon import DIGEST_BYTES
from ledger.log import proof


class NodeHashes:
    """Hashes over leaf hashes (32 bytes each); called with a stored index it gives that hash."""

    def __init__(self, leaves: Iterable[bytes] = ()) -> None:
        self.size = 0
        self._bytes = bytearray()
        for leaf in leaves:
            self.append(leaf)

    def __call__(self, index: int) -> bytes:
        start = index * DIGEST_BYTES
        return bytes(self._bytes[start : start + DIGEST_BYTES])

    def append(self, leaf: bytes) -> None:
        """Add one leaf hash; amortised two hash calls with the one that made it."""
        for added in proof.append_hashes(self.size, leaf, self):
            self._bytes += added
        self.size += 1

    def root(self, size: int | None = None) -> bytes:
        """The Merkle root of the first `size` leaves, by default of all."""
        return proof.tree_root(self.size if size is None else size, self)

    def inclusion(self, index: int) -> list[bytes]:
        """The audit path of leaf `index`. Raises ValueError when there is none."""
        return proof.inclusion_proof(index, self.size, self)
