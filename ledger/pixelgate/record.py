"""The record: what matplotlib drew into one saved file, as plain values that rules can judge without matplotlib.

Pixel boxes are (left, top, right, bottom) from the top-left corner of the saved picture. Data values are floats in the
units of their axis; dates are days since 1970. The child process writes records, `read` brings them back.
"""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

Box = tuple[float, float, float, float]
Color = tuple[float, float, float, float]


@dataclass(frozen=True)
class Text:
    """One text that was drawn. `ink` is the box of its glyphs' outlines, known where `box` leaves the canvas."""

    text: str
    role: str  # title, suptitle, xlabel, ylabel, zlabel, xtick, ytick, legend, annotation
    panel: int | None
    box: Box
    corners: tuple[tuple[float, float], ...]
    size: float  # points
    color: Color
    rotation: float = 0.0
    missing: tuple[str, ...] = ()  # characters without a glyph in `fonts`
    fonts: tuple[str, ...] = ()
    clip: Box | None = None
    ink: Box | None = None
    at: tuple[float, float] | None = None  # its anchor in data units
    outlined: bool = False  # path effects or a box behind it
    math: bool = False


@dataclass(frozen=True)
class Mark:
    """One thing drawn from data. Bars: `x` centre across, `base` and `length` along, `width` across the bar.

    Errors: `x`, `y` centres with `low` and `high` ends along `along`.
    """

    kind: str  # line, points, bars, errors, band, image, patch, other
    label: str = ""
    maker: str = ""  # the plotting method, where it is not plain: bxp, violin, hist, pie, stem, contour...
    x: tuple[float, ...] = ()
    y: tuple[float, ...] = ()
    base: tuple[float, ...] = ()
    length: tuple[float, ...] = ()
    width: tuple[float, ...] = ()
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    along: str = "y"  # the axis that carries the value
    colors: tuple[Color, ...] = ()
    edge: Color | None = None
    line: str = ""  # line style; empty when points are not joined
    marker: str = ""
    weight: float = 1.0  # line width or marker size in points
    hatch: str = ""
    data_coords: bool = True
    shape: tuple[int, ...] = ()  # of an image: rows, columns
    values: tuple[float, ...] = ()  # of an image, row by row as drawn from the top of the array; of a pie: shares
    extent: tuple[float, ...] = ()
    origin: str = ""
    norm: str = ""
    limits: tuple[float, float] | None = None
    cmap: str = ""
    cut: int = 0  # values beyond the first that were not recorded
    order: float = 0.0  # zorder
    box: Box | None = None
    pixels: tuple[float, ...] = ()  # x, y, x, y... of points and vertices; left, top, right, bottom of each bar
    clipped: bool = True  # the panel's frame cuts what lies beyond it
    raster: bool = False  # drawn as a bitmap in vector files
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Legend:
    """A legend of a panel (or of the figure): its frame, how opaque it is, its entries in order."""

    box: Box
    opaque: float
    entries: tuple[str, ...] = ()
    order: float = 5.0


@dataclass(frozen=True)
class Axis:
    """One axis of a panel: limits as set, scale, label, and the ticks that were drawn."""

    label: str
    low: float
    high: float
    scale: str
    ticks: tuple[tuple[float, str], ...] = ()
    names: tuple[str, ...] = ()  # categories at 0, 1, 2... when the axis is categorical
    date: bool = False

    @property
    def limits(self) -> tuple[float, float]:
        return min(self.low, self.high), max(self.low, self.high)


@dataclass(frozen=True)
class Panel:
    """One axes."""

    index: int
    box: Box
    kind: str  # rectilinear, polar, 3d...
    frame: bool  # axis on, so that an empty one is a framed void
    xaxis: Axis
    yaxis: Axis
    title: str = ""
    role: str = "plot"  # plot, colorbar, inset
    ground: Color = (1.0, 1.0, 1.0, 1.0)
    twin: tuple[int, ...] = ()  # other panels in the same place
    square: bool = False  # one unit is as long on x as on y, as in maps and trajectories
    zoomed: bool = False  # an inset that another panel marks as a zoom
    marks: tuple[Mark, ...] = ()
    legend: Legend | None = None

    def axis(self, name: str) -> Axis:
        return self.xaxis if name == "x" else self.yaxis


@dataclass(frozen=True)
class Saved:
    """One saved picture of one figure."""

    path: str  # as the script named it, absolute
    format: str
    figure: int  # which figure object
    size: tuple[float, float]  # pixels of the canvas at `dpi`
    dpi: float
    ground: Color
    panels: tuple[Panel, ...] = ()
    texts: tuple[Text, ...] = ()
    legends: tuple[Legend, ...] = ()  # of the figure
    bitmap_dpi: float = 0.0  # of what is drawn as a bitmap
    trouble: tuple[str, ...] = ()  # what could not be recorded

    @property
    def words(self) -> str:
        """All text of the picture in lower case: where a choice may be stated."""
        return " ".join(text.text for text in self.texts).lower()


@dataclass(frozen=True)
class Record:
    """Everything one run of the script saved and said."""

    saved: tuple[Saved, ...] = ()
    disclosures: tuple[str, ...] = ()
    shown: int = 0  # calls of plt.show
    matplotlib: str = ""


def to_json(record: Record) -> str:
    """NaN and infinities are written as JavaScript writes them, which `read` understands."""
    return json.dumps(dataclasses.asdict(record), ensure_ascii=False, default=_scalar)


def _scalar(value: Any) -> Any:
    """A number of another library as Python's own; anything else as its words."""
    return value.item() if hasattr(value, "item") else str(value)


def read(data: str) -> Record:
    """The record in these characters. Raises ValueError when it is none."""
    return typing.cast("Record", _build(Record, json.loads(data)))


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _build(kind: Any, raw: Any) -> Any:
    """`raw` in the shape that the annotation `kind` asks for: dataclasses and tuples, nested."""
    if dataclasses.is_dataclass(kind):
        hints = _hints(typing.cast("type", kind))
        return typing.cast("Any", kind)(**{key: _build(hints[key], value) for key, value in raw.items()})
    origin = typing.get_origin(kind)
    if origin in (types.UnionType, typing.Union):
        return None if raw is None else _build(typing.get_args(kind)[0], raw)
    if origin is tuple and raw is not None:
        inner = typing.get_args(kind)[0]
        if dataclasses.is_dataclass(inner) or typing.get_origin(inner) is tuple:
            return tuple(_build(inner, item) for item in raw)
        return tuple(raw)
    return raw


def finite(values: tuple[float, ...]) -> list[float]:
    return [value for value in values if math.isfinite(value)]
