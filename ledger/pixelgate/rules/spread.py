"""missing-error-bars: the source data hold repetitions, and a panel draws one aggregate of them and no spread."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ledger.model.finding import Finding
from ledger.pixelgate.record import Panel
from ledger.pixelgate.rules import mismatch
from ledger.pixelgate.scene import Scene
from ledger.pixelgate.truth.outcome import Outcome, Series
from ledger.pixelgate.truth.spread import read_whiskers

AGGREGATES = frozenset({"mean", "median", "maximum", "minimum"})
FIX = "add error bars or a band and say what they are, draw each repetition, or disclose why the spread is left out"


def check(scene: Scene) -> Iterator[Finding]:
    table = scene.table
    replicate = table.replicate if table else None
    if table is None or replicate is None:
        return
    bound: dict[int, list[tuple[Series, Outcome]]] = defaultdict(list)
    panels: dict[int, Panel] = {}
    for panel, series, outcome in mismatch.bind(scene):
        if series is not None:
            bound[panel.index].append((series, outcome))
            panels[panel.index] = panel
    for index, outcomes in bound.items():
        panel = panels[index]
        alone = [(s, o) for s, o in outcomes if o.status == "equal" and o.values.get("how") in AGGREGATES]
        if not alone or _shows_spread(panel, outcomes):
            continue
        how = alone[0][1].values["how"]
        levels = len(replicate.levels)
        message = (
            f"{scene.panel_name(panel)} draws the {how} over {levels} levels of {replicate.name!r} without their spread"
        )
        yield scene.finding(
            "missing-error-bars", "warning", message, FIX, box=panel.box, replicate=replicate.name, count=levels,
            where=panel.index,
        )  # fmt: skip


def _shows_spread(panel: Panel, outcomes: list[tuple[Series, Outcome]]) -> bool:
    if read_whiskers(panel) or any(mark.maker in {"bxp", "violin"} for mark in panel.marks):
        return True
    if any(mark.kind in {"errors", "band"} or mark.maker == "lines" for mark in panel.marks):
        return True
    each = [o for s, o in outcomes if o.values.get("how") == "value" and s.mark.kind in {"line", "points"}]
    extremes = {o.values.get("how") for _, o in outcomes} & {"maximum", "minimum"}
    return bool(each) or len(extremes) == 2
