"""From a panel's marks to series: which value stands over which category or number."""

from __future__ import annotations

import math

from ledger.pixelgate.record import Axis, Mark, Panel
from ledger.pixelgate.truth.outcome import Series


def read_series(panel: Panel) -> list[Series]:
    """Every line, point cloud, bar set and pie of the panel that stands in data coordinates and holds anything."""
    whiskers = {id(mark) for mark in panel.marks if is_whisker(mark)}
    out = [
        _series(panel, mark) for mark in panel.marks
        if mark.kind in {"line", "points", "bars"} and mark.data_coords and id(mark) not in whiskers
        and (mark.x or mark.length)
    ]  # fmt: skip
    wedges = [mark for mark in panel.marks if mark.maker == "pie" and mark.values]
    if wedges:
        names, shares = tuple(mark.label for mark in wedges), tuple(mark.values[0] for mark in wedges)
        out.append(Series(panel, wedges[0], "", names if all(names) else (), (), shares))
    return out


def is_whisker(mark: Mark) -> bool:
    """A bare line of two points over one place, as seaborn draws its error bars."""
    if mark.kind != "line" or mark.maker or mark.label or mark.marker or not mark.data_coords or len(mark.x) != 2:
        return False
    return (mark.x[0] == mark.x[1]) != (mark.y[0] == mark.y[1])


def _series(panel: Panel, mark: Mark) -> Series:
    label = mark.label
    if mark.kind == "bars":
        along = mark.along
        tips = tuple(b + n if _grounded(mark) else n for b, n in zip(mark.base, mark.length, strict=True))
        names = names_at(panel.axis("x" if along == "y" else "y"), mark.x, within=0.5)
        return Series(panel, mark, label, names, mark.x, tips, along)
    sideways = _is_sideways(panel)
    places, values = (mark.y, mark.x) if sideways else (mark.x, mark.y)
    names = names_at(panel.yaxis if sideways else panel.xaxis, places, within=0.35)
    return Series(panel, mark, label, names, places, values, "x" if sideways else "y")


def _is_sideways(panel: Panel) -> bool:
    """Categories on the y axis and numbers on the x axis, as dot plots have them."""
    return panel.kind == "rectilinear" and bool(_worded(panel.yaxis)) and not _worded(panel.xaxis)


def _worded(axis: Axis) -> bool:
    if axis.names:
        return True
    texts = [text for _, text in axis.ticks if text.strip()]
    if _renumbered(axis):
        return True
    return bool(texts) and sum(not _is_number(text) for text in texts) > len(texts) / 2 and not axis.date


def _renumbered(axis: Axis) -> bool:
    """Numbers typed as tick labels over the places 0, 1, 2...: years, sizes, names that happen to be numbers."""
    ticks = [(position, text) for position, text in axis.ticks if text.strip()]
    if len(ticks) < 2 or [position for position, _ in ticks] != list(map(float, range(len(ticks)))):
        return False
    try:
        numbers = [float(text.replace("−", "-").replace(",", "")) for _, text in ticks]
    except ValueError:
        return False
    step = numbers[1] - numbers[0]
    return any(
        abs(number - step * position) > 1e-9 * abs(number) for (position, _), number in zip(ticks, numbers, strict=True)
    )


def names_at(axis: Axis, places: tuple[float, ...], *, within: float) -> tuple[str, ...]:
    """The category at each place: the name of the nearest tick, if it is near; empty when the axis counts numbers."""
    if not _worded(axis):
        return ()
    ticks = [(position, text) for position, text in axis.ticks if text.strip()]
    if axis.names and len(ticks) < len(axis.names):
        ticks = [(float(i), name) for i, name in enumerate(axis.names)]
    gaps = sorted(b - a for a, b in zip(*(sorted(p for p, _ in ticks)[i:] for i in (0, 1)), strict=False) if b > a)
    reach = within * gaps[0] if gaps else 0.75
    out = []
    for place in places:
        position, text = min(ticks, key=lambda tick: abs(tick[0] - place)) if math.isfinite(place) else (math.inf, "")
        out.append(" ".join(text.split()) if abs(position - place) <= reach * (1 + 1e-9) else "")
    return tuple(out) if any(out) else ()


def _grounded(mark: Mark) -> bool:
    """Whether the bar's tip is its value: it starts at one constant level, not on another bar."""
    starts = {round(base, 12) for base in mark.base if math.isfinite(base)}
    return len(starts) <= 1


def _is_number(text: str) -> bool:
    try:
        float(text.replace("−", "-").replace(",", "").replace("%", "").strip(" $°"))
    except ValueError:
        return "mathdefault" in text or "times" in text
    return True
