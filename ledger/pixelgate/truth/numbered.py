"""Series over numbers: lines and point clouds whose pairs (x, y) must be pairs of the table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ledger.pixelgate.truth.candidates import Candidate, Levels, column_rank, confinements, decide
from ledger.pixelgate.truth.named import bind_values
from ledger.pixelgate.truth.outcome import Outcome, Series, unbound
from ledger.pixelgate.truth.table import Column, Table, key
from ledger.pixelgate.truth.words import AGGREGATES, SCALES, equal, names_column

SAMPLE = 24  # points that are tried before all of them are


def bind_numbered(series: Series, table: Table, said: str) -> Outcome:
    """Compare a series whose positions are numbers."""
    pairs = [(a, b) for a, b in zip(series.x, series.y, strict=True) if math.isfinite(a) and math.isfinite(b)]
    if not pairs:
        return unbound(series, "it has no finite point")
    drawn = [b for _, b in pairs]
    places = [f"{series.place_label or 'x'} = {a:.6g}" for a, _ in pairs]
    candidates: list[Candidate] = []
    bases = _bases(pairs, table)
    for base, scale, index in bases:
        candidates += _readings(series, table, base, scale, index, pairs)
    if not candidates:
        if series.mark.kind == "bars" or len(pairs) == 1:
            return bind_values(series, table, drawn)
        return unbound(series, "its positions are in no column of source_data.csv")
    if exchanged := _exchanged(series, table, candidates, bases):
        return exchanged
    return decide(series, table, drawn, candidates, places, said)


Index = Mapping[float, list[int]]


def _bases(pairs: Sequence[tuple[float, float]], table: Table) -> list[tuple[Column | None, float, Index]]:
    """Columns that hold (nearly) all positions, with their unit change; else the number of the row, from 0 or 1."""
    xs = list(dict.fromkeys(key(a) for a, _ in pairs))
    probe = xs[:: max(1, len(xs) // SAMPLE)]
    out: list[tuple[Column | None, float, Index]] = []
    for column in table.numeric:
        index = column.rows_by_number
        for scale in (1.0, *(s for s in SCALES if s != 1.0 and s > 0)):
            hits = sum(key(x / scale) in index for x in probe)
            if hits >= 0.8 * len(probe) and hits:
                out.append((column, scale, index))
                break
    if not out:
        out += [
            (None, 1.0, {float(i + start): [i] for i in range(table.height)})
            for start in (0, 1)
            if all(x.is_integer() and start <= x < table.height + start for x in probe)
        ]
    return out


def _readings(
    series: Series, table: Table, base: Column | None, scale: float, index: Index, pairs: Sequence[tuple[float, float]]
) -> list[Candidate]:
    keys = [key(a / scale) for a, _ in pairs]
    drawn = [b for _, b in pairs]
    out: list[Candidate] = []
    measures = [c for c in table.numeric if c is not base]
    for rank, levels, rows, claimed in confinements(series, table, [base] if base else []):
        if rank >= 6 and any(one.full for one in out):
            break
        at = [[r for r in index.get(k, ()) if rows is None or r in rows] for k in keys]
        if sum(map(bool, at)) < 0.5 * len(at):
            continue
        rank += 0 if base is None or names_column(series.place_label, base) else 1
        for column in measures:
            out += _column_readings(rank + column_rank(series, column), column, levels, at, keys, drawn, claimed)
    return out


def _column_readings(
    rank: int, column: Column, levels: Levels, at: list[list[int]], keys: Sequence[float], drawn: Sequence[float],
    claimed: bool,
) -> list[Candidate]:  # fmt: skip
    numbers = column.numbers
    assert numbers is not None
    values = [[numbers[r] for r in rows if math.isfinite(numbers[r])] for rows in at]
    covered = frozenset(r for rows in at for r in rows)
    out = [_pairs(rank, column, levels, at, drawn, claimed)]
    if not out[0].full and any(len(one) > 1 for one in values) and len(set(keys)) == len(keys):
        for how, aggregate in AGGREGATES.items():
            expected = tuple(aggregate(one) if one else math.nan for one in values)
            matched = sum(equal(a, b) for a, b in zip(drawn, expected, strict=True))
            rank_here = rank + (how != "mean")
            out.append(Candidate(rank_here, column, levels, how, 1.0, expected, matched, covered, claimed))
    return out


def _pairs(
    rank: int, column: Column, levels: Levels, at: list[list[int]], drawn: Sequence[float], claimed: bool
) -> Candidate:
    """Each drawn pair against the rows at its place, in the unit that explains the first few; a row counts once."""
    numbers = column.numbers
    assert numbers is not None
    scale = _unit([[numbers[r] for r in rows] for rows in at], drawn)
    used: set[int] = set()
    expected, matched = [], 0
    for rows, value in zip(at, drawn, strict=True):
        row = next((r for r in rows if r not in used and equal(scale * numbers[r], value)), None)
        if row is not None:
            used.add(row)
            matched += 1
            expected.append(value / scale)
        else:
            known = [numbers[r] for r in rows if math.isfinite(numbers[r])]
            expected.append(min(known, key=lambda v: abs(scale * v - value), default=math.nan))
    rows_shown = frozenset(used) if matched == len(drawn) else frozenset(r for rows in at for r in rows)
    return Candidate(rank + (scale != 1), column, levels, "value", scale, tuple(expected), matched, rows_shown, claimed)


def _unit(values: list[list[float]], drawn: Sequence[float]) -> float:
    step = max(1, len(drawn) // SAMPLE)
    tried = list(zip(values[::step], drawn[::step], strict=False))
    scores = {scale: sum(any(equal(scale * v, b) for v in known) for known, b in tried) for scale in SCALES}
    return max(SCALES, key=lambda scale: (scores[scale], scale == 1.0))


def _exchanged(
    series: Series, table: Table, candidates: Sequence[Candidate], bases: Sequence[tuple[Column | None, float, Index]]
) -> Outcome | None:
    """Both axis labels name columns, and each names the other axis's; the pairs do not fit the labels as they stand."""
    for base, _, _ in bases:
        if base is not None and names_column(series.place_label, base):
            own = [one for one in candidates if names_column(series.value_label, one.column) and one.column is not base]
            if any(one.full for one in own):
                return None
    for one in candidates:
        for base, _, _ in bases:
            if not one.full or base is None or one.column is base:
                continue
            if names_column(series.place_label, one.column) and names_column(series.value_label, base):
                across, along = ("x", "y") if series.value_axis == "y" else ("y", "x")
                message = (
                    f"the axis labels are exchanged: {across} is labelled {series.place_label!r} and draws column "
                    f"{base.name!r}, {along} is labelled {series.value_label!r} and draws column {one.column.name!r} "
                    f"({one.matched} of {len(one.expected)} values each)"
                )
                values = {"says": [series.place_label, series.value_label], "draws": [base.name, one.column.name]}
                return Outcome("differs", message, one.rows, (base.name, one.column.name), values)
    return None
