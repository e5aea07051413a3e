"""HTML inside other documents: tables, headings and paragraphs with their places, by the standard library's parser."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from ledger.model.document import Cell, Paragraph, Table, Text
from ledger_adapters.readers.inline import Inline, undress
from ledger_adapters.readers.source import Source, Visible, word_set

_BLOCK = word_set("p div li h1 h2 h3 h4 h5 h6 caption summary details center ul ol section article blockquote dd dt")
_HIDDEN = frozenset(("script", "style", "pre", "code", "svg"))


def read(source: Source, start: int, end: int, headings: tuple[str, ...], index: int) -> list[Table | Paragraph]:
    """The blocks in source[start:end]; `index` numbers the first table among it."""
    parser = _Parser(source, start, end, headings, index)
    parser.feed(source.text[start:end])
    parser.close()
    parser.flush(end)
    parser.end_table()
    return parser.blocks


class _Cell:
    def __init__(self, start: int, head: bool, rows: int, cols: int) -> None:
        self.start, self.head, self.rows, self.cols, self.end = start, head, rows, cols, start


class _Parser(HTMLParser):
    """Notes where blocks and cells begin and end; their inner text is undressed like Markdown's."""

    def __init__(self, source: Source, start: int, end: int, headings: tuple[str, ...], index: int) -> None:
        super().__init__(convert_charrefs=False)
        self.source, self.base, self.headings, self.index = source, start, headings, index
        self.starts = Source(source.text[start:end]).starts
        self.blocks: list[Table | Paragraph] = []
        self.rows: list[list[_Cell]] | None = None
        self.cell: _Cell | None = None
        self.caption: Text | None = None
        self.open_at = start
        self.open_tag = ""
        self.hidden = 0

    def _here(self) -> int:
        line, column = self.getpos()
        return self.base + self.starts[line - 1] + column

    def _after(self) -> int:
        return self._here() + len(self.get_starttag_text() or "")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "table":
            self.flush(self._here())
            self.end_table()
            self.rows = []
        elif tag == "tr" and self.rows is not None:
            self.end_cell(self._here())
            self.rows.append([])
        elif tag in ("td", "th") and self.rows is not None:
            self.end_cell(self._here())
            if not self.rows:
                self.rows.append([])
            self.cell = _Cell(self._after(), tag == "th", _span(given.get("rowspan")), _span(given.get("colspan")))
        elif tag in _BLOCK and self.cell is None:
            self.flush(self._here())
            self.open_at, self.open_tag = self._after(), tag
        elif tag in _HIDDEN and self.cell is None:
            self.flush(self._here())
            self.hidden += 1

    def handle_endtag(self, tag: str) -> None:
        here = self._here()
        close = self.source.text.find(">", here) + 1 or here
        if tag in ("td", "th", "tr"):
            self.end_cell(here)
        elif tag == "table":
            self.end_cell(here)
            self.end_table()
            self.open_at = close
        elif tag in _HIDDEN and self.hidden:
            self.hidden -= 1
            self.open_at = close
        elif tag in _BLOCK and self.cell is None:
            self.flush(here)
            self.open_at, self.open_tag = close, ""

    def end_cell(self, at: int) -> None:
        if self.cell is not None and self.rows:
            self.cell.end = at
            self.rows[-1].append(self.cell)
        self.cell = None

    def flush(self, at: int) -> None:
        """Close the running paragraph before `at`."""
        if self.hidden or self.open_at >= at or (self.rows is not None and self.open_tag != "caption"):
            self.open_at = max(self.open_at, at)
            return
        inline = Inline(Visible(self.source))
        undress(self.source, self.open_at, at, inline)
        text = inline.visible.text()
        self.open_at = at
        if not text.text:
            return
        if self.open_tag == "caption":
            self.caption = text
            return
        kind = "heading" if re.fullmatch(r"h[1-6]", self.open_tag) else "item" if self.open_tag == "li" else "text"
        self.blocks.append(Paragraph(text, self.headings, tuple(inline.links), kind))

    def end_table(self) -> None:
        rows, self.rows = self.rows, None
        if rows:
            grid, heads = _grid(self.source, [row for row in rows if row])
            if grid and grid[0]:
                self.blocks.append(Table(grid, heads, self.caption, self.headings, self.index))
                self.index += 1
        self.caption = None


def _span(raw: str | None) -> int:
    return min(int(raw), 1000) if raw and re.fullmatch("[0-9]{1,9}", raw) and int(raw) else 1


def _grid(source: Source, rows: list[list[_Cell]]) -> tuple[tuple[tuple[Cell, ...], ...], int]:
    """Rectangular rows with spanning cells repeated, and how many rows are heads."""
    places: dict[tuple[int, int], Cell] = {}
    for r, row in enumerate(rows):
        c = 0
        for raw in row:
            while (r, c) in places:
                c += 1
            inline = Inline(Visible(source))
            undress(source, raw.start, raw.end, inline)
            spans = raw.rows > 1 or raw.cols > 1
            cell = Cell(inline.visible.text(), tuple(inline.links), origin=(r, c) if spans else None)
            for dr in range(min(raw.rows, len(rows) - r)):
                for dc in range(raw.cols):
                    places.setdefault((r + dr, c + dc), cell)
            c += raw.cols
    width = max((c for _, c in places), default=-1) + 1
    blank = Cell(Text("", ((0, 1, 1),)))
    grid = tuple(tuple(places.get((r, c), blank) for c in range(width)) for r in range(len(rows)))
    heads = 0
    while heads < len(rows) - 1 and all(cell.head for cell in rows[heads]):
        heads += 1
    return grid, heads
