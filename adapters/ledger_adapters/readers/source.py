"""What all readers of text formats share: decoding, line starts, and visible text that knows its places."""

from __future__ import annotations

from bisect import bisect_right

from ledger.errors import InputError
from ledger.model.document import Text

# shown as nothing: soft hyphen, zero-width space, joiners, byte order mark
INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")


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
    """A decoded document: offsets into lines and columns, both from 1."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0]
        position = text.find("\n")
        while position >= 0:
            self.starts.append(position + 1)
            position = text.find("\n", position + 1)

    def place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

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
        text = self.source.text
        position = start
        for i in range(start, end):
            char = text[i]
            if char == "\n" or char == "\r" or char in INVISIBLE:
                self._piece(position, i)
                if char == "\n":
                    self.put(" ", i)
                position = i + 1
        self._piece(position, end)

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
        if not shown:
            return
        self.anchors.append((self.length, *self.source.place(at)))
        self.parts.append(shown)
        self.length += len(shown)
        self._next = -1

    def text(self) -> Text:
        """What was collected, without white space at its ends."""
        whole = "".join(self.parts)
        lead = len(whole) - len(whole.lstrip())
        shown = whole.strip()
        if not self.anchors:
            return Text(shown, ((0, 1, 1),))
        if not lead and len(self.anchors) == 1:
            return Text(shown, tuple(self.anchors))
        kept: list[tuple[int, int, int]] = []
        for offset, line, column in self.anchors:
            if offset <= lead:
                kept = [(0, line, column + lead - offset)]
            elif offset - lead <= len(shown):
                kept.append((offset - lead, line, column))
        return Text(shown, tuple(kept))
