"""Charts of office files: the values that they keep of their data, as a table of one row for each category."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from xml.etree.ElementTree import Element

from ledger.model.document import Cell, Table
from ledger.model.finding import Location
from ledger_adapters.readers.flow import Flow
from ledger_adapters.readers.grid import Grid
from ledger_adapters.readers.number_format import shown
from ledger_adapters.readers.ooxml import child, local

_POINTS = 10_000  # of one series


def read(
    tree: Element, place: Callable[[int, int], Location], path: str, headings: tuple[str, ...], index: int
) -> Table | None:
    """The first row holds the names of the series, the first column the categories (the x of a scatter plot)."""
    series = [each for each in tree.iter() if local(each) == "ser"]
    columns: list[tuple[str, dict[int, str], dict[int, str]]] = []
    for each in islice(series, 250):
        name = _points(child(each, "tx"))
        labels = _points(child(each, "cat")) or _points(child(each, "xVal"))
        columns.append((name.get(0, ""), labels, _points(child(each, "val")) or _points(child(each, "yVal"))))
    shared = len({tuple(labels.items()) for _, labels, _ in columns}) == 1
    made: list[list[str]] = []
    if shared:
        labels = columns[0][1]
        made.append(["", *(name for name, _, _ in columns)])
        rows = sorted({i for _, _, values in columns for i in values})
        made += [[labels.get(i, ""), *(values.get(i, "") for _, _, values in columns)] for i in rows]
    else:  # series over points of their own stand below each other
        made.append(["", "", ""])
        made += [[name, labels.get(i, ""), text] for name, labels, values in columns for i, text in values.items()]
    grid = Grid()
    for r, row in enumerate(made):
        grid.begin()
        for c, text in enumerate(row):
            flow = Flow(place(r, c))
            flow.add(text)
            grid.put(c, Cell(flow.text()))
    return grid.table(path, 1, headings, index)


def title(tree: Element) -> str:
    """The title of a chart where somebody typed one."""
    found = child(tree, "chart", "title")
    return "".join(
        each.text or "" for each in (found.iter() if found is not None else ()) if local(each) == "t"
    ).strip()


def _points(holder: Element | None) -> dict[int, str]:
    """The kept points of a series' part, by number, as they are shown."""
    parts = list(holder.iter()) if holder is not None else []
    cache = next((e for e in parts if local(e) in ("strCache", "numCache", "strLit", "numLit", "lvl")), None)
    if cache is None:
        typed = "".join(each.text or "" for each in parts if local(each) == "v")
        return {0: typed} if typed else {}
    code = next((each.text or "" for each in cache if local(each) == "formatCode"), "")
    out: dict[int, str] = {}
    for point in islice((each for each in cache if local(each) == "pt"), _POINTS):
        number, found = point.get("idx", ""), child(point, "v")
        if number.isdecimal() and len(number) < 9 and found is not None:
            text = found.text or ""
            out[int(number)] = shown(text, point.get("formatCode", code)) if local(cache).startswith("num") else text
    return out
