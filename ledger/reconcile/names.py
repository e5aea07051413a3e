"""Find many names in a text at once: a table of token sequences, looked up token by token.

The cost grows with the text and with the lengths that names with one first token have, never with the number of
names. A name glued to more (`net-s` in `net-s-large`) is not found.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from ledger.reconcile.words import TOKEN, tokens

V = TypeVar("V")
_GLUE = "-_.‐‑–"


@dataclass(frozen=True, slots=True)
class Hit(Generic[V]):
    """A name found at [start, end) of a text, with everything that bears it."""

    start: int
    end: int
    values: frozenset[V]
    whole: bool  # the text is nothing but this name


class Names(Generic[V]):
    """A table from names to values that can be searched in running text."""

    def __init__(self, pairs: Iterable[tuple[str, V]]) -> None:
        table: dict[tuple[str, ...], set[V]] = {}
        for name, value in pairs:
            key = tokens(name)
            if key:
                table.setdefault(key, set()).add(value)
        self._table = {key: frozenset(values) for key, values in table.items()}
        lengths: dict[str, set[int]] = {}
        for key in self._table:
            lengths.setdefault(key[0], set()).add(len(key))
        self._lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}

    def __bool__(self) -> bool:
        return bool(self._table)

    def get(self, name: str) -> frozenset[V]:
        """What bears exactly this name."""
        return self._table.get(tokens(name), frozenset())

    def scan(self, text: str) -> list[Hit[V]]:
        """All names in `text`, longest first at each place, none overlapping."""
        folded = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
        if len(folded) != len(text):  # offsets would shift: fold character by character instead
            folded = "".join(char.casefold() if len(char.casefold()) == 1 else char for char in text)
        words: list[str] = TOKEN.findall(folded)
        if self._lengths.keys().isdisjoint(words):
            return []
        found = list(TOKEN.finditer(folded))
        hits: list[Hit[V]] = []
        i = 0
        while i < len(words):
            taken = 1
            for length in self._lengths.get(words[i], ()):
                values = self._table.get(tuple(words[i : i + length])) if i + length <= len(words) else None
                if not values:
                    continue
                start, end = found[i].start(), found[i + length - 1].end()
                if _free(folded, start, end):
                    whole = length == len(words)
                    if whole or length > 1 or len(words[i]) > 1:
                        hits.append(Hit(start, end, values, whole))
                        taken = length
                        break
            i += taken
        return hits


def _free(text: str, start: int, end: int) -> bool:
    """Whether nothing is glued to [start, end): no letter, digit, or hyphen, underscore or dot with more behind."""
    if start:
        before = text[start - 1]
        if before.isalnum() or (before in _GLUE and start > 1 and text[start - 2].isalnum()):
            return False
    if end < len(text):
        after = text[end]
        if after.isalnum() or (after in _GLUE and text[end + 1 : end + 2].isalnum()):
            return _ending(text[end : end + 13])
    return True


def _ending(tail: str) -> bool:
    """A file's ending after a name: `.py`, `.csv`."""
    word = tail[1:].split(" ")[0]
    return tail[0] == "." and word in {
        "py",
        "csv",
        "yaml",
        "yml",
        "json",
        "pth",
        "pt",
        "ckpt",
        "md",
        "onnx",
        "safetensors",
        "toml",
    }
