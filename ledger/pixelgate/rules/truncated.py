"""truncated-axis: bars whose length is read, without zero in view. Ranges, waterfalls and stacks do not start at zero."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ledger.model.finding import Finding
from ledger.pixelgate.record import Mark, Panel
from ledger.pixelgate.scene import Scene, number

FIX = "let the value axis include zero, draw points instead of bars, or disclose the cut axis"


def check(scene: Scene) -> Iterator[Finding]:
    for panel in scene.saved.panels:
        if panel.kind != "rectilinear" or panel.role == "colorbar":
            continue
        bars = [mark for mark in panel.marks if mark.kind == "bars" and mark.data_coords]
        for along in ("y", "x"):
            mine = [mark for mark in bars if mark.along == along]
            axis = panel.axis(along)
            if mine and axis.scale == "linear" and not axis.date:
                yield from _judge(scene, panel, mine, along)


def _judge(scene: Scene, panel: Panel, bars: list[Mark], along: str) -> Iterator[Finding]:
    low, high = panel.axis(along).limits
    grounded = [mark for mark in bars if _stands_on(mark, 0.0)]
    slack = 1e-6 * (high - low)
    if grounded:
        if low - slack <= 0 <= high + slack:
            return
        start = low if low > 0 else high
        ends = [b + n for mark in grounded for b, n in zip(mark.base, mark.length, strict=True) if math.isfinite(n)]
        yield _report(scene, panel, along, start, ends, "the axis starts")
        return
    first = bars[0].base[0] if bars[0].base else math.nan
    offset = [mark for mark in bars if _stands_on(mark, first)]
    lengths = [n for mark in offset for n in mark.length if math.isfinite(n)]
    one_sided = lengths and (min(lengths) >= 0 or max(lengths) <= 0)
    if len(offset) == len(bars) and sum(len(mark.base) for mark in bars) > 1 and one_sided:
        ends = [first + n for n in lengths]
        yield _report(scene, panel, along, first, ends, "the bars start")


def _stands_on(mark: Mark, level: float) -> bool:
    """Whether every bar starts (or ends, when it hangs) at this level."""
    scale = max((abs(n) for n in mark.length if math.isfinite(n)), default=0.0)
    return all(
        min(abs(base - level), abs(base + length - level)) <= 1e-9 * max(scale, abs(level), 1e-12)
        for base, length in zip(mark.base, mark.length, strict=True)
        if math.isfinite(base) and math.isfinite(length)
    )  # fmt: skip


def _report(scene: Scene, panel: Panel, along: str, start: float, ends: list[float], how: str) -> Finding:
    least, most = min(ends, key=abs), max(ends, key=abs)
    message = f"{scene.panel_name(panel)} draws bars along {along}, and {how} at {number(start)} instead of 0"
    shown = (most - start) / (least - start) if least != start else math.inf
    if 0 < shown < math.inf and least and len(ends) > 1 and shown != 1:
        message += f": the values {number(least)} and {number(most)} (ratio {most / least:.3g}) look like a ratio of {shown:.3g}"
    return scene.finding(
        "truncated-axis", "warning", message, FIX, box=panel.box, axis=along, start=start, where=panel.index
    )  # fmt: skip
