"""Recompute the claim graph and say where it disagrees with the runs, and what must be said with its numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ledger.evidence import disclosures
from ledger.evidence.graph import ClaimGraph
from ledger.evidence.refresh import differing, rewritten
from ledger.evidence.resolve import Resolved, Resolver, distinct, row_finding
from ledger.model.claim import Claim, EvidenceRow
from ledger.model.finding import Finding, Location, Report
from ledger.project import Project
from ledger.store.compare import differing_inputs, inputs_of
from ledger.store.runs import Run


def check(project: Project, graph: ClaimGraph) -> Report:
    """Every row recomputed. `checked` counts claims and rows, and the rows that carry only a value."""
    resolver = Resolver(project, graph)
    findings: list[Finding] = []
    rows = plain = 0
    for claim in graph.claims:
        if not claim.rows:
            fix = "add an evidence row with exp_id, metric and split"
            findings.append(
                Finding(
                    "claim-without-evidence",
                    "warning",
                    f"{claim.id} has no evidence row",
                    Location(graph.path),
                    claim.id,
                    fix=fix,
                )
            )
        findings += disclosures.expired(graph, claim)
        for row in claim.rows:
            rows += 1
            if not resolver.has_run(row):
                plain += 1
                continue
            resolved = resolver.resolve(row)
            findings += resolved.findings
            if resolved.value is not None:
                findings += _stale(graph, row, resolved, project)
                findings += _conditions(graph, claim, row, resolved)
    settled = disclosures.settle(distinct(findings), graph, disclosures.recorded(project))
    return Report("evidence check", {"claims": len(graph.claims), "rows": rows, "rows_without_run": plain}, settled)


def _stale(graph: ClaimGraph, row: EvidenceRow, resolved: Resolved, project: Project) -> Iterator[Finding]:
    """The stored row against what a refresh would write, to the last bit: both come from the same arithmetic."""
    stated = rewritten(row, resolved, project)
    keys = differing(row, stated)
    if not keys:
        return
    values: dict[str, Any] = {"expected": resolved.value}
    if row.value is None:
        message = f"{row.id} has no value yet; the runs say {resolved.value!r}"
    elif row.value != resolved.value:
        message = f"{row.id} is stored as {row.value!r} but the runs say {resolved.value!r}"
        values["reported"] = row.value
    elif set(row.addresses) != {run.address for run in resolved.runs}:
        message = f"{row.id} names other runs than those selected now"
        values = {}
    else:
        key = keys[0]
        message = (
            f"`{key}` of {row.id} is stored as {_shown(row.raw.get(key))} but the runs say {_shown(stated.get(key))}"
        )
        more = ", ".join(f"`{other}`" for other in keys[1:])
        message += f"; {more} differ{'s' if len(keys) == 2 else ''} too" if more else ""
        values = {"keys": list(keys), "reported": row.raw.get(key), "expected": stated.get(key)}
    yield row_finding(graph, row, "value-stale", "error", message, "run `ledger evidence refresh`", **values)


def _shown(value: object) -> str:
    text = "nothing" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _conditions(graph: ClaimGraph, claim: Claim, row: EvidenceRow, resolved: Resolved) -> Iterator[Finding]:
    """What a reader must be told about how the number came about."""
    if resolved.derived:
        return
    tell = f'ledger disclose {claim.id} --text "..."'
    if not row.split:
        yield row_finding(
            graph,
            row,
            "split-unstated",
            "warning",
            f"{row.id} does not say on which split it was measured",
            "write `split` into the row",
        )
    if len(resolved.runs) == 1:
        message = f"{row.id} rests on one run, so its spread over seeds is unknown"
        yield row_finding(graph, row, "single-seed", "warning", message, f"run more seeds, or {tell}", seeds=1)
    differing = _differing(resolved.runs)
    if differing:
        message = f"the {len(resolved.runs)} runs of {row.id} differ in {', '.join(differing)}, not in the seed alone"
        yield row_finding(
            graph, row, "mixed-conditions", "warning", message, f"rerun them alike, or {tell}", inputs=differing
        )
    dirty = [run.run_id for run in resolved.runs if inputs_of(run).get("code", {}).get("dirty")]
    if dirty:
        message = f"the code of {len(dirty)} of {len(resolved.runs)} runs of {row.id} is in no commit"
        yield row_finding(
            graph, row, "code-not-committed", "note", message, f"commit before you train, or {tell}", runs=dirty
        )


def _differing(runs: tuple[Run, ...]) -> list[str]:
    """Which of the six inputs differ among runs that should differ in the seed alone."""
    if len({run.manifest.group_hash for run in runs}) < 2:
        return []
    return [name for name in differing_inputs(runs) if name != "seed"] or ["determinism flags"]
