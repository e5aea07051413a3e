"""Series over categories: each value must be the one that its category has in the table."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from ledger.pixelgate.truth.candidates import (
    Candidate,
    Levels,
    column_rank,
    confinements,
    decide,
    scaled_matches,
)
from ledger.pixelgate.truth.outcome import Outcome, Series, unbound
from ledger.pixelgate.truth.table import Column, Table, key, plain
from ledger.pixelgate.truth.words import AGGREGATES, equal, levels_named


def bind_named(series: Series, table: Table, said: str) -> Outcome:
    """Compare a series whose positions are categories."""
    filled = [(n, v) for n, v in zip(series.names, series.y, strict=True) if n and math.isfinite(v)]
    if not filled:
        return unbound(series, "it has no finite value over a named category")
    names, drawn = [plain(name) for name, _ in filled], [value for _, value in filled]
    shown = [name for name, _ in filled]
    candidates: list[Candidate] = []
    for column in _key_columns(names, table):
        candidates += _over_levels(series, table, column, names, drawn)
    if not candidates:
        candidates = _over_columns(series, table, names, drawn)
    if not candidates:
        return bind_values(series, table, drawn)
    outcome = decide(series, table, drawn, candidates, shown, said)
    return outcome if outcome.status != "unbound" else _found(bind_values(series, table, drawn), outcome)


def _found(second: Outcome, first: Outcome) -> Outcome:
    return second if second.status == "equal" else first


def _key_columns(names: Sequence[str], table: Table) -> list[Column]:
    """Columns whose cells are the categories: those that know most of the names, if they know half of them."""
    known = [(sum(name in column.rows for name in set(names)) / len(set(names)), column) for column in table.columns]
    best = max((share for share, _ in known), default=0.0)
    return [column for share, column in known if share == best and share >= 0.5]


def _over_levels(
    series: Series, table: Table, by: Column, names: Sequence[str], drawn: Sequence[float]
) -> list[Candidate]:
    out = []
    for rank, levels, rows, claimed in confinements(series, table, [by]):
        per_name = [[r for r in by.rows.get(name, ()) if rows is None or r in rows] for name in names]
        if not any(per_name):
            continue
        out.append(_count(rank + 2, by, levels, per_name, drawn, claimed))
        for column in table.numeric:
            if column is by:
                continue
            for candidate in _readings(
                rank + column_rank(series, column),
                column,
                levels,
                per_name,
                names,
                drawn,
                claimed,
                pie=series.mark.maker == "pie",
            ):
                out.append(candidate)
                if candidate.full and rank <= 3:
                    break
    return out


def _count(
    rank: int, by: Column, levels: Levels, per_name: list[list[int]], drawn: Sequence[float], claimed: bool
) -> Candidate:
    """How many rows each category has, or their share of all."""
    counts = tuple(float(len(rows)) for rows in per_name)
    scale, matched = scaled_matches(drawn, counts)
    total = sum(counts)
    for whole in (total, total / 100):
        shares = tuple(count / whole for count in counts)
        if all(equal(a, b) for a, b in zip(drawn, shares, strict=True)):
            counts, scale, matched = shares, 1.0, len(drawn)
    covered = frozenset(r for rows in per_name for r in rows)
    return Candidate(rank, by, levels, "count", scale, counts, matched, covered, claimed)


def _readings(
    rank: int, column: Column, levels: Levels, per_name: list[list[int]], names: Sequence[str], drawn: Sequence[float],
    claimed: bool, *, pie: bool,
) -> list[Candidate]:  # fmt: skip
    """One column over some rows: as it is, or each aggregate where a category has several rows."""
    assert column.numbers is not None
    values = [[column.numbers[r] for r in rows if math.isfinite(column.numbers[r])] for rows in per_name]
    covered = frozenset(r for rows in per_name for r in rows)
    several = any(len(one) > 1 for one in values)
    if several and len(set(names)) < len(names):
        return [_each(rank, column, levels, per_name, drawn, claimed)]
    hows = AGGREGATES if several else {"value": lambda v: v[0]}
    out = []
    for how, aggregate in hows.items():
        expected = tuple(aggregate(one) if one else math.nan for one in values)
        if pie:
            expected = tuple(value / math.fsum(expected) for value in expected)
        scale, matched = scaled_matches(drawn, expected)
        out.append(
            Candidate(
                rank + (how not in {"value", "mean"}), column, levels, how, scale, expected, matched, covered, claimed
            )
        )
    return out


def _each(
    rank: int, column: Column, levels: Levels, per_name: list[list[int]], drawn: Sequence[float], claimed: bool
) -> Candidate:
    """Every repetition drawn by itself over its category: a row counts once."""
    numbers = column.numbers
    assert numbers is not None
    used: set[int] = set()
    expected = []
    for rows, value in zip(per_name, drawn, strict=True):
        row = next((r for r in rows if r not in used and equal(numbers[r], value)), None)
        used |= {row} if row is not None else set()
        expected.append(value if row is not None else math.nan)
    matched = sum(not math.isnan(value) for value in expected)
    covered = frozenset(used) if matched == len(drawn) else frozenset(r for rows in per_name for r in rows)
    return Candidate(rank, column, levels, "value", 1.0, tuple(expected), matched, covered, claimed)


def _over_columns(series: Series, table: Table, names: Sequence[str], drawn: Sequence[float]) -> list[Candidate]:
    """Categories that are column names: each value is one column's value or aggregate."""
    by_name = {plain(column.name): column for column in table.numeric}
    chosen = [by_name.get(name) for name in names]
    if not any(chosen) or sum(one is not None for one in chosen) < len(names) / 2:
        return []
    known = next(one for one in chosen if one is not None)
    confined = [(column.name, level, column.rows[level]) for column, level in levels_named(series.label, table)]
    out = []
    for name, level, rows in [*confined, ("", "", list(range(table.height)))]:
        values = [
            [one.numbers[r] for r in rows if math.isfinite(one.numbers[r])] if one and one.numbers else []
            for one in chosen
        ]
        levels: Levels = ((name, level),) if name else ()
        hows = AGGREGATES if any(len(one) > 1 for one in values) else {"value": lambda v: v[0]}
        for how, aggregate in hows.items():
            expected = tuple(aggregate(one) if one else math.nan for one in values)
            scale, matched = scaled_matches(drawn, expected)
            out.append(
                Candidate(1, known, levels, how, scale, expected, matched, frozenset(rows), not confined or bool(name))
            )
    return out


def bind_values(series: Series, table: Table, drawn: Sequence[float]) -> Outcome:
    """Last resort, for values whose places the table does not name: are they all some column's values or aggregates?"""
    groupings = [column for column in table.groupings if len(column.levels) <= 60]
    for column in table.measures:
        assert column.numbers is not None
        known = Counter(key(value) for value in column.numbers if math.isfinite(value))
        want = Counter(map(key, drawn))
        if not want - known:
            rows = frozenset(r for value in want for r in column.rows_by_number[value])
            return Outcome("equal", f"values of column {column.name!r}", rows, (column.name,), {"how": "value"})
        for by in groupings:
            groups: dict[str, list[int]] = defaultdict(list)
            for level, rows_of in by.rows.items():
                groups[level] = [r for r in rows_of if math.isfinite(column.numbers[r])]
            for how, aggregate in AGGREGATES.items():
                if how == "count":
                    continue
                values = [(aggregate([column.numbers[r] for r in rs]), rs) for rs in groups.values() if rs]
                hits = [next((rs for value, rs in values if equal(value, one)), None) for one in drawn]
                if all(hit is not None for hit in hits):
                    what = f"{how} of column {column.name!r} by {by.name}"
                    return Outcome("equal", what, frozenset(), (column.name,), {"how": how})
    return unbound(series, "its categories are not in source_data.csv, and neither are its values")
