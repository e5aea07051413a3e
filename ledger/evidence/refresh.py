"""Write what the selected runs say into EVIDENCE.json. Nobody else writes a value there."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ledger.evidence import disclosures
from ledger.evidence.graph import ClaimGraph, from_bytes, load, to_bytes
from ledger.evidence.resolve import Resolved, Resolver, distinct
from ledger.model.claim import EvidenceRow
from ledger.model.finding import Finding
from ledger.project import Project
from ledger.store import atomic
from ledger.store.lock import exclusive


@dataclass(frozen=True, slots=True)
class Change:
    """A row whose value moved, and the runs that moved it."""

    row: EvidenceRow
    old: float | None
    new: float
    added_runs: tuple[str, ...]
    dropped_runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What a refresh did: rows that changed, rows that could not be resolved, whether the file was written."""

    graph: ClaimGraph
    changes: tuple[Change, ...]
    findings: tuple[Finding, ...]
    written: bool


def refresh(project: Project) -> Refreshed:
    """Recompute every row that rests on runs and write the file if anything changed. Unknown keys are kept.

    Raises:
        InputError: the file is absent or malformed.
        StoreError: the disk refused; the old file is untouched.

    """
    with exclusive(project.local, "evidence"):
        graph = load(project.evidence, shown=project.shown(project.evidence))
        resolver = Resolver(project, graph)
        raw = copy.deepcopy(dict(graph.raw))
        changes: list[Change] = []
        findings: list[Finding] = []
        for claim in graph.claims:
            for row in claim.rows:
                if not resolver.has_run(row):
                    continue
                resolved = resolver.resolve(row)
                findings += resolved.findings
                if resolved.value is not None:
                    target = raw["claims"][claim.index]["evidence"][row.index]
                    change = _update(target, row, resolved, project)
                    changes += [change] if change else []
        new = from_bytes(to_bytes(raw), graph.path)
        raw = disclosures.bind(new, raw)
        written = atomic.write_if_changed(project.evidence, to_bytes(raw)) if raw != graph.raw else False
    return Refreshed(from_bytes(to_bytes(raw), graph.path), tuple(changes), distinct(findings), written)


def _update(target: dict[str, Any], row: EvidenceRow, resolved: Resolved, project: Project) -> Change | None:
    """Put a resolved value into the row; returns what changed of its value or its runs."""
    assert resolved.value is not None
    sources: list[dict[str, Any]] = [{"run": run.run_id, "address": run.address} for run in resolved.runs]
    if len(resolved.per_run) > 1:  # what each seed said, so that a reader can tell a single seed from the aggregate
        for source, run, value in zip(sources, resolved.runs, resolved.per_run, strict=True):
            source.update(seed=run.seed, value=value)
    before = {str(item.get("run")) for item in row.raw.get("from") or () if isinstance(item, Mapping)}
    after = {run.run_id for run in resolved.runs}
    target["value"] = resolved.value
    if resolved.derived:
        for key in ("n", "variance", "results_json"):  # of the run that the row rested on before
            target.pop(key, None)
    else:
        target["n"] = resolved.n
        target["variance"] = _variance(resolved)
        target["results_json"] = f"{project.shown(resolved.runs[0].path)}/results.json"
        for key in ("dataset", "unit", "direction"):
            known = {metric.raw.get(key) for metric in resolved.metrics} - {None, ""}
            if not target.get(key) and len(known) == 1:
                target[key] = known.pop()
    target["from"] = sources
    if row.value == resolved.value and before == after:
        return None
    return Change(row, row.value, resolved.value, tuple(sorted(after - before)), tuple(sorted(before - after)))


def _variance(resolved: Resolved) -> dict[str, Any] | None:
    """Spread over the seeds; of a single run what the run itself reported."""
    if resolved.std is not None:
        return {"type": "std", "value": resolved.std, "seeds": len(resolved.per_run), "over": "seeds"}
    own = resolved.metrics[0].raw.get("variance")
    return dict(own) if isinstance(own, Mapping) else None
