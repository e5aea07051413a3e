"""Runs by group: the seeds of one experiment under the same conditions, and what sets its other groups apart."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ledger.errors import LedgerError
from ledger.project import Project
from ledger.store.compare import compare
from ledger.store.index.query import Row
from ledger.store.runs import RunStore


@dataclass(frozen=True)
class Spread:
    """One metric over the runs of a group: mean, sample standard deviation (None of fewer than two), how many runs."""

    mean: float
    std: float | None
    runs: int

    def __str__(self) -> str:
        return f"{self.mean:.6g}" + (f" ± {self.std:.2g}" if self.std is not None else "")


@dataclass(frozen=True)
class Group:
    """Runs of one experiment that share a group hash; `differs` says in which inputs and config keys they differ from
    the experiment's first group, and is empty for that one.
    """

    exp_id: str
    group: str
    runs: tuple[Row, ...]
    differs: str

    @property
    def metrics(self) -> dict[str, Spread]:
        """Every metric that is a number in some run."""
        values: dict[str, list[float]] = {}
        for run in self.runs:
            for name, value in run.metrics.items():
                if isinstance(value, int | float):
                    values.setdefault(name, []).append(value)
        return {
            name: Spread(statistics.fmean(found), statistics.stdev(found) if len(found) > 1 else None, len(found))
            for name, found in values.items()
        }

    def to_json(self) -> dict[str, Any]:
        return {
            "exp_id": self.exp_id,
            "group": self.group,
            "runs": [run.run_id for run in self.runs],
            "seeds": [run.seed for run in self.runs],
            "differs": self.differs,
            "metrics": {name: vars(spread) for name, spread in self.metrics.items()},
        }


def by_group(project: Project, rows: Iterable[Row]) -> list[Group]:
    """The groups of these runs, those of one experiment together, in the order of their first runs."""
    found: dict[str, dict[str, list[Row]]] = {}
    for row in sorted(rows, key=lambda row: (row.created, row.run_id)):
        found.setdefault(row.exp_id, {}).setdefault(row.group, []).append(row)
    return [
        Group(exp_id, group, tuple(runs), _differs(project, next(iter(groups.values())), runs))
        for exp_id, groups in found.items()
        for group, runs in groups.items()
    ]


def _differs(project: Project, reference: Sequence[Row], runs: Sequence[Row]) -> str:
    if runs is reference:
        return ""
    store = RunStore(project)
    try:
        first, other = (store.get(group[0].exp_id, group[0].run_id) for group in (reference, runs))
        if first is None or other is None:
            return "one of the two is not here"
        found = compare(first, other)
        return replace(found, inputs=tuple(name for name in found.inputs if name != "seed")).differing
    except LedgerError as error:
        return str(error)
