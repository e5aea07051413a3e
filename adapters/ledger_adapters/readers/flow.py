"""Text of formats without lines: what a cell or paragraph shows, with columns that count its characters from 0."""

from __future__ import annotations

import re

from ledger.model.document import Text
from ledger.model.finding import Location
from ledger_adapters.readers.source import NOT_SHOWN, trimmed

_NOTHING = NOT_SHOWN.strip("\r\n")  # these count and show nothing
_PIECE = re.compile(f"(?P<invisible>[{_NOTHING}]+)|[^{_NOTHING}]+")
_BLANK = str.maketrans(dict.fromkeys("\t\n\r\v\f", " "))


class Flow:
    """Collects the text of one place; a further flow of the same place begins at the `column` where this one ended."""

    def __init__(self, within: Location, column: int = 0) -> None:
        self.within, self.column = within, column
        self.parts: list[str] = []
        self.length = 0
        self.anchors: list[tuple[int, int, int]] = [(0, 0, column)]
        self.bold: set[bool] = set()  # of the pieces that show something
        self.links: list[str] = []
        self._expected = column  # the column that the next character has without an anchor

    def add(self, text: str, *, bold: bool = False) -> None:
        """Show `text`; breaks and tabs become spaces, invisible characters count but vanish."""
        for match in _PIECE.finditer(text):
            if match["invisible"] is None:
                self._put(match.group().translate(_BLANK))
                self._expected = self.column + len(match.group())
            self.column += len(match.group())
        if text.strip():
            self.bold.add(bold)

    def skip(self, count: int) -> None:
        """Characters that stand there and are not shown (hidden or struck out)."""
        self.column += count

    def mark(self, text: str) -> None:
        """Show a mark that is no character of the document: `^` before a superscript."""
        self._put(text)
        self._expected = -1

    def _put(self, shown: str) -> None:
        if self._expected != self.column:
            self.anchors.append((self.length, 0, self.column))
        self.parts.append(shown)
        self.length += len(shown)

    def text(self) -> Text:
        """What was collected, without white space at its ends."""
        return trimmed("".join(self.parts), self.anchors, self.within)

    @property
    def emphasis(self) -> tuple[str, ...]:
        return ("bold",) if self.bold == {True} else ()
