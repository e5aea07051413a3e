"""Rows of the benchmark: what was measured beside what, the goal for it, and whether it is met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from benchmarks.store.measure import Spread

Better = Literal["lower", "higher"]


@dataclass(frozen=True)
class Row:
    """One measured figure. `metric` and `case` together name it; `better` and `goal` judge it."""

    metric: str  # what kind of figure: cpu_ratio, speedup, disk_ratio, growth_exponent, ...
    case: str
    spread: Spread
    better: Better = "lower"
    goal: float | None = None
    unit: str = "x"

    @property
    def met(self) -> bool | None:
        if self.goal is None:
            return None
        return self.spread.value <= self.goal if self.better == "lower" else self.spread.value >= self.goal

    def to_json(self) -> dict[str, Any]:
        """As results.json lists it."""
        return {
            "metric": self.metric,
            "value": round(self.spread.value, 4),
            "split": "median of rounds",
            "dataset": self.case,
            "n": self.spread.n,
            "direction": f"{self.better}_is_better",
            "unit": self.unit,
            "range": [round(self.spread.low, 4), round(self.spread.high, 4)],
            "goal": self.goal,
        }


def table(rows: Sequence[Row], skipped: Sequence[str]) -> str:
    """The rows as aligned text, what was left out, and how many goals are met."""
    lines = [f"{'case':<72}{'figure':<17}{'median':>9}  {'least..largest':<17}{'n':>2}  {'goal':<9}"]
    for row in rows:
        goal = "" if row.goal is None else f"{'<=' if row.better == 'lower' else '>='} {row.goal:g}"
        judged = {None: "", True: "met", False: f"missed by {_factor(row):.2f}x"}[row.met]
        spread = f"{row.spread.low:.3g}..{row.spread.high:.3g}"
        lines.append(
            f"{row.case:<72}{row.metric:<17}{row.spread.value:>8.3g}{row.unit if row.unit == 'x' else ' '} "
            f" {spread:<17}{row.spread.n:>2}  {goal:<9}{judged}"
        )
    lines += [f"skipped: {reason}" for reason in skipped]
    judged_rows = [row for row in rows if row.met is not None]
    lines.append(f"goals met: {sum(bool(row.met) for row in judged_rows)} of {len(judged_rows)}")
    return "\n".join(lines)


def _factor(row: Row) -> float:
    """How many times worse than its goal a figure is."""
    if row.goal is None or not row.spread.value:
        return float("nan")
    return row.spread.value / row.goal if row.better == "lower" else row.goal / row.spread.value
