"""The ways to read a series out of the table: which column, which rows, which aggregate; and what they decide."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ledger.pixelgate.truth.outcome import Outcome, Series, unbound
from ledger.pixelgate.truth.table import Column, Table, plain
from ledger.pixelgate.truth.words import (
    DERIVED,
    SCALES,
    column_of,
    equal,
    levels_named,
    names_column,
)

Levels = tuple[tuple[str, str], ...]  # (column, normalised level): the rows that a reading is confined to


@dataclass(frozen=True)
class Candidate:
    """One reading and how many of the drawn values it explains. `rank` is low for what the words say."""

    rank: int
    column: Column
    levels: Levels
    how: str  # value, mean, sum...
    scale: float
    expected: tuple[float, ...]
    matched: int
    rows: frozenset[int]
    claimed: bool  # the rows are those that label and title name (or all of them)

    @property
    def full(self) -> bool:
        return self.matched == len(self.expected)

    @property
    def described(self) -> str:
        which = " where " + " and ".join(f"{name} = {level}" for name, level in self.levels) if self.levels else ""
        how = "" if self.how == "value" else f"{self.how} of "
        times = "" if self.scale == 1 else f" x {self.scale:g}"
        return f"{how}column {self.column.name!r}{times}{which}"


def confinements(
    series: Series, table: Table, but: Sequence[Column]
) -> Iterator[tuple[int, Levels, frozenset[int] | None, bool]]:
    """(rank, levels, rows, claimed): first what label and title name, then everything, then each level by itself."""
    label = levels_named(series.label, table, but)
    title = levels_named(series.panel.title, table, but)
    seen: set[Levels] = set()

    def once(
        rank: int, pairs: Sequence[tuple[Column, str]], claimed: bool
    ) -> Iterator[tuple[int, Levels, frozenset[int] | None, bool]]:
        levels = tuple((column.name, level) for column, level in pairs)
        if levels in seen or len({name for name, _ in levels}) < len(levels):
            return
        seen.add(levels)
        rows = frozenset.intersection(*(frozenset(column.rows[level]) for column, level in pairs)) if pairs else None
        if rows is None or rows:
            yield rank, levels, rows, claimed

    if len(label) > 1:
        yield from once(0, label, True)
    for pair in label:
        for other in title:
            yield from once(0, [pair, other], True)
        yield from once(1, [pair], True)
    for pair in title:
        yield from once(2, [pair], not label)
    yield from once(3, [], not label)
    groupings = [column for column in table.groupings if column not in but]
    for column in groupings:
        for level in column.rows:
            yield from once(6, [(column, level)], False)
    for i, first in enumerate(groupings if table.height <= 5000 else ()):
        for second in groupings[i + 1 :]:
            if len(first.levels) * len(second.levels) <= 64:
                for a in first.rows:
                    for b in second.rows:
                        yield from once(7, [(first, a), (second, b)], False)


def column_rank(series: Series, column: Column) -> int:
    """0 when label or axis name the column, 1 when nothing does."""
    return 0 if names_column(series.label, column) or names_column(series.value_label, column) else 1


def scaled_matches(drawn: Sequence[float], expected: Sequence[float]) -> tuple[float, int]:
    """The unit change that explains most values, and how many it explains."""
    best = (1.0, 0)
    pairs = [(a, b) for a, b in zip(drawn, expected, strict=True) if math.isfinite(b)]
    for scale in SCALES:
        count = sum(equal(a, scale * b) for a, b in pairs)
        if count > best[1]:
            best = (scale, count)
        if count == len(drawn):
            break
    return best


def decide(
    series: Series, table: Table, drawn: Sequence[float], candidates: Sequence[Candidate], at: Sequence[str], said: str
) -> Outcome:
    """What the readings come to for a series with these values over these places."""
    full = sorted((one for one in candidates if one.full), key=lambda one: one.rank)
    if full:
        return _contradicted(series, table, full) or Outcome(
            "equal", full[0].described, full[0].rows, (full[0].column.name,), {"how": full[0].how}
        )
    claim = claimed_column(series, table, candidates)
    readings = [one for one in candidates if one.claimed and (claim is None or one.column == claim)]
    words = f"{series.label} {series.value_label} {series.panel.title} {said}"
    if readings:
        best = max(readings, key=lambda one: (one.matched, -one.rank))
        if wrong := _permuted(series, drawn, readings, at):
            return wrong
        if len(drawn) >= 2 and best.matched >= max(1, len(drawn) / 2) and (len(drawn) > 2 or claim):
            return _differs(series, best, drawn, at)
        if DERIVED.search(words):
            return unbound(series, "its values are not in the table, and its words speak of a derived quantity")
        if claim is not None:
            return _explained(series, best, drawn, at)
    return unbound(series, "no column and no aggregate of source_data.csv has its values")


def claimed_column(series: Series, table: Table, candidates: Sequence[Candidate]) -> Column | None:
    """The column that the series must be drawn from, by its label, its axis, or because there is only one."""
    columns = list({one.column.name: one.column for one in candidates}.values())
    named = [column for column in columns if names_column(series.label, column)]
    if named:
        return named[0]
    by_axis = column_of(series.value_label, columns)
    if by_axis is not None:
        return by_axis
    measures = [column for column in columns if column in table.measures]
    return measures[0] if len(measures) == 1 and series.mark.kind == "bars" else None


def _contradicted(series: Series, table: Table, full: Sequence[Candidate]) -> Outcome | None:
    """The values are in the table, but not where the words say."""
    best = full[0]
    for words, what in ((series.label, "its label"), (series.value_label, "its axis")):
        named = [column for column in table.measures if names_column(words, column)]
        if named and not any(one.column in named for one in full):
            message = f"{series.called} draws {best.described}, but {what} says {words!r}"
            return Outcome(
                "differs", message, best.rows, (best.column.name,), {"says": words, "draws": best.column.name}
            )
    if any(one.claimed for one in full) or not best.levels:
        return None
    claims = [
        (column.name, level) for column, level in levels_named(series.label, table) if plain(series.label) == level
    ]
    wrong = [(name, level) for name, level in claims if any(n == name and v != level for n, v in best.levels)]
    if not wrong or any(set(claims) & set(one.levels) for one in full):
        return None
    message = f"{series.called} draws {best.described}"
    return Outcome("differs", message, best.rows, (best.column.name,), {"says": wrong[0][1], "draws": best.described})


def _permuted(
    series: Series, drawn: Sequence[float], readings: Sequence[Candidate], at: Sequence[str]
) -> Outcome | None:
    """The right values over the wrong names."""
    ordered = sorted(drawn)
    for one in readings:
        if len(set(drawn)) > 1 and not any(map(math.isnan, one.expected)):
            values = sorted(one.scale * value for value in one.expected)
            if all(equal(a, b) for a, b in zip(ordered, values, strict=True)):
                return _differs(series, one, drawn, at, "the values are those of the table, over other names")
    return None


def _differs(series: Series, one: Candidate, drawn: Sequence[float], at: Sequence[str], why: str = "") -> Outcome:
    wrong = [
        (place, shown, one.scale * right)
        for place, shown, right in zip(at, drawn, one.expected, strict=True)
        if not equal(shown, one.scale * right)
    ]
    named = [
        f"{place} shows {shown:.6g} ({'no such row' if math.isnan(right) else f'should be {right:.6g}'})"
        for place, shown, right in wrong
    ]
    more = f" and {len(named) - 4} more" if len(named) > 4 else ""
    message = f"{len(wrong)} of {len(drawn)} values of {series.called} differ from {one.described}: {', '.join(named[:4])}{more}"
    message += f"; {why}" if why else ""
    values = {
        "column": one.column.name, "wrong": len(wrong), "of": len(drawn),
        "reported": [shown for _, shown, _ in wrong[:8]], "expected": [right for _, _, right in wrong[:8]],
    }  # fmt: skip
    return Outcome("differs", message, one.rows, (one.column.name,), values)


def _explained(series: Series, one: Candidate, drawn: Sequence[float], at: Sequence[str]) -> Outcome:
    """No value is right: is it the column times a factor, or plus an offset? That must be said in the picture."""
    pairs = [(a, b) for a, b in zip(drawn, one.expected, strict=True) if math.isfinite(a) and math.isfinite(b)]
    low, high = min(pairs, key=lambda p: p[1], default=None), max(pairs, key=lambda p: p[1], default=None)
    if low and high and len(pairs) >= 3 and high[1] != low[1]:
        slope = (high[0] - low[0]) / (high[1] - low[1])
        offset = low[0] - slope * low[1]
        size = max(abs(a) for a, _ in pairs)
        if abs(slope) > 1e-9 and all(abs(slope * b + offset - a) <= 1e-6 * size for a, b in pairs):
            times = "" if math.isclose(slope, 1, rel_tol=1e-6) else f" times {slope:.6g}"
            plus = "" if abs(offset) <= 1e-6 * size else f" {'plus' if offset > 0 else 'minus'} {abs(offset):.6g}"
            message = f"{series.called} is {one.described}{times}{plus}, and nothing in the picture says so"
            values = {"column": one.column.name, "factor": slope, "offset": offset}
            return Outcome("differs", message, one.rows, (one.column.name,), values)
    if not pairs:
        return unbound(series, "none of its places is in source_data.csv")
    return _differs(series, one, drawn, at)
