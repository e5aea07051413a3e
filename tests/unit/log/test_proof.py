"""Proofs against the definition: every proof at every size of a small model, and every tampering of each refused.

The shape of the test follows golang.org/x/mod/sumdb/tlog (tlog_test.go).
"""

from __future__ import annotations

import hashlib

import pytest

from ledger.log import merkle, proof

SIZE = 40


def leaf(number: int) -> bytes:
    return merkle.leaf_hash(f"entry {number}".encode())


@pytest.fixture(scope="module")
def stored() -> list[bytes]:
    hashes: list[bytes] = []
    for number in range(SIZE):
        added = proof.append_hashes(number, leaf(number), hashes.__getitem__)
        hashes += added
        assert len(hashes) == proof.stored_count(number + 1)
    return hashes


def root(size: int) -> bytes:
    return merkle.root([leaf(number) for number in range(size)])


def flips(hashes: list[bytes]) -> list[list[bytes]]:
    """The same path with one bit flipped in each hash in turn, one hash missing, and one too many."""
    out = []
    for place, value in enumerate(hashes):
        out.append([*hashes[:place], bytes([value[0] ^ 1, *value[1:]]), *hashes[place + 1 :]])
        out.append([*hashes[:place], *hashes[place + 1 :]])
    out.append([*hashes, hashlib.sha256(b"one more").digest()])
    return out


def test_roots_read_from_the_store_are_the_definition(stored: list[bytes]) -> None:
    for size in range(SIZE + 1):
        assert proof.tree_root(size, stored.__getitem__) == root(size)


def test_every_inclusion_proof_verifies_and_no_tampered_one_does(stored: list[bytes]) -> None:
    for size in range(1, SIZE + 1):
        for index in range(size):
            path = proof.inclusion_proof(index, size, stored.__getitem__)
            assert proof.verify_inclusion(index, size, leaf(index), path, root(size))
            assert not proof.verify_inclusion(index, size, leaf(index + 1), path, root(size))
            assert not proof.verify_inclusion(index + 1, size, leaf(index), path, root(size))
            if size in {1, 2, 3, 7, 8, 9, 33, SIZE}:
                for wrong in flips(path):
                    assert not proof.verify_inclusion(index, size, leaf(index), wrong, root(size))


def test_every_consistency_proof_verifies_and_no_tampered_one_does(stored: list[bytes]) -> None:
    for new in range(1, SIZE + 1):
        for old in range(1, new + 1):
            path = proof.consistency_proof(old, new, stored.__getitem__)
            assert proof.verify_consistency(old, new, root(old), root(new), path)
            if old < new:
                assert not proof.verify_consistency(old, new, root(old - 1), root(new), path)
            for wrong in flips(path):
                assert not proof.verify_consistency(old, new, root(old), root(new), wrong)


def test_a_proof_reads_logarithmically_many_hashes(stored: list[bytes]) -> None:
    reads: list[int] = []

    def read(index: int) -> bytes:
        reads.append(index)
        return stored[index]

    proof.inclusion_proof(13, SIZE, read)
    assert len(reads) <= 2 * SIZE.bit_length()


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0)])
def test_there_is_no_proof_of_a_leaf_that_is_not_there(index: int, size: int) -> None:
    with pytest.raises(ValueError, match="no leaf"):
        proof.inclusion_proof(index, size, lambda _: b"")
    assert not proof.verify_inclusion(index, size, b"", [], b"")


@pytest.mark.parametrize(("old", "new"), [(0, 3), (4, 3)])
def test_there_is_no_consistency_proof_backwards(old: int, new: int) -> None:
    with pytest.raises(ValueError, match="consistency"):
        proof.consistency_proof(old, new, lambda _: b"")
    assert not proof.verify_consistency(old, new, b"", b"", [])
