"""The hashes that proofs are made from, beside the definition."""

from __future__ import annotations

import pytest

from ledger.log import merkle, proof
from ledger.log.hashes import NodeHashes

LEAVES = [merkle.leaf_hash(bytes([i])) for i in range(70)]


def test_roots_are_the_definition_at_every_size() -> None:
    hashes = NodeHashes(LEAVES)
    assert hashes.size == len(LEAVES)
    assert hashes.root() == merkle.root(LEAVES)
    for size in range(len(LEAVES) + 1):
        assert hashes.root(size) == merkle.root(LEAVES[:size])
        assert NodeHashes(LEAVES[:size]).root() == hashes.root(size)


def test_every_leaf_is_proven() -> None:
    hashes = NodeHashes(LEAVES)
    for index, leaf in enumerate(LEAVES):
        assert proof.verify_inclusion(index, len(LEAVES), leaf, hashes.inclusion(index), hashes.root())
    with pytest.raises(ValueError, match="no leaf"):
        hashes.inclusion(len(LEAVES))
