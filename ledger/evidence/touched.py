"""Which claims rest on what a check of the store found damaged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from ledger.evidence.graph import ClaimGraph
from ledger.model.claim import EvidenceRow, iter_rows
from ledger.model.finding import Finding

_SHOWN = 5  # claims named in a message


def name_claims(graph: ClaimGraph, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings, those about runs with the claims that rest on these runs."""
    rows = [(claim.id, row) for claim, row in iter_rows(graph.claims)]
    return tuple(_named(finding, rows) for finding in findings)


def _named(finding: Finding, rows: list[tuple[str, EvidenceRow]]) -> Finding:
    if finding.severity == "note":
        return finding
    exp_id, runs = _about(finding)
    claims = list(dict.fromkeys(claim for claim, row in rows if runs & _runs(row) or (exp_id and row.exp_id == exp_id)))
    if not claims:
        return finding
    more = f" and {len(claims) - _SHOWN} more" if len(claims) > _SHOWN else ""
    message = f"{finding.message}; what rests on it: {', '.join(claims[:_SHOWN])}{more}"
    return replace(finding.touching(claims), message=message)


def _about(finding: Finding) -> tuple[str, frozenset[str]]:
    """The experiment whose choice of runs a finding is about, or the ids of the runs that it is about."""
    named = finding.values.get("runs")
    if isinstance(named, list):
        return "", frozenset(map(str, named))
    match PurePosixPath(finding.location.path if finding.location else "").parts:
        case ("results", _, "runs", run_id, *_):
            return "", frozenset([run_id])
        case ("results", exp_id, "selected.json"):
            return exp_id, frozenset()
        case _:
            return "", frozenset()


def _runs(row: EvidenceRow) -> set[str]:
    """Ids of the runs that the stored value was computed from."""
    sources = row.raw.get("from") or ()
    return {str(source.get("run")) for source in sources if isinstance(source, Mapping)}
