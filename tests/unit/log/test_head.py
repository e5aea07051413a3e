"""The log head: what it pins, and that it stays checkable when segments grow and join."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import UsageError
from ledger.log import merkle
from ledger.log.head import EMPTY, continues, log_head, parse_head
from ledger.log.segment import Head, Segment


def leaves(segment: str, size: int) -> tuple[bytes, ...]:
    return tuple(merkle.leaf_hash(f"{segment} {i}".encode()) for i in range(size))


def heads(sizes: dict[str, int]) -> list[Head]:
    return [Head(segment, size, merkle.root(leaves(segment, size)).hex()) for segment, size in sizes.items()]


def read(segment: str, hashes: tuple[bytes, ...]) -> Segment:
    return Segment(segment, (), hashes, merkle.Peaks(), b"")


ids = st.text("0123456789abcdef", min_size=16, max_size=16)
logs = st.dictionaries(ids, st.integers(1, 12), max_size=4)


@given(logs, logs)
def test_a_head_is_found_again_after_segments_grew_and_joined(then: dict[str, int], more: dict[str, int]) -> None:
    now = {segment: then.get(segment, 0) + more.get(segment, 0) for segment in {**then, **more}}
    log = {segment: read(segment, leaves(segment, size)) for segment, size in now.items()}
    pinned = parse_head(log_head(heads(then)))
    assert continues(log.values(), pinned)
    assert pinned.size == sum(then.values())
    for segment, size in then.items():
        for index in range(size):  # whichever line was altered, the last ones left as they were
            altered = list(log[segment].leaves)
            altered[index] = merkle.leaf_hash(b"other")
            assert not continues({**log, segment: read(segment, tuple(altered))}.values(), pinned)
        gone = [found for other, found in log.items() if other != segment]
        assert not continues(gone, pinned)


@given(logs)
def test_the_order_of_segments_does_not_matter(sizes: dict[str, int]) -> None:
    assert log_head(heads(sizes)) == log_head(reversed(heads(sizes)))


def test_ids_that_begin_alike_are_written_long_enough_to_tell_them_apart() -> None:
    sizes = {"abcdef01" + "0" * 8: 1, "abcdef02" + "0" * 8: 2}
    text = log_head(heads(sizes))
    assert text.startswith("abcdef01@1.abcdef02@2:")


def test_the_empty_log_has_a_head() -> None:
    assert log_head([]) == EMPTY
    assert continues([], parse_head(EMPTY))


@pytest.mark.parametrize(
    "text", ["", "abc", "abc@1", "abc@x:" + "0" * 32, "xyz@1:" + "0" * 32, "ab@1:" + "0" * 31, "ab@1.:" + "0" * 32]
)
def test_what_is_no_head_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no log head"):
        parse_head(text)
