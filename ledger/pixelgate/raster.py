"""What pixels alone can say about a picture, with no script and no record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ledger.model.finding import Finding, Location
from ledger.pixelgate.pixels import Picture, differs, ground_of
from ledger.pixelgate.record import Box

LOW_PPI = 100.0  # below it letters of 8 points are fewer than eleven pixels high
FRAME = 0.1  # a frame's sides are at least this part of the page


def check_raster(shown: str, picture: Picture) -> list[Finding]:
    """Findings about one raster: an empty page or panel, ink cut at the edge, too few pixels."""
    array = picture.array
    ink = differs(array, ground_of(array))
    if not bool(ink.any()):
        message = f"the whole picture is one colour: {picture.size[0]} x {picture.size[1]} pixels without ink"
        return [
            Finding("blank-panel", "error", message, Location(shown), None, {"size": list(picture.size)}, "draw it")
        ]
    out = []
    for box in _empty_frames(ink):
        left, top, right, bottom = box
        message = f"a frame of {right - left:.0f} x {bottom - top:.0f} pixels is empty"
        fix = "draw the data, remove the panel, or switch its axis off"
        out.append(Finding("blank-panel", "error", message, Location(shown, box=box), None, {"box": list(box)}, fix))
    sides = [side for side, edge in _edges(ink).items() if _is_cut(edge)]
    if sides:
        message = f"ink runs off the picture at the {' and the '.join(sides)} edge, as text does that is cut"
        fix = "use layout='constrained', save with bbox_inches='tight', or give the text more room"
        out.append(Finding("clipped-text", "warning", message, Location(shown), None, {"sides": sides}, fix))
    if picture.dpi is not None and picture.dpi < LOW_PPI:
        width, height = (side / picture.dpi for side in picture.size)
        message = (
            f"{picture.size[0]} x {picture.size[1]} pixels for {width:.1f} x {height:.1f} in are {picture.dpi:.0f} ppi"
        )
        fix = "save with dpi=300, or as PDF"
        out.append(Finding("low-resolution", "warning", message, Location(shown), None, {"ppi": picture.dpi}, fix))
    return out


def _edges(ink: Any) -> dict[str, Any]:
    return {"left": ink[:, 0], "top": ink[0], "right": ink[:, -1], "bottom": ink[-1]}


def _is_cut(edge: Any) -> bool:
    """Several short strokes on an edge that is otherwise ground; a frame or a picture fills it, a line crosses it once."""
    runs = [end - start for start, end in _runs(edge)]
    return len(runs) >= 2 and sum(runs) >= 5 and max(runs) <= 0.05 * len(edge)


def _runs(line: Any) -> list[tuple[int, int]]:
    """(start, end) of each stretch of ink."""
    import numpy as np

    padded = np.concatenate([[False], line, [False]])
    turns = np.flatnonzero(padded[1:] != padded[:-1])
    return [(int(a), int(b)) for a, b in zip(turns[::2], turns[1::2], strict=True)]


def _empty_frames(ink: Any) -> Iterator[Box]:
    """Rectangles of thin lines with nothing inside."""
    height, width = ink.shape
    least = FRAME * min(width, height)
    starts: list[tuple[int, int, int]] = []  # row, left, right of long horizontal strokes, thick ones once
    for row in range(height):
        for left, right in _runs(ink[row]):
            if right - left >= least and not any(
                row - r <= 4 and abs(left - a) <= 2 and abs(right - b) <= 2 for r, a, b in starts[-8:]
            ):
                starts.append((row, left, right))
    taken: list[Box] = []
    for i, (top, left, right) in enumerate(starts):
        below = next(
            (
                (r, a, b)
                for r, a, b in starts[i + 1 :]
                if r - top >= least and abs(a - left) <= 2 and abs(b - right) <= 2
            ),
            None,
        )
        if below is None:
            continue
        bottom = below[0]
        side = (
            ink[top:bottom, left : left + 4].any(axis=1).mean(),
            ink[top:bottom, right - 4 : right].any(axis=1).mean(),
        )
        gap = max(6, round(0.02 * min(right - left, bottom - top)))
        inside = ink[top + gap : bottom - gap, left + gap : right - gap]
        if min(side) > 0.97 and inside.size and not bool(inside.any()):
            box = (float(left), float(top), float(right), float(bottom))
            if box not in taken:
                taken.append(box)
                yield box
