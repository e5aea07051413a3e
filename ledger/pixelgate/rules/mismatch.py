"""data-mismatch: a drawn value, name, error bar, cell or printed number that source_data.csv does not have."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from ledger.model.finding import Finding
from ledger.pixelgate.record import Panel
from ledger.pixelgate.scene import Scene
from ledger.pixelgate.truth.histogram import bind_histogram, is_histogram
from ledger.pixelgate.truth.matrix import bind_image
from ledger.pixelgate.truth.named import bind_named
from ledger.pixelgate.truth.numbered import bind_numbered
from ledger.pixelgate.truth.outcome import Outcome, Series
from ledger.pixelgate.truth.printed import wrong_numbers
from ledger.pixelgate.truth.series import read_series
from ledger.pixelgate.truth.spread import bind_whiskers, read_whiskers
from ledger.pixelgate.truth.table import Table

FIX = "draw the column that the words name, correct the words, or disclose the transformation"
Bound = tuple[Panel, Series | None, Outcome]

QUIET = frozenset({"bxp", "violin", "stem", "contour", "stackplot"})  # made of parts that are no data of their own


def check(scene: Scene) -> Iterator[Finding]:
    """Findings about this picture; what could not be bound is in `bind` too."""
    if scene.table is None:
        return
    for panel, series, outcome in _one_for_names(bind(scene)):
        if outcome.status == "differs":
            values = {**outcome.values, "where": f"{panel.index} {series.label if series else ''}"}
            yield scene.finding("data-mismatch", "error", outcome.message, FIX, box=panel.box, **values)


def bind(scene: Scene) -> list[Bound]:
    """Every series of the picture with what comparing it came to."""
    if "bound" not in scene.memo:
        scene.memo["bound"] = _bind(scene)
    return list(scene.memo["bound"])


def _bind(scene: Scene) -> list[Bound]:
    table = scene.table
    assert table is not None
    said = " ".join(scene.said)
    out: list[Bound] = []
    for panel in scene.saved.panels:
        if panel.role == "colorbar":
            continue
        for series in read_series(panel):
            if series.mark.maker in QUIET:
                continue
            out.append((panel, series, _bind_one(series, table, said)))
    out = _second_look(out)
    dropped = _dropped_rows(out, table)
    for panel in scene.saved.panels:
        words = " ".join((panel.title, panel.xaxis.label, panel.yaxis.label, scene.words, said)).lower()
        out += [(panel, one.series, bind_whiskers(one, table, words)) for one in read_whiskers(panel)]
        images = [mark for mark in panel.marks if mark.kind == "image" and mark.data_coords]
        out += [(panel, Series(panel, mark, mark.label), bind_image(panel, mark, table)) for mark in images]
        out += [(panel, None, outcome) for outcome in _printed(scene, panel)]
    if dropped and scene.saved.panels:
        out.append((scene.saved.panels[0], None, dropped))
    return out


def _one_for_names(bound: list[Bound]) -> Iterator[Bound]:
    """Series of one panel under each other's names are one mistake, and one finding."""
    named = [
        one for one in bound if one[2].status == "differs" and "draws" in one[2].values and one[1] and one[1].label
    ]
    for panel, series, outcome in bound:
        group = [one for one in named if one[0] is panel]
        if len(group) < 2 or not any(outcome is one[2] for one in group):
            yield panel, series, outcome
        elif outcome is group[0][2]:
            message = f"{len(group)} series stand under wrong names: " + "; ".join(one[2].message for one in group)
            says = [one[2].values["says"] for one in group]
            draws = [one[2].values["draws"] for one in group]
            yield panel, None, replace(outcome, message=message, values={"says": says, "draws": draws})


def _bind_one(series: Series, table: Table, said: str) -> Outcome:
    if series.panel.kind == "3d":
        return Outcome("unbound", f"{series.called}: drawn in three dimensions")
    if series.mark.cut:
        return Outcome("unbound", f"{series.called}: {series.mark.cut} of its values were not recorded")
    if lost := _lost_on_log(series):
        return lost
    if is_histogram(series):
        outcome = bind_histogram(series, table)
        if outcome.status == "equal" or series.mark.maker == "hist":
            return outcome
    return bind_named(series, table, said) if series.names else bind_numbered(series, table, said)


def _printed(scene: Scene, panel: Panel) -> Iterator[Outcome]:
    wrong = list(wrong_numbers(scene.saved, panel))
    if wrong:
        first = ", ".join(f"{text.text!r} stands at {value:.6g}" for text, _, value in wrong[:4])
        message = f"{len(wrong)} printed numbers are not the drawn values: {first}"
        if len(wrong) == 1:
            message = f"a printed number is not the drawn value: {first}"
        values = {"reported": [said for _, said, _ in wrong[:8]], "expected": [value for _, _, value in wrong[:8]]}
        yield Outcome("differs", message, values=values)


def _lost_on_log(series: Series) -> Outcome | None:
    """Values that a logarithmic axis cannot show."""
    axis = series.panel.axis(series.value_axis)
    lost = [v for v in series.y if math.isfinite(v) and v <= 0]
    if axis.scale != "log" or not lost or series.mark.kind == "bars":
        return None
    message = (
        f"{len(lost)} of {len(series.y)} values of {series.called} are not positive and vanish on the logarithmic "
        f"{series.value_axis} axis"
    )
    return Outcome("differs", message, values={"lost": len(lost)})


def _second_look(
    bound: list[Bound],
) -> list[Bound]:
    """A line beside the same column's own points is a fit or a guide: it is not wrong for being other values."""
    shown = {(panel.index, c) for panel, _, outcome in bound if outcome.status == "equal" for c in outcome.columns}
    out = []
    for panel, series, outcome in bound:
        guide = (
            series is not None
            and outcome.status == "differs"
            and series.mark.kind == "line"
            and series.label not in outcome.columns
            and outcome.values.get("wrong") == outcome.values.get("of", -1)
            and any((panel.index, column) in shown for column in outcome.columns)
        )
        if guide:
            assert series is not None
            outcome = Outcome("unbound", f"{series.called}: other values beside those of column {outcome.columns[0]!r}")
        out.append((panel, series, outcome))
    return out


def _dropped_rows(bound: list[Bound], table: Table) -> Outcome | None:
    """Rows of the table that no series shows, when every series is known and one column is drawn."""
    if not bound or any(outcome.status != "equal" or not outcome.rows for _, _, outcome in bound):
        return None
    covered = frozenset().union(*(outcome.rows for _, _, outcome in bound))
    columns = {name for _, _, outcome in bound for name in outcome.columns}
    numbers = [column.numbers for column in table.numeric if column.name in columns and column.numbers]
    missing = [
        row for row in range(table.height)
        if row not in covered and any(math.isfinite(values[row]) for values in numbers)
    ]  # fmt: skip
    if not missing:
        return None
    text = next((column for column in table.columns if column.numbers is None), table.columns[0])
    shown = ", ".join(f"{text.name} = {text.cells[row]}" for row in missing[:3])
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    message = f"{len(missing)} of {table.height} rows of source_data.csv are not drawn: {shown}{more}"
    return Outcome("differs", message, frozenset(missing), tuple(columns), {"rows": [row + 1 for row in missing[:8]]})
