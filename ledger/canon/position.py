"""Line and column of a value inside JSON text, so that a message about the value can name its place.

Runs only when there is something to complain about, so it re-reads the text instead of slowing every load.
"""

from __future__ import annotations

import re
from json.decoder import JSONDecoder

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|[{}]')
_SPACE = re.compile(r"[ \t\r\n]*")
_decode = JSONDecoder(parse_constant=str).raw_decode


def position_of(text: str, pointer: tuple[str | int, ...]) -> tuple[int, int]:
    """Line and column (from 1) of the value that `pointer` (keys and indexes) names in valid JSON `text`.

    A step that does not exist stops at its parent.
    """
    at = _space(text, 0)
    for step in pointer:
        child = _member(text, at, step) if isinstance(step, str) else _item(text, at, step)
        if child is None:
            break
        at = child
    return _line_and_column(text, at)


def _space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _member(text: str, at: int, key: str) -> int | None:
    """Offset of the value of `key` in the object that opens at `at`."""
    if text[at] != "{":
        return None
    at = _space(text, at + 1)
    while text[at] == '"':
        name, at = _decode(text, at)
        at = _space(text, _space(text, at) + 1)  # the colon
        if name == key:
            return at
        at = _space(text, _decode(text, at)[1])
        at = _space(text, at + 1)  # the comma, or the closing brace
        if at >= len(text):
            return None
    return None


def _item(text: str, at: int, index: int) -> int | None:
    """Offset of item `index` of the list that opens at `at`."""
    if text[at] != "[":
        return None
    at = _space(text, at + 1)
    while index and text[at] != "]":
        at = _space(text, _decode(text, at)[1])
        if text[at] == ",":
            at = _space(text, at + 1)
            index -= 1
    return None if text[at] == "]" else at


def repeated_key(text: str) -> tuple[str, int, int]:
    """The first key that stands twice in one object of JSON `text`, with line and column of its second place.

    Raises:
        ValueError: there is none.
    """
    open_objects: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        if token[0] == "{":
            open_objects.append(set())
        elif token[0] == "}":
            open_objects.pop()
        elif token[2] and open_objects:
            key = _decode(f'"{token[1]}"')[0]
            if key in open_objects[-1]:
                return key, *_line_and_column(text, token.start())
            open_objects[-1].add(key)
    raise ValueError("no key stands twice")


def _line_and_column(text: str, at: int) -> tuple[int, int]:
    return text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1
