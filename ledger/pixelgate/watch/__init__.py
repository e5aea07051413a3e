"""Watching matplotlib from inside the figure's process: what was drawn into each saved file, in its final pixels.

Nothing here changes what is drawn; only the random ids of SVG elements are fixed, so that bytes repeat. The plotting methods that make composite pictures (box plots, histograms...) are
wrapped so that their parts carry the method's name; saving is wrapped so that the last draw is recorded. A figure that
cannot be recorded is still saved; the trouble is written into the record.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

from ledger.pixelgate.record import Record, Saved

MAKERS = ("bxp", "violin", "pie", "hist", "stackplot", "stem", "hexbin", "quiver", "barbs", "streamplot")


class Watch:
    """Collects one `Saved` for each file that matplotlib writes."""

    def __init__(self) -> None:
        self.saved: list[Saved] = []
        self.disclosures: list[str] = []
        self.shown = 0
        self._figures: dict[int, Any] = {}  # kept alive, so that ids stay theirs
        self._saving: dict[str, Any] | None = None
        self._texts: list[Any] | None = None

    def install(self) -> None:
        """Wrap matplotlib's methods. Raises ImportError when matplotlib is absent."""
        import matplotlib as mpl
        from matplotlib import pyplot
        from matplotlib.axes import Axes
        from matplotlib.backend_bases import FigureCanvasBase
        from matplotlib.figure import Figure
        from matplotlib.text import Text

        _wrap(FigureCanvasBase, "print_figure", self._print_figure)
        _wrap(Figure, "draw", self._draw)
        _wrap(Text, "draw", self._draw_text)
        _wrap(Figure, "show", self._show)
        _wrap(pyplot, "show", self._show)
        _wrap(mpl, "use", _use)
        for name in MAKERS:
            if hasattr(Axes, name):
                _wrap(Axes, name, functools.partial(_tag, name))

    def record(self) -> Record:
        import matplotlib as mpl

        return Record(tuple(self.saved), tuple(self.disclosures), self.shown, mpl.__version__)

    def _print_figure(self, original: Callable[..., Any], canvas: Any, filename: Any, *args: Any, **kwargs: Any) -> Any:
        import matplotlib as mpl

        if mpl.rcParams["svg.hashsalt"] is None:  # ids of SVG elements are random otherwise
            mpl.rcParams["svg.hashsalt"] = "figure"
        outer, self._saving = self._saving, {"figure": canvas.figure}
        try:
            result = original(canvas, filename, *args, **kwargs)
            state = self._saving
        finally:
            self._saving = outer
        saved = state.get("saved") if state else None
        if saved is not None and isinstance(filename, str | os.PathLike):
            path = os.path.abspath(os.fspath(filename))  # noqa: PTH100 (no resolving of links)
            shape = kwargs.get("format") or path.rpartition(".")[2].lower()
            if not os.path.exists(path):  # noqa: PTH110
                shape = canvas.get_default_filetype()
                path = f"{path.rstrip('.')}.{shape}"
            self.saved.append(
                _replace(saved, path=path, format=str(shape).lower(), bitmap_dpi=_bitmap_dpi(canvas, kwargs))
            )
        return result

    def _draw(self, original: Callable[..., Any], figure: Any, renderer: Any) -> Any:
        watched = self._saving is not None and self._saving["figure"] is figure and not _is_rehearsal(renderer)
        if not watched:
            return original(figure, renderer)
        outer, self._texts = self._texts, []  # a draw event of the script's may draw again within this draw
        try:
            result = original(figure, renderer)
            texts = self._texts
        finally:
            self._texts = outer
        assert self._saving is not None
        self._saving["saved"] = self._look(figure, renderer, texts)
        return result

    def _look(self, figure: Any, renderer: Any, texts: list[Any]) -> Saved:
        from ledger.pixelgate.watch.panels import read_figure

        self._figures.setdefault(id(figure), figure)
        number = list(self._figures).index(id(figure))
        try:
            return read_figure(figure, renderer, texts, number)
        except Exception as error:  # noqa: BLE001 (a figure that we cannot read must still be saved)
            where = f"{type(error).__name__}: {error}"
            return Saved("", "", number, (0.0, 0.0), 0.0, (1, 1, 1, 1), trouble=(f"could not be recorded ({where})",))

    def _draw_text(self, original: Callable[..., Any], text: Any, renderer: Any, *args: Any, **kwargs: Any) -> Any:
        if self._texts is not None and text.get_visible() and text.get_text().strip():
            self._texts.append(text)
        return original(text, renderer, *args, **kwargs)

    def _show(self, original: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        self.shown += 1


def _bitmap_dpi(canvas: Any, asked: dict[str, Any]) -> float:
    """The resolution of bitmaps in this file: what was asked for, else the configured one."""
    import matplotlib as mpl

    dpi = asked.get("dpi") or mpl.rcParams["savefig.dpi"]
    return float(canvas.figure.dpi if dpi == "figure" else dpi)


def _replace(saved: Saved, **changes: Any) -> Saved:
    import dataclasses

    return dataclasses.replace(saved, **changes)


def _is_rehearsal(renderer: Any) -> bool:
    """Whether this draw only settles the layout (matplotlib blanks the renderer's methods for that)."""
    inner = getattr(renderer, "_renderer", None)
    return any("draw_path" in getattr(one, "__dict__", ()) for one in (renderer, inner))


def _wrap(owner: Any, name: str, around: Callable[..., Any]) -> None:
    original = getattr(owner, name)

    @functools.wraps(original)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return around(original, *args, **kwargs)

    setattr(owner, name, wrapped)


def _use(original: Callable[..., Any], backend: str, *args: Any, **kwargs: Any) -> Any:
    """`matplotlib.use`: a window needs a screen, which a build has not; the file comes out the same."""
    name = str(backend).lower()
    windowed = name.startswith(("gtk", "macosx", "nbagg", "notebook", "qt", "tk", "webagg", "wx"))
    return original("agg" if windowed else backend, *args, **kwargs)


def _tag(maker: str, original: Callable[..., Any], axes: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a plotting method and write its name on every artist that it added."""
    before = {id(child) for child in axes.get_children()}
    result = original(axes, *args, **kwargs)
    data = _histogram_data(args, kwargs) if maker == "hist" else {}
    for child in axes.get_children():
        if id(child) not in before and not hasattr(child, "_ledger_maker"):
            child._ledger_maker = maker
            child._ledger_params = data
    return result


def _histogram_data(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """How a histogram was asked to count: what a reader of its bars must know."""
    names = ("x", "bins", "range", "density", "weights", "cumulative")
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    return {
        "density": bool(given.get("density")),
        "weighted": given.get("weights") is not None,
        "cumulative": bool(given.get("cumulative")),
    }
