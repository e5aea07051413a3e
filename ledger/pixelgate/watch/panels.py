"""From a figure that was just drawn to its record: panels with their axes and legends, and all texts with their roles."""

from __future__ import annotations

from typing import Any

from ledger.pixelgate.record import Axis, Box, Color, Legend, Panel, Saved, Text
from ledger.pixelgate.watch.marks import read_marks
from ledger.pixelgate.watch.texts import read_text


def read_figure(figure: Any, renderer: Any, texts: list[Any], number: int) -> Saved:
    """Everything about this draw; `texts` are the text artists in the order in which they were drawn."""
    width, height = float(figure.bbox.width), float(figure.bbox.height)
    axes = _all_axes(figure)
    trouble: list[str] = []
    roles = _roles(figure, axes)
    panels = tuple(_panel(i, ax, axes, renderer, height, trouble) for i, ax in enumerate(axes) if ax.get_visible())
    read: list[Text] = []
    for artist in texts:
        role, panel = roles.get(id(artist), ("annotation", axes.index(artist.axes) if artist.axes in axes else None))
        text = read_text(artist, renderer, role, panel, height, (0.0, 0.0, width, height))
        if text is not None:
            read.append(text)
    legends = tuple(_legend(legend, renderer, height) for legend in figure.legends if legend.get_visible())
    ground = _rgba(figure.get_facecolor())
    return Saved(
        "", "", number, (width, height), float(figure.dpi), ground, panels, tuple(read), legends, trouble=tuple(trouble)
    )  # fmt: skip


def _all_axes(figure: Any) -> list[Any]:
    """Axes of the figure, its subfigures and insets, in the order of their making."""
    out: list[Any] = []
    for ax in figure.get_axes():
        for one in (ax, *(child for child in ax.child_axes if not _is_secondary(child))):
            if one not in out:
                out.append(one)
    return out


def _is_secondary(ax: Any) -> bool:
    """A second scale on a panel's edge: it has ticks and a label, and no data."""
    from matplotlib.axes import Axes

    return not isinstance(ax, Axes)


def _panel(index: int, ax: Any, axes: list[Any], renderer: Any, height: float, trouble: list[str]) -> Panel:
    box = _box(ax.get_window_extent(renderer), height)
    twins = tuple(
        i for i, other in enumerate(axes)
        if other is not ax and ax._twinned_axes.joined(ax, other)
    )  # fmt: skip
    legend = ax.get_legend()
    if legend is not None and not legend.get_visible():
        legend = None
    inset = any(ax in other.child_axes for other in axes)
    role = "colorbar" if hasattr(ax, "_colorbar") else "inset" if inset else "plot"
    marks = () if role == "colorbar" else read_marks(ax, renderer, height, trouble)
    ground = _rgba(ax.get_facecolor()) if ax.patch.get_visible() and ax.axison else (1.0, 1.0, 1.0, 0.0)
    return Panel(
        index, box, str(getattr(ax, "name", "rectilinear")), bool(ax.axison), _axis(ax.xaxis), _axis(ax.yaxis),
        ax.get_title() or ax.get_title("left") or ax.get_title("right"), role, ground, twins,
        square=ax.get_aspect() == 1.0, zoomed=inset and any(_marks_zoom(other) for other in axes), marks=marks,
        legend=_legend(legend, renderer, height) if legend is not None else None,
    )  # fmt: skip


def _marks_zoom(ax: Any) -> bool:
    return any(type(child).__name__ in {"InsetIndicator", "BboxConnector", "BboxPatch"} for child in ax.get_children())


def _axis(axis: Any) -> Axis:
    from matplotlib.category import UnitData
    from matplotlib.dates import DateConverter

    low, high = (float(value) for value in axis.get_view_interval())
    if axis.get_inverted():
        low, high = high, low
    ticks = tuple(
        (float(tick.get_loc()), tick.label1.get_text() or tick.label2.get_text())
        for tick in axis._update_ticks()
        if tick in axis.majorTicks
    )
    units = getattr(axis, "units", None)
    names: tuple[str, ...] = ()
    if isinstance(units, UnitData):
        names = tuple(str(name) for name, _ in sorted(units._mapping.items(), key=lambda item: item[1]))
    converter = axis.get_converter() if hasattr(axis, "get_converter") else getattr(axis, "converter", None)
    date = isinstance(converter, DateConverter) or type(converter).__name__ in {
        "_SwitchableDateConverter", "DatetimeConverter", "ConciseDateConverter", "PeriodConverter",
    }  # fmt: skip
    return Axis(axis.get_label_text(), low, high, str(axis.get_scale()), ticks, names, date)


def _legend(legend: Any, renderer: Any, height: float) -> Legend:
    frame = legend.get_frame()
    alpha = frame.get_alpha()
    opaque = 0.0
    if legend.get_frame_on():
        opaque = float(frame.get_facecolor()[3]) if alpha is None else float(alpha)
    box = _box(legend.get_window_extent(renderer), height)
    return Legend(box, opaque, tuple(text.get_text() for text in legend.get_texts()), float(legend.get_zorder()))


def _roles(figure: Any, axes: list[Any]) -> dict[int, tuple[str, int | None]]:
    """Id of a text artist -> its role and panel."""
    out: dict[int, tuple[str, int | None]] = {}
    for i, ax in enumerate(axes):
        for title in (ax.title, ax._left_title, ax._right_title):
            out[id(title)] = ("title", i)
        scales = [(letter, getattr(ax, f"{letter}axis", None)) for letter in "xyz"]
        for child in filter(_is_secondary, ax.child_axes):
            scales += [("x", child.xaxis), ("y", child.yaxis)]
        for letter, axis in scales:
            if axis is None:
                continue
            out[id(axis.label)] = (f"{letter}label", i)
            out[id(axis.offsetText)] = (f"{letter}tick", i)
            for tick in (*axis.majorTicks, *axis.minorTicks):
                out[id(tick.label1)] = out[id(tick.label2)] = (f"{letter}tick", i)
        legend = ax.get_legend()
        if legend is not None:
            out.update((id(text), ("legend", i)) for text in (*legend.get_texts(), legend.get_title()))
    for legend in figure.legends:
        out.update((id(text), ("legend", None)) for text in (*legend.get_texts(), legend.get_title()))
    for name in ("_suptitle", "_supxlabel", "_supylabel"):
        if getattr(figure, name, None) is not None:
            out[id(getattr(figure, name))] = ("suptitle", None)
    return out


def _box(extent: Any, height: float) -> Box:
    return (float(extent.x0), float(height - extent.y1), float(extent.x1), float(height - extent.y0))


def _rgba(color: Any) -> Color:
    from matplotlib.colors import to_rgba

    red, green, blue, alpha = to_rgba(color)
    return (float(red), float(green), float(blue), float(alpha))
