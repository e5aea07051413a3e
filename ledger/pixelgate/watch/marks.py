"""What a panel draws from data: lines, points, bars, error bars, bands, images, each as plain numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ledger.pixelgate.record import Box, Color, Mark

LIMIT = 50_000  # numbers that are recorded of one artist
PIXELS = 5_000  # points whose place in the picture is recorded


def read_marks(ax: Any, renderer: Any, height: float, trouble: list[str]) -> tuple[Mark, ...]:
    """Every visible data artist of the axes, composite ones (bars, error bars, stems) once."""
    from matplotlib.container import BarContainer, ErrorbarContainer, StemContainer

    out: list[Mark] = []
    used: set[int] = set()
    for container in ax.containers:
        if isinstance(container, ErrorbarContainer):
            out += _errorbar(ax, container, used, height)
        elif isinstance(container, BarContainer):
            out += _bars(ax, container, used, height)
        elif isinstance(container, StemContainer):
            used |= {id(part) for part in (container.stemlines, container.baseline) if part is not None}
    for artist in ax.get_children():
        if id(artist) in used or not artist.get_visible() or artist is ax.patch or artist in ax.spines.values():
            continue
        try:
            out += _artist(ax, artist, renderer, height)
        except Exception as error:  # noqa: BLE001 (third-party artists may be anything)
            trouble.append(f"a {type(artist).__name__} could not be read ({type(error).__name__}: {error})")
    return tuple(out)


def _artist(ax: Any, artist: Any, renderer: Any, height: float) -> Iterator[Mark]:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.collections import Collection, PathCollection
    from matplotlib.image import AxesImage
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.spines import Spine
    from matplotlib.text import Text

    if isinstance(artist, Line2D):
        yield _line(ax, artist, height)
    elif isinstance(artist, PathCollection):
        yield _points(ax, artist, height)
    elif isinstance(artist, AxesImage):
        yield _image(artist, _artist_box(artist, renderer, height))
    elif isinstance(artist, Collection):
        yield _collection(ax, artist, _artist_box(artist, renderer, height))
    elif isinstance(artist, Patch):
        yield _patch(ax, artist, _artist_box(artist, renderer, height))
    elif not isinstance(artist, Axes | Axis | Legend | Spine | Text) and (box := _artist_box(artist, renderer, height)):
        yield Mark("other", maker=type(artist).__name__, order=float(artist.get_zorder()), box=box)


def _line(ax: Any, line: Any, height: float) -> Mark:
    from matplotlib.colors import to_rgba

    x, y = (_floats(part) for part in line.get_data(orig=False))
    marker = str(line.get_marker())
    style = str(line.get_linestyle())
    return Mark(
        "line", *_labels(line), x[:LIMIT], y[:LIMIT],
        colors=(_rgba(line.get_color(), line.get_alpha()),),
        edge=to_rgba(line.get_markeredgecolor()) if marker not in {"None", "", " "} else None,
        line="" if style in {"None", "", " "} or not line.get_linewidth() else _dash(line),
        marker="" if marker in {"None", "", " "} else marker,
        weight=float(line.get_linewidth()),
        data_coords=line.get_transform() == ax.transData,
        cut=max(0, len(x) - LIMIT), order=float(line.get_zorder()),
        pixels=_pixels(line.get_transform(), x, y, height), **_dress(line),
        params={"size": float(line.get_markersize())},
    )  # fmt: skip


def _dash(line: Any) -> str:
    style = line.get_linestyle()
    pattern = getattr(line, "_unscaled_dash_pattern", None)
    return f"{style}{pattern}" if style == "--" and pattern and pattern[1] else str(style)


def _points(ax: Any, points: Any, height: float) -> Mark:
    import numpy as np

    if hasattr(points, "_offsets3d"):
        x, y, _ = (_floats(part) for part in points._offsets3d)
    else:
        offsets = np.ma.filled(np.ma.asarray(points.get_offsets(), dtype=float), np.nan)
        x, y = _floats(offsets[:, 0]), _floats(offsets[:, 1])
    sizes = points.get_sizes()
    paths = points.get_paths()
    shape = f"path{len(paths[0].vertices)}" if len(paths) else ""
    return Mark(
        "points", *_labels(points), x[:LIMIT], y[:LIMIT],
        colors=_colors(points.get_facecolor()) or _colors(points.get_edgecolor()),
        marker=shape, weight=float(max(sizes)) ** 0.5 if len(sizes) else 0.0,
        data_coords=points.get_offset_transform() == ax.transData or hasattr(points, "_offsets3d"),
        cut=max(0, len(x) - LIMIT), order=float(points.get_zorder()),
        pixels=_pixels(points.get_offset_transform(), x, y, height), **_dress(points), norm=_norm(points),
        params={"mapped": points.get_array() is not None},
    )  # fmt: skip


def _bars(ax: Any, container: Any, used: set[int], height: float) -> Iterator[Mark]:
    from matplotlib.patches import Rectangle

    bars = [bar for bar in container.patches if isinstance(bar, Rectangle)]
    used |= {id(bar) for bar in bars}
    seen = [bar for bar in bars if bar.get_visible()]
    if not seen:
        return
    upright = container.orientation != "horizontal"
    along = [(b.get_y(), b.get_height()) if upright else (b.get_x(), b.get_width()) for b in seen]
    across = [(b.get_x(), b.get_width()) if upright else (b.get_y(), b.get_height()) for b in seen]
    label = container.get_label()
    maker, params = _labels(seen[0])[1], getattr(seen[0], "_ledger_params", {})
    yield Mark(
        "bars", "" if label.startswith("_") else label, maker,
        x=_floats([start + width / 2 for start, width in across]),
        base=_floats([start for start, _ in along]), length=_floats([size for _, size in along]),
        width=_floats([abs(width) for _, width in across]), along="y" if upright else "x",
        colors=tuple(_rgba(bar.get_facecolor()) for bar in seen), hatch=seen[0].get_hatch() or "",
        edge=_rgba(seen[0].get_edgecolor()), order=float(seen[0].get_zorder()), params=params,
        pixels=_corners(ax, seen, height), **_dress(seen[0]),
    )  # fmt: skip


def _errorbar(ax: Any, container: Any, used: set[int], height: float) -> Iterator[Mark]:
    """The line that joins the centres, under the container's label, and the whiskers."""
    centres, caps, stems = container.lines
    used |= {id(part) for part in (centres, *caps, *stems) if part is not None}
    if centres is not None and centres.get_visible():
        name = str(container.get_label())
        yield replace(_line(ax, centres, height), label="" if name.startswith("_") else name)
    kinds = [name for name, there in (("x", container.has_xerr), ("y", container.has_yerr)) if there]
    for along, stem in zip(kinds, stems, strict=False):
        if not stem.get_visible():
            continue
        ends = [segment for segment in stem.get_segments() if len(segment) == 2]
        level, value = (1, 0) if along == "x" else (0, 1)
        at = _floats([end[0][level] for end in ends])
        low, high = _floats([end[0][value] for end in ends]), _floats([end[1][value] for end in ends])
        label = str(container.get_label())
        xs, ys = ((*low, *high), (*at, *at)) if along == "x" else ((*at, *at), (*low, *high))
        yield Mark(
            "errors", "" if label.startswith("_") else label, x=at, low=low, high=high, along=along,
            colors=_colors(stem.get_color()), order=float(stem.get_zorder()),
            pixels=_pixels(stem.get_transform(), xs, ys, height), **_dress(stem),
        )  # fmt: skip


def _image(image: Any, box: Box | None) -> Mark:
    import numpy as np

    array = np.ma.filled(np.ma.asarray(image.get_array(), dtype=float), np.nan)
    flat = _floats(array.ravel()) if array.ndim == 2 and array.size <= LIMIT else ()
    limits = image.get_clim()
    return Mark(
        "image", *_labels(image), shape=tuple(int(n) for n in array.shape), values=flat,
        extent=tuple(float(value) for value in image.get_extent()), origin=str(image.origin), norm=_norm(image),
        limits=None if None in limits else (float(limits[0]), float(limits[1])), cmap=str(image.get_cmap().name),
        cut=0 if flat else int(array.size), order=float(image.get_zorder()), box=box,
        **_dress(image),
    )  # fmt: skip


def _collection(ax: Any, artist: Any, box: Box | None) -> Mark:
    """Bands, meshes, contours, hexagons: their place and colours; vertices where they are few."""
    import numpy as np

    name = type(artist).__name__
    label, maker = _labels(artist)
    if name == "QuadMesh" and (mesh := _mesh(artist, label)):
        return mesh
    maker = maker or {"QuadMesh": "pcolormesh", "QuadContourSet": "contour", "LineCollection": "lines"}.get(name, "")
    band = "Poly" in name and maker in {"", "stackplot"} and not any(part in name for part in ("3D", "Mesh"))
    paths = artist.get_paths() if band or name == "LineCollection" else []
    points = [path.vertices for path in paths]
    total = sum(map(len, points))
    every = np.concatenate(points) if 0 < total <= LIMIT else np.empty((0, 2))
    array = artist.get_array()
    return Mark(
        "band" if band else "other", label, maker or ("" if band else name),
        _floats(every[:, 0]), _floats(every[:, 1]), colors=_colors(artist.get_facecolor()),
        line=str(artist.get_linestyle()), hatch=artist.get_hatch() or "", norm=_norm(artist),
        data_coords=artist.get_transform() == ax.transData, order=float(artist.get_zorder()), box=box,
        params={"mapped": array is not None}, cut=total if total > LIMIT else 0, **_dress(artist),
    )  # fmt: skip


def _mesh(mesh: Any, label: str) -> Mark | None:
    """A mesh of equal cells is read as an image; others are not."""
    import numpy as np

    array = np.ma.filled(np.ma.asarray(mesh.get_array(), dtype=float), np.nan)
    corners = np.asarray(mesh.get_coordinates())
    rows, columns = corners.shape[0] - 1, corners.shape[1] - 1
    if array.size != rows * columns or array.size > LIMIT:
        return None
    xs, ys = corners[0, :, 0], corners[:, 0, 1]
    square = np.allclose(corners[..., 0], xs[None, :]) and np.allclose(corners[..., 1], ys[:, None])
    if not square or not all(np.allclose(np.diff(side), np.diff(side)[0]) for side in (xs, ys)):
        return None
    limits = mesh.get_clim()
    return Mark(
        "image", label, "mesh", shape=(rows, columns), values=_floats(array.ravel()), origin="lower", norm=_norm(mesh),
        extent=_floats((xs[0], xs[-1], ys[0], ys[-1])), cmap=str(mesh.get_cmap().name), order=float(mesh.get_zorder()),
        limits=None if None in limits else (float(limits[0]), float(limits[1])), **_dress(mesh),
    )  # fmt: skip


def _patch(ax: Any, patch: Any, box: Box | None) -> Mark:
    from matplotlib.patches import Rectangle, Wedge

    label, maker = _labels(patch)
    mark = Mark(
        "patch", label, maker or type(patch).__name__.lower(), colors=(_rgba(patch.get_facecolor()),),
        hatch=patch.get_hatch() or "", order=float(patch.get_zorder()),
        data_coords=patch.get_data_transform() == ax.transData, box=box,
    )  # fmt: skip
    if isinstance(patch, Wedge):
        return replace(mark, values=((patch.theta2 - patch.theta1) / 360,))
    if isinstance(patch, Rectangle):
        x, y, width, height = (_floats([n]) for n in (*patch.get_xy(), patch.get_width(), patch.get_height()))
        return replace(mark, x=x, y=y, width=width, length=height)
    return mark


def _dress(artist: Any) -> dict[str, Any]:
    """Whether the frame cuts it, and whether vector files hold it as a bitmap."""
    axes = artist.axes
    raster = bool(artist.get_rasterized()) or (axes is not None and bool(axes.get_rasterized()))
    return {"clipped": bool(artist.get_clip_on()), "raster": raster}


def _pixels(transform: Any, x: Iterable[float], y: Iterable[float], height: float) -> tuple[float, ...]:
    """x, y, x, y... in pixels from the top-left corner, for the first few thousand points."""
    import warnings

    import numpy as np

    points = np.column_stack([list(x), list(y)])[:PIXELS]
    if not len(points):
        return ()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shown = np.ma.filled(np.ma.asarray(transform.transform(points), dtype=float), np.nan)
    shown[:, 1] = height - shown[:, 1]
    return tuple(float(value) for value in shown.ravel())


def _corners(ax: Any, bars: list[Any], height: float) -> tuple[float, ...]:
    """left, top, right, bottom in pixels of each bar."""
    xs = [edge for bar in bars for edge in (bar.get_x(), bar.get_x() + bar.get_width())]
    ys = [edge for bar in bars for edge in (bar.get_y(), bar.get_y() + bar.get_height())]
    flat = _pixels(ax.transData, xs, ys, height)
    out: list[float] = []
    for i in range(0, len(flat) - 3, 4):
        (ax0, ay0, bx0, by0) = flat[i : i + 4]
        out += [min(ax0, bx0), min(ay0, by0), max(ax0, bx0), max(ay0, by0)]
    return tuple(out)


def _labels(artist: Any) -> tuple[str, str]:
    label = str(artist.get_label())
    return "" if label.startswith("_") else label, str(getattr(artist, "_ledger_maker", ""))


def _artist_box(artist: Any, renderer: Any, height: float) -> Box | None:
    extent = artist.get_window_extent(renderer)
    return (float(extent.x0), float(height - extent.y1), float(extent.x1), float(height - extent.y0))


def _floats(values: Iterable[Any]) -> tuple[float, ...]:
    import numpy as np

    array = np.ma.filled(np.ma.asarray(values, dtype=float), np.nan)
    return tuple(float(value) for value in np.ravel(array))


def _rgba(color: Any, alpha: float | None = None) -> Color:
    from matplotlib.colors import to_rgba

    red, green, blue, opaque = to_rgba(color, alpha)
    return (float(red), float(green), float(blue), float(opaque))


def _colors(colors: Any) -> tuple[Color, ...]:
    """Distinct colours in order, at most 32."""
    import numpy as np

    array = np.atleast_2d(np.asarray(colors, dtype=float))
    if array.size == 0 or array.shape[1] != 4:
        return ()
    seen = dict.fromkeys((float(r), float(g), float(b), float(a)) for r, g, b, a in array[:5000])
    return tuple(seen)[:32]


def _norm(artist: Any) -> str:
    norm = getattr(artist, "norm", None)
    return "" if norm is None else type(norm).__name__
