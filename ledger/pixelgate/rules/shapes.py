"""non-monotonic-x and unequal-bar-width: lines that run back, and bars whose width means nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from ledger.model.finding import Finding
from ledger.pixelgate.record import Mark, Panel
from ledger.pixelgate.scene import Scene
from ledger.pixelgate.truth.histogram import edges_of

_PATHS = re.compile(
    r"trajector|\bpath\b|\borbit|phase (portrait|plane|space)|hystere|\bloop\b|parametric|\bcontour|\bmap\b|outline|pareto|"
    r"embedding|\btrack\b|\bcycle\b|route|spiral|boundary"
)
_WIDTHS = re.compile(r"width|density|/\s*\w+\)|per (unit|year|bin)|mosaic|marimekko|\bshare of\b")


def monotonic(scene: Scene) -> Iterator[Finding]:
    """non-monotonic-x: joined points whose x goes forth and back."""
    for panel in scene.saved.panels:
        if panel.kind != "rectilinear" or not panel.frame or panel.square or _PATHS.search(scene.words):
            continue
        for mark in panel.marks:
            if mark.kind != "line" or not mark.line or not mark.data_coords or mark.maker:
                continue
            turns = _turns(mark, panel)
            if turns:
                count, total, where = turns
                name = f" {mark.label!r}" if mark.label else ""
                message = f"the line{name} runs back in x at {count} of {total} steps, first {where}"
                fix = "sort by x before drawing, draw each run by itself, or draw points without a line"
                yield scene.finding(
                    "non-monotonic-x", "warning", message, fix, box=panel.box, steps=count,
                    where=f"{panel.index} {mark.label}",
                )  # fmt: skip


def _turns(mark: Mark, panel: Panel) -> tuple[int, int, str] | None:
    """How often the line turns back, of how many steps, and where first; a gap joins nothing, so each stretch counts alone."""
    points = zip(mark.x, mark.y, strict=True)
    stretches = [list(some) for whole, some in groupby(points, lambda p: all(map(math.isfinite, p))) if whole]
    found = (_turns_of([x for x, _ in one], [y for _, y in one], panel) for one in stretches)
    return next((turns for turns in found if turns), None)


def _turns_of(xs: list[float], ys: list[float], panel: Panel) -> tuple[int, int, str] | None:
    names = panel.xaxis.names
    if names:
        numbers = [_as_number(names[int(x)]) if float(x).is_integer() and 0 <= x < len(names) else None for x in xs]
        if any(number is None for number in numbers):
            return None
        xs = [number for number in numbers if number is not None]
    if len(xs) < 3:
        return None
    steps = [b - a for a, b in pairwise(xs)]
    forth, back = sum(step > 0 for step in steps), sum(step < 0 for step in steps)
    if not forth or not back or _is_shape(xs, ys):
        return None
    minor = min(back, forth)
    wrong = next(i for i, step in enumerate(steps) if (step < 0) == (back <= forth) and step != 0)
    return minor, len(steps), f"from {_shown(xs[wrong], panel)} to {_shown(xs[wrong + 1], panel)}"


def _is_shape(xs: Sequence[float], ys: Sequence[float]) -> bool:
    """A closed outline, or a profile along y."""
    if len(xs) >= 4 and all(abs(one[0] - one[-1]) <= 1e-6 * (max(one) - min(one)) for one in (xs, ys)):
        return True
    steps = [b - a for a, b in pairwise(ys)]
    return len(ys) >= 8 and (all(step > 0 for step in steps) or all(step < 0 for step in steps))


def _shown(x: float, panel: Panel) -> str:
    if panel.xaxis.date:
        from datetime import UTC, datetime, timedelta

        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=x)).date().isoformat()
    return f"{x:.6g}"


def _as_number(name: str) -> float | None:
    try:
        return float(name)
    except ValueError:
        return None


def widths(scene: Scene) -> Iterator[Finding]:
    """unequal-bar-width: bars of one set with different widths, or counts over unequal bins."""
    for panel in scene.saved.panels:
        for mark in panel.marks:
            if mark.kind != "bars" or len(mark.width) < 2 or panel.kind != "rectilinear":
                continue  # a polar bar's width is an angle, which is what a ring shows
            across = panel.axis("x" if mark.along == "y" else "y")
            least, most = min(mark.width), max(mark.width)
            if across.scale != "linear" or across.date or most - least <= 0.02 * most:
                continue
            words = f"{scene.words} {' '.join(scene.said)}".lower()
            if mark.params.get("density") or _WIDTHS.search(words):
                continue
            counted = edges_of(mark) is not None
            what = "counts over bins" if counted else "bars"
            why = "areas do not show the counts" if counted else "a wider bar looks like more"
            message = f"{scene.panel_name(panel)} draws {what} with widths from {least:.4g} to {most:.4g}: {why}"
            fix = "use equal bins, or density=True and say so" if counted else "give all bars one width"
            yield scene.finding(
                "unequal-bar-width", "warning", message, fix, box=panel.box, least=least, most=most, where=panel.index
            )  # fmt: skip
