"""low-resolution and type3-font: what the rendered files are made of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from ledger.model.finding import Finding, Location
from ledger.pixelgate.record import Mark
from ledger.pixelgate.scene import Scene

LOW = 100.0  # pixels per inch; letters of 8 points are then 11 pixels high, the least that print can bear
RASTER = frozenset({"png", "jpg", "jpeg", "tif", "tiff", "webp", "gif", "bmp"})


def resolution(scene: Scene) -> Iterator[Finding]:
    saved = scene.saved
    fix = "save with dpi=300, or as PDF"
    if saved.format in RASTER and saved.dpi < LOW:
        width, height = (side / saved.dpi for side in saved.size)
        message = f"{saved.size[0]:.0f} x {saved.size[1]:.0f} pixels for {width:.1f} x {height:.1f} in are {saved.dpi:.0f} ppi"
        yield scene.finding("low-resolution", "warning", message, fix, ppi=saved.dpi)
    for path, other in zip(scene.files, scene.group, strict=False):
        bitmaps = [mark for panel in other.panels for mark in panel.marks if mark.raster or _is_picture(mark)]
        if other.format in {"pdf", "svg", "eps", "ps"} and bitmaps and 0 < other.bitmap_dpi < LOW:
            message = f"{PurePosixPath(path).name} holds {len(bitmaps)} bitmaps at {other.bitmap_dpi:.0f} ppi"
            values = {"ppi": other.bitmap_dpi}
            yield Finding("low-resolution", "warning", message, Location(path), None, values, "save with dpi=300")


def _is_picture(mark: Mark) -> bool:
    """An image whose cells are many; a mesh stays vector."""
    return mark.maker != "mesh" and len(mark.shape) >= 2 and mark.shape[0] * mark.shape[1] > 400


def type3(scene: Scene) -> Iterator[Finding]:
    for path in scene.type3:
        message = f"{PurePosixPath(path).name} embeds its text as Type 3 fonts, which several venues refuse"
        fix = "set rcParams['pdf.fonttype'] = 42"
        yield Finding("type3-font", "warning", message, Location(path), None, {"file": path}, fix)
