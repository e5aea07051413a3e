"""Markdown and MDX: tables, paragraphs, list items and headings with exact places.

markdown-it-py finds the blocks (CommonMark and GFM tables); the inline layer is `inline`, because markdown-it
gives no places inside a line. Code blocks and front matter are left alone; HTML comments may be directives.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from ledger.model.document import Cell, Directive, Document, Paragraph, Table, Text
from ledger_adapters.readers import html_blocks
from ledger_adapters.readers.directives import parse as parse_directive
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
        return Document(path, self.format, tuple(builder.blocks), builder.title, tuple(builder.directives))


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").disable(["inline", "reference"])


class Builder:
    """Turns block tokens into blocks, in order; sections and tables count on from one source to the next."""

    source: Source

    def __init__(self) -> None:
        self.blocks: list[Table | Paragraph] = []
        self.directives: list[Directive] = []
        self.title = ""
        self.heads: list[tuple[int, str]] = []
        self.tables = 0
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
        self._heading(level, self._text([(0, len(source.text))])[0])

    def html(self, source: Source) -> None:
        """Add the blocks of `source`, which is HTML."""
        self.source = source
        self._html(0, len(source.text))

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
            self._html(self.source.line_span(token.map[0])[0], self.source.line_span(token.map[1] - 1)[1])
        if kind.endswith("_open"):
            self.stack.append(f"h{token.tag[1]}" if kind == "heading_open" else kind[:-5])
        elif kind.endswith("_close") and self.stack:
            self.stack.pop()

    @property
    def headings(self) -> tuple[str, ...]:
        return tuple(title for _, title in self.heads)

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
            self._directive(offset, comment)
        return inline.visible.text(), tuple(inline.links)

    def _directive(self, offset: int, comment: str) -> None:
        found = parse_directive(comment, self.source, offset)
        if found:
            self.directives.append(found)

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
            self._heading(int(parent[1]), text)
            return
        if text.text:
            kind = "item" if "list_item" in self.stack else "text"
            self.blocks.append(Paragraph(text, self.headings, links, kind))

    def _heading(self, level: int, text: Text) -> None:
        self.heads = [(depth, title) for depth, title in self.heads if depth < level]
        if text.text:
            self.blocks.append(Paragraph(text, self.headings, (), "heading"))
        self.heads.append((level, text.text))
        self.title = self.title or text.text

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
        before = self.blocks[-1] if self.blocks else None
        caption = None
        if isinstance(before, Paragraph) and before.kind != "heading" and before.headings == self.headings:
            caption = before.text
        self.blocks.append(Table(even, self.header_rows, caption, self.headings, self.tables))
        self.tables += 1

    def _html(self, start: int, end: int) -> None:
        """An HTML block: its comments may be directives, its tables and text are read."""
        for match in re.finditer(r"<!--(.*?)(?:-->|\Z)", self.source.text[start:end], re.DOTALL):
            self._directive(start + match.start(), match.group(1))
        for block in html_blocks.read(self.source, start, end, self.headings, self.tables):
            if isinstance(block, Table):
                self.tables += 1
            elif block.kind == "heading":
                self.title = self.title or block.text.text
            self.blocks.append(block)


def _cells(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans of the cells of a pipe row; a pipe behind a backslash belongs to its cell (GFM)."""
    bars = [i for i in range(start, end) if text[i] == "|" and text[i - 1 : i] != "\\"]
    if not bars:
        return [(start, end)]
    lead = text[start : bars[0]].strip(" \t>")
    edges = ([start - 1] if lead else []) + bars + ([end] if text[bars[-1] + 1 : end].strip() else [])
    return [(a + 1, b) for a, b in pairwise(edges)]


READER = MarkdownReader()
