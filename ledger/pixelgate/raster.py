"""What pixels alone can say about a picture, with no script and no record."""

from __future__ import annotations

from ledger.model.finding import Finding, Location
from ledger.pixelgate.pixels import Picture, differs, ground_of

LOW_PPI = 75.0  # below it letters of 9 points are fewer than seven pixels high


def check_raster(shown: str, picture: Picture) -> list[Finding]:
    """Findings about one raster: an empty page, ink cut at the edge, too few pixels."""
    array = picture.array
    ground = ground_of(array)
    if not bool(differs(array, ground).any()):
        message = f"the whole picture is one colour: {picture.size[0]} x {picture.size[1]} pixels without ink"
        return [
            Finding("blank-panel", "error", message, Location(shown), None, {"size": list(picture.size)}, "draw it")
        ]
    out = []
    if picture.dpi is not None and picture.dpi < LOW_PPI:
        width, height = (side / picture.dpi for side in picture.size)
        message = (
            f"{picture.size[0]} x {picture.size[1]} pixels for {width:.1f} x {height:.1f} in are {picture.dpi:.0f} ppi"
        )
        fix = "save with dpi=300, or as PDF"
        out.append(Finding("low-resolution", "warning", message, Location(shown), None, {"ppi": picture.dpi}, fix))
    return out
