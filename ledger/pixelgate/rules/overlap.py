"""overlapping-text: the ink of two texts collides. Rotated labels are compared as rotated boxes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ledger.model.finding import Finding
from ledger.pixelgate.record import Legend, Text
from ledger.pixelgate.rules.tofu import NAMES
from ledger.pixelgate.scene import Scene, listed

Quad = tuple[tuple[float, float], ...]


def check(scene: Scene) -> Iterator[Finding]:
    saved = scene.saved
    shown = [text for text in saved.texts if text.color[3] > 0 and not _off_page(text, saved.size)]
    legends = [panel.legend for panel in saved.panels if panel.legend] + list(saved.legends)
    quads = [_core(text) for text in shown]
    pairs: list[tuple[Text, Text, float]] = []
    order = sorted(range(len(shown)), key=lambda i: shown[i].box[0])
    for place, i in enumerate(order):
        for j in order[place + 1 :]:
            if shown[j].box[0] > shown[i].box[2]:
                break
            a, b = shown[i], shown[j]
            if not _boxes_meet(a, b) or _hidden(a, b, legends):
                continue
            depth = _depth(quads[i], quads[j])
            if depth > max(1.0, 0.08 * min(a.size, b.size) * saved.dpi / 72):
                pairs.append((a, b, depth))
    groups: dict[tuple[object, ...], list[tuple[Text, Text, float]]] = {}
    for a, b, depth in pairs:
        groups.setdefault((*sorted(((str(a.panel), a.role), (str(b.panel), b.role))),), []).append((a, b, depth))
    for key, found in groups.items():
        first, second, _ = found[0]
        roles = (
            f"{NAMES[first.role]}s" if first.role == second.role else f"{NAMES[first.role]} and {NAMES[second.role]}"
        )
        message = f"{len(found)} {'pair' if len(found) == 1 else 'pairs'} of texts overlap ({roles}): " + listed(
            [f"{a.text!r} and {b.text!r}" for a, b, _ in found], 3
        )
        fix = "fewer or shorter labels, rotation=45 with ha='right', a larger figure, or layout='constrained'"
        yield scene.finding(
            "overlapping-text", "warning", message, fix, box=_union(first, second), pairs=len(found), where=str(key)
        )  # fmt: skip


def _core(text: Text) -> Quad:
    """The text's own box without the room for ascenders and descenders that it may not use."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = text.corners
    lines = text.text.count("\n") + 1
    foot, head = 0.22 / lines, 0.16 / lines
    if text.math:
        foot, head = 0.3 / lines, 0.3 / lines
    # line breaks before or after the words only push them away
    head += (len(text.text) - len(text.text.lstrip("\n"))) / lines
    foot += (len(text.text) - len(text.text.rstrip("\n"))) / lines
    side = min(0.04, 0.06 / max(1, len(text.text)))

    def at(across: float, up: float) -> tuple[float, float]:
        bottom = (x0 + across * (x1 - x0), y0 + across * (y1 - y0))
        top = (x3 + across * (x2 - x3), y3 + across * (y2 - y3))
        return (bottom[0] + up * (top[0] - bottom[0]), bottom[1] + up * (top[1] - bottom[1]))

    return (at(side, foot), at(1 - side, foot), at(1 - side, 1 - head), at(side, 1 - head))


def _boxes_meet(a: Text, b: Text) -> bool:
    return a.box[0] < b.box[2] and a.box[2] > b.box[0] and a.box[1] < b.box[3] and a.box[3] > b.box[1]


def _hidden(a: Text, b: Text, legends: Sequence[Legend]) -> bool:
    """The same text drawn twice in one place, or text under an opaque legend."""
    if a.text == b.text and math.dist(a.box[:2], b.box[:2]) < 2:
        return True
    return (a.role == "legend") != (b.role == "legend") and any(one.opaque > 0.5 for one in legends)


def _off_page(text: Text, size: tuple[float, float]) -> bool:
    return text.box[2] <= 0 or text.box[3] <= 0 or text.box[0] >= size[0] or text.box[1] >= size[1]


def _depth(a: Quad, b: Quad) -> float:
    """How deep two convex quadrilaterals reach into each other, by separating axes; 0 when they do not."""
    least = math.inf
    for quad in (a, b):
        for (x0, y0), (x1, y1) in ((quad[0], quad[1]), (quad[1], quad[2])):
            length = math.hypot(x1 - x0, y1 - y0)
            if length == 0:
                return 0.0
            nx, ny = (y1 - y0) / length, (x0 - x1) / length
            first, second = [x * nx + y * ny for x, y in a], [x * nx + y * ny for x, y in b]
            reach = min(max(first), max(second)) - max(min(first), min(second))
            if reach <= 0:
                return 0.0
            least = min(least, reach)
    return least


def _union(a: Text, b: Text) -> tuple[float, float, float, float]:
    return (
        min(a.box[0], b.box[0]), min(a.box[1], b.box[1]), max(a.box[2], b.box[2]), max(a.box[3], b.box[3]),
    )  # fmt: skip
