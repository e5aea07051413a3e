"""HTML pages, and HTML inside other documents: tables, headings, paragraphs and captions with exact places.

What a browser does not show is left alone (scripts, styles, templates, hidden elements, struck-out text), and so is
preformatted code. Comments may be directives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from ledger.model.document import Cell, Document, Table, Text
from ledger_adapters.readers.blocks import Blocks, Spread, lay_out
from ledger_adapters.readers.html_tokens import Piece, pieces
from ledger_adapters.readers.inline import math
from ledger_adapters.readers.source import Source, Visible, decode, word_set

_BLOCK = word_set(
    "p div li h1 h2 h3 h4 h5 h6 caption figcaption figure summary details center ul ol dl section article blockquote dd dt main nav aside"
    " header footer address form fieldset hr body html table thead tbody tfoot tr td th"
)
_HIDDEN = word_set("script style template pre svg textarea noscript iframe noembed noframes xmp annotation annotation-xml "
                   "del s strike select datalist object audio video canvas")  # fmt: skip
_VOID = word_set("area base br col embed hr img input link meta source track wbr")
# elements that end where one of these begins, or where what they stand in ends
_ENDED_BY = {
    "p": word_set("p div ul ol dl table h1 h2 h3 h4 h5 h6 section article blockquote hr pre figure form"),
    "li": word_set("li"),
    "dt": word_set("dt dd"),
    "dd": word_set("dt dd"),
    "td": word_set("td th tr tbody thead tfoot"),
    "th": word_set("td th tr tbody thead tfoot"),
    "tr": word_set("tr tbody thead tfoot"),
    "head": word_set("body"),
}
_UNSEEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_HEAVY = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_DRESS = {"b": "bold", "strong": "bold", "i": "italic", "em": "italic", "u": "underline"}
_MATH = re.compile(r"\\\((?P<round>[^()\n]{1,400}?)\\\)|\$(?P<dollar>[^$\n]{0,200}\\[^$\n]{1,200})\$")


class HtmlReader:
    """Reads `.html` and `.htm`."""

    format = "html"

    def read(self, path: str, data: bytes) -> Document:
        """The document in `data`.

        Raises:
            InputError: not UTF-8.
        """
        source = Source(decode(path, data))
        into = Blocks()
        read(source, 0, len(source.text), into)
        return into.document(path, self.format)


def read(source: Source, start: int, end: int, into: Blocks) -> None:
    """Add the blocks and directives of source[start:end] to `into`."""
    builder = _Builder(source, into)
    for piece in pieces(source.text, start, end):
        builder.take(piece)
    builder.finish(end)


@dataclass(slots=True)
class _Flow:
    """Text that is being collected: a paragraph or a cell."""

    visible: Visible
    tag: str = ""
    links: list[str] = field(default_factory=list)
    dress: dict[str, int] = field(default_factory=dict)  # open elements that dress it
    bare: set[str] = field(default_factory=set)  # dresses that some of its text lacks
    heavy: bool = False

    def mark(self) -> None:
        """Some text is shown under the dresses that are open now."""
        self.bare.update(name for name in ("bold", "italic", "underline") if not self.dress.get(name))

    def emphasis(self) -> tuple[str, ...]:
        if self.heavy:
            self.bare.discard("bold")
        return tuple(name for name in ("bold", "italic", "underline") if name not in self.bare)


@dataclass(slots=True)
class _Table:
    """A table that is being read, and the text that it stands in."""

    around: _Flow
    rows: list[list[Spread]] = field(default_factory=list)
    heads: list[bool] = field(default_factory=list)  # whether each row is a head: in a thead, or of th only
    spans: tuple[int, int] = (1, 1)
    cell: bool = False
    in_head: bool = False
    caption: Text | None = None


class _Builder:
    """Takes the pieces of a page one by one."""

    def __init__(self, source: Source, into: Blocks) -> None:
        self.source, self.into = source, into
        self.flow = _Flow(Visible(source))
        self.tables: list[_Table] = []
        self.hidden: list[str] = []  # the hidden element, and those of its kind inside it
        self.page_title: Visible | None = None
        self.in_title = False
        self.figure = -1  # how many blocks there were when the open figure began

    def take(self, piece: Piece) -> None:
        if piece.kind == "comment":
            self.into.direct(piece.name, self.source, piece.start)
        elif self.hidden:
            self._hide(piece)
        elif piece.kind == "text":
            self._text(piece.start, piece.end)
        elif piece.kind == "entity" and not self.in_title:
            self.flow.visible.put(piece.name, piece.start)
            self.flow.mark()
        elif piece.kind == "open":
            self._open(piece)
        elif piece.kind == "close":
            self._close(piece.name, piece.start)

    def _hide(self, piece: Piece) -> None:
        """Pass over what is hidden, until its element ends."""
        outer = self.hidden[0]
        if piece.name == outer and piece.kind == "close":
            self.hidden.pop()
        elif piece.kind == "open" and len(self.hidden) == 1 and piece.name in _ENDED_BY.get(outer, ()):
            self.hidden.clear()
            self._open(piece)
        elif piece.kind == "open" and piece.name == outer:
            self.hidden.append(outer)
        elif piece.kind == "close" and outer in ("td", "th", "tr") and piece.name in ("tr", "table"):
            self.hidden.clear()
            self._close(piece.name, piece.start)

    def _text(self, start: int, end: int) -> None:
        if self.in_title and self.page_title is not None:
            self.page_title.flow(start, end)
            return
        visible, text = self.flow.visible, self.source.text
        for match in _MATH.finditer(text, start, end) if text.find("\\", start, end) >= 0 else ():
            visible.flow(start, match.start())
            math(self.source, *match.span(match.lastgroup or 0), visible)
            start = match.end()
        visible.flow(start, end)
        if not text[start:end].isspace():
            self.flow.mark()

    def _open(self, piece: Piece) -> None:
        name, at = piece.name, piece.start
        if name == "title" and self.page_title is None:
            self.page_title, self.in_title = Visible(self.source), True
            return
        if name not in _VOID and (name in _HIDDEN or _is_unseen(piece)):
            if name in _BLOCK or name == "pre":
                self._break(at)
            self.hidden = [name]
            return
        if name in _BLOCK:
            self._open_block(piece)
        elif name == "br":
            self.flow.visible.space(at)
        elif name in ("sup", "sub"):
            if self.flow.visible.parts and self.flow.visible.parts[-1][-1:].strip():
                self.flow.visible.put("^" if name == "sup" else "_", at)
        elif name == "a":
            target = piece.get("href")
            self.flow.links += [target] if target else []
        elif name in _DRESS:
            self.flow.dress[_DRESS[name]] = self.flow.dress.get(_DRESS[name], 0) + 1

    def _open_block(self, piece: Piece) -> None:
        name, at = piece.name, piece.start
        table = self.tables[-1] if self.tables else None
        if name == "table":
            if table is None or not table.cell:
                self._break(at)
            self.tables.append(_Table(self.flow))
            self.flow = _Flow(Visible(self.source))
        elif table is None or (table.cell and name not in ("td", "th", "tr", "thead", "tbody", "tfoot")):
            self._break(at)
            self.flow.tag = name if table is None else self.flow.tag
            self.figure = len(self.into.blocks) if name == "figure" else self.figure
        elif name in ("td", "th", "tr", "thead", "tbody", "tfoot"):
            self._end_cell()
            if name in ("td", "th"):
                self._open_cell(table, piece)
            elif name == "tr":
                table.rows.append([])
                table.heads.append(True)
            else:
                table.in_head = name == "thead"
        else:
            self._break(at)
            self.flow.tag = name

    def _open_cell(self, table: _Table, piece: Piece) -> None:
        if not table.rows:
            table.rows.append([])
            table.heads.append(True)
        table.cell = True
        rows = piece.get("rowspan")
        table.spans = (65534 if rows == "0" else _count(rows, 65534), _count(piece.get("colspan"), 1000))
        self.flow = _Flow(Visible(self.source), piece.name, heavy=bool(_HEAVY.search(piece.get("style") or "")))

    def _close(self, name: str, at: int) -> None:
        if name == "title":
            self.in_title = False
        elif name in _DRESS:
            self.flow.dress[_DRESS[name]] = max(0, self.flow.dress.get(_DRESS[name], 0) - 1)
        elif name == "table":
            self._end_table(at)
        elif name in ("td", "th", "tr", "thead", "tbody", "tfoot"):
            if self.tables:
                self._end_cell()
                self.tables[-1].in_head = self.tables[-1].in_head and name != "thead"
        elif name in _BLOCK:
            self._break(at)
            self.figure = -1 if name == "figure" else self.figure

    def _break(self, at: int) -> None:
        """A block begins or ends here: close the running paragraph; inside a cell it is a mere space."""
        table = self.tables[-1] if self.tables else None
        if table is not None and table.cell:
            self.flow.visible.space(at)
            return
        flow, self.flow = self.flow, _Flow(Visible(self.source))
        text = flow.visible.text()
        if not text.text:
            return
        if flow.tag == "caption" and table is not None:
            table.caption = text
        elif re.fullmatch(r"h[1-6]", flow.tag):
            self.into.add_heading(int(flow.tag[1]), text, tuple(flow.links))
        else:
            if flow.tag == "figcaption" and self.figure >= 0:
                self._caption_figure(text)
            kind = {"li": "item", "figcaption": "caption", "caption": "caption"}.get(flow.tag, "text")
            self.into.add_paragraph(text, tuple(flow.links), kind)

    def _caption_figure(self, text: Text) -> None:
        """The caption of a figure belongs to the tables in it that have none."""
        for i in range(self.figure, len(self.into.blocks)):
            block = self.into.blocks[i]
            if isinstance(block, Table) and not block.caption_is_own:
                self.into.blocks[i] = replace(block, caption=text, caption_is_own=True)

    def _end_cell(self) -> None:
        table = self.tables[-1]
        if not table.cell:
            self._break(0)
            return
        text = self.flow.visible.text()
        cell = Cell(text, tuple(self.flow.links), self.flow.emphasis() if text.text else ())
        table.rows[-1].append(Spread(cell, *table.spans))
        table.heads[-1] = table.heads[-1] and (table.in_head or self.flow.tag == "th")
        table.cell = False
        self.flow = _Flow(Visible(self.source))

    def _end_table(self, at: int) -> None:
        if not self.tables:
            self._break(at)
            return
        self._end_cell()
        table = self.tables.pop()
        self.flow = table.around
        rows: list[tuple[list[Spread], bool]] = []
        reach = 0  # how far down the cells so far spread: an empty row within is one of their rows
        for row, head in zip(table.rows, table.heads, strict=True):
            if row or len(rows) < reach:
                reach = max(reach, *(len(rows) + one.rows for one in row)) if row else reach
                rows.append((row, head))
        grid, odd = lay_out([row for row, _ in rows])
        heads = 0
        while heads < len(rows) - 1 and rows[heads][1]:
            heads += 1
        self.into.add_table(grid, heads, table.caption)
        if odd:
            self.into.notes.append("a table spans far more cells than it has; its spans were left out")

    def finish(self, end: int) -> None:
        """End everything that is still open."""
        while self.tables:
            self._end_table(end)
        self._break(end)
        if self.page_title is not None and not self.into.title:
            self.into.title = self.page_title.text().text


def _is_unseen(piece: Piece) -> bool:
    """Whether attributes hide an element."""
    if not piece.attributes or piece.attributes.isspace():
        return False
    return (
        piece.get("hidden") is not None
        or piece.get("aria-hidden") == "true"
        or bool(_UNSEEN.search(piece.get("style") or ""))
    )


def _count(raw: str | None, most: int) -> int:
    return min(int(raw), most) if raw and raw.isascii() and raw.isdigit() and len(raw) < 9 and int(raw) else 1


READER = HtmlReader()
