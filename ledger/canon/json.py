"""JSON: canonical bytes for hashing (RFC 8785), two deterministic forms for the disk, and a strict parser."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any

from ledger.canon.digest import sha256
from ledger.canon.position import repeated_key
from ledger.errors import InputError

_SAFE_INTEGER = 2**53 - 1
_compact = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")).encode
_spaced = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def canonical(value: Any) -> bytes:
    """RFC 8785 bytes of a JSON value.

    Raises:
        InputError: it holds a number or a type without canonical form.
    """
    try:
        return _canonical(value)
    except RecursionError:
        raise InputError("nested too deeply to be written") from None


def _canonical(value: Any) -> bytes:
    if _simple(value):
        # sorted, unspaced and unescaped JSON is the canonical form where no float and no rare key is in it, and the
        # standard library's encoder is ten times faster; a property test holds the two to each other
        return _compact(value).encode()
    import rfc8785

    try:
        return rfc8785.dumps(_as_doubles(value))
    except (rfc8785.CanonicalizationError, UnicodeError) as error:  # the second: half of a surrogate pair in a key
        raise InputError(f"no canonical JSON form: {error}", fix="write such numbers as strings") from error


def _as_doubles(value: Any) -> Any:
    """Integers beyond 2^53 that are how RFC 8785 writes a double, as that double: canonical bytes, parsed again, keep
    their form.
    """
    if type(value) is dict:
        return {key: _as_doubles(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_as_doubles(item) for item in value]
    if type(value) is int and _SAFE_INTEGER < abs(value) < 10**21 and int(Decimal(repr(float(value)))) == value:
        return float(value)
    return value


def _simple(value: Any) -> bool:
    """Whether nothing in `value` is written differently by RFC 8785 and by the standard encoder."""
    kind = type(value)
    if kind is dict:
        # keys are sorted by UTF-16 units there and by code points here: the same up to U+D7FF
        if not all(type(key) is str and (key.isascii() or max(key) < "\ud800") for key in value):
            return False
        parts = value.values()
    elif kind is list or kind is tuple:
        parts = value
    else:
        parts = (value,)
    for part in parts:  # a loop over values of one level: a call for each would cost more than the encoding
        kind = type(part)
        if kind is str:
            if not part.isascii() and any("\ud800" <= char <= "\udfff" for char in part):
                return False
        elif kind is int:
            if not -_SAFE_INTEGER <= part <= _SAFE_INTEGER:
                return False
        elif kind is dict or kind is list or kind is tuple:
            if not _simple(part):
                return False
        elif part is not None and kind is not bool:
            return False
    return True


def digest(value: Any) -> str:
    """SHA-256 of the canonical bytes, as hex."""
    return sha256(canonical(value))


def pretty(value: Any) -> bytes:
    """The form on disk that people read: two spaces, insertion order kept, UTF-8, one newline at the end.

    Raises:
        ValueError: a number is not finite.
        InputError: it is nested too deeply.

    """
    try:
        return _utf8(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
    except RecursionError:
        raise InputError("nested too deeply to be written") from None


def _utf8(text: str) -> bytes:
    """JSON text as bytes; half of a surrogate pair, which UTF-8 cannot hold, stays the escape that it was read from."""
    return text.encode("utf-8", "backslashreplace")


def listing(value: dict[str, Any]) -> bytes:
    """The form on disk of records that machines write by the thousand: one key of the record, and one item of a list,
    a line. Read and compared line by line as easily as `pretty`, and written ten times faster.

    Raises:
        ValueError: a number is not finite.
    """
    lines = []
    for key, item in value.items():
        shown = _spaced(item)
        if isinstance(item, list) and item and isinstance(item[0], dict):
            shown = "[\n" + _rows(item, shown) + "\n  ]"
        elif isinstance(item, dict) and any(isinstance(part, dict) for part in item.values()):
            inner = (f"    {_spaced(name)}: {_spaced(part)}" for name, part in item.items())
            shown = "{\n" + ",\n".join(inner) + "\n  }"
        lines.append(f"  {_spaced(key)}: {shown}")
    return _utf8("{\n" + ",\n".join(lines) + "\n}\n")


def _rows(items: list[Any], written: str) -> str:
    """The items of a list that is already written, one a line."""
    if written.count("}, {") == len(items) - 1 and all(type(item) is dict for item in items):
        return "    " + written[1:-1].replace("}, {", "},\n    {")  # it stands between two items and nowhere else
    return ",\n".join(f"    {_spaced(item)}" for item in items)


def finite(value: Any) -> Any:
    """The same value as every file of ours writes it: NaN, infinities and integers beyond 2^53 as strings; mappings and
    sequences of any library as dicts and lists; arrays and scalars of numpy and torch by their values; paths, dates and
    members of an enumeration as text.

    Raises:
        InputError: it holds something else, or itself.
    """
    try:
        return _finite(value)
    except RecursionError:
        raise InputError("nested too deeply to be written") from None


def _finite(value: Any) -> Any:
    if isinstance(value, bool) or value is None or type(value) is str:
        return value
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value) if abs(value) <= _SAFE_INTEGER else str(value)
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        return float(value) if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, Mapping):
        out = {str(key): _finite(item) for key, item in value.items()}
        if len(out) != len(value):  # 1 and "1"
            keys = [str(key) for key in value]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise InputError(f"two keys are written alike, as {twice!r}", fix="rename one of them")
        return out
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return [_finite(item) for item in value]
    if hasattr(value, "tolist") and not isinstance(value, memoryview):
        return _finite(value.tolist())
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, os.PathLike):
        return PurePath(value).as_posix()
    raise InputError(f"a {type(value).__name__} has no JSON form", fix="pass numbers, strings, lists and dicts")


def parse(data: bytes, where: object = None) -> Any:
    """A JSON document from UTF-8 bytes (a byte-order mark is skipped). NaN, Infinity and numbers beyond the largest
    double become strings.

    Raises:
        InputError: not UTF-8, not JSON or with a repeated key; `where` with line and column is in it.

    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode()  # `error.object` is without the mark
        byte = error.object[error.start]
        raise InputError(f"not UTF-8 (byte 0x{byte:02x})", where=_at(where, before), fix="save it as UTF-8") from None
    try:
        return json.loads(text, parse_constant=str, parse_float=_double, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", where=f"{where}:{error.lineno}:{error.colno}") from None
    except _RepeatedKeyError:
        key, line, column = repeated_key(text)
        raise InputError(
            f"the key {key!r} stands twice in one object", where=f"{where}:{line}:{column}", fix="keep one"
        ) from None
    except RecursionError:
        raise InputError("nested too deeply to be read", where=where) from None
    except ValueError:  # Python converts no integer of more than some 4,300 digits
        raise InputError("JSON with a number of too many digits", where=where, fix="write it as a string") from None


def _at(where: object, before: str) -> str:
    """The place right after the text `before`."""
    lines = before.split("\n")
    return f"{where}:{len(lines)}:{len(lines[-1]) + 1}"


def _double(text: str) -> float | str:
    value = float(text)
    return value if math.isfinite(value) else ("-Infinity" if value < 0 else "Infinity")


class _RepeatedKeyError(ValueError):
    pass


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise _RepeatedKeyError
    return out
