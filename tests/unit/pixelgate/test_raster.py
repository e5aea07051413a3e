"""What a bare PNG can be asked, on pictures made pixel by pixel."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.pixelgate import check_file

WHITE, BLACK = (255, 255, 255), (0, 0, 0)


@pytest.mark.parametrize(
    ("parts", "dpi", "rules"),
    [
        ([("rectangle", (60, 40, 340, 240)), ("line", (80, 200, 300, 90))], 300, []),
        ([("rectangle", (60, 40, 340, 240))], 300, ["blank-panel"]),
        ([("line", (60, 40, 60, 240)), ("line", (60, 240, 340, 240))], 300, []),
        ([("line", (80, 200, 300, 90)), ("line", (0, 100, 9, 104)), ("line", (0, 110, 9, 112))], 300, ["clipped-text"]),
        ([("line", (0, 150, 399, 150))], 300, []),
        ([("line", (80, 200, 300, 90))], 60, ["low-resolution"]),
    ],
    ids=["a framed line", "an empty frame", "open axes", "strokes at the edge", "one line across", "few pixels"],
)
def test_rasters(tmp_path: Path, parts: list[tuple[str, tuple[int, ...]]], dpi: int, rules: list[str]) -> None:
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (400, 300), WHITE)
    draw = ImageDraw.Draw(image)
    for shape, place in parts:
        if shape == "rectangle":
            draw.rectangle(place, outline=BLACK, width=2)
        else:
            draw.line(place, fill=BLACK, width=3)
    path = tmp_path / "plot.png"
    image.save(path, dpi=(dpi, dpi))
    assert [finding.rule for finding in check_file(path).findings] == rules
