"""The five checks of a shipping number, each a small function from what is known to an answer with its reason.

Verified: recomputed now from sealed runs whose records are the logged bytes. Mapped: the paper's place and the code's
line are named, and the files exist. Regenerable: code, config, data and environment of every run are pinned.
Reconciled: the documents state it, and no statement disagrees. Split stated: the split is named, and was frozen.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ledger.canon import file_digest
from ledger.evidence.resolve import Resolved
from ledger.model.claim import Claim, EvidenceRow
from ledger.model.finding import Finding
from ledger.project import Project
from ledger.store.runs import PROVENANCE, RESULTS, Run

State = Literal["yes", "no", "disclosed", "unknown"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One check of one number: its state, the reason in one clause, and what to do when it is not yes."""

    check: str
    state: State
    reason: str
    fix: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"check": self.check, "state": self.state, "reason": self.reason, "fix": self.fix}


@dataclass(frozen=True, slots=True)
class Known:
    """What the checks may look at, gathered once."""

    project: Project
    logged: Mapping[tuple[str, str], list[str]]  # (exp_id, run_id) -> its addresses in the log, one unless altered
    evidence: Sequence[Finding]  # of `ledger evidence check`
    reconcile: Sequence[Finding]  # of `ledger reconcile`
    mentioned: Mapping[str, int]  # claim id -> mentions in hand-written documents
    generated_in: Mapping[str, Sequence[str]]  # row id -> documents that print it by macro
    documents: int


def verified(known: Known, claim: Claim, row: EvidenceRow, resolved: Resolved) -> Answer:
    if resolved.findings:
        return Answer("verified", "no", resolved.findings[0].message, resolved.findings[0].fix)
    if not row.exp_id and not row.raw.get("derive"):
        return Answer("verified", "no", "the row names no run", "add exp_id, metric and split to the row")
    if stale := [f for f in known.evidence if f.rule == "value-stale" and f.values.get("row") == row.id]:
        return Answer("verified", "no", stale[0].message, stale[0].fix)
    for run in resolved.runs:
        problem = _altered(known, run)
        if problem:
            return Answer("verified", "no", problem, "run `ledger fsck`")
    if resolved.typed:
        names = ", ".join(resolved.typed)
        return Answer("verified", "no", f"it is derived from {names}, which rests on no run", "add exp_id there")
    count = len(resolved.runs)
    return _conditional(
        known,
        row,
        "verified",
        f"recomputed from {count} sealed run{'s' if count != 1 else ''}",
        ("single-seed", "mixed-conditions"),
    )


def mapped(known: Known, claim: Claim, row: EvidenceRow, resolved: Resolved) -> Answer:
    missing = [
        name
        for name, there in (("paper_anchor", claim.anchors), ("repo_implementation", claim.implementation))
        if not there
    ]
    if missing:
        return Answer("mapped", "no", f"the claim has no {' and no '.join(missing)}", "write it into the claim")
    places = [*claim.anchors, claim.implementation]
    for place in places:
        path, _, line = place.partition(":")
        if not os.path.isfile(known.project.root / path):  # noqa: PTH113 (false for words too long for a name, too)
            return Answer("mapped", "no", f"{place}: there is no such file", "correct the place in the claim")
        if line.isdecimal() and int(line[:19]) > len((known.project.root / path).read_bytes().splitlines()):
            return Answer("mapped", "no", f"{place}: the file has fewer lines", "correct the line in the claim")
    return Answer("mapped", "yes", ", ".join(places))


def regenerable(known: Known, claim: Claim, row: EvidenceRow, resolved: Resolved) -> Answer:
    if not resolved.runs:
        return Answer("regenerable", "no", "no run is behind it", "`ledger evidence check` says why")
    for run in resolved.runs:
        inputs = run.provenance.get("hash_inputs", {})
        if not inputs.get("code", {}).get("commit"):
            return Answer("regenerable", "no", f"the code of {run.run_id} is in no commit", "commit, then run again")
        if not inputs.get("data", {}).get("sha256"):
            return Answer(
                "regenerable",
                "no",
                f"{run.run_id} does not say which data it read",
                "pass data= to ledger.start, or --data",
            )
        if not run.provenance.get("command"):
            return Answer(
                "regenerable", "no", f"the command of {run.run_id} is not known", "start it with `ledger run`"
            )
    # changes that no commit holds are sealed with the run, so they pin the code too
    return Answer("regenerable", "yes", "code, config, data, seed and environment are pinned")


def reconciled(known: Known, claim: Claim, row: EvidenceRow, resolved: Resolved) -> Answer:
    wrong = [f for f in known.reconcile if f.rule == "drift" and f.claim == claim.id]
    standing = [finding for finding in wrong if not finding.disclosed]
    if standing:
        places = ", ".join(str(finding.location) for finding in standing[:3])
        return Answer("reconciled", "no", f"{len(standing)} disagree: {places}", "correct the document, or the claim")
    if wrong:
        return Answer("reconciled", "disclosed", wrong[0].disclosed or "")
    generated = known.generated_in.get(row.id, ())
    stated = known.mentioned.get(claim.id, 0)
    if generated or stated:
        parts = ([f"generated in {', '.join(generated)}"] if generated else []) + (
            [f"{stated} typed and right"] if stated else []
        )
        return Answer("reconciled", "yes", "; ".join(parts))
    if not known.documents:
        return Answer("reconciled", "unknown", "no document was looked at", "name them: `documents` in [tool.ledger]")
    return Answer(
        "reconciled", "unknown", f"not stated in the {known.documents} documents looked at", "fine if it ships nowhere"
    )


def split_stated(known: Known, claim: Claim, row: EvidenceRow, resolved: Resolved) -> Answer:
    if resolved.derived:
        return Answer("split stated", "yes", "derived from rows that state theirs")
    if not row.split:
        return _conditional(known, row, "split stated", "", ("split-unstated",), otherwise="the row has no split")
    frozen = [run.provenance.get("hash_inputs", {}).get("data", {}).get("split_manifest") for run in resolved.runs]
    if resolved.runs and not all(frozen):
        return Answer(
            "split stated",
            "no",
            f"{row.split}, but its items were not frozen",
            "put a split_manifest.json beside the data",
        )
    pinned = f" (split manifest {str(frozen[0])[:8]})" if frozen else ""
    return Answer("split stated", "yes", f"{row.split}{pinned}")


Check = Callable[[Known, Claim, EvidenceRow, Resolved], Answer]
CHECKS: tuple[Check, ...] = (verified, mapped, regenerable, reconciled, split_stated)


def _conditional(
    known: Known, row: EvidenceRow, check: str, reason: str, rules: tuple[str, ...], otherwise: str = ""
) -> Answer:
    """Yes, unless one of these findings about the row stands; disclosed when all of them are."""
    found = [f for f in known.evidence if f.rule in rules and f.values.get("row") == row.id and f.severity != "note"]
    if not found:
        return Answer(check, "no", otherwise) if otherwise else Answer(check, "yes", reason)
    standing = [finding for finding in found if not finding.disclosed]
    if standing:
        return Answer(check, "no", standing[0].message, standing[0].fix)
    return Answer(check, "disclosed", f"{reason or otherwise}; {found[0].disclosed}")


def _altered(known: Known, run: Run) -> str | None:
    """Whether the records that carry the number are not the bytes that were sealed and logged."""
    if known.logged.get(run.key) != [run.address]:
        return f"{run.run_id} is not logged under this address"
    listed = {file.path: file.sha256 for file in run.manifest.files}
    for name in (RESULTS, PROVENANCE):
        path = run.path / name
        if name in listed and (not path.is_file() or file_digest(path)[0] != listed[name]):
            return f"{name} of {run.run_id} is not what was sealed"
    return None
