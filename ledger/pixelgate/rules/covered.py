"""legend-covers-data and clipped-marks: data that the picture holds and does not show."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from ledger.model.finding import Finding
from ledger.pixelgate.record import Box, Legend, Mark, Panel
from ledger.pixelgate.scene import Scene

OPAQUE = 0.4
SHAPES = frozenset({"line", "points", "bars", "errors"})


def legend(scene: Scene) -> Iterator[Finding]:
    """legend-covers-data: marks under (or over) a legend that hides what is behind it."""
    outer = [(None, one) for one in scene.saved.legends]
    for owner, one in [*((p, p.legend) for p in scene.saved.panels if p.legend), *outer]:
        if one is None or one.opaque < OPAQUE:
            continue
        hits = []
        for panel in scene.saved.panels:
            same = owner is None or panel.index == owner.index or panel.index in owner.twin
            for mark in panel.marks if same or panel.role == "plot" else ():
                count, total = _inside(mark, panel, one, scene.saved.dpi)
                if count:
                    hits.append((count, total, mark))
        if hits:
            what = ", ".join(_covered(count, total, mark) for count, total, mark in hits[:3])
            more = f" and {len(hits) - 3} more series" if len(hits) > 3 else ""
            message = f"the legend ({one.opaque:.0%} opaque) covers {what}{more}"
            fix = "legend(loc='best'), a free corner, or outside the panel"
            yield scene.finding(
                "legend-covers-data", "warning", message, fix, box=one.box, series=len(hits),
                where=owner.index if owner else "figure",
            )  # fmt: skip


def _covered(count: int, total: int, mark: Mark) -> str:
    name = f" of {mark.label!r}" if mark.label else ""
    unit = {"bars": "bars", "errors": "ends of error bars"}.get(mark.kind, "points")
    if mark.kind == "line" and not mark.marker:
        return f"a stretch{name or ' of a line'}"
    return f"{count} of {total} {unit}{name}"


def _inside(mark: Mark, panel: Panel, one: Legend, dpi: float) -> tuple[int, int]:
    """How many parts of the mark lie under the legend's box, and how many there are."""
    if mark.kind not in SHAPES or not mark.data_coords or mark.maker == "contour":
        return 0, 0
    left, top, right, bottom = one.box
    margin = 2.0 if mark.kind != "line" else -0.5 * mark.weight * dpi / 72  # a line has a width
    box = (left + margin, top + margin, right - margin, bottom - margin)
    if mark.kind == "bars":
        bars = [_cut(bar, panel.box) for bar in _boxes(mark)]
        return sum(_overlap(bar, box) for bar in bars if bar), len(bars)
    points = _points(mark, panel)
    count = sum(_in(point, box) for point in points)
    if mark.kind == "line" and mark.line:
        length = sum(_stretch(a, b, box) for a, b in pairwise(points))
        if not mark.marker:
            return int(length > 4), len(points)
        count = count or int(length > 4)
    return count, len(points)


def _points(mark: Mark, panel: Panel) -> list[tuple[float, float]]:
    """The points in pixels; those beyond the panel are not seen anyway."""
    pairs = list(zip(mark.pixels[::2], mark.pixels[1::2], strict=False))
    if not mark.clipped:
        return pairs
    return [pair if _in(pair, panel.box, slack=1.0) else (math.nan, math.nan) for pair in pairs]


def _boxes(mark: Mark) -> list[Box]:
    p = mark.pixels
    return [(p[i], p[i + 1], p[i + 2], p[i + 3]) for i in range(0, len(p) - 3, 4)]


def _cut(bar: Box, frame: Box) -> Box | None:
    cut = (max(bar[0], frame[0]), max(bar[1], frame[1]), min(bar[2], frame[2]), min(bar[3], frame[3]))
    return cut if cut[0] < cut[2] and cut[1] < cut[3] else None


def _overlap(a: Box, b: Box) -> bool:
    return min(a[2], b[2]) - max(a[0], b[0]) > 3 and min(a[3], b[3]) - max(a[1], b[1]) > 3


def _in(point: tuple[float, float], box: Box, slack: float = 0.0) -> bool:
    x, y = point
    return box[0] - slack <= x <= box[2] + slack and box[1] - slack <= y <= box[3] + slack


def _stretch(a: tuple[float, float], b: tuple[float, float], box: Box) -> float:
    """How many pixels of the segment lie in the box (Liang and Barsky's clipping)."""
    if not all(map(math.isfinite, (*a, *b))):
        return 0.0
    dx, dy = b[0] - a[0], b[1] - a[1]
    enter, leave = 0.0, 1.0
    for step, gap in ((-dx, a[0] - box[0]), (dx, box[2] - a[0]), (-dy, a[1] - box[1]), (dy, box[3] - a[1])):
        if step == 0:
            if gap < 0:
                return 0.0
        elif step < 0:
            enter = max(enter, gap / step)
        else:
            leave = min(leave, gap / step)
    return max(0.0, leave - enter) * math.hypot(dx, dy)


def clipped(scene: Scene) -> Iterator[Finding]:
    """clipped-marks: data, ends of error bars or bars beyond the frame."""
    for panel in scene.saved.panels:
        if panel.kind != "rectilinear" or panel.role != "plot" or panel.zoomed or not panel.frame:
            continue
        cut = [(mark, *_beyond(mark, panel, scene.saved.dpi)) for mark in panel.marks if mark.kind in SHAPES]
        hits = [
            (mark, count, total) for mark, count, total in cut
            if count and mark.clipped and mark.data_coords and not _is_shown_beside(mark, panel, scene.saved.panels)
        ]  # fmt: skip
        if not hits:
            continue
        first = ", ".join(_lost(mark, count, total) for mark, count, total in hits[:3])
        more = f" and {len(hits) - 3} more series" if len(hits) > 3 else ""
        (xlow, xhigh), (ylow, yhigh) = panel.xaxis.limits, panel.yaxis.limits
        message = (
            f"{scene.panel_name(panel)} cuts off {first}{more}: its limits are {xlow:.4g} to {xhigh:.4g} (x) and "
            f"{ylow:.4g} to {yhigh:.4g} (y)"
        )
        fix = "widen the limits, or say that the panel is a zoom"
        yield scene.finding(
            "clipped-marks", "warning", message, fix, box=panel.box, count=sum(count for _, count, _ in hits),
            where=panel.index,
        )  # fmt: skip


def _is_shown_beside(mark: Mark, panel: Panel, panels: tuple[Panel, ...]) -> bool:
    """Whether a panel with other limits draws the very same series, as the halves of a broken axis do."""
    data = (mark.kind, mark.x, mark.y, mark.base, mark.length, mark.low, mark.high)
    return any(
        data == (one.kind, one.x, one.y, one.base, one.length, one.low, one.high)
        for other in panels
        if other.index != panel.index
        and (other.xaxis.limits, other.yaxis.limits) != (panel.xaxis.limits, panel.yaxis.limits)
        for one in other.marks
    )


def _lost(mark: Mark, count: int, total: int) -> str:
    unit = {"bars": "bars", "errors": "ends of error bars"}.get(mark.kind, "points")
    return f"{count} of {total} {unit}" + (f" of {mark.label!r}" if mark.label else "")


def _beyond(mark: Mark, panel: Panel, dpi: float) -> tuple[int, int]:
    left, top, right, bottom = panel.box
    if mark.kind == "bars":
        # the foot of a bar may lie below the frame: that is a truncated axis
        sides = [
            (bar[1] < top - 1.5, bar[3] > bottom + 1.5, bar[0] < left - 1.5, bar[2] > right + 1.5)
            for bar in _boxes(mark)
        ]
        upright = mark.along == "y"
        flags = []
        for side, length in zip(sides, mark.length, strict=False):
            up, down, back, forth = side
            along, across = ((up, down), (back, forth)) if upright else ((forth, back), (down, up))
            flags.append(math.isfinite(length) and ((along[0] if length >= 0 else along[1]) or any(across)))
        return sum(flags), len(flags)
    slack = 1.5
    if mark.kind == "points" and mark.weight >= 8:
        slack = -0.15 * mark.weight * dpi / 72  # a marker of which the frame cuts a good part
    pairs = [p for p in zip(mark.pixels[::2], mark.pixels[1::2], strict=False) if all(map(math.isfinite, p))]
    return sum(not _in(pair, panel.box, slack) for pair in pairs), len(pairs)
