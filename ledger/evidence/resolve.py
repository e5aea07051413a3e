"""From an evidence row to the runs and metric rows it rests on, and to its value.

Aggregates over seeds use the sample standard deviation (divisor n - 1). A row that cannot be resolved yields the
finding that says why, never a guess.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ledger.errors import InputError
from ledger.evidence.graph import ClaimGraph
from ledger.model.claim import EvidenceRow
from ledger.model.finding import Finding, Location
from ledger.model.run import Metric
from ledger.project import Project
from ledger.store.runs import Run, RunStore
from ledger.store.selection import Selection


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a row comes to: its value (None when it cannot be known), spread, and the runs behind it."""

    value: float | None = None
    std: float | None = None
    runs: tuple[Run, ...] = ()
    metrics: tuple[Metric, ...] = ()
    per_run: tuple[float, ...] = ()
    findings: tuple[Finding, ...] = ()
    derived: bool = False
    typed: tuple[str, ...] = ()  # rows that rest on no run and yet went into a derived value

    @property
    def n(self) -> int | None:
        """Items per run, when all runs agree on it."""
        counts = {metric.n for metric in self.metrics}
        return counts.pop() if len(counts) == 1 else None


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def sample_std(values: Sequence[float]) -> float | None:
    """Sample standard deviation (divisor n - 1); None below two values."""
    if len(values) < 2:
        return None
    centre = mean(values)
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1))


def median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


AGGREGATES: Mapping[str, Callable[[Sequence[float]], float]] = {"mean": mean, "median": median, "max": max, "min": min}

DERIVATIONS: Mapping[str, Callable[[float, float], float]] = {
    "delta": lambda a, b: a - b,
    "ratio": lambda a, b: a / b,
    "percent_change": lambda a, b: 100 * (a - b) / b,
}
_DERIVATION = re.compile(r"\s*(\w+)\s*\(\s*([^,()]+?)\s*,\s*([^,()]+?)\s*\)\s*")


def derivation(expression: str) -> tuple[str, ...]:
    """`delta(A, B)` as (`delta`, `A`, `B`); empty strings when it is no derivation."""
    match = _DERIVATION.fullmatch(expression)
    return match.group(1, 2, 3) if match else ("", "", "")


def distinct(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Each finding once: a derived row repeats what is wrong with the rows that it names."""
    return tuple({finding.fingerprint: finding for finding in findings}.values())


class Resolver:
    """Resolves the rows of one claim graph against one store; runs are read once."""

    def __init__(self, project: Project, graph: ClaimGraph) -> None:
        self.project = project
        self.graph = graph
        self._store = RunStore(project)
        self._selection = Selection(project)
        self._rows = {row.id: row for claim in graph.claims for row in claim.rows}
        self._done: dict[str, Resolved] = {}
        self._open: set[str] = set()
        self._runs: dict[tuple[str, str], Run | None] = {}

    def resolve(self, row: EvidenceRow) -> Resolved:
        """The row's value today, or the findings that say why it has none."""
        if row.id not in self._done:
            if row.id in self._open:
                return self._no(row, "derived-cycle", f"{row.id} is derived from itself", "break the circle")
            self._open.add(row.id)
            try:
                self._done[row.id] = self._derive(row) if row.raw.get("derive") else self._measure(row)
            except InputError as error:  # a damaged record: the other rows can still be told
                fix = error.fix or "`ledger fsck` says what is left"
                message = f"{row.id} rests on what cannot be read: {error.where}: {error.message}"
                self._done[row.id] = self._no(row, "run-unreadable", message, fix)
            self._open.discard(row.id)
        return self._done[row.id]

    def has_run(self, row: EvidenceRow) -> bool:
        """Whether the row speaks of a run at all; plain rows only carry a value."""
        return bool(row.exp_id) or bool(row.raw.get("derive"))

    def _measure(self, row: EvidenceRow) -> Resolved:
        runs, absent = self._find_runs(row)
        if absent or not runs:
            what = ", ".join(absent) if absent else f"a selected run of {row.exp_id}"
            fix = f"`ledger run {row.exp_id} -- ...` makes one, `ledger select RUN` chooses one"
            return self._no(row, "run-absent", f"{row.id} rests on {what}, which is not in the store", fix)
        metrics = []
        for run in runs:
            _ = run.provenance  # whoever asks for its seed or its inputs later finds it whole
            fits = run.find_metrics(row.metric, row.split, row.dataset)
            if len(fits) != 1:
                return self._unclear(row, run, fits)
            metrics.append(fits[0])
        values = [metric.number for metric in metrics]
        bad = [
            f"{run.run_id}: {metric.value}" for run, metric in zip(runs, metrics, strict=True) if metric.number is None
        ]
        if bad:
            return self._no(
                row, "non-finite-value", f"{row.id} is not finite in {', '.join(bad)}", "leave such a run unselected"
            )
        numbers = [value for value in values if value is not None]
        kind = str(row.raw.get("aggregate") or "mean")
        if kind not in AGGREGATES:
            known = ", ".join(AGGREGATES)
            return self._no(
                row, "aggregate-unknown", f"{row.id} asks for the aggregate {kind!r}", f"use one of {known}"
            )
        try:
            value, std = AGGREGATES[kind](numbers), sample_std(numbers)
        except OverflowError:
            value = std = math.inf
        if not math.isfinite(value) or not math.isfinite(std or 0.0):
            return self._no(
                row, "non-finite-value", f"the {kind} or spread of {row.id} is too large", "look at the runs' values"
            )
        return Resolved(value, std, tuple(runs), tuple(metrics), tuple(numbers))

    def _derive(self, row: EvidenceRow) -> Resolved:
        expression = str(row.raw["derive"])
        name, *names = derivation(expression)
        if name not in DERIVATIONS:
            known = ", ".join(f"{known}(A, B)" for known in DERIVATIONS)
            return self._no(
                row, "derive-unknown", f"{row.id} derives {expression!r}", f"use one of {known} over row ids"
            )
        operands = []
        for operand in names:
            if operand not in self._rows:
                return self._no(
                    row,
                    "derive-unknown",
                    f"{row.id} derives from {operand!r}, and no row has that id",
                    "name a row's id",
                )
            operands.append(self._value(self._rows[operand]))
        first, second = operands
        runs = tuple({run.key: run for run in (*first.runs, *second.runs)}.values())
        typed = tuple(dict.fromkeys((*first.typed, *second.typed)))
        if first.value is None or second.value is None:
            findings = distinct((*first.findings, *second.findings))
            return Resolved(runs=runs, findings=findings, derived=True, typed=typed)
        try:
            value = DERIVATIONS[name](first.value, second.value)
        except ZeroDivisionError:
            return self._no(
                row, "non-finite-value", f"{row.id} divides by zero: {expression}", "derive a difference instead"
            )
        if not math.isfinite(value):
            return self._no(
                row, "non-finite-value", f"{row.id} is not finite: {expression}", "look at the rows that it names"
            )
        return Resolved(value, None, runs, derived=True, typed=typed)

    def _value(self, row: EvidenceRow) -> Resolved:
        """An operand: measured where it has runs, else as its file states it."""
        if self.has_run(row):
            return self.resolve(row)
        if row.value is None:
            return self._no(
                row, "value-absent", f"{row.id} has neither a value nor a run", "add exp_id and metric to it"
            )
        return Resolved(row.value, typed=(row.id,))

    def _find_runs(self, row: EvidenceRow) -> tuple[list[Run], list[str]]:
        wanted = [row.run] if isinstance(row.run, str) else row.run
        if wanted == ["selected"]:
            wanted = self._selection.ids(row.exp_id)
        found, absent = [], []
        for run_id in wanted:
            run = self._run(row.exp_id, run_id)
            if run is None:
                absent.append(run_id)
            else:
                found.append(run)
        return found, absent

    def _run(self, exp_id: str, run_id: str) -> Run | None:
        if (exp_id, run_id) not in self._runs:
            named = all(name not in {"", ".", ".."} and not set("/\\\0") & set(name) for name in (exp_id, run_id))
            self._runs[exp_id, run_id] = self._store.get(exp_id, run_id) if named else None
        return self._runs[exp_id, run_id]

    def _unclear(self, row: EvidenceRow, run: Run, fits: list[Metric]) -> Resolved:
        asked = " ".join(part for part in (row.metric, row.split, row.dataset) if part)
        if fits:
            found = ", ".join(f"{m.split or 'no split'}/{m.dataset or 'no dataset'}" for m in fits)
            return self._no(
                row,
                "metric-ambiguous",
                f"{row.id} asks for {asked}, which {run.run_id} has {len(fits)} times: {found}",
                "say split and dataset in the row",
            )
        has = ", ".join(f"{m.metric} ({m.split})" if m.split else m.metric for m in run.metrics[:8]) or "no metric"
        return self._no(
            row,
            "metric-absent",
            f"{row.id} asks for {asked}, and {run.run_id} has {has}",
            "correct metric or split in the row",
        )

    def _no(self, row: EvidenceRow, rule: str, message: str, fix: str) -> Resolved:
        return Resolved(findings=(row_finding(self.graph, row, rule, "error", message, fix),))


def row_finding(
    graph: ClaimGraph, row: EvidenceRow, rule: str, severity: Any, message: str, fix: str, **values: Any
) -> Finding:
    """A finding about an evidence row, placed in the claim graph's file. The row's value and run addresses are in its
    values, so that a disclosure of it expires when they change.
    """
    bound = {"row": row.id, "value": row.raw.get("value"), "from": list(row.addresses)}
    return Finding(rule, severity, message, Location(graph.path), row.claim_id, {**bound, **values}, fix)
