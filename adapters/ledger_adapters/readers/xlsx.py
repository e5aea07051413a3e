"""Workbooks (xlsx): every visible sheet as tables, numbers as their formats show them, formulas by their kept values.

Rows without a value part a sheet into tables; a lone text above one is its caption, else the sheet's name is. Places:
`table` counts the sheets, hidden ones too, `row` and `col` are those of the sheet. Sheets are streamed and not read
through openpyxl, which shows no number as its cell does and takes minutes for a large workbook.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from xml.etree.ElementTree import Element

from ledger.errors import InputError
from ledger.model.document import Cell, Document, Table, Text
from ledger.model.finding import Location
from ledger_adapters.readers.flow import Flow
from ledger_adapters.readers.grid import Grid
from ledger_adapters.readers.number_format import BUILT_IN, shown
from ledger_adapters.readers.ooxml import Package, child, local, reference

_CELLS = 500_000  # of one workbook
_COVERED = 500_000  # places of merged cells of one workbook
_PLACE = re.compile(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})")


class XlsxReader:
    """Reads `.xlsx`."""

    format = "xlsx"

    def read(self, path: str, data: bytes) -> Document:
        """The document in `data`; beyond 500,000 cells the rest is noted, not read.

        Raises:
            InputError: no workbook, encrypted, damaged or too large.
        """
        package = Package(path, data, self.format)
        main = package.main()
        root = package.tree(main)
        if root is None or local(root) != "workbook":
            raise InputError("holds no workbook", where=path)
        book = _Book(package, main, root)
        relations = package.relations(main)
        blocks: list[Table] = []
        sheets = child(root, "sheets")
        for i, sheet in enumerate(sheets if sheets is not None else ()):
            relation = relations.get(reference(sheet) or "")
            if sheet.get("state", "visible") != "visible" or relation is None or relation.kind != "worksheet":
                continue
            blocks += book.sheet(relation.target, i, sheet.get("name", ""))
        return Document(path, self.format, tuple(blocks), notes=tuple(book.notes))


class _Book:
    """What the sheets of a workbook share: strings, number formats, and how much may still be read."""

    def __init__(self, package: Package, main: str, root: Element) -> None:
        self.package = package
        properties = child(root, "workbookPr")
        self.since_1904 = properties is not None and properties.get("date1904") in ("1", "true")
        self.left, self.covered = _CELLS, _COVERED
        self.notes: list[str] = []
        strings = package.related(main, "sharedStrings")
        tree = package.tree(strings[0]) if strings else None
        self.strings = [_string(each) for each in (tree if tree is not None else ())]
        styles = package.related(main, "styles")
        self.formats = _formats(package.tree(styles[0]) if styles else None)

    def sheet(self, part: str, index: int, name: str) -> Iterator[Table]:
        """The tables of one sheet."""
        rows: dict[int, dict[int, str]] = {}
        merged: list[tuple[int, int, int, int]] = []
        last, blank = -1, 0
        for parent, element in self.package.children(part):
            if parent == "mergeCells" and (area := _area(element.get("ref", ""))):
                merged.append(area)
            if parent != "sheetData" or self.left <= 0:
                continue
            number = element.get("r", "")
            last = int(number) - 1 if number.isdecimal() and len(number) < 8 else last + 1
            row: dict[int, str] = {}
            col = -1
            for cell in element:
                place = _PLACE.fullmatch(cell.get("r", ""))
                col = _column(place[1]) if place else col + 1
                text = self._shown(cell)
                if text.strip():
                    row[col] = text
                elif child(cell, "f") is not None and cell.get("t") != "str":
                    blank += 1
            if row:
                rows[last] = row
                self.left -= len(row)
                if self.left <= 0:
                    self.notes.append(f"sheet {name!r} and those behind it were not read below row {last + 1}")
        if blank:
            self.notes.append(f"{blank} formulas of sheet {name!r} keep no value: open and save the workbook once")
        yield from self._tables(rows, merged, index, name)

    def _shown(self, cell: Element) -> str:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            inline = child(cell, "is")
            return _string(inline) if inline is not None else ""
        found = child(cell, "v")
        raw = (found.text or "") if found is not None else ""
        if kind == "s":
            return self.strings[int(raw)] if raw.isdecimal() and int(raw) < len(self.strings) else ""
        if kind == "b":
            return "TRUE" if raw == "1" else "FALSE"
        if kind != "n" or not raw:
            return raw
        style = cell.get("s", "0")
        code = self.formats[int(style)] if style.isdecimal() and int(style) < len(self.formats) else ""
        return shown(raw, code, since_1904=self.since_1904)

    def _tables(
        self, rows: dict[int, dict[int, str]], merged: list[tuple[int, int, int, int]], index: int, name: str
    ) -> Iterator[Table]:
        numbers = sorted(rows)
        cuts = [0, *(i + 1 for i, (a, b) in enumerate(pairwise(numbers)) if b > a + 1), len(numbers)]
        sheet = _text(name, Location("", table=index))
        caption: Text | None = None
        for a, b in pairwise(cuts):
            group = numbers[a:b]
            while group and len(rows[group[0]]) == 1 and (len(group) == 1 or len(rows[group[1]]) > 1):
                (col, text), row = next(iter(rows[group[0]].items())), group.pop(0)
                caption = _text(text, Location("", table=index, row=row, col=col))
                if not group:
                    break
            if not group:
                continue
            made = self._grid(rows, group, merged, index).table(self.package.path, 1, (name,), index)
            if made:
                yield Table(made.rows, made.header_rows, caption or sheet, made.headings, index, True)
            caption = None

    def _grid(
        self, rows: dict[int, dict[int, str]], group: list[int], merged: list[tuple[int, int, int, int]], index: int
    ) -> Grid:
        cols = sorted({col for row in group for col in rows[row]})
        spans: dict[tuple[int, int], tuple[int, int, int]] = {}  # place -> first row, first column, width of its area
        for top, bottom, left, right in merged:
            inside = [col for col in cols if left <= col <= right]
            over = [row for row in group if top <= row <= bottom]
            self.covered -= len(inside) * len(over)
            if inside and over and self.covered > 0:
                spans.update(((row, col), (over[0], inside[0], len(inside))) for row in over for col in inside)
        grid = Grid()
        for row in group:
            grid.begin()
            for i, col in enumerate(cols):
                first, start, width = spans.get((row, col), (row, col, 1))
                if col == start and row == first:
                    grid.put(i, Cell(_text(rows[row].get(col, ""), Location("", table=index, row=row, col=col))), width)
                elif col == start:
                    grid.extend(i, width)
        return grid


def _text(text: str, within: Location) -> Text:
    flow = Flow(within)
    flow.add(text)
    return flow.text()


def _string(item: Element) -> str:
    """A string of one or several runs; readings beside characters are left out."""
    out: list[str] = []
    for each in item:
        if local(each) == "t":
            out.append(each.text or "")
        elif local(each) == "r":
            out += [part.text or "" for part in each if local(part) == "t"]
    return "".join(out)


def _formats(tree: Element | None) -> list[str]:
    """The number format of each cell style."""
    codes = dict(BUILT_IN)
    given = child(tree, "numFmts")
    for each in given if given is not None else ():
        if each.get("numFmtId", "").isdecimal():
            codes[int(each.get("numFmtId", ""))] = each.get("formatCode", "")
    styles = child(tree, "cellXfs")
    numbers = [each.get("numFmtId", "0") for each in (styles if styles is not None else ())]
    return [codes.get(int(number), "") if number.isdecimal() else "" for number in numbers]


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _area(ref: str) -> tuple[int, int, int, int] | None:
    """First and last row, first and last column of `A1:C2`, from 0."""
    first, _, last = ref.partition(":")
    a, b = _PLACE.fullmatch(first), _PLACE.fullmatch(last or first)
    return (int(a[2]) - 1, int(b[2]) - 1, _column(a[1]), _column(b[1])) if a and b else None


READER = XlsxReader()
