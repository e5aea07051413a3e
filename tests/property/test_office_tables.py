"""Tables written with the formats' own libraries come back with every cell's text and place."""

from __future__ import annotations

import io
from typing import Any

import docx
import openpyxl
import pptx
from hypothesis import given, settings
from hypothesis import strategies as st
from pptx.util import Inches

from ledger.model.document import Document, Table
from ledger.registry import load

texts = st.text(
    alphabet=st.sampled_from("ab μ±−名é0123456789.,%()/<&\"'🙂"), max_size=8
).map(str.strip)  # fmt: skip


@st.composite
def grids(draw: st.DrawFn) -> list[list[str]]:
    """Rows of equal length with at least one text."""
    width = draw(st.integers(1, 5))
    rows = draw(st.lists(st.lists(texts, min_size=width, max_size=width), min_size=1, max_size=5))
    rows[0][0] = "81.3"  # no merge covers it
    return rows


@st.composite
def merged(draw: st.DrawFn) -> tuple[list[list[str]], list[tuple[int, int, int, int]]]:
    """A grid and a few rectangles of it (first and last row, first and last column) that do not overlap."""
    rows = draw(grids())
    areas: list[tuple[int, int, int, int]] = []
    for _ in range(draw(st.integers(0, 2))):
        top, left = draw(st.integers(0, len(rows) - 1)), draw(st.integers(0, len(rows[0]) - 1))
        area = (top, draw(st.integers(top, len(rows) - 1)), left, draw(st.integers(left, len(rows[0]) - 1)))
        if all(area[1] < a[0] or a[1] < area[0] or area[3] < a[2] or a[3] < area[2] for a in areas):
            areas.append(area)
    return rows, areas


def saved(document: Any) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def tables(document: Document) -> list[Table]:
    return [block for block in document.blocks if isinstance(block, Table)]


def spread(rows: list[list[str]], areas: list[tuple[int, int, int, int]]) -> list[list[tuple[str, int, int]]]:
    """What must stand at each place: its text and the place where that text begins."""
    out = [[(text, r, c) for c, text in enumerate(row)] for r, row in enumerate(rows)]
    for top, bottom, left, right in areas:
        for r in range(top, bottom + 1):
            for c in range(left, right + 1):
                out[r][c] = (rows[top][left], top, left)
    return out


def seen(table: Table) -> list[list[tuple[str, int | None, int | None]]]:
    return [
        [
            (cell.text.text, place.row, place.col)
            for c, cell in enumerate(row)
            for place in [cell.text.location("", 0, 1)]
            if cell.origin in (None, (r, c)) or (place.row, place.col) == cell.origin
        ]
        for r, row in enumerate(table.rows)
    ]


@settings(deadline=None, max_examples=40)
@given(st.lists(merged(), min_size=1, max_size=3))
def test_word_tables(drawn: list[tuple[list[list[str]], list[tuple[int, int, int, int]]]]) -> None:
    document = docx.Document()
    for rows, areas in drawn:
        document.add_paragraph("between")
        table = document.add_table(rows=len(rows), cols=len(rows[0]))
        for top, bottom, left, right in areas:
            table.cell(top, left).merge(table.cell(bottom, right))
        for r, row in enumerate(spread(rows, areas)):
            for c, (text, top, left) in enumerate(row):
                if (r, c) == (top, left):
                    table.cell(r, c).text = text
    found = tables(load("readers", ".docx").read("d.docx", saved(document)))
    assert [seen(table) for table in found] == [spread(rows, areas) for rows, areas in drawn]
    assert [table.index for table in found] == list(range(len(drawn)))


@settings(deadline=None, max_examples=40)
@given(st.lists(merged(), min_size=1, max_size=3), st.booleans())
def test_tables_on_slides(drawn: list[tuple[list[list[str]], list[tuple[int, int, int, int]]]], together: bool) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    for i, (rows, areas) in enumerate(drawn):
        if i and not together:
            slide = deck.slides.add_slide(deck.slide_layouts[6])
        slide.shapes.add_textbox(*[Inches(1)] * 4).text_frame.text = "between"
        table = slide.shapes.add_table(len(rows), len(rows[0]), *[Inches(1)] * 4).table
        for top, bottom, left, right in areas:
            if (top, left) != (bottom, right):
                table.cell(top, left).merge(table.cell(bottom, right))
        for r, row in enumerate(spread(rows, areas)):
            for c, (text, top, left) in enumerate(row):
                if (r, c) == (top, left):
                    table.cell(r, c).text = text
    found = tables(load("readers", ".pptx").read("d.pptx", saved(deck)))
    assert [seen(table) for table in found] == [spread(rows, areas) for rows, areas in drawn]
    places = [table.rows[0][0].text.location("", 0, 1) for table in found]
    counted = [(1, i) if together else (i + 1, 0) for i in range(len(drawn))]
    assert [(place.slide, place.table) for place in places] == counted


@settings(deadline=None, max_examples=40)
@given(grids(), st.integers(1, 30), st.integers(1, 30))
def test_sheets(rows: list[list[str]], top: int, left: int) -> None:
    book = openpyxl.Workbook()
    written = {(r, c): text for r, row in enumerate(rows, top) for c, text in enumerate(row, left) if text}
    for (r, c), text in written.items():
        cell = book.active.cell(r, c)
        cell.value, cell.data_type = text, "s"
    found = load("readers", ".xlsx").read("d.xlsx", saved(book))
    got: dict[tuple[int, int], str] = {}
    for table in tables(found):
        assert table.caption is not None
        for text in [table.caption, *(cell.text for row in table.rows for cell in row)]:
            place = text.location("", 0, 1)
            if place.row is not None and place.col is not None and text.text:
                got[place.row + 1, place.col + 1] = text.text
    assert got.items() <= written.items()
    lone = {r for r, _ in written if sum(row == r for row, _ in written) == 1}  # may be captions
    assert {place for place in written if place[0] not in lone} <= got.keys()
