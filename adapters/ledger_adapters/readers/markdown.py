"""Markdown and MDX: tables, paragraphs, list items and headings with exact places.

markdown-it-py finds the blocks (CommonMark and GFM tables); the inline layer is `inline`, because markdown-it
gives no places inside a line. Code blocks and front matter are left alone; HTML comments may be directives.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from ledger.model.document import Cell, Document, Text
from ledger_adapters.readers import html
from ledger_adapters.readers.blocks import Blocks
from ledger_adapters.readers.inline import MARKED, Inline, undress
from ledger_adapters.readers.source import Source, Visible, decode

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_FRONT = re.compile(r"\A---[ \t]*\r?\n.*?^(?:---|\.\.\.)[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)
_NUMBERED_CAPTION = re.compile(r"^(?:table|tab\.)\s*\w{1,5}\s*[.:]", re.IGNORECASE)


class MarkdownReader:
    """Reads `.md`, `.markdown` and `.mdx`."""

    format = "markdown"

    def read(self, path: str, data: bytes) -> Document:
        """The document in `data`.

        Raises:
            InputError: not UTF-8.
        """
        builder = Builder()
        builder.read(Source(decode(path, data)))
        return builder.document(path, self.format)


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").disable(["inline", "reference"])


class Builder(Blocks):
    """Turns block tokens into blocks, in order; sections and tables count on from one source to the next."""

    source: Source

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[Cell, ...]] | None = None
        self.header_rows = 0
        self.stack: list[str] = []

    def read(self, source: Source) -> None:
        """Add the blocks and directives of `source`."""
        self.source = source
        front = _FRONT.match(source.text) if source.within is None else None
        hidden = re.sub(r"\r(?!\n)", " ", source.text)  # markdown-it would count a line there, editors do not
        if front:  # keep every offset, show nothing of it
            hidden = re.sub(r"[^\n]", " ", front.group()) + hidden[front.end() :]
        for token in _parser().parse(hidden):
            self.take(token)

    def heading(self, level: int, source: Source) -> None:
        """Add all of `source` as a heading."""
        self.source = source
        self.add_heading(level, self._text([(0, len(source.text))])[0])

    def html(self, source: Source) -> None:
        """Add the blocks of `source`, which is HTML."""
        html.read(source, 0, len(source.text), self)

    def take(self, token: Token) -> None:
        kind = token.type
        if kind == "table_open":
            self.rows, self.header_rows = [], 0
        elif kind == "tr_open" and self.rows is not None and token.map:
            self.rows.append(self._row(token.map[0]))
        elif kind == "thead_close" and self.rows is not None:
            self.header_rows = len(self.rows)
        elif kind == "table_close" and self.rows is not None:
            self._table(self.rows)
            self.rows = None
        elif kind == "inline" and self.rows is None and token.map:
            self._inline(token, self.stack[-1] if self.stack else "")
        elif kind == "html_block" and token.map:
            start, end = self.source.line_span(token.map[0])[0], self.source.line_span(token.map[1] - 1)[1]
            html.read(self.source, start, end, self)
        if kind.endswith("_open"):
            self.stack.append(f"h{token.tag[1]}" if kind == "heading_open" else kind[:-5])
        elif kind.endswith("_close") and self.stack:
            self.stack.pop()

    def _text(self, spans: list[tuple[int, int]]) -> tuple[Text, tuple[str, ...]]:
        """The visible text of source spans, one per line."""
        if len(spans) == 1 and not MARKED.search(self.source.text, *spans[0]):
            return self.source.plain(*spans[0]), ()
        inline = Inline(Visible(self.source))
        if (
            spans
            and spans == sorted(spans)
            and all(self.source.text[a[1] : b[0]].strip("\r\n\t ") == "" for a, b in pairwise(spans))
        ):
            undress(self.source, spans[0][0], spans[-1][1], inline)
        else:
            for start, end in spans:
                undress(self.source, start, end, inline)
                inline.visible.put(" ", end)
        for offset, comment in inline.comments:
            self.direct(comment, self.source, offset)
        return inline.visible.text(), tuple(inline.links)

    def _inline(self, token: Token, parent: str) -> None:
        assert token.map is not None
        spans = []
        for i, content in enumerate(token.content.split("\n")):
            start, end = self.source.line_span(token.map[0] + i)
            at = self.source.text.rfind(content.rstrip(), start, end) if content.strip() else -1
            if at >= 0:
                spans.append((at, at + len(content.rstrip())))
        text, links = self._text(spans)
        if re.fullmatch(r"h[1-6]", parent):
            self.add_heading(int(parent[1]), text)
            return
        self.add_paragraph(text, links, "item" if "list_item" in self.stack else "text")

    def _row(self, line: int) -> tuple[Cell, ...]:
        start, end = self.source.line_span(line)
        cells = []
        for a, b in _cells(self.source.text, start, end):
            text, links = self._text([(a, b)])
            raw = self.source.text[a:b].strip()
            bold = bool(re.fullmatch(r"\*\*[^*]+\*\*|__[^_]+__|<b>.*</b>|<strong>.*</strong>", raw))
            cells.append(Cell(text, links, ("bold",) if bold else ()))
        return tuple(cells)

    def _table(self, rows: list[tuple[Cell, ...]]) -> None:
        width = len(rows[0]) if rows else 0
        if not width:
            return
        blank = Cell(Text("", rows[0][0].text.anchors))
        even = tuple(row[:width] + (blank,) * (width - len(row)) for row in rows)
        self.add_table(even, self.header_rows)


def _cells(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans of the cells of a pipe row; a pipe behind a backslash belongs to its cell (GFM)."""
    bars = [i for i in range(start, end) if text[i] == "|" and text[i - 1 : i] != "\\"]
    if not bars:
        return [(start, end)]
    lead = text[start : bars[0]].strip(" \t>")
    edges = ([start - 1] if lead else []) + bars + ([end] if text[bars[-1] + 1 : end].strip() else [])
    return [(a + 1, b) for a, b in pairwise(edges)]


READER = MarkdownReader()
