"""What all readers of documents with sections collect: blocks in order, under the sections that they stand in."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from ledger.model.document import Cell, Directive, Document, Paragraph, Table, Text
from ledger_adapters.readers.directives import parse as parse_directive
from ledger_adapters.readers.source import Source

Rows = tuple[tuple[Cell, ...], ...]
_PADDING = 1_000_000  # cells that may be made up to make one table rectangular


class Blocks:
    """Blocks, sections, directives and notes of one document."""

    def __init__(self) -> None:
        self.blocks: list[Table | Paragraph] = []
        self.directives: list[Directive] = []
        self.notes: list[str] = []
        self.heads: list[tuple[int, str]] = []
        self.title = ""
        self.tables = 0

    @property
    def headings(self) -> tuple[str, ...]:
        return tuple(title for _, title in self.heads)

    def direct(self, comment: str, source: Source, offset: int) -> None:
        """Keep the directive of a comment at `offset`, if it is one."""
        found = parse_directive(comment, source, offset)
        if found:
            self.directives.append(found)

    def add_heading(self, level: int, text: Text, links: tuple[str, ...] = ()) -> None:
        self.heads = [(depth, title) for depth, title in self.heads if depth < level]
        if text.text:
            self.blocks.append(Paragraph(text, self.headings, links, "heading"))
        self.heads.append((level, text.text))
        self.title = self.title or text.text

    def add_paragraph(self, text: Text, links: tuple[str, ...] = (), kind: str = "text") -> None:
        if text.text:
            self.blocks.append(Paragraph(text, self.headings, links, kind))

    def add_table(self, rows: Rows, header_rows: int, caption: Text | None = None) -> None:
        """Add a table; without a caption of its own, the text right before it may speak for it."""
        if not rows or not rows[0]:
            return
        own = caption is not None and bool(caption.text)
        before = self.blocks[-1] if self.blocks else None
        if own:
            pass
        elif isinstance(before, Paragraph) and before.kind != "heading" and before.headings == self.headings:
            caption = before.text
        else:
            caption = None
        self.blocks.append(Table(rows, header_rows, caption, self.headings, self.tables, own))
        self.tables += 1

    def document(self, path: str, format_: str) -> Document:
        return Document(
            path, format_, tuple(self.blocks), self.title, tuple(self.directives), tuple(dict.fromkeys(self.notes))
        )


def even(rows: Sequence[Sequence[Cell]]) -> tuple[Rows, bool]:
    """Rows made as wide as the widest, and whether a few rows were cut because they are wide beyond all others."""
    widths = sorted(map(len, rows), reverse=True)
    if not widths or not widths[0]:
        return (), False
    width, allowed = widths[0], 4 * sum(widths) + _PADDING
    if width * len(rows) > allowed:
        width = next(wide for wide in widths if wide * len(rows) <= allowed or wide == widths[-1])
    first = next(row for row in rows if row)[0]
    blank = Cell(Text("", first.text.anchors[:1], first.text.within))
    padded = tuple((*row[:width], *(blank,) * (width - len(row))) for row in rows)
    return padded, width < widths[0]


class Spread:
    """One cell and how many rows and columns it covers."""

    __slots__ = ("cell", "cols", "rows")

    def __init__(self, cell: Cell, rows: int = 1, cols: int = 1) -> None:
        self.cell, self.rows, self.cols = cell, rows, cols


def lay_out(rows: Sequence[Sequence[Spread]]) -> tuple[Rows, bool]:
    """Rectangular rows with each spanning cell at all places it covers, and whether the table is too odd for that.

    Spans that would make many times more cells than are written are taken as 1.
    """
    left = [len(rows) - r for r in range(len(rows))]
    area = list(accumulate(min(one.rows, left[r]) * one.cols for r, row in enumerate(rows) for one in row))
    odd = bool(area) and area[-1] > 20 * len(area) + _PADDING
    if odd or not any(one.rows > 1 or one.cols > 1 for row in rows for one in row):
        grid, cut = even([[one.cell for one in row] for row in rows])
        return grid, odd or cut
    out: list[list[Cell]] = []
    hanging: dict[int, tuple[int, Cell]] = {}  # column -> rows still to cover, cell
    for r, row in enumerate(rows):
        line: list[Cell] = []
        later: dict[int, tuple[int, Cell]] = {}
        for one in row:
            _drop(line, hanging, later)
            cell = one.cell
            if one.rows > 1 or one.cols > 1:
                cell = Cell(cell.text, cell.links, cell.emphasis, (r, len(line)))
            for _ in range(one.cols):
                hanging.pop(len(line), None)
                if min(one.rows, left[r]) > 1:
                    later[len(line)] = (min(one.rows, left[r]) - 1, cell)
                line.append(cell)
        for c in sorted(hanging):  # what hangs further right than a short row reaches
            if c in hanging:
                blank = hanging[c][1].text
                line += [Cell(Text("", blank.anchors[:1], blank.within))] * (c - len(line))
                _drop(line, hanging, later)
        hanging = later
        out.append(line)
    return even(out)


def _drop(line: list[Cell], hanging: dict[int, tuple[int, Cell]], later: dict[int, tuple[int, Cell]]) -> None:
    """Let the cells from above fall into the next places of a row."""
    while len(line) in hanging:
        count, cell = hanging.pop(len(line))
        if count > 1:
            later[len(line)] = (count - 1, cell)
        line.append(cell)
