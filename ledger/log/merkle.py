"""Merkle tree hashing after RFC 9162 section 2.1, and the compact range that makes appending O(log n).

`root` is the definition; `Peaks` reaches the same hash while it holds only the roots of the perfect subtrees of
the leaves so far (one for each bit set in the size). `tests/unit/log/test_merkle.py` holds both to known answers
and to each other at every size.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

EMPTY_ROOT = hashlib.sha256(b"").digest()


def leaf_hash(entry: bytes) -> bytes:
    """Hash of a leaf: SHA-256(0x00 || entry)."""
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Hash of an inner node: SHA-256(0x01 || left || right)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def root(leaves: Sequence[bytes]) -> bytes:
    """Merkle tree hash over leaf hashes."""
    if not leaves:
        return EMPTY_ROOT
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << ((len(leaves) - 1).bit_length() - 1)  # the largest power of two below the size
    return node_hash(root(leaves[:split]), root(leaves[split:]))


@dataclass(frozen=True, slots=True)
class Peaks:
    """The state an append needs: how many leaves, and the perfect subtrees' roots, largest first."""

    size: int = 0
    hashes: tuple[bytes, ...] = ()

    def append(self, leaf: bytes) -> Peaks:
        """With one more leaf hash; amortised two hash calls."""
        hashes = list(self.hashes)
        carry = leaf
        size = self.size
        while size & 1:
            carry = node_hash(hashes.pop(), carry)
            size >>= 1
        return Peaks(self.size + 1, (*hashes, carry))

    def root(self) -> bytes:
        """The tree hash over all leaves appended so far."""
        if not self.hashes:
            return EMPTY_ROOT
        right = self.hashes[-1]
        for left in reversed(self.hashes[:-1]):
            right = node_hash(left, right)
        return right
