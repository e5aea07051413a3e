"""Heat maps: every cell must be the number that its row and its column have in the table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ledger.pixelgate.record import Axis, Mark, Panel
from ledger.pixelgate.truth.outcome import Outcome
from ledger.pixelgate.truth.series import names_at
from ledger.pixelgate.truth.table import Column, Table, key, plain
from ledger.pixelgate.truth.words import equal, names_column

Grid = list[list[float]]


def places(mark: Mark) -> tuple[list[float], list[float]]:
    """The data positions of an image's columns (x) and rows (y), as drawn."""
    height, width = mark.shape[0], mark.shape[1]
    left, right, bottom, top = mark.extent
    start, end = (top, bottom) if mark.origin == "upper" else (bottom, top)
    xs = [left + (j + 0.5) * (right - left) / width for j in range(width)]
    ys = [start + (i + 0.5) * (end - start) / height for i in range(height)]
    return xs, ys


def bind_image(panel: Panel, mark: Mark, table: Table) -> Outcome:
    """Compare an image with a wide table, a long table, or a column that was folded."""
    if len(mark.shape) != 2 or not mark.values:
        return Outcome("unbound", "the image: a photograph, or too large to compare")
    rows, width = mark.shape
    drawn = [list(mark.values[i * width : (i + 1) * width]) for i in range(rows)]
    readings = [*_wide(panel, mark, table), *_long(panel, mark, table)]
    for what, expected in readings:
        if _same(drawn, expected):
            return Outcome("equal", what)
    if readings:
        return _differs(drawn, *readings[0], *_names(panel, mark))
    if _unnamed(drawn, table):
        return Outcome("equal", "the numbers of source_data.csv")
    return Outcome("unbound", "the image: neither its rows and columns nor its numbers are in source_data.csv")


def _names(panel: Panel, mark: Mark) -> tuple[list[str], list[str]]:
    xs, ys = places(mark)
    return _cells(panel.xaxis, xs), _cells(panel.yaxis, ys)


def _cells(axis: Axis, at: Sequence[float]) -> list[str]:
    """The tick's words at each place; where the ticks count, the place itself."""
    names = names_at(axis, tuple(at), within=0.4)
    if names:
        return list(names)
    ticks = {key(position): text for position, text in axis.ticks if text.strip()}
    return [ticks.get(key(place), f"{place:g}") for place in at]


def _wide(panel: Panel, mark: Mark, table: Table) -> Iterator[tuple[str, Grid]]:
    """A row of the table for each row (or column) of the image, named by a key column."""
    across, down = ([plain(name) for name in names] for names in _names(panel, mark))
    columns = {plain(column.name): column for column in table.numeric}
    for by in table.columns:
        if len(by.levels) < table.height:
            continue
        index = {cell: rows[0] for cell, rows in by.rows.items()}
        plainly = all(name in columns for name in across) and all(name in index for name in down)
        turned = all(name in columns for name in down) and all(name in index for name in across)
        if plainly and turned:  # the same names both ways, as a confusion matrix has them: the axis labels decide
            on_x, on_y = names_column(panel.xaxis.label, by), names_column(panel.yaxis.label, by)
            plainly, turned = not on_x or on_y, not on_y or on_x
        if plainly:
            yield f"the table by {by.name}", [[_at(columns[x], index[y]) for x in across] for y in down]
        if turned:
            yield f"the table by {by.name}, turned", [[_at(columns[y], index[x]) for x in across] for y in down]


def _long(panel: Panel, mark: Mark, table: Table) -> Iterator[tuple[str, Grid]]:
    """A row of the table for each cell, with one column for each of its two places."""
    across, down = ([plain(name) for name in names] for names in _names(panel, mark))
    for first in table.columns:
        if not all(name in first.rows for name in across):
            continue
        for second in table.columns:
            if second is first or not all(name in second.rows for name in down):
                continue
            cells = {(plain(a), plain(b)): i for i, (a, b) in enumerate(zip(first.cells, second.cells, strict=True))}
            if len(cells) < table.height:
                continue
            for value in table.numeric:
                if value in (first, second):
                    continue
                grid = [[_at(value, cells.get((x, y))) for x in across] for y in down]
                yield f"column {value.name!r} by {second.name} and {first.name}", grid


def _at(column: Column, row: int | None) -> float:
    return math.nan if row is None or column.numbers is None else column.numbers[row]


def _unnamed(drawn: Grid, table: Table) -> bool:
    """The image's numbers are the table's, in some orientation, or one column's in order."""
    columns = [list(column.numbers) for column in table.numeric if column.numbers]
    wide = [list(row) for row in zip(*columns, strict=True)]
    turned = [list(row) for row in zip(*drawn, strict=True)]
    views = [view[::a] for view in (drawn, turned) for a in (1, -1)]
    views += [[row[::-1] for row in view] for view in views]
    flats = [[value for row in view for value in row] for view in views]
    if any(_same(view, wide) for view in views):
        return True
    return any(_same([flat], [column]) for column in columns for flat in flats)


def _same(drawn: Grid, expected: Grid) -> bool:
    if len(drawn) != len(expected) or any(len(a) != len(b) for a, b in zip(drawn, expected, strict=True)):
        return False
    pairs = [(a, b) for one, two in zip(drawn, expected, strict=True) for a, b in zip(one, two, strict=True)]
    if any(math.isnan(a) != math.isnan(b) for a, b in pairs):
        return False
    full = [(a, b) for a, b in pairs if not math.isnan(a)]
    if any(all(equal(a, scale * b) for a, b in full) for scale in (1.0, 100.0, 0.01)):
        return True
    return _shares(drawn, expected) or _shares(
        *(list(map(list, zip(*grid, strict=True))) for grid in (drawn, expected))
    )


def _shares(drawn: Grid, expected: Grid) -> bool:
    """Each row divided by its sum, as normalised confusion matrices are."""
    for one, two in zip(drawn, expected, strict=True):
        total = math.fsum(two)
        if not total or not any(
            all(equal(a, s * b / total) for a, b in zip(one, two, strict=True)) for s in (1.0, 100.0)
        ):
            return False
    return True


def _differs(drawn: Grid, what: str, expected: Grid, across: list[str], down: list[str]) -> Outcome:
    wrong = [
        (down[i], across[j], a, b)
        for i, (one, two) in enumerate(zip(drawn, expected, strict=True))
        for j, (a, b) in enumerate(zip(one, two, strict=True))
        if not equal(a, b)
    ]
    total = sum(map(len, drawn))
    turned = len(drawn) == len(drawn[0]) and _same([list(row) for row in zip(*drawn, strict=True)], expected)
    first = ", ".join(f"({y}, {x}) shows {a:.6g} (should be {b:.6g})" for y, x, a, b in wrong[:3])
    why = "; the matrix is transposed against its labels" if turned else ""
    message = f"{len(wrong)} of {total} cells of the image differ from {what}: {first}{why}"
    return Outcome("differs", message, values={"wrong": len(wrong), "of": total, "transposed": turned})
