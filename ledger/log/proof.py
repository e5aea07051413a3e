"""Inclusion and consistency proofs after RFC 9162 sections 2.1.3 and 2.1.4, over any store of node hashes.

Making a proof reads O(log n) stored hashes through `HashReader`; verifying needs nothing but the proof and the
roots. Hashes of complete subtrees are stored in the order in which appending completes them, so a store is one
append-only sequence (as golang.org/x/mod/sumdb/tlog lays it out).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ledger.log.merkle import EMPTY_ROOT, node_hash

HashReader = Callable[[int], bytes]  # stored index -> hash


def stored_index(level: int, number: int) -> int:
    """Where the hash of the `number`-th complete subtree of 2**level leaves stands in the stored sequence."""
    # the subtree is completed by its last leaf, right after the subtrees that this leaf completes below it
    return stored_count(((number + 1) << level) - 1) + level


def stored_count(size: int) -> int:
    """How many hashes a store holds for `size` leaves: size + size//2 + size//4 + ..."""
    return 2 * size - size.bit_count()


def append_hashes(size: int, leaf: bytes, read: HashReader) -> list[bytes]:
    """The hashes that one more leaf adds to a store of `size` leaves."""
    out = [leaf]
    level, number = 0, size
    while number & 1:
        out.append(node_hash(read(stored_index(level, number - 1)), out[-1]))
        level, number = level + 1, number >> 1
    return out


def tree_root(size: int, read: HashReader) -> bytes:
    """The Merkle root of the first `size` leaves."""
    return _range_root(0, size, read) if size else EMPTY_ROOT


def inclusion_proof(index: int, size: int, read: HashReader) -> list[bytes]:
    """Audit path of leaf `index` in the tree of `size` leaves (section 2.1.3.1).

    Raises:
        ValueError: there is no such leaf.
    """
    if not 0 <= index < size:
        raise ValueError(f"no leaf {index} in a tree of {size}")
    path: list[bytes] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(_range_root(middle, end, read))
            end = middle
        else:
            path.append(_range_root(start, middle, read))
            start = middle
    return path[::-1]


def verify_inclusion(index: int, size: int, leaf: bytes, path: Sequence[bytes], root: bytes) -> bool:
    """Whether `path` proves that `leaf` is leaf `index` of the tree of `size` leaves with `root` (section 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    fn, sn, computed = index, size - 1, leaf
    for sibling in path:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            computed = node_hash(sibling, computed)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            computed = node_hash(computed, sibling)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and computed == root


def consistency_proof(old: int, new: int, read: HashReader) -> list[bytes]:
    """Proof that the tree of `old` leaves is a prefix of the tree of `new` leaves (section 2.1.4.1).

    Raises:
        ValueError: not 0 < old <= new.
    """
    if not 0 < old <= new:
        raise ValueError(f"no consistency proof from {old} to {new} leaves")
    path: list[bytes] = []
    start, end, whole = 0, new, True
    while end != old:
        middle = start + _split(end - start)
        if old <= middle:
            path.append(_range_root(middle, end, read))
            end = middle
        else:
            path.append(_range_root(start, middle, read))
            start, whole = middle, False
    if not whole:
        path.append(_range_root(start, end, read))
    return path[::-1]


def verify_consistency(old: int, new: int, old_root: bytes, new_root: bytes, path: Sequence[bytes]) -> bool:
    """Whether `path` proves that the tree with `old_root` is a prefix of the one with `new_root` (section 2.1.4.2)."""
    if not 0 < old <= new:
        return False
    if old == new:
        return not path and old_root == new_root
    hashes = list(path) if old & (old - 1) else [old_root, *path]
    if not hashes:
        return False
    fn, sn = old - 1, new - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    first = second = hashes[0]
    for sibling in hashes[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            first, second = node_hash(sibling, first), node_hash(sibling, second)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            second = node_hash(second, sibling)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and first == old_root and second == new_root


def _split(size: int) -> int:
    """The largest power of two below `size`."""
    return 1 << ((size - 1).bit_length() - 1)


def _range_root(start: int, end: int, read: HashReader) -> bytes:
    """Root of the leaves [start, end), where `start` is a multiple of the range's subtree sizes."""
    parts: list[bytes] = []
    while start < end:
        level = (end - start).bit_length() - 1
        parts.append(read(stored_index(level, start >> level)))
        start += 1 << level
    computed = parts[-1]
    for left in reversed(parts[:-1]):
        computed = node_hash(left, computed)
    return computed
