"""LaTeX tables: from the body of a tabular to rows of cells, spanning cells included."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ledger.model.document import Cell, Text
from ledger_adapters.readers.source import Source, word_set
from ledger_adapters.readers.tex_inline import group, option

TABULARS = word_set("tabular tabular* tabularx tabulary longtable longtable* tabu array NiceTabular tblr supertabular")
_WITH_WIDTH = frozenset(("tabular*", "tabularx", "tabulary"))
_BREAK = re.compile(
    r"(?P<comment>(?<!\\)%[^\n]*)|\\(?P<command>[A-Za-z@]+\*?|[^A-Za-z]|$)|(?P<brace>[{}])|(?P<cell>&)", re.DOTALL
)
_RULE = re.compile(
    r"\\(?P<name>hline|hhline|toprule|midrule|bottomrule|cmidrule|cline|addlinespace|specialrule|rowcolor|noalign|endhead|endfirsthead|endfoot"
    r"|endlastfoot|arrayrulecolor|Xhline|cdashline|hdashline)\b\*?"
)
_SPAN = re.compile(r"\s*\\(?P<kind>multicolumn|multirow)\b")

Shown = Callable[[int, int], tuple[Text, tuple[str, ...]]]


@dataclass(slots=True)
class _Raw:
    """A cell's span of source and how far it spreads."""

    start: int
    end: int
    rows: int = 1
    cols: int = 1


def body_start(text: str, name: str, at: int, end: int) -> int:
    """Where the rows of a tabular begin, behind its position, width and column arguments."""
    at = option(text, at, end)
    for _ in range(2 if name in _WITH_WIDTH else 1):
        inner = group(text, at, end)
        if inner:
            at = option(text, inner[2], end) if text[inner[2] : inner[2] + 1] == "[" else inner[2]
    return at


def read_rows(source: Source, start: int, end: int, show: Shown) -> tuple[tuple[tuple[Cell, ...], ...], int]:
    """Rectangular rows of source[start:end], and how many of them are heads."""
    raw, heads = _split(source, start, end)
    if not raw:
        return (), 0
    grid: dict[tuple[int, int], Cell] = {}
    for r, row in enumerate(raw):
        c = 0
        for cell in row:
            text, links = show(cell.start, cell.end)
            spans = cell.rows > 1 or cell.cols > 1
            bold = bool(
                re.fullmatch(
                    r"\s*\\(?:textbf|mathbf|bfseries)\b.*", source.text[cell.start : cell.end].strip(" $"), re.DOTALL
                )
            )
            shown = Cell(text, links, ("bold",) if bold else (), (r, c) if spans else None)
            for dr in range(min(cell.rows, len(raw) - r)):
                for dc in range(cell.cols):
                    old = grid.get((r + dr, c + dc))
                    if old is None or not old.text.text or (dr == 0 and old.origin is None):
                        grid[r + dr, c + dc] = shown if text.text or old is None else old
            c += cell.cols
    width = max(c for _, c in grid) + 1
    blank = Cell(Text("", ((0, *source.place(start)),)))
    rows = tuple(tuple(grid.get((r, c), blank) for c in range(width)) for r in range(len(raw)))
    return rows, min(heads, len(rows) - 1)


def _split(source: Source, start: int, end: int) -> tuple[list[list[_Raw]], int]:
    """Rows of raw cells, and the number of rows above the first rule below a row."""
    text = source.text
    rows: list[list[_Raw]] = []
    row: list[_Raw] = []
    heads, depth, nested, at, position = -1, 0, 0, start, start

    def close(last: int) -> None:
        row.append(_span(text, at, last))
        if len(row) > 1 or text[row[0].start : row[0].end].strip():
            rows.append(list(row))
        row.clear()

    while position < end:
        match = _BREAK.search(text, position, end)
        if match is None:
            break
        position = match.end()
        kind, command = match.lastgroup, match["command"]
        if kind == "brace":
            depth += 1 if match.group() == "{" else -1
        elif command == "begin":
            nested += 1
        elif command == "end":
            nested -= 1
        elif depth > 0 or nested > 0:
            continue
        elif kind == "cell":
            row.append(_span(text, at, match.start()))
            at = position
        elif command in ("\\", "tabularnewline", "cr"):
            close(match.start())
            at = position = option(text, position, end) if text[position : position + 1] == "[" else position
        elif (
            command
            and not row
            and (rule := _RULE.match(text, match.start(), end))
            and not text[at : match.start()].strip()
        ):
            if heads < 0 and rows and rule["name"] in ("midrule", "hline", "endhead", "endfirsthead"):
                heads = len(rows)
            at = position = _behind(text, rule, end)
    if row or _drawn(text, at, end):
        close(end)
    if heads < 0:
        heads = (
            0
            if not rows or re.search(r"(?<![A-Za-z])\d+\.\d", " ".join(text[cell.start : cell.end] for cell in rows[0]))
            else 1
        )
    return rows, heads


def _drawn(text: str, start: int, end: int) -> bool:
    return bool(re.sub(r"%[^\n]*", "", text[start:end]).strip())


def _behind(text: str, rule: re.Match[str], end: int) -> int:
    """Offset behind a rule and its arguments."""
    at = option(text, rule.end(), end)
    for _ in range(
        {
            "cmidrule": 1,
            "cline": 1,
            "rowcolor": 1,
            "specialrule": 3,
            "noalign": 1,
            "hhline": 1,
            "arrayrulecolor": 1,
        }.get(rule["name"], 0)
    ):
        inner = group(text, at, end)
        if inner:
            at = inner[2]
    return at


def _span(text: str, start: int, end: int) -> _Raw:
    """A cell, with the spread that multicolumn and multirow give it; their column arguments are left out."""
    raw = _Raw(start, end)
    while match := _SPAN.match(text, raw.start, raw.end):
        at, numbers = match.end(), []
        for _ in range(2):
            at = option(text, at, raw.end)
            inner = group(text, at, raw.end)
            if inner is None:
                return raw
            numbers.append(text[inner[0] : inner[1]])
            at = inner[2]
        body = group(text, option(text, at, raw.end), raw.end)
        if body is None:
            return raw
        count = abs(int(numbers[0])) if re.fullmatch(r"\s*-?\d{1,3}\s*", numbers[0]) else 1
        if match["kind"] == "multicolumn":
            raw.cols = max(count, 1)
        else:
            raw.rows = max(count, 1)
        raw.start, raw.end = body[0], body[1]
    return raw
