"""JSON for hashing, for people, and from strangers. Vectors: RFC 8785 section 3.2.2-3.2.4 and appendix B."""

from __future__ import annotations

import json
import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.canon import canonical, digest, finite, parse, pretty
from ledger.canon.position import position_of
from ledger.errors import InputError

# IEEE 754 bits, and the text that RFC 8785 appendix B demands
NUMBERS = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


@pytest.mark.parametrize(("bits", "text"), NUMBERS)
def test_numbers_as_the_rfc_writes_them(bits: str, text: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical(number).decode() == text


def test_the_example_of_the_rfc() -> None:
    value = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": '€$\x0f\nA\'B"\\\\"/',
        "literals": [None, True, False],
    }
    text = '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    assert canonical(value) == text.encode()


def test_keys_are_sorted_by_utf16_units() -> None:
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]  # section 3.2.3
    order = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    assert list(json.loads(canonical(dict.fromkeys(keys, 0)))) == order


@pytest.mark.parametrize("value", [math.nan, math.inf, 2**53 + 1, -(2**60) - 1, 10**400, {"a": object()}, {1: 2}])
def test_what_has_no_canonical_form_is_refused(value: object) -> None:
    with pytest.raises(InputError):
        canonical(value)


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (2**60, str(2**60)),
        (-(2**53), str(-(2**53))),
        (True, True),
        (0.1, 0.1),
        ((1,), [1]),
        ({1: math.nan}, {"1": "NaN"}),
    ],
)
def test_numbers_that_json_cannot_hold_become_strings(value: object, kept: object) -> None:
    assert finite(value) == kept
    assert type(finite(value)) is type(kept)


texts = st.text(st.characters(blacklist_categories=["Cs"]))
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=15,
)


@given(values)
def test_what_people_read_is_what_is_hashed(value: object) -> None:
    assert canonical(parse(pretty(value))) == canonical(value)
    assert digest(parse(canonical(value))) == digest(value)


@pytest.mark.parametrize(
    ("data", "place", "problem"),
    [
        (b'{"a": 1,\n "b": }', "f:2:7", "not JSON"),
        (b'{"a": 1, "a": 2}', "f", "stands twice"),
        (b'{"a":\n"\xff"}', "f:2", "not UTF-8"),
        (b"", "f:1:1", "not JSON"),
        (b'{"x": ' + b"[" * 200_000, "f", "nested too deeply"),
        (b'{"x": 1' + b"0" * 5000 + b"}", "f", "JSON"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(data: bytes, place: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        parse(data, "f")
    assert str(caught.value).startswith(place)
    assert "\n" not in str(caught.value)


def test_a_byte_order_mark_and_bare_nan_are_read() -> None:
    assert parse(b'\xef\xbb\xbf{"a": [NaN, -Infinity]}') == {"a": ["NaN", "-Infinity"]}


@given(values, st.data())
def test_places_are_those_of_a_marker(value: object, data: st.DataObject) -> None:
    """Replace one value by a marker that stands nowhere else: the place of the marker's text is what is reported."""
    pointers: list[tuple[str | int, ...]] = [()]

    def walk(inner: object, path: tuple[str | int, ...]) -> None:
        items = inner.items() if isinstance(inner, dict) else enumerate(inner) if isinstance(inner, list) else ()
        for key, item in items:
            pointers.append((*path, key))
            walk(item, (*path, key))

    walk(value, ())
    pointer = data.draw(st.sampled_from(pointers))
    marker = "@@marker@@"

    def mark(inner: object, path: tuple[str | int, ...]) -> object:
        if path == pointer:
            return marker
        if isinstance(inner, dict):
            return {key: mark(item, (*path, key)) for key, item in inner.items()}
        return [mark(item, (*path, index)) for index, item in enumerate(inner)] if isinstance(inner, list) else inner

    text = json.dumps(mark(value, ()), indent=data.draw(st.sampled_from([None, 0, 3])), ensure_ascii=False)
    at = text.index(f'"{marker}"')
    line = text.count("\n", 0, at) + 1
    assert position_of(text, pointer) == (line, at - text.rfind("\n", 0, at))


@pytest.mark.parametrize("number", [2.0**53, 2.5e16, 1e20, -1e20, 123456789012345680000.0])
def test_large_doubles_survive_being_written_as_integers(number: float) -> None:
    """A log entry with such a value is written, read and written again; its bytes must not change."""
    line = canonical({"value": number})
    assert b"." not in line
    assert canonical(parse(line)) == line
