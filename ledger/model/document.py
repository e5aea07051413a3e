"""What a reader makes of a document: visible text with the source position of every character.

Readers (`ledger.ports.Reader`) turn Markdown, LaTeX, CSV and the rest into these few shapes, so that matching
and verdicts never see a format. Positions count as in `Location`.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace

from ledger.model.finding import Location


@dataclass(frozen=True, slots=True)
class Text:
    """A stretch of visible text. `anchors` maps offsets to source places: from an anchor on, each character
    advances the column by one until the next anchor. Markup that is not shown lies between anchors.
    """

    text: str
    anchors: tuple[tuple[int, int, int], ...]  # (offset, line, column), ascending, the first at offset 0
    # what it lies in where lines alone do not say: a notebook's cell, a slide, a table's row and col, a page; path unused
    within: Location | None = None

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of the character at `offset` (an offset at the end gives the place after the last). Line 0
        means that the format has no lines; columns count from 0 then.
        """
        i = bisect_right(self.anchors, (offset, 1 << 60, 1 << 60)) - 1
        start, line, column = self.anchors[max(i, 0)]
        return line, column + offset - start

    def location(self, path: str, start: int, end: int) -> Location:
        """The span [start, end) of this text as a place in `path`."""
        line, column = self.place(start)
        end_line, end_column = self.place(max(start, end - 1))
        return replace(
            self.within or Location(path),
            path=path,
            line=line or None,
            column=column,
            end_line=end_line or None,
            end_column=end_column + 1,
        )


@dataclass(frozen=True, slots=True)
class Cell:
    """One table cell; a cell that spans stands at each place it covers, with the same `text`."""

    text: Text
    links: tuple[str, ...] = ()  # link targets, in order
    emphasis: tuple[str, ...] = ()  # "bold", "italic", "underline" when the whole cell is so dressed
    origin: tuple[int, int] | None = None  # (row, col) of the first place of a spanning cell, else None


@dataclass(frozen=True, slots=True)
class Table:
    """A rectangular table: `rows[r][c]`; the first `header_rows` rows are heads."""

    rows: tuple[tuple[Cell, ...], ...]
    header_rows: int = 1
    caption: Text | None = None
    headings: tuple[str, ...] = ()  # titles of the sections that it stands in, outermost first
    index: int = 0  # among the tables of its document, from 0
    caption_is_own: bool = False  # the caption belongs to the table by markup, it is not just the text before it


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text: a paragraph, a list item, a heading, a caption."""

    text: Text
    headings: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    kind: str = "text"  # "text", "heading", "item", "caption"


@dataclass(frozen=True, slots=True)
class Directive:
    """A comment that speaks to the tool: `ledger: ignore[rule] reason` or `ledger: CLAIM`.

    It holds for the block that it touches: its own line, or the next block when it stands alone, and never outside
    of what it lies in (`Text.within`).
    """

    line: int
    claim: str | None = None
    ignore: str | None = None
    reason: str = ""
    within: Location | None = None

    def location(self, path: str) -> Location:
        """The line of this comment as a place in `path`."""
        return replace(self.within or Location(path), path=path, line=self.line)


@dataclass(frozen=True, slots=True)
class Document:
    """One document as a reader saw it."""

    path: str
    format: str
    blocks: tuple[Table | Paragraph, ...]
    title: str = ""
    directives: tuple[Directive, ...] = ()
    notes: tuple[str, ...] = field(default=())  # what the reader could not read, one sentence each
    comma: bool = False  # numbers are written with a decimal comma
