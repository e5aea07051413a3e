"""What the strict parser refuses, with line and column, and what it must still be able to write again."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.canon import canonical, finite, listing, parse, pretty
from ledger.errors import InputError


@pytest.mark.parametrize("value", ["\ud800", {"\ud800": 1}, {1, 2}, object(), {1: 2}])
def test_what_has_no_canonical_form_is_an_input_error(value: Any) -> None:
    with pytest.raises(InputError, match="no canonical JSON form"):
        canonical({"a": value})


def test_numpy_scalars_are_numbers() -> None:
    numpy = pytest.importorskip("numpy", reason="needs the extra `figures`")
    scalars = {"a": numpy.float32(0.5), "b": numpy.int64(3), "c": numpy.float64("nan"), "d": numpy.bool_(True)}
    assert finite(scalars) == {"a": 0.5, "b": 3, "c": "NaN", "d": True}


@pytest.mark.parametrize("value", [{1, 2}, object(), b"bytes"])
def test_what_has_no_json_form_at_all_says_its_type(value: Any) -> None:
    with pytest.raises(InputError, match=f"a {type(value).__name__} has no JSON form"):
        finite({"a": [value]})


@pytest.mark.parametrize(("text", "read"), [("1e999", "Infinity"), ("-1e999", "-Infinity"), ("1e-999", 0.0)])
def test_a_number_that_no_double_holds_is_not_finite(text: str, read: Any) -> None:
    assert parse(f"[{text}]".encode()) == [read]


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b'{"a": 1,\n "b": 2,\n  "a": 3}', "F:3:3: the key 'a' stands twice in one object"),
        (b'{"x": "a",\n "b": {"a": [{"k\\u0061": 1, "ka": 2}]}}', "F:2:29: the key 'ka' stands twice in one object"),
        (b'\xef\xbb\xbf{"a": 1, "a": 3}', "F:1:10: the key 'a' stands twice in one object"),
        (b'{"a":\n "caf\xe9"}', "F:2:6: not UTF-8 (byte 0xe9)"),
        (b'\xef\xbb\xbf{"a":\n "caf\xe9"}', "F:2:6: not UTF-8 (byte 0xe9)"),
        ('{"é":\n "é'.encode() + b'\xff"}', "F:2:4: not UTF-8 (byte 0xff)"),
        (b"\xff\xfe{\x00}\x00", "F:1:1: not UTF-8 (byte 0xff)"),
        (b'{"a": 1\n "b": 2}', "F:2:2: not JSON"),
        (b'\xef\xbb\xbf{"a": 1,}', "F:1:9: not JSON"),
        (b'{"a": "tab\tin it"}', "F:1:11: not JSON"),
        (b"{} {}", "F:1:4: not JSON"),
        (b"[" * 100_000, "F: nested too deeply"),
        (b"[" + b"9" * 5000 + b"]", "F: JSON with a number of too many digits"),
    ],
)
def test_what_is_no_document_is_refused_with_its_place(data: bytes, line: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(data, "F")
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)


def test_both_forms_for_the_disk_hold_the_same_and_end_with_one_newline() -> None:
    value = {"b": [{"x": 1}, {"x": 2}], "a": {"k": {"é": None}}, "empty": [], "none": {}, "t": "a\nb"}
    for form in (pretty, listing):
        data = form(value)
        assert parse(data) == value
        assert list(parse(data)) == list(value)
        assert data.endswith(b"}\n")
        assert "é".encode() in data
        with pytest.raises(ValueError):
            form({"a": float("nan")})


@pytest.mark.parametrize("depth", [50, 150, 200])
def test_deep_nesting_is_kept(depth: int) -> None:
    data = b'{"a":' * depth + b"1" + b"}" * depth
    value = parse(data, "F")
    assert parse(pretty(value)) == value
    assert canonical(value) == data


@pytest.mark.parametrize("form", [pretty, canonical])
def test_nesting_that_cannot_be_written_is_refused_in_one_line(form: Any) -> None:
    value: Any = 1
    for _ in range(5000):
        value = {"a": value}
    with pytest.raises(InputError, match="nested too deeply"):
        form(value)


def test_what_libraries_call_mappings_sequences_and_scalars_is_written_as_such() -> None:
    from collections import OrderedDict, UserDict, UserList
    from datetime import date
    from enum import Enum, IntEnum
    from pathlib import PurePosixPath
    from types import MappingProxyType

    class Mode(Enum):
        FAST = object()

    class Level(IntEnum):
        HIGH = 3

    class Name(str):
        __slots__ = ()

    value = {
        "a": UserDict({"b": UserList([1, MappingProxyType({"c": range(2)})])}),
        "day": date(2026, 1, 2),
        "path": PurePosixPath("data/x"),
        "modes": [Mode.FAST, Level.HIGH],
        "name": Name("n"),
        "o": OrderedDict(z=1),
    }
    assert finite(value) == {
        "a": {"b": [1, {"c": [0, 1]}]}, "day": "2026-01-02", "path": "data/x", "modes": ["FAST", "HIGH"], "name": "n",
        "o": {"z": 1},
    }  # fmt: skip
    assert type(finite(value)["name"]) is str


def test_arrays_are_lists() -> None:
    numpy = pytest.importorskip("numpy", reason="needs the extra `figures`")
    assert finite({"a": numpy.array([[1.0, numpy.nan], [2.0, 3.0]])}) == {"a": [[1.0, "NaN"], [2.0, 3.0]]}


def test_a_value_that_holds_itself_is_refused() -> None:
    value: dict[str, Any] = {}
    value["again"] = [value]
    with pytest.raises(InputError, match="nested too deeply"):
        finite(value)
