"""Histograms: the counts of contiguous bars must be the counts of a column's values."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from ledger.pixelgate.record import Mark
from ledger.pixelgate.truth.candidates import confinements
from ledger.pixelgate.truth.outcome import Outcome, Series, unbound
from ledger.pixelgate.truth.table import Table
from ledger.pixelgate.truth.words import column_of, equal


def edges_of(mark: Mark) -> list[float] | None:
    """The bin edges of bars that touch, None for bars that do not."""
    if len(mark.x) < 3 or mark.kind != "bars":
        return None
    bars = sorted(zip(mark.x, mark.width, strict=True))
    edges = [bars[0][0] - bars[0][1] / 2]
    for centre, width in bars:
        if abs(centre - width / 2 - edges[-1]) > 1e-6 * max(width, abs(edges[-1])):
            return None
        edges.append(centre + width / 2)
    return edges if all(b > a for a, b in pairwise(edges)) else None


def is_histogram(series: Series) -> bool:
    return not series.names and edges_of(series.mark) is not None


def bind_histogram(series: Series, table: Table) -> Outcome:
    """Compare a histogram with every numeric column, in all rows or in those that its label names."""
    mark = series.mark
    edges = edges_of(mark)
    assert edges is not None
    if mark.params.get("weighted"):
        return unbound(series, "a weighted histogram")
    drawn = [length for _, length in sorted(zip(mark.x, mark.length, strict=True))]
    claims = []
    for rank, levels, rows, claimed in confinements(series, table, []):
        if rank > 6:
            break
        for column in table.measures:
            assert column.numbers is not None
            chosen = [i for i, v in enumerate(column.numbers) if math.isfinite(v) and (rows is None or i in rows)]
            values = [column.numbers[i] for i in chosen]
            counts = _counts(values, edges, bool(mark.params.get("cumulative")))
            if _fits(drawn, counts, edges, len(values)):
                return Outcome("equal", f"histogram of column {column.name!r}", frozenset(chosen), (column.name,))
            if claimed:
                claims.append((column, counts, levels))
    meant = column_of(series.place_label, table.measures) or (table.measures[0] if len(table.measures) == 1 else None)
    claim = next((one for one in claims if one[0] is meant), None)
    if claim is None or mark.params.get("density") or not all(float(n).is_integer() for n in drawn):
        return unbound(series, "no column of source_data.csv has this distribution")
    return _differs(series, claim[0].name, drawn, claim[1])


def _counts(values: Sequence[float], edges: Sequence[float], cumulative: bool) -> list[float]:
    """As numpy counts: bins are half open, the last one closed. Values within rounding of an edge count as on it."""
    out = [0.0] * (len(edges) - 1)
    for value in values:
        if edges[0] - 1e-9 * abs(edges[0]) <= value <= edges[-1] + 1e-9 * abs(edges[-1]):
            out[min(max(bisect_right(edges, value + 1e-9 * abs(value)) - 1, 0), len(out) - 1)] += 1
    if cumulative:
        for i in range(1, len(out)):
            out[i] += out[i - 1]
    return out


def _fits(drawn: Sequence[float], counts: Sequence[float], edges: Sequence[float], total: int) -> bool:
    widths = [b - a for a, b in pairwise(edges)]
    inside = sum(counts) or 1
    shapes = (
        counts,
        [n / (inside * w) for n, w in zip(counts, widths, strict=True)],
        [n / (total or 1) for n in counts],
        [100 * n / (total or 1) for n in counts],
    )
    return any(all(equal(a, b) or abs(a - b) < 1e-9 for a, b in zip(drawn, shape, strict=True)) for shape in shapes)


def _differs(series: Series, column: str, drawn: Sequence[float], counts: Sequence[float]) -> Outcome:
    wrong = [(i, a, b) for i, (a, b) in enumerate(zip(drawn, counts, strict=True)) if a != b]
    first = ", ".join(f"bin {i + 1} shows {a:g} (should be {b:g})" for i, a, b in wrong[:3])
    message = (
        f"{len(wrong)} of {len(drawn)} bins of the histogram differ from column {column!r}: it counts {sum(drawn):g} values, "
        f"the column has {sum(counts):g} in that range; {first}"
    )
    values = {"column": column, "reported": sum(drawn), "expected": sum(counts), "wrong": len(wrong)}
    return Outcome("differs", message, frozenset(), (column,), values)
