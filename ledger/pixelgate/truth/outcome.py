"""What comparing one drawn series with the table came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ledger.pixelgate.record import Mark, Panel


@dataclass(frozen=True)
class Outcome:
    """`equal`: bound and right. `differs`: bound, or claiming to be, and wrong. `unbound`: nothing can be said."""

    status: Literal["equal", "differs", "unbound"]
    message: str = ""
    rows: frozenset[int] = frozenset()  # rows of the table that it shows
    columns: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Series:
    """One drawn series, its values against names or numbers."""

    panel: Panel
    mark: Mark
    label: str
    names: tuple[str, ...] = ()  # the category under each value, empty when the position is a number
    x: tuple[float, ...] = ()
    y: tuple[float, ...] = ()
    value_axis: str = "y"

    @property
    def value_label(self) -> str:
        return self.panel.axis(self.value_axis).label

    @property
    def place_label(self) -> str:
        return self.panel.axis("x" if self.value_axis == "y" else "y").label

    @property
    def called(self) -> str:
        """How a message calls it."""
        what = "wedges" if self.mark.maker == "pie" else ""
        what = what or {"bars": "bars", "line": "line", "points": "points", "errors": "error bars"}.get(
            self.mark.kind, "series"
        )
        return f"the {what} labelled {self.label!r}" if self.label else f"the {what}"


def unbound(series: Series, why: str) -> Outcome:
    return Outcome("unbound", f"{series.called}: {why}")
