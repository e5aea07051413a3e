"""Colours as eyes see them: contrast, difference, and how the two common colour-vision deficiencies see them.

Contrast is WCAG 2's ratio of relative luminances; difference is CIE 1976 (the distance in CIELAB, D65); deficiencies are the
full-severity matrices of Machado, Oliveira and Fernandes (2009), applied to linear RGB.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from ledger.pixelgate.record import Color

Rgb = tuple[float, float, float]
Matrix = tuple[Rgb, Rgb, Rgb]

PROTAN: Matrix = (
    (0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998),
)  # fmt: skip
DEUTAN: Matrix = (
    (0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881),
)  # fmt: skip
EYES: tuple[tuple[str, Matrix | None], ...] = (
    ("to every eye", None), ("to deuteranopes", DEUTAN), ("to protanopes", PROTAN),
)  # fmt: skip

_XYZ: Matrix = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
_WHITE = (0.95047, 1.0, 1.08883)


def over(color: Color, ground: Rgb) -> Rgb:
    """The colour as it looks on the ground, its transparency applied."""
    alpha = color[3]
    red, green, blue = (alpha * c + (1 - alpha) * g for c, g in zip(color, ground, strict=False))
    return (red, green, blue)


def contrast(a: Rgb, b: Rgb) -> float:
    """WCAG contrast ratio, from 1 to 21."""
    high, low = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def difference(a: Rgb, b: Rgb, eye: Matrix | None = None) -> float:
    """Distance of two colours in CIELAB; about 2.3 is just noticeable side by side."""
    return math.dist(_lab(a, eye), _lab(b, eye))


def _linear(color: Rgb) -> Rgb:
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color)
    return (red, green, blue)


def _luminance(color: Rgb) -> float:
    red, green, blue = _linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _lab(color: Rgb, eye: Matrix | None) -> Rgb:
    linear = _linear(color)
    if eye is not None:
        linear = _clamped(_times(eye, linear))
    x, y, z = (_f(value / white) for value, white in zip(_times(_XYZ, linear), _WHITE, strict=True))
    return (116 * y - 16, 500 * (x - y), 200 * (y - z))


def _f(t: float) -> float:
    return t ** (1 / 3) if t > (6 / 29) ** 3 else t / (3 * (6 / 29) ** 2) + 4 / 29


def _times(matrix: Matrix, vector: Rgb) -> Rgb:
    first, second, third = (sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)
    return (first, second, third)


def _clamped(color: Iterable[float]) -> Rgb:
    red, green, blue = (min(1.0, max(0.0, value)) for value in color)
    return (red, green, blue)


def named(color: Iterable[float]) -> str:
    """As #rrggbb."""
    return "#" + "".join(f"{round(255 * c):02x}" for c in tuple(color)[:3])
