"""A segment's bytes: what is read, and that every way of not being a segment is named with its line."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.errors import IntegrityError
from ledger.log import merkle
from ledger.log.segment import Head, encode, malformed, opening, read

ID = "0123456789abcdef"
TIME = "2026-12-01T15:04:58.005Z"
OPEN = encode(opening(ID, [], TIME))
START = encode({"type": "start", "exp_id": "e", "run_id": "r", "provenance_hash": "0" * 64, "time": TIME})


def lines(*many: bytes) -> bytes:
    return b"".join(line + b"\n" for line in many)


def test_a_segment_is_its_lines() -> None:
    segment = read(ID, lines(OPEN, START))
    assert [entry.type for entry in segment.entries] == ["open", "start"]
    assert [entry.index for entry in segment.entries] == [0, 1]
    assert segment.last_line == START
    assert segment.head == Head(ID, 2, merkle.root([merkle.leaf_hash(OPEN), merkle.leaf_hash(START)]).hex())


def test_the_opening_names_what_its_writer_knew_in_order() -> None:
    known = [Head("b", 2, "1" * 64), Head("a", 1, "0" * 64)]
    body = opening(ID, known, TIME)
    assert [head["segment"] for head in body["knows"]] == ["a", "b"]
    assert malformed(body) is None


@pytest.mark.parametrize(
    ("data", "where", "said"),
    [
        (b"", "1", "does not open this segment"),
        (lines(START), "1", "does not open this segment"),
        (lines(encode(opening("other", [], TIME))), "1", "does not open this segment"),
        (lines(OPEN) + START, "2", "torn"),
        (lines(OPEN) + START[:-5], "2", "torn"),
        (lines(OPEN, START.replace(b'"e"', b' "e"')), "2", "not a canonical log entry"),
        (lines(OPEN, b'{"type":"x","a":1}'), "2", "not a canonical log entry"),
        (lines(OPEN, b'{"a":1.0,"type":"x"}'), "2", "not a canonical log entry"),
        (lines(OPEN, b"[]"), "2", "not a canonical log entry"),
        (lines(OPEN, b""), "2", "not a log entry"),
        (lines(OPEN, b"\xff"), "2", "not a log entry"),
        (lines(OPEN, b'{"a":1,"a":1}'), "2", "not a log entry"),
        (lines(OPEN, START + b"\r"), "2", "not a canonical log entry"),
        (b"\xef\xbb\xbf" + lines(OPEN), "1", "not a canonical log entry"),
    ],
)
def test_what_is_no_segment_is_named_with_its_line(data: bytes, where: str, said: str) -> None:
    with pytest.raises(IntegrityError) as caught:
        read(ID, data)
    assert caught.value.where == f"{ID}.jsonl:{where}"
    assert said in caught.value.message


WHOLE: dict[str, Any] = {
    "type": "seal",
    "exp_id": "e",
    "run_id": "r",
    "address": "a",
    "status": "finished",
    "time": TIME,
}


@pytest.mark.parametrize("key", sorted(WHOLE.keys() - {"type"}))
@pytest.mark.parametrize("value", [None, 1, [], "gone"])
def test_an_entry_that_cannot_be_relied_on_is_said(key: str, value: Any) -> None:
    body = {**WHOLE, key: value}
    if value == "gone":
        del body[key]
    assert malformed(WHOLE) is None
    assert malformed(body) == f"an entry of type 'seal' without `{key}`"
    with pytest.raises(IntegrityError, match=f"without `{key}`"):
        read(ID, lines(OPEN, encode(body)))


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", "../../etc", "a\\b", "a\0"])
def test_no_entry_leads_out_of_the_results(name: str) -> None:
    for key in ("exp_id", "run_id"):
        assert malformed({**WHOLE, key: name}) == f"an entry of type 'seal' whose `{key}` is no name"


@pytest.mark.parametrize("body", [{"type": "of the future"}, {"type": 3}, {"no": "type"}, {}])
def test_types_of_the_future_are_passed_over(body: dict[str, Any]) -> None:
    assert malformed(body) is None
    assert read(ID, lines(OPEN, encode(body))).peaks.size == 2


@pytest.mark.parametrize("knows", [None, {}, [1], [{"segment": "a"}], [{"segment": "a", "size": True, "root": "x"}]])
def test_an_opening_must_say_what_it_knew(knows: Any) -> None:
    with pytest.raises(IntegrityError, match="without `knows`"):
        read(ID, lines(encode({**opening(ID, [], TIME), "knows": knows})))


@pytest.mark.parametrize("replaced", ["r", 1, [1], {"r": 1}])
def test_a_choice_names_runs(replaced: Any) -> None:
    body = {"type": "select", "exp_id": "e", "run_id": "r", "time": TIME}
    assert malformed(body) is None
    assert malformed({**body, "replaced": ["x"]}) is None
    assert malformed({**body, "replaced": replaced}) == "an entry of type 'select' whose `replaced` is no list of runs"
