"""Workbooks: built with openpyxl, then read back."""

from __future__ import annotations

import io
from typing import Any

import openpyxl

from ledger.model.document import Document, Table
from ledger_adapters.readers.xlsx import READER


def read(book: Any) -> Document:
    out = io.BytesIO()
    book.save(out)
    return READER.read("d.xlsx", out.getvalue())


def shown(table: Any) -> list[list[str]]:
    return [[cell.text.text for cell in row] for row in table.rows]


def test_formats_captions_parts_and_places() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Main"
    sheet["B2"] = "Accuracy on test"
    for r, row in enumerate([("model", "top-1"), ("net-a", 0.76449), ("net-b", 81.25)], 3):
        for c, value in enumerate(row, 2):
            sheet.cell(r, c, value)
    sheet["C4"].number_format, sheet["C5"].number_format = "0.0%", "0.0"
    sheet["A8"], sheet["B8"] = "x", "y"
    first, second = read(book).blocks
    assert isinstance(first, Table)
    assert shown(first) == [["model", "top-1"], ["net-a", "76.4%"], ["net-b", "81.3"]]
    assert first.caption is not None
    assert first.caption.text == "Accuracy on test"
    place = first.rows[2][1].text.location("d.xlsx", 0, 1)
    assert (place.table, place.row, place.col) == (0, 4, 2)
    assert isinstance(second, Table)
    assert second.caption is not None
    assert second.caption.text == "Main"


def test_merged_cells_hidden_sheets_and_formulas_without_value() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["a", "b", "c"])
    sheet.append(["tall", "1", 2])
    sheet.append([None, "3", "=1+1"])
    sheet.merge_cells("A2:A3")
    sheet.merge_cells("B1:C1")
    book.create_sheet("hidden").append(["9.9", "9.9"])
    book["hidden"].sheet_state = "hidden"
    found = read(book)
    (table,) = found.blocks
    assert shown(table) == [["a", "b", "b"], ["tall", "1", "2"], ["tall", "3", ""]]
    assert isinstance(table, Table)
    assert table.rows[2][0].origin == (1, 0)
    assert [note for note in found.notes if "1 formulas" in note]
