"""The log head: what it pins, and that it stays checkable when segments grow and join."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import UsageError
from ledger.log import merkle
from ledger.log.head import EMPTY, log_head, matches, parse_head
from ledger.log.segment import Head


def root(segment: str, size: int) -> str:
    return merkle.root([merkle.leaf_hash(f"{segment} {i}".encode()) for i in range(size)]).hex()


def heads(sizes: dict[str, int]) -> list[Head]:
    return [Head(segment, size, root(segment, size)) for segment, size in sizes.items()]


ids = st.text("0123456789abcdef", min_size=16, max_size=16)
logs = st.dictionaries(ids, st.integers(1, 12), max_size=4)


@given(logs, logs)
def test_a_head_is_found_again_after_segments_grew_and_joined(then: dict[str, int], more: dict[str, int]) -> None:
    now = {segment: then.get(segment, 0) + more.get(segment, 0) for segment in {**then, **more}}
    roots = {segment: {size: root(segment, size) for size in range(size + 1)} for segment, size in now.items()}
    pinned = parse_head(log_head(heads(then)))
    assert matches(pinned, roots)
    assert pinned.size == sum(then.values())
    for segment, size in then.items():
        rewritten = {**roots, segment: {**roots[segment], size: root("other", size)}}
        assert not matches(pinned, rewritten)
        gone = {other: known for other, known in roots.items() if other != segment}
        assert not matches(pinned, gone)


@given(logs)
def test_the_order_of_segments_does_not_matter(sizes: dict[str, int]) -> None:
    assert log_head(heads(sizes)) == log_head(reversed(heads(sizes)))


def test_ids_that_begin_alike_are_written_long_enough_to_tell_them_apart() -> None:
    sizes = {"abcdef01" + "0" * 8: 1, "abcdef02" + "0" * 8: 2}
    text = log_head(heads(sizes))
    assert text.startswith("abcdef01@1.abcdef02@2:")


def test_the_empty_log_has_a_head() -> None:
    assert log_head([]) == EMPTY
    assert matches(parse_head(EMPTY), {})


@pytest.mark.parametrize(
    "text", ["", "abc", "abc@1", "abc@x:" + "0" * 32, "xyz@1:" + "0" * 32, "ab@1:" + "0" * 31, "ab@1.:" + "0" * 32]
)
def test_what_is_no_head_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no log head"):
        parse_head(text)
