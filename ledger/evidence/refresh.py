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
    """A row that was rewritten: its value, the runs that moved it, and the keys that stood otherwise."""

    row: EvidenceRow
    old: float | None
    new: float
    added_runs: tuple[str, ...]
    dropped_runs: tuple[str, ...]
    keys: tuple[str, ...]


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
                    stated = rewritten(row, resolved, project)
                    raw["claims"][claim.index]["evidence"][row.index] = stated
                    changes += _change(row, stated, resolved)
        new = from_bytes(to_bytes(raw), graph.path)
        raw = disclosures.bind(graph, new, raw)
        written = atomic.write_if_changed(project.evidence, to_bytes(raw)) if raw != graph.raw else False
    return Refreshed(from_bytes(to_bytes(raw), graph.path), tuple(changes), distinct(findings), written)


def rewritten(row: EvidenceRow, resolved: Resolved, project: Project) -> dict[str, Any]:
    """The row as it must stand for what its runs say: what `refresh` writes and `check` compares with."""
    sources: list[dict[str, Any]] = [{"run": run.run_id, "address": run.address} for run in resolved.runs]
    if len(resolved.per_run) > 1:  # what each seed said, so that a reader can tell a single seed from the aggregate
        for source, run, value in zip(sources, resolved.runs, resolved.per_run, strict=True):
            source.update(seed=run.seed, value=value)
    out = copy.deepcopy(dict(row.raw))
    out["value"] = resolved.value
    if resolved.derived:
        for key in ("n", "variance", "results_json"):  # of the run that the row rested on before
            out.pop(key, None)
    else:
        out["n"] = resolved.n
        out["variance"] = _variance(resolved)
        out["results_json"] = f"{project.shown(resolved.runs[0].path)}/results.json"
        for key in ("dataset", "unit", "direction"):
            known = {metric.raw.get(key) for metric in resolved.metrics} - {None, ""}
            if not out.get(key) and len(known) == 1:
                out[key] = known.pop()
    out["from"] = sources
    return out


def differing(row: EvidenceRow, stated: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys in which a row is not as it must stand; null is as good as absent."""
    keys = dict.fromkeys((*stated, *row.raw))
    return tuple(key for key in keys if row.raw.get(key) != stated.get(key))


def _change(row: EvidenceRow, stated: Mapping[str, Any], resolved: Resolved) -> list[Change]:
    """What is new in a rewritten row, if anything is."""
    assert resolved.value is not None
    keys = differing(row, stated)
    before = {str(item.get("run")) for item in row.raw.get("from") or () if isinstance(item, Mapping)}
    after = {run.run_id for run in resolved.runs}
    added, dropped = tuple(sorted(after - before)), tuple(sorted(before - after))
    return [Change(row, row.value, resolved.value, added, dropped, keys)] if keys else []


def _variance(resolved: Resolved) -> dict[str, Any] | None:
    """Spread over the seeds; of a single run what the run itself reported."""
    if resolved.std is not None:
        return {"type": "std", "value": resolved.std, "seeds": len(resolved.per_run), "over": "seeds"}
    own = resolved.metrics[0].raw.get("variance")
    return dict(own) if isinstance(own, Mapping) else None
