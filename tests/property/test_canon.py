"""Round trips of the JSON forms, and places in JSON text against an oracle that writes the text itself."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ledger.canon import canonical, finite, parse, pretty
from ledger.canon.position import position_of, repeated_key

texts = st.text(st.characters(blacklist_categories=["Cs"]), max_size=8)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | texts
    | st.floats(allow_nan=False, allow_infinity=False)
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=15
)
anything = st.recursive(
    scalars | st.floats() | st.integers(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=15,
)
gaps = st.text(" \t\r\n", max_size=3)


@given(values)
def test_what_is_written_for_people_is_hashed_the_same_when_read_back(value: Any) -> None:
    assert parse(pretty(value)) == value
    assert canonical(parse(pretty(value))) == canonical(value)
    assert pretty(parse(pretty(value))) == pretty(value)


@given(values)
def test_canonical_bytes_are_their_own_canonical_form(value: Any) -> None:
    assert canonical(parse(canonical(value))) == canonical(value)


@given(anything)
def test_a_finite_value_always_has_a_canonical_form_and_is_left_alone_after(value: Any) -> None:
    once = finite(value)
    assert parse(pretty(once)) == once
    canonical(once)
    assert finite(once) == once


@given(st.text(max_size=8) | st.lists(st.text(max_size=3), max_size=3))
def test_every_string_that_can_be_read_can_be_written(value: Any) -> None:
    """Half a surrogate pair too: JSON can spell it, UTF-8 cannot."""
    read = parse(json.dumps(value).encode())
    assert parse(pretty(read)) == read


class Writer:
    """Writes JSON with arbitrary white space and notes where each value begins: the naive oracle."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw
        self.text = ""
        self.line, self.column = 1, 1
        self.places: dict[tuple[str | int, ...], tuple[int, int]] = {}

    def put(self, text: str) -> None:
        for char in text:
            self.text += char
            self.line, self.column = (self.line + 1, 1) if char == "\n" else (self.line, self.column + 1)

    def gap(self) -> None:
        self.put(self.draw(gaps))

    def value(self, value: Any, at: tuple[str | int, ...] = ()) -> None:
        self.gap()
        self.places[at] = (self.line, self.column)
        if isinstance(value, dict):
            self.inside("{}", value.items(), at)
        elif isinstance(value, list):
            self.inside("[]", enumerate(value), at)
        else:
            self.put(json.dumps(value, ensure_ascii=self.draw(st.booleans())))
        self.gap()

    def inside(self, brackets: str, items: Any, at: tuple[str | int, ...]) -> None:
        self.put(brackets[0])
        self.gap()
        for i, (step, item) in enumerate(items):
            self.put("," if i else "")
            if isinstance(step, str):
                self.gap()
                self.put(json.dumps(step))
                self.gap()
                self.put(":")
            self.value(item, (*at, step))
        self.put(brackets[1])


@given(values, st.data())
def test_the_place_of_every_value_is_where_it_was_written(value: Any, data: st.DataObject) -> None:
    writer = Writer(data.draw)
    writer.value(value)
    assert json.loads(writer.text) == value
    for pointer, place in writer.places.items():
        assert position_of(writer.text, pointer) == place


def at(value: Any, pointer: tuple[str | int, ...]) -> Any:
    for step in pointer:
        value = value[step]
    return value


@given(values, st.data())
def test_a_step_that_does_not_exist_stops_at_its_parent(value: Any, data: st.DataObject) -> None:
    writer = Writer(data.draw)
    writer.value(value)
    parent = data.draw(st.sampled_from(sorted(writer.places, key=repr)))
    inner = at(value, parent)
    missing: list[str | int] = ["no such key", 7] if isinstance(inner, dict) else [len(inner), len(inner) + 3, "k"] if isinstance(inner, list) else [0, "k"]  # fmt: skip
    step = data.draw(st.sampled_from(missing))
    assert position_of(writer.text, (*parent, step)) == writer.places[parent]


def objects(value: Any, pointer: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, dict) and value:
        yield pointer
    for step, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from objects(item, (*pointer, step))


@given(st.dictionaries(texts, values, min_size=1, max_size=4), st.data())
def test_a_key_that_stands_twice_is_found_where_it_stands_again(value: dict[str, Any], data: st.DataObject) -> None:
    pointer = data.draw(st.sampled_from(list(objects(value))))
    inner = at(value, pointer)
    key = data.draw(st.sampled_from(list(inner)))
    marker = "\x00marker"
    assert marker not in json.dumps(value)
    inner[marker] = 1
    text = json.dumps(value, indent=data.draw(st.sampled_from([None, 1])))
    spelled = json.dumps(marker)
    offset = text.index(spelled)
    text = text.replace(spelled, json.dumps(key))
    line = text.count("\n", 0, offset) + 1
    assert repeated_key(text) == (key, line, offset - text.rfind("\n", 0, offset))


@given(st.floats())
def test_numbers_are_read_back_to_the_last_bit_or_as_strings(number: float) -> None:
    read = parse(json.dumps([number]).encode())[0]
    if math.isfinite(number):
        assert (read, math.copysign(1, read)) == (number, math.copysign(1, number))
    else:
        assert read == finite(number)
