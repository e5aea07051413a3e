"""Word documents (docx): headings, paragraphs, lists, tables, footnotes and text boxes, with changes accepted.

Places: `paragraph` counts the paragraphs of the body outside tables, empty ones too, `table` the tables of the body;
`row` and `col` are those of the grid. What hangs on a paragraph or lies in a cell (a footnote, a text box, a table in a
cell) has the place of that paragraph or cell, its columns run on behind the text. Not read: headers and footers,
comments, pictures, embedded files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

from ledger.errors import InputError
from ledger.model.document import Cell, Document, Paragraph, Table, Text
from ledger.model.finding import Location
from ledger_adapters.readers import captions
from ledger_adapters.readers.docx_runs import Runs, on
from ledger_adapters.readers.docx_styles import Styles
from ledger_adapters.readers.flow import Flow
from ledger_adapters.readers.grid import Grid
from ledger_adapters.readers.ooxml import Package, Relation, attribute, child, local, value
from ledger_adapters.readers.source import word_set

# elements that only wrap blocks
_WRAPPERS = word_set("sdt sdtContent customXml ins moveTo smartTag AlternateContent Choice")


class DocxReader:
    """Reads `.docx`."""

    format = "docx"

    def read(self, path: str, data: bytes) -> Document:
        """The document in `data`.

        Raises:
            InputError: no Word document, encrypted, damaged or too large.
        """
        package = Package(path, data, self.format)
        builder = _Builder(package)
        for parent, element in package.children(builder.main):
            if parent == "body":
                builder.take(element)
        if builder.empty:
            raise InputError("holds no Word document", where=path)
        return Document(path, self.format, captions.attach(builder.blocks), builder.title)


class _Builder:
    """Turns the elements of the body into blocks, in order."""

    def __init__(self, package: Package) -> None:
        self.main = package.main()
        self.relations = package.relations(self.main)
        styles = [part for part in package.related(self.main, "styles") if package.has(part)]
        self.styles = Styles(package.tree(styles[0]) if styles else None)
        self.package = package
        self.notes: dict[str, tuple[dict[str, Element], Mapping[str, Relation]]] = {}
        self.blocks: list[Table | Paragraph] = []
        self.heads: list[tuple[int, str]] = []
        self.title = ""
        self.paragraphs = self.tables = 0
        self.empty = True

    @property
    def headings(self) -> tuple[str, ...]:
        return tuple(title for _, title in self.heads)

    def take(self, element: Element) -> None:
        """One element of the body."""
        self.empty = False
        name = local(element)
        if name == "p":
            place, self.paragraphs = Location("", paragraph=self.paragraphs), self.paragraphs + 1
            self._paragraph(element, Flow(place), self.relations)
        elif name == "tbl":
            index, self.tables = self.tables, self.tables + 1
            self._table(element, index, None, 0, self.relations)
        elif name in _WRAPPERS:
            for each in element:
                self.take(each)

    def _paragraph(self, element: Element, flow: Flow, relations: Mapping[str, Relation]) -> int:
        """A paragraph and what hangs on it; the column behind all of it."""
        runs = Runs(flow, relations)
        runs.walk(element)
        kind, level = self.styles.kind(child(element, "pPr"))
        text = flow.text()
        if kind == "heading":
            self._heading(level, text)
        elif text.text:
            self.blocks.append(Paragraph(text, self.headings, tuple(flow.links), kind))
        return self._beside(runs, flow.within, flow.column)

    def _heading(self, level: int, text: Text) -> None:
        if not text.text:
            return
        self.heads = [(depth, title) for depth, title in self.heads if depth < level]
        self.blocks.append(Paragraph(text, self.headings, (), "heading"))
        self.heads.append((level, text.text))
        self.title = self.title or text.text

    def _beside(self, runs: Runs, within: Location, column: int) -> int:
        """The text boxes and notes of a paragraph or cell, in the same place."""
        for box in runs.boxes:
            column = self._story(box, within, column, runs.relations)
        for kind, key in runs.notes:
            notes, relations = self._notes(kind)
            if key in notes:
                column = self._story(notes.pop(key), within, column, relations)
        return column

    def _story(self, element: Element, within: Location, column: int, relations: Mapping[str, Relation]) -> int:
        """Paragraphs and tables that have no place of their own."""
        for each in element:
            if local(each) == "p":
                column = self._paragraph(each, Flow(within, column + 1), relations)
            elif local(each) == "tbl":
                column = self._table(each, within.table or 0, within, column + 1, relations)
            elif local(each) in _WRAPPERS:
                column = self._story(each, within, column, relations)
        return column

    def _notes(self, kind: str) -> tuple[dict[str, Element], Mapping[str, Relation]]:
        """Footnotes or endnotes by id; a note is shown once."""
        if kind not in self.notes:
            found: dict[str, Element] = {}
            relations: Mapping[str, Relation] = {}
            for part in self.package.related(self.main, f"{kind}s"):
                tree = self.package.tree(part)
                relations = self.package.relations(part)
                found.update((attribute(note, "id") or "", note) for note in (tree if tree is not None else ()))
            self.notes[kind] = found, relations
        return self.notes[kind]

    def _table(
        self, element: Element, index: int, outer: Location | None, column: int, relations: Mapping[str, Relation]
    ) -> int:
        """A table; a table inside a cell has the place of that cell. The column behind it."""
        grid, heads, later = Grid(), 0, []
        for r, row in enumerate(_parts(element, "tr")):
            properties = child(row, "trPr")
            if child(properties, "del") is not None:
                continue  # the rows behind it keep their numbers
            heads += on(properties, "tblHeader") and heads == len(grid.rows)
            grid.begin()
            c = _count(value(properties, "gridBefore"), 0)
            for cell in _parts(row, "tc"):
                given = child(cell, "tcPr")
                width = _count(value(given, "gridSpan"), 1)
                merge = child(given, "vMerge")
                if merge is not None and (attribute(merge, "val") or "continue") == "continue":
                    grid.extend(c, width)
                else:
                    place = outer or Location("", table=index, row=r, col=c)
                    flow = Flow(place, column if outer else 0)
                    later.append((self._cell(cell, flow, relations), flow))
                    grid.put(c, Cell(flow.text(), tuple(flow.links), flow.emphasis), width)
                    column = flow.column + 1
                c += width
        made = grid.table(self.package.path, max(heads, 1), self.headings, index)
        self.blocks += [made] if made else []
        for runs, flow in later:
            column = max(column, self._beside(runs, flow.within, column if outer else flow.column))
        return column

    def _cell(self, cell: Element, flow: Flow, relations: Mapping[str, Relation]) -> Runs:
        """The paragraphs of a cell as one text; a table inside waits among the boxes."""
        runs = Runs(flow, relations)
        for i, each in enumerate(_parts(cell, "p", "tbl")):
            if local(each) == "p":
                if i:
                    flow.add("\n")
                runs.walk(each)
            else:
                holder = Element("txbxContent")
                holder.append(each)
                runs.boxes.append(holder)
        return runs


def _parts(element: Element, *names: str) -> Iterator[Element]:
    """Children of these names, also inside wrappers."""
    for each in element:
        name = local(each)
        if name in names:
            yield each
        elif name in _WRAPPERS:
            yield from _parts(each, *names)


def _count(raw: str | None, default: int) -> int:
    """A number of columns as written, within reason: Word allows 63."""
    return min(int(raw), 100) if raw and raw.isdecimal() and len(raw) < 6 else default


READER = DocxReader()
