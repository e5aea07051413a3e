"""Slides (pptx): titles, text, tables and charts of every slide, shapes in groups too, and the speaker's notes.

Places: `slide` from 1, hidden slides counted; `table` counts the tables of a slide in the order of its shapes, its
charts follow; `paragraph` counts the paragraphs of its text bodies in that order, empty ones too, then those of its
notes. A title has its slide alone. Not read: masters and layouts, pictures, embedded files, comments.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from xml.etree.ElementTree import Element

from ledger.errors import InputError
from ledger.model.document import Cell, Document, Paragraph, Table
from ledger.model.finding import Location
from ledger_adapters.readers import captions, chart
from ledger_adapters.readers.drawing import Frame
from ledger_adapters.readers.flow import Flow
from ledger_adapters.readers.grid import Grid
from ledger_adapters.readers.ooxml import Package, child, local, reference
from ledger_adapters.readers.source import word_set

_TITLES = word_set("title ctrTitle")
_FILLED_IN = word_set("sldNum dt ftr hdr sldImg")


class PptxReader:
    """Reads `.pptx`."""

    format = "pptx"

    def read(self, path: str, data: bytes) -> Document:
        """The document in `data`.

        Raises:
            InputError: no presentation, encrypted, damaged or too large.
        """
        package = Package(path, data, self.format)
        main = package.main()
        root = package.tree(main)
        if root is None or local(root) != "presentation":
            raise InputError("holds no presentation", where=path)
        order = child(root, "sldIdLst")
        relations = package.relations(main)
        blocks: list[Table | Paragraph] = []
        title = ""
        for i, entry in enumerate(order if order is not None else ()):
            relation = relations.get(reference(entry) or "")
            if relation is None or relation.external:
                raise InputError(f"lacks slide {i + 1}", where=path)
            slide = _Slide(package, relation.target, i + 1)
            blocks += captions.attach(slide.read())
            title = title or slide.title
        return Document(path, self.format, tuple(blocks), title)


class _Slide:
    """The blocks of one slide."""

    def __init__(self, package: Package, part: str, number: int) -> None:
        tree = package.tree(part)
        if tree is None:
            raise InputError(f"lacks slide {number}", where=package.path)
        self.package, self.part, self.number, self.tree = package, part, number, tree
        self.relations = package.relations(part)
        self.frame = Frame(self.relations)
        self.blocks: list[Table | Paragraph] = []
        self.charts: list[Element] = []
        self.title = ""
        self.paragraphs = self.tables = 0

    def read(self) -> list[Table | Paragraph]:
        """Titles first: they speak for everything on the slide, wherever their shape lies."""
        shapes = list(_shapes(child(self.tree, "cSld", "spTree")))
        for shape in shapes:
            if _placeholder(shape) in _TITLES:
                self._heading(shape)
        for shape in shapes:
            if local(shape) == "graphicFrame":
                self._graphic(shape)
            elif _placeholder(shape) not in _TITLES | _FILLED_IN:
                self._body(child(shape, "txBody"))
        for each in self.charts:
            self._chart(each)
        self._notes()
        return self.blocks

    @property
    def headings(self) -> tuple[str, ...]:
        return (self.title,) if self.title else ()

    def _heading(self, shape: Element) -> None:
        flow = Flow(Location("", slide=self.number))
        self.frame.body(child(shape, "txBody"), flow)
        text = flow.text()
        if text.text:
            self.blocks.append(Paragraph(text, (), tuple(flow.links), "heading"))
            self.title = self.title or text.text

    def _body(self, body: Element | None) -> None:
        for paragraph in body if body is not None else ():
            if local(paragraph) != "p":
                continue
            flow = Flow(Location("", slide=self.number, paragraph=self.paragraphs))
            self.paragraphs += 1
            self.frame.show(paragraph, flow)
            text = flow.text()
            if text.text:
                self.blocks.append(Paragraph(text, self.headings, tuple(flow.links), "item"))

    def _graphic(self, shape: Element) -> None:
        data = child(shape, "graphic", "graphicData")
        for each in data if data is not None else ():
            if local(each) == "tbl":
                self._table(each)
            elif local(each) == "chart":
                self.charts.append(each)
            elif local(each) == "relIds":  # a diagram: its texts lie in a part of their own
                relation = self.relations.get(reference(each, "dm") or "")
                tree = self.package.tree(relation.target) if relation and not relation.external else None
                for text in tree.iter() if tree is not None else ():
                    if local(text) == "t" and len(text):
                        self._body(text)

    def _table(self, table: Element) -> None:
        grid, index = Grid(), self.tables
        self.tables += 1
        for r, row in enumerate(e for e in table if local(e) == "tr"):
            grid.begin()
            for c, cell in enumerate(e for e in row if local(e) == "tc"):
                if cell.get("vMerge") in ("1", "true"):
                    grid.extend(c)
                elif cell.get("hMerge") not in ("1", "true"):
                    flow = Flow(Location("", slide=self.number, table=index, row=r, col=c))
                    self.frame.body(child(cell, "txBody"), flow)
                    span = cell.get("gridSpan", "1")
                    width = min(int(span), 1000) if span.isdecimal() and len(span) < 6 else 1
                    grid.put(c, Cell(flow.text(), tuple(flow.links), flow.emphasis), max(width, 1))
        made = grid.table(self.package.path, 1, self.headings, index)
        self.blocks += [made] if made else []

    def _chart(self, holder: Element) -> None:
        relation = self.relations.get(reference(holder) or "")
        tree = self.package.tree(relation.target) if relation and not relation.external else None
        if tree is None:
            return
        here = Location("", slide=self.number, table=self.tables)
        name = Flow(here)
        name.add(chart.title(tree))
        made = chart.read(tree, lambda r, c: replace(here, row=r, col=c), self.package.path, self.headings, self.tables)
        self.tables += 1
        if made:
            own = name.text() if name.length else None
            self.blocks.append(replace(made, caption=own, caption_is_own=own is not None))

    def _notes(self) -> None:
        for part in self.package.related(self.part, "notesSlide"):
            tree = self.package.tree(part)
            self.frame = Frame(self.package.relations(part))
            for shape in _shapes(child(tree, "cSld", "spTree")):
                if _placeholder(shape) not in _FILLED_IN:
                    self._body(child(shape, "txBody"))


def _shapes(tree: Element | None) -> Iterator[Element]:
    """The shapes of a slide in its own order, those inside groups too."""
    for each in tree if tree is not None else ():
        name = local(each)
        if name == "grpSp":
            yield from _shapes(each)
        elif name == "AlternateContent":
            chosen = child(each, "Choice")
            yield from _shapes(chosen if chosen is not None and len(chosen) else child(each, "Fallback"))
        elif name in ("sp", "cxnSp", "graphicFrame"):
            yield each


def _placeholder(shape: Element) -> str:
    """What a shape holds the place of: `title`, `body`, `sldNum`...; empty for a free shape."""
    for each in shape:
        if local(each).startswith("nv"):
            found = child(each, "nvPr", "ph")
            return (found.get("type") or "obj") if found is not None else ""
    return ""


READER = PptxReader()
