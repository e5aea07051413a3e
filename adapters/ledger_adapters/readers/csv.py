"""CSV and TSV as one table, with the place of every cell.

The standard library's parser gives no places, so the (small) grammar of RFC 4180 is walked here. The separator is
the one of tab, semicolon, comma and bar that gives the most even rows; where it is not the comma and most numbers
have one, the comma is the decimal mark.
"""

from __future__ import annotations

import re

from ledger.errors import InputError
from ledger.model.document import Cell, Directive, Document, Table
from ledger_adapters.readers.directives import parse as parse_directive
from ledger_adapters.readers.source import Source, Visible, decode

_SEPARATORS = "\t;,|"
_LIMIT = 64 * 1024 * 1024
_COMMA = re.compile(r"[-+−]?(?:\d{1,3}(?:\.\d{3})*|\d+),\d+")
_POINT = re.compile(r"[-+−]?\d+\.\d+")


class CsvReader:
    """Reads `.csv` and `.tsv`."""

    format = "csv"

    def read(self, path: str, data: bytes) -> Document:
        """The table in `data`.

        Raises:
            InputError: not UTF-8, or larger than 64 MiB.
        """
        if len(data) > _LIMIT:
            raise InputError(f"is larger than {_LIMIT >> 20} MiB", where=path)
        source = Source(decode(path, data))
        separator = "\t" if path.lower().endswith(".tsv") else sniff(source.text)
        directives: list[Directive] = []
        spans: list[list[tuple[int, int]]] = []
        for row in split(source.text, separator):
            first = source.text[row[0][0] : row[0][1]] if row else ""
            if first.startswith("#"):
                found = parse_directive(source.text[row[0][0] : row[-1][1]].lstrip("# "), source, row[0][0])
                directives += [found] if found else []
            elif any(a < b for a, b in row):
                spans.append(row)
        if not spans:
            return Document(path, self.format, (), directives=tuple(directives))
        width = max(map(len, spans))
        rows = tuple(
            tuple(_cell(source, row[c] if c < len(row) else (row[-1][1],) * 2) for c in range(width)) for row in spans
        )
        texts = [cell.text.text for row in rows[:500] for cell in row]
        comma = separator != "," and sum(bool(_COMMA.fullmatch(t)) for t in texts) > sum(
            bool(_POINT.fullmatch(t)) for t in texts
        )
        return Document(path, self.format, (Table(rows, 1),), directives=tuple(directives), comma=comma)


def sniff(text: str) -> str:
    """The separator of a table: the character that most lines hold equally often."""
    lines = [
        re.sub(r'"[^"]*"', "", line)
        for line in text[:65536].splitlines()[:50]
        if line.strip() and not line.startswith("#")
    ]
    best, most = ",", (0, 0)
    for separator in _SEPARATORS:
        counts = [line.count(separator) for line in lines]
        common = max(set(counts), key=counts.count) if counts else 0
        if common:
            best, most = max((best, most), (separator, (counts.count(common), common)), key=lambda item: item[1])
    return best


def split(text: str, separator: str) -> list[list[tuple[int, int]]]:
    """Rows of cell spans; the quotes around a cell are left out, a quoted line break stays inside."""
    rows: list[list[tuple[int, int]]] = []
    row: list[tuple[int, int]] = []
    position, length = 0, len(text)
    stop = re.compile(f"[{re.escape(separator)}\n]")
    while position <= length:
        if text[position : position + 1] == '"':
            close = position + 1
            while (close := text.find('"', close)) >= 0 and text[close + 1 : close + 2] == '"':
                close += 2
            close = length if close < 0 else close
            row.append((position + 1, close))
            found = stop.search(text, close)
        else:
            found = stop.search(text, position)
            row.append((position, found.start() if found else length))
        if found is None or found.group() == "\n":
            rows.append(row)
            row = []
        if found is None:
            break
        position = found.end()
    return rows


def _cell(source: Source, span: tuple[int, int]) -> Cell:
    visible = Visible(source)
    visible.add(*span)
    return Cell(visible.text())


READER = CsvReader()
