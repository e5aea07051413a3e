"""blank-panel: a framed panel, or a whole page, without data ink. A panel with its axis off, or with a note in it,
is empty on purpose.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ledger.model.finding import Finding
from ledger.pixelgate.pixels import differs, ground_of
from ledger.pixelgate.record import Box, Mark, Panel
from ledger.pixelgate.scene import Scene

FIX = "draw the data, remove the panel, or switch its axis off"


def check(scene: Scene) -> Iterator[Finding]:
    saved = scene.saved
    if _page_is_empty(scene):
        message = "the whole picture is empty: it has no panel, no image and no text"
        yield scene.finding("blank-panel", "error", message, "save the figure that was drawn, before it is closed")
        return
    by_index = {panel.index: panel for panel in saved.panels}
    reported: set[int] = set()
    for panel in saved.panels:
        if panel.role == "colorbar" or not panel.frame or panel.index in reported:
            continue
        family = [panel, *(by_index[i] for i in panel.twin if i in by_index)]
        if any(_has_note(scene, one) for one in family):
            continue
        reason = _why_empty(scene, family)
        if reason:
            reported |= {one.index for one in family}
            message = f"{scene.panel_name(panel)} is empty: {reason}"
            yield scene.finding("blank-panel", "error", message, FIX, box=panel.box, where=panel.index)


def _page_is_empty(scene: Scene) -> bool:
    if scene.saved.panels or scene.saved.texts:
        return False
    picture = scene.pixels
    return picture is None or not bool(differs(picture.array, ground_of(picture.array)).any())


def _has_note(scene: Scene, panel: Panel) -> bool:
    return any(
        text.panel == panel.index and text.role == "annotation" and _meet(text.box, panel.box)
        for text in scene.saved.texts
    ) or any(text.panel == panel.index and text.role == "legend" for text in scene.saved.texts)


def _why_empty(scene: Scene, family: list[Panel]) -> str:
    """Why these panels in one place show no data; empty when they do."""
    marks = [(panel, mark) for panel in family for mark in panel.marks]
    inside = any(one.role == "inset" and _meet(one.box, family[0].box) for one in scene.saved.panels)
    if not marks:
        return "" if inside else "nothing was drawn into it"
    seen = [_visible(mark, panel) for panel, mark in marks]
    if not any(seen):
        finite = any(_has_values(mark) for _, mark in marks)
        xlow, xhigh = family[0].xaxis.limits
        ylow, yhigh = family[0].yaxis.limits
        if not finite:
            return f"its {len(marks)} series hold no finite value"
        return f"all data lie outside the limits {xlow:g} to {xhigh:g} (x) and {ylow:g} to {yhigh:g} (y)"
    return _no_ink(scene, family[0], len(marks))


def _visible(mark: Mark, panel: Panel) -> bool:
    if panel.kind != "rectilinear" or not mark.data_coords or mark.kind == "other" or (mark.cut and not mark.x):
        return True
    if mark.kind in {"image", "patch"}:
        return mark.box is None or _meet(mark.box, panel.box)
    (xlow, xhigh), (ylow, yhigh) = panel.xaxis.limits, panel.yaxis.limits
    if mark.kind in {"bars", "errors"}:
        low, high = panel.axis(mark.along).limits
        ends = zip(mark.low, mark.high, strict=True)
        if mark.kind == "bars":
            ends = zip(mark.base, (b + n for b, n in zip(mark.base, mark.length, strict=True)), strict=True)
        return any(min(a, b) <= high and max(a, b) >= low for a, b in ends if math.isfinite(a + b) and a != b)
    points = [(x, y) for x, y in zip(mark.x, mark.y, strict=True) if math.isfinite(x) and math.isfinite(y)]
    if (mark.kind == "line" and mark.line) or mark.kind == "band":
        # a segment may cross the view although its ends do not lie in it
        xs, ys = [x for x, _ in points], [y for _, y in points]
        need = 2 if mark.kind == "line" and not mark.marker else 1
        return len(points) >= need and min(xs) <= xhigh and max(xs) >= xlow and min(ys) <= yhigh and max(ys) >= ylow
    return any(xlow <= x <= xhigh and ylow <= y <= yhigh for x, y in points)


def _has_values(mark: Mark) -> bool:
    return any(map(math.isfinite, (*mark.y, *mark.length, *mark.values, *mark.low)))


def _no_ink(scene: Scene, panel: Panel, drawn: int) -> str:
    """The record says that something is there: do the pixels?"""
    picture = scene.pixels
    if picture is None or panel.kind != "rectilinear":
        return ""
    left, top, right, bottom = panel.box
    inset = max(3.0, 0.02 * min(right - left, bottom - top))
    inner = picture.cut((left + inset, top + inset, right - inset, bottom - inset))
    if inner.size == 0 or bool(differs(inner, ground_of(inner)).any()):
        return ""
    full = any(mark.kind in {"image", "band", "bars", "patch", "other"} for mark in panel.marks)
    return "" if full else f"{drawn} series were drawn, but no pixel differs from the ground"


def _meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and a[2] > b[0] and a[1] < b[3] and a[3] > b[1]
