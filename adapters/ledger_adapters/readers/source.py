"""What all readers of text formats share: decoding, line starts, and visible text that knows its places."""

from __future__ import annotations

import re
from bisect import bisect_right

from ledger.errors import InputError
from ledger.model.document import Text
from ledger.model.finding import Location

# shown as nothing: soft hyphen, zero-width space, joiners, byte order mark
NOT_SHOWN = "\n\r\u00ad\u200b\u200c\u200d\u2060\ufeff"
_NOT_SHOWN = re.compile(f"[{NOT_SHOWN}]")
_RUN = re.compile(f"[ \t\n\r\f]{{2,}}|[\t\f{NOT_SHOWN}]")


def decode(path: str, data: bytes) -> str:
    """The text of UTF-8 bytes, with or without a byte order mark.

    Raises:
        InputError: not UTF-8; `where` names the path and the byte.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"is not UTF-8 (byte {error.start} is 0x{data[error.start]:02x})", where=path, fix="save it as UTF-8"
        ) from None
    if "\x00" in text[:4096]:
        raise InputError("is not text (it holds NUL bytes)", where=path)
    return text


def word_set(words: str) -> frozenset[str]:
    """The words of a string, as a set."""
    return frozenset(words.split())


class Source:
    """A decoded document, or a part of one: offsets into lines and columns, both from 1 (the first line is `first`)."""

    def __init__(self, text: str, within: Location | None = None, first: int = 1) -> None:
        self.text = text
        self.within = within  # what the part lies in, as `Text.within`
        self.first = first
        self.starts = [0]
        position = text.find("\n")
        while position >= 0:
            self.starts.append(position + 1)
            position = text.find("\n", position + 1)

    def place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.starts, offset)
        return line + self.first - 1, offset - self.starts[line - 1] + 1

    def plain(self, start: int, end: int) -> Text:
        """What [start, end) shows where nothing in it is markup, without white space at its ends."""
        piece = self.text[start:end]
        shown = piece.strip()
        at = start + len(piece) - len(piece.lstrip()) if shown else start
        return Text(shown, ((0, *self.place(at)),), self.within)

    def line_span(self, line: int) -> tuple[int, int]:
        """Offsets of line number `line` (from 0) without its line break."""
        start = self.starts[line]
        end = self.starts[line + 1] - 1 if line + 1 < len(self.starts) else len(self.text)
        if end > start and self.text[end - 1] == "\r":
            end -= 1
        return start, end


class Visible:
    """Collects visible text from pieces of a source, with an anchor wherever the places jump."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.parts: list[str] = []
        self.length = 0
        self.anchors: list[tuple[int, int, int]] = []
        self._next = -1  # the offset in the source that would continue without a jump

    def add(self, start: int, end: int) -> None:
        """Show source[start:end]; line breaks become spaces, invisible characters vanish."""
        position = start
        for match in _NOT_SHOWN.finditer(self.source.text, start, end):
            i = match.start()
            self._piece(position, i)
            if match.group() == "\n":
                self.put(" ", i)
            position = i + 1
        self._piece(position, end)

    def flow(self, start: int, end: int) -> None:
        """Show source[start:end] with every run of white space as one space, as in HTML."""
        position = start
        for match in _RUN.finditer(self.source.text, start, end):
            self._piece(position, match.start())
            position = match.end()
            if match.group()[0] in " \t\n\r\f":
                self.space(match.start())
        self._piece(position, end)

    def space(self, at: int) -> None:
        """Show a space for what stands at `at`, unless one is shown already or nothing is."""
        if self.parts and self.parts[-1][-1] != " ":
            self.put(" ", at)

    def _piece(self, start: int, end: int) -> None:
        if start >= end:
            return
        if start != self._next:
            self.anchors.append((self.length, *self.source.place(start)))
        self.parts.append(self.source.text[start:end])
        self.length += end - start
        self._next = end

    def put(self, shown: str, at: int) -> None:
        """Show `shown`, which stands for markup at source offset `at`."""
        if len(shown) == 1 and _NOT_SHOWN.match(shown):
            return
        if not shown:
            return
        self.anchors.append((self.length, *self.source.place(at)))
        self.parts.append(shown)
        self.length += len(shown)
        self._next = -1

    def text(self) -> Text:
        """What was collected, without white space at its ends."""
        if not self.anchors:
            return Text("".join(self.parts).strip(), ((0, self.source.first, 1),), self.source.within)
        return trimmed("".join(self.parts), self.anchors, self.source.within)


def trimmed(whole: str, anchors: list[tuple[int, int, int]], within: Location | None = None) -> Text:
    """A text without white space at its ends, its anchors moved along."""
    lead = len(whole) - len(whole.lstrip())
    shown = whole.strip()
    if not lead and len(anchors) == 1:
        return Text(shown, tuple(anchors), within)
    kept: list[tuple[int, int, int]] = []
    for offset, line, column in anchors:
        if offset <= lead:
            kept = [(0, line, column + lead - offset)]
        elif offset - lead <= len(shown):
            kept.append((offset - lead, line, column))
    return Text(shown, tuple(kept), within)
