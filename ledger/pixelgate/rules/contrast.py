"""low-contrast and indistinct-colors: what can hardly be seen, and what can hardly be told apart."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from ledger.model.finding import Finding
from ledger.pixelgate.color import EYES, Rgb, contrast, difference, named, over
from ledger.pixelgate.pixels import SAME, differs, ground_of
from ledger.pixelgate.record import Mark, Panel, Text
from ledger.pixelgate.rules.tofu import NAMES
from ledger.pixelgate.scene import Scene, listed

TEXT = 2.2  # WCAG asks 3 of large text; below this, print and projectors lose it
LINE = 1.95  # matplotlib's own ten colours are above it on white
APART = 5.0  # CIELAB distance
# matplotlib's orange and green are 4.6 apart to protanopes: worth a word, and too common for a warning
CLOSE = 4.5


def check(scene: Scene) -> Iterator[Finding]:
    """low-contrast: text or data lines close to their ground."""
    pale: dict[tuple[int | None, str], list[tuple[Text, float]]] = {}
    for text in scene.saved.texts:
        ratio = _text_contrast(scene, text)
        if ratio is not None and ratio < TEXT:
            pale.setdefault((text.panel, text.role), []).append((text, ratio))
    for (panel, role), texts in pale.items():
        worst = min(ratio for _, ratio in texts)
        what = f"{len(texts)} {NAMES[role]}s have" if len(texts) > 1 else f"the {NAMES[role]} has"
        shown = listed([repr(text.text) for text, _ in texts], 3)
        message = f"{what} a contrast of {worst:.1f}:1 with the ground, less than {TEXT}:1: {shown}"
        yield scene.finding(
            "low-contrast", "warning", message, "choose a darker (or lighter) colour", box=texts[0][0].box,
            contrast=round(worst, 2), where=f"{panel} {role}",
        )  # fmt: skip
    for one in scene.saved.panels:
        yield from _lines(scene, one)


def _text_contrast(scene: Scene, text: Text) -> float | None:
    if text.outlined or text.color[3] == 0:
        return None
    ground = _ground(scene, text)
    return None if ground is None else contrast(over(text.color, ground), ground)


def _ground(scene: Scene, text: Text) -> Rgb | None:
    """The commonest colour around the text: in the pixels where there are some, else what the panel is painted with."""
    picture = scene.pixels
    if picture is not None:
        around = picture.cut(text.box)
        if around.size:
            return _ground_in(around, over(text.color, (1.0, 1.0, 1.0)))
        return None
    return _painted(scene, None)


def _ground_in(pixels: Any, ink: Rgb) -> Rgb:
    """The commonest colour; where that is the ink itself (bold or crowded text), the commonest other one, if there is much."""
    commonest = ground_of(pixels)
    if max(abs(255 * c - float(g)) for c, g in zip(ink, commonest, strict=True)) <= SAME:
        others = pixels[differs(pixels, commonest)]
        if len(others) >= 0.15 * pixels.shape[0] * pixels.shape[1]:
            commonest = ground_of(others)
    red, green, blue = (float(value) / 255 for value in commonest)
    return (red, green, blue)


def _painted(scene: Scene, panel: Panel | None) -> Rgb:
    page = over(scene.saved.ground, (1.0, 1.0, 1.0))
    return over(panel.ground, page) if panel else page


def _lines(scene: Scene, panel: Panel) -> Iterator[Finding]:
    ground = _painted(scene, panel)
    lines = [m for m in panel.marks if m.kind == "line" and m.line and m.data_coords and m.colors and len(m.x) > 1]
    for mark in lines:
        ratio = contrast(over(mark.colors[0], ground), ground)
        dressed = bool(mark.marker) and mark.edge is not None and contrast(over(mark.edge, ground), ground) >= LINE
        if ratio >= LINE or dressed or mark.maker or (not mark.label and len(lines) > 1) or _is_painted_over(panel):
            continue  # pale lines without a name, beside others, are context
        name = f" {mark.label!r}" if mark.label else ""
        message = (
            f"the line{name} ({named(mark.colors[0])}) has a contrast of {ratio:.1f}:1 with its ground "
            f"({named(ground)}), less than {LINE}:1"
        )
        yield scene.finding(
            "low-contrast", "warning", message, "choose a darker (or lighter) colour", box=panel.box,
            contrast=round(ratio, 2), where=f"{panel.index} {mark.label}",
        )  # fmt: skip


def _is_painted_over(panel: Panel) -> bool:
    """Whether an image or filled contours lie over most of the ground, so that nobody knows what a line stands on."""
    left, top, right, bottom = panel.box
    for mark in panel.marks:
        if mark.kind != "image" and (mark.kind != "other" or not mark.colors):
            continue
        known = mark.box is not None and all(map(math.isfinite, mark.box))
        x0, y0, x1, y1 = mark.box if known and mark.box else panel.box
        shared = max(0.0, min(right, x1) - max(left, x0)) * max(0.0, min(bottom, y1) - max(top, y0))
        if shared >= 0.5 * (right - left) * (bottom - top):
            return True
    return False


def distinct(scene: Scene) -> Iterator[Finding]:
    """indistinct-colors: named series that only their colour tells apart, and hardly that."""
    for panel in scene.saved.panels:
        series = [
            mark for mark in panel.marks
            if mark.label and mark.colors and mark.kind in {"line", "points", "bars", "band"} and not mark.params.get("mapped")
        ]  # fmt: skip
        ground = _painted(scene, panel)
        close: list[tuple[float, str, Mark, Mark]] = []
        for a, b in combinations(series, 2):
            if _dress(a) != _dress(b) or len({*a.colors}) > 1 or len({*b.colors}) > 1:
                continue
            first, second = over(a.colors[0], ground), over(b.colors[0], ground)
            gaps = [(difference(first, second, matrix), name) for name, matrix in EYES]
            # every eye comes first: where all see it, no deficiency is to blame
            near = next(((gap, eye) for gap, eye in gaps if gap <= APART), None)
            if near:
                close.append((*near, a, b))
        if close:
            gap, eye, a, b = min(close, key=lambda one: one[0])
            more = f", and {len(close) - 1} more pairs" if len(close) > 1 else ""
            message = (
                f"{a.label!r} ({named(a.colors[0])}) and {b.label!r} ({named(b.colors[0])}) differ by {gap:.1f} in CIELAB "
                f"{eye}, at most {APART:g}, and by nothing else{more}"
            )
            fix = "give them colours that are apart, or other line styles, markers or hatches"
            yield scene.finding(
                "indistinct-colors", "warning" if gap <= CLOSE else "note", message, fix, box=panel.box, difference=round(gap, 2), eye=eye,
                where=f"{panel.index} {a.label} {b.label}",
            )  # fmt: skip


def _dress(mark: Mark) -> tuple[str, str, str, str]:
    """What tells series apart without colour."""
    return (mark.kind, mark.line if mark.kind == "line" else "", mark.marker, mark.hatch)
