"""Every text that was drawn: its box, its ink, its colour, and the characters that its fonts do not have."""

from __future__ import annotations

import functools
import itertools
import logging
import math
import unicodedata
from typing import Any

from ledger.pixelgate.record import Box, Text

_fresh = itertools.count(1)


def read_text(artist: Any, renderer: Any, role: str, panel: int | None, height: float, canvas: Box) -> Text | None:
    """The text as drawn, None when it has no place (a NaN position)."""
    from matplotlib.colors import to_rgba
    from matplotlib.text import Text as MplText

    extent = MplText.get_window_extent(artist, renderer)  # an annotation's own extent would include its arrow
    if not all(map(math.isfinite, extent.extents)):
        return None
    box = (extent.x0, height - extent.y1, extent.x1, height - extent.y0)
    shown = artist.get_text()
    missing, fonts = missing_glyphs(artist)
    clip = _clip(artist, height)
    color = to_rgba(artist.get_color(), artist.get_alpha())
    beyond = _leaves(box, canvas) or (clip is not None and _leaves(box, clip))
    return Text(
        shown, role, panel, box, _corners(artist, renderer, height), float(artist.get_fontsize()), color,
        float(artist.get_rotation()), missing, fonts, clip,
        ink=_ink(artist, renderer, height) if beyond else None,
        at=_data_position(artist),
        outlined=bool(artist.get_path_effects()) or artist.get_bbox_patch() is not None,
        math=_is_math(shown),
    )  # fmt: skip


def missing_glyphs(artist: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Visible characters without a glyph in any font of the text, each as often as it stands; and the fonts' names."""
    if artist.get_usetex():
        return (), ("TeX",)
    shown = artist.get_text()
    known, names = _characters(artist.get_fontproperties())
    if _is_math(shown) and artist.get_parse_math():
        return _missing_in_math(shown, artist.get_fontproperties()), names
    return tuple(char for char in shown if ord(char) not in known and _has_ink(char)), names


def _characters(properties: Any) -> tuple[frozenset[int], tuple[str, ...]]:
    from matplotlib.font_manager import fontManager

    finder = getattr(fontManager, "_find_fonts_by_props", None)
    paths = finder(properties) if finder else [fontManager.findfont(properties)]
    return _charmaps(tuple(paths))


@functools.lru_cache(maxsize=64)
def _charmaps(paths: tuple[Any, ...]) -> tuple[frozenset[int], tuple[str, ...]]:
    from matplotlib.font_manager import get_font

    fonts = [get_font(path) for path in paths]
    names = tuple(str(font.family_name) for font in fonts)
    # matplotlib's last resort has a picture for every character: a box that names its block
    real = [font for font, name in zip(fonts, names, strict=True) if not name.startswith(("Last Resort", "LastResort"))]
    return frozenset(code for font in real for code in font.get_charmap()), names


def _has_ink(char: str) -> bool:
    return not char.isspace() and unicodedata.category(char) not in {"Cc", "Cf", "Zs", "Zl", "Zp"} and not (
        0xFE00 <= ord(char) <= 0xFE0F
    )  # fmt: skip


def _is_math(text: str) -> bool:
    return text.replace(r"\$", "").count("$") >= 2 and text.replace(r"\$", "").count("$") % 2 == 0


def _missing_in_math(text: str, properties: Any) -> tuple[str, ...]:
    """Characters that mathtext replaces by a dummy; it says so in its log, once for each."""
    from matplotlib.mathtext import MathTextParser

    caught: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            message = record.getMessage()
            if "does not have a glyph for" in message and "U+" in message:
                caught.append(chr(int(message.rpartition("U+")[2].partition("]")[0], 16)))

    logger, listener = logging.getLogger("matplotlib.mathtext"), Listener()
    logger.addHandler(listener)
    try:
        for line in text.split("\n"):
            if _is_math(line):
                # a resolution that nobody else asks for, so that the answer does not come from a cache
                MathTextParser("path").parse(line, dpi=72 + next(_fresh) * 1e-6, prop=properties)
    except ValueError:
        return ()
    finally:
        logger.removeHandler(listener)
    return tuple(caught)


def _corners(artist: Any, renderer: Any, height: float) -> tuple[tuple[float, float], ...]:
    """The four corners of the text's own (rotated) box."""
    _, _, (corner, size) = artist._get_layout(renderer)
    x, y = artist.get_transform().transform(artist.get_unitless_position())
    angle = math.radians(artist.get_rotation())
    right, up = (math.cos(angle), math.sin(angle)), (-math.sin(angle), math.cos(angle))
    left, bottom = x + corner[0], y + corner[1]
    out = []
    for across, along in ((0, 0), (size[0], 0), (size[0], size[1]), (0, size[1])):
        px = left + across * right[0] + along * up[0]
        py = bottom + across * right[1] + along * up[1]
        out.append((float(px), float(height - py)))
    return tuple(out)


def _ink(artist: Any, renderer: Any, height: float) -> Box | None:
    """The box of the glyphs' outlines: the extent of a text includes room for ascenders that it may not have."""
    from matplotlib.textpath import TextPath
    from matplotlib.transforms import Affine2D

    if artist.get_usetex():
        return None
    _, lines, _ = artist._get_layout(renderer)
    x0, y0 = artist.get_transform().transform(artist.get_unitless_position())
    scale = artist.get_figure(root=True).dpi / 72
    boxes = []
    for line, _, (x, y) in lines:
        if not line.strip():
            continue
        path = TextPath((0, 0), line, prop=artist.get_fontproperties(), size=artist.get_fontsize())
        turn = Affine2D().scale(scale).rotate_deg(artist.get_rotation()).translate(x0 + x, y0 + y)
        extent = turn.transform_path(path).get_extents()
        if extent.width > 0:
            boxes.append(extent.extents)
    if not boxes:
        return None
    left, bottom = min(box[0] for box in boxes), min(box[1] for box in boxes)
    right, top = max(box[2] for box in boxes), max(box[3] for box in boxes)
    return (float(left), float(height - top), float(right), float(height - bottom))


def _clip(artist: Any, height: float) -> Box | None:
    if not artist.get_clip_on():
        return None
    clip = artist.get_clip_box()
    path, transform = artist._clippath, None
    if clip is None and path is not None:
        path, transform = path.get_transformed_path_and_affine()
        clip = transform.transform_path(path).get_extents() if path is not None else None
    return None if clip is None else (clip.x0, height - clip.y1, clip.x1, height - clip.y0)


def _leaves(box: Box, frame: Box) -> bool:
    return box[0] < frame[0] or box[1] < frame[1] or box[2] > frame[2] or box[3] > frame[3]


def _data_position(artist: Any) -> tuple[float, float] | None:
    """Where the text stands, or what an annotation points at, in data units."""
    from matplotlib.text import Annotation

    axes = artist.axes
    if axes is None:
        return None
    try:
        if isinstance(artist, Annotation):
            if artist.xycoords != "data":
                return None
            x, y = artist.xy
        elif artist.get_transform() == axes.transData:
            x, y = artist._x, artist._y
        else:
            return None
        return float(axes.convert_xunits(x)), float(axes.convert_yunits(y))
    except (TypeError, ValueError):
        return None
