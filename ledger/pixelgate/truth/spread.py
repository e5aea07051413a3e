"""Error bars and bands: their lengths must be a column of the table or a spread of its repetitions, of the kind promised."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ledger.pixelgate.record import Mark, Panel
from ledger.pixelgate.truth.candidates import confinements
from ledger.pixelgate.truth.outcome import Outcome, Series, unbound
from ledger.pixelgate.truth.series import is_whisker, names_at
from ledger.pixelgate.truth.table import Column, Table, key, plain, subject
from ledger.pixelgate.truth.words import SPREADS, equal, mean, promised_spread

_KINDS = {
    "deviation": ("sd", "std", "stdev", "standard deviation", "s.d."),
    "error": ("sem", "se", "stderr", "standard error", "s.e.m."),
    "interval": ("ci", "ci95", "ci 95", "95 ci", "moe", "margin", "half width"),
}
_LOOSE = ("err", "error", "unc", "uncertainty", "yerr", "xerr", "sigma", "spread", "var")
_SCALES = (1.0, 100.0, 0.01, 1000.0, 0.001)


@dataclass(frozen=True)
class Whiskers:
    """Ends of error bars over their places."""

    series: Series
    low: tuple[float, ...]
    high: tuple[float, ...]
    band: bool


def read_whiskers(panel: Panel) -> list[Whiskers]:
    """Error bars, and bands that run along a curve."""
    out = []
    for mark in (*panel.marks, *_gathered(panel)):
        if not mark.data_coords or mark.maker:
            continue
        if mark.kind == "errors":
            axis = panel.axis("x" if mark.along == "y" else "y")
            names = names_at(axis, mark.x, within=0.5)
            series = Series(panel, mark, mark.label, names, mark.x, (), mark.along)
            out.append(Whiskers(series, mark.low, mark.high, band=False))
        elif mark.kind == "band" and (band := _band(panel, mark)):
            out.append(band)
    return out


def _gathered(panel: Panel) -> list[Mark]:
    """Error bars that were drawn as bare lines: those of one colour are one set."""
    sets: dict[tuple[object, ...], list[Mark]] = defaultdict(list)
    for mark in panel.marks:
        if is_whisker(mark):
            sets[mark.colors, mark.x[0] == mark.x[1]].append(mark)
    out = []
    for (_, upright), lines in sets.items():
        ends = [mark.y if upright else mark.x for mark in lines]
        places = tuple((mark.x if upright else mark.y)[0] for mark in lines)
        low, high = tuple(min(pair) for pair in ends), tuple(max(pair) for pair in ends)
        out.append(Mark("errors", x=places, low=low, high=high, along="y" if upright else "x"))
    return out


def _band(panel: Panel, mark: Mark) -> Whiskers | None:
    ends: dict[float, list[float]] = defaultdict(list)
    for x, y in zip(mark.x, mark.y, strict=True):
        if math.isfinite(x) and math.isfinite(y):
            ends[x].append(y)
    places = [x for x, ys in ends.items() if max(ys) > min(ys)]
    if len(places) < 3 or len(places) < len(ends) - 2:
        return None
    low, high = tuple(min(ends[x]) for x in places), tuple(max(ends[x]) for x in places)
    if len(set(low)) == 1 or len(set(high)) == 1:
        return None  # an area over a level, or a shaded span
    series = Series(panel, mark, mark.label, (), tuple(places), (), "y")
    return Whiskers(series, low, high, band=True)


def bind_whiskers(whiskers: Whiskers, table: Table, words: str) -> Outcome:
    """Which column or spread the whiskers are; wrong when the words promise another kind, or a column has others."""
    series = whiskers.series
    ends = [
        (i, a, b) for i, (a, b) in enumerate(zip(whiskers.low, whiskers.high, strict=True))
        if math.isfinite(a) and math.isfinite(b)
    ]  # fmt: skip
    if not ends:
        return unbound(series, "no finite whisker")
    halves, middles = [(b - a) / 2 for _, a, b in ends], [(a + b) / 2 for _, a, b in ends]
    promised = promised_spread(words)
    best: tuple[int, str, list[float]] | None = None
    wanted: list[float] = []  # what the promised kind would be
    for rank, _, per_place in _groups(series, table, [i for i, _, _ in ends]):
        if not any(per_place) or rank > 7:
            continue
        if any(len(rows) > 1 for rows in per_place):
            found, expected = _of_repetitions(table, per_place, halves, middles, promised)
        else:
            found = _of_columns(table, per_place, halves, [(a, b) for _, a, b in ends])
            expected = _column_for(table, per_place, promised) if rank <= 3 else []
        wanted = wanted or expected
        if found:
            best = (rank, found, expected)
            break
    if best:
        kind = best[1]
        if promised and _kind(kind) not in {promised, ""}:
            return _wrong_kind(series, halves, kind, promised, best[2] or wanted)
        return Outcome("equal", kind, frozenset(), (), {"how": kind})
    if wanted and promised and not whiskers.band:
        return _wrong_kind(series, halves, "", promised, wanted)
    return unbound(series, "its lengths are no column and no spread of source_data.csv")


def _groups(series: Series, table: Table, which: Sequence[int]) -> list[tuple[int, str, list[list[int]]]]:
    """(rank, column of the places, rows of each whisker) for every way to look the places up."""
    out = []
    for column in table.columns:
        if series.names:
            index = {name: column.rows.get(name, []) for name in map(plain, series.names)}
            at = [index[plain(series.names[i])] for i in which]
        elif column.numbers is not None:
            at = [column.rows_by_number.get(key(series.x[i]), []) for i in which]
        else:
            continue
        if sum(map(bool, at)) < 0.8 * len(at):
            continue
        for rank, _, rows, _ in confinements(series, table, [column]):
            out.append((rank, column.name, [[r for r in one if rows is None or r in rows] for one in at]))
    if not out and all(float(series.x[i]).is_integer() and 0 <= series.x[i] < table.height for i in which):
        out.append((0, "", [[int(series.x[i])] for i in which]))
    return sorted(out, key=lambda one: one[0])


def _of_repetitions(
    table: Table, per_place: list[list[int]], halves: list[float], middles: list[float], promised: str | None
) -> tuple[str, list[float]]:
    """The spread of repeated rows that the whiskers are, and what the promised one would be."""
    expected: list[float] = []
    for column in table.measures:
        numbers = column.numbers
        assert numbers is not None
        values = [[numbers[r] for r in rows if math.isfinite(numbers[r])] for rows in per_place]
        if not all(values):
            continue
        scale = next(
            (s for s in _SCALES if all(equal(s * mean(v), m) for v, m in zip(values, middles, strict=True))), None
        )
        for name, spread in SPREADS.items():
            lengths = [spread(v) for v in values]
            for factor in _SCALES if scale is None else (scale,):
                if all(equal(factor * a, b) for a, b in zip(lengths, halves, strict=True)):
                    promise = _promised_lengths(values, promised, factor)
                    return f"{name} of column {column.name!r}", promise
        if scale is not None:
            expected = expected or _promised_lengths(values, promised, scale)
    return "", expected


def _promised_lengths(values: list[list[float]], promised: str | None, scale: float) -> list[float]:
    name = {"deviation": "standard deviation", "error": "standard error", "interval": "95% interval (t)"}.get(
        promised or ""
    )
    return [scale * SPREADS[name](v) for v in values] if name else []


def _of_columns(table: Table, per_place: list[list[int]], halves: list[float], ends: list[tuple[float, float]]) -> str:
    """The column that holds the lengths, or the two that hold the ends."""
    rows = [one[0] if one else -1 for one in per_place]
    columns = [c for c in table.numeric if c.numbers is not None]

    def holds(column: Column, values: Sequence[float], scale: float) -> bool:
        return all(
            r >= 0 and equal(scale * column.numbers[r], v) for r, v in zip(rows, values, strict=True) if column.numbers
        )

    for scale in (*_SCALES, 1.96, 2.0):
        for column in columns:
            if holds(column, halves, scale):
                return f"column {column.name!r}" + ("" if scale == 1 else f" x {scale:g}")
    for scale in _SCALES:
        low = next((c for c in columns if holds(c, [a for a, _ in ends], scale)), None)
        high = next((c for c in columns if holds(c, [b for _, b in ends], scale)), None)
        if low and high:
            return f"columns {low.name!r} and {high.name!r}"
    return ""


def _column_for(table: Table, per_place: list[list[int]], promised: str | None) -> list[float]:
    """The lengths that the one column of the promised kind (or the one spread column) has."""
    named = [c for c in table.numeric if _kind(f"column {c.name!r}") == promised] if promised else []
    if len(named) != 1 or not all(per_place):
        return []
    numbers = named[0].numbers
    assert numbers is not None
    return [numbers[rows[0]] for rows in per_place]


def _kind(described: str) -> str:
    """deviation, error, interval; empty when the description tells none."""
    if described.startswith(("standard deviation", "two standard deviations")):
        return "deviation"
    if described.startswith(("standard error", "two standard errors")):
        return "error"
    if described.startswith("95%"):
        return "interval"
    if described.startswith("half range"):
        return "range"
    name = subject(described.partition("'")[2].partition("'")[0])
    for kind, words in _KINDS.items():
        if name in words or any(name.endswith(f" {word}") or name.startswith(f"{word} ") for word in words):
            return kind
    return ""


def _wrong_kind(series: Series, halves: list[float], kind: str, promised: str, wanted: list[float]) -> Outcome:
    said = {"deviation": "standard deviation", "error": "standard error", "interval": "95% interval"}[promised]
    shown, should = f"±{_range(halves)}", f" ({_range(wanted)})" if wanted else ""
    is_what = f"the {kind}" if kind else "no spread that source_data.csv has"
    message = f"the error bars are said to show the {said}{should}, but they are {shown}: {is_what}"
    values = {"says": said, "draws": kind, "reported": halves[:8], "expected": wanted[:8]}
    return Outcome("differs", message, values=values)


def _range(values: list[float]) -> str:
    low, high = f"{min(values):.4g}", f"{max(values):.4g}"
    return low if low == high else f"{low} to {high}"
