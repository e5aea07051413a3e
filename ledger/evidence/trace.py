"""The chain behind a claim: sentence, rows, runs with their values, sealed bytes, hashed conditions, log entries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ledger.errors import UsageError
from ledger.evidence.graph import ClaimGraph
from ledger.evidence.resolve import Resolved, Resolver
from ledger.log.seals import seals
from ledger.model.claim import Claim, EvidenceRow
from ledger.project import Project
from ledger.store.journal import Journal
from ledger.store.runs import Run


@dataclass(frozen=True, slots=True)
class TracedRun:
    """One run behind a row: its own value, and where the log holds its seal."""

    run: Run
    value: float | None
    log_place: str | None  # segment:index

    def to_json(self) -> dict[str, Any]:
        inputs: Mapping[str, Any] = self.run.provenance.get("hash_inputs", {})
        return {
            "exp_id": self.run.exp_id,
            "run_id": self.run.run_id,
            "seed": self.run.seed,
            "value": self.value,
            "address": self.run.address,
            "provenance_hash": self.run.manifest.provenance_hash,
            "hash_inputs": inputs,
            "log": self.log_place,
        }


@dataclass(frozen=True, slots=True)
class TracedRow:
    """One row with its runs, and what came out when it was recomputed just now."""

    row: EvidenceRow
    resolved: Resolved
    runs: tuple[TracedRun, ...]

    @property
    def holds(self) -> bool:
        """Whether the stored value is what the runs say."""
        return self.resolved.value is not None and self.resolved.value == self.row.value

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.row.id,
            "metric": self.row.metric,
            "split": self.row.split,
            "dataset": self.row.dataset,
            "stored": self.row.value,
            "recomputed": self.resolved.value,
            "std": self.resolved.std,
            "derive": self.row.raw.get("derive"),
            "runs": [run.to_json() for run in self.runs],
        }


def find_claim(graph: ClaimGraph, name: str) -> Claim:
    """The claim that `name` means: its id, a unique prefix of it, or the id of one of its rows.

    Raises:
        UsageError: none or several fit.

    """
    fits = [claim for claim in graph.claims if claim.id == name]
    fits = fits or [claim for claim in graph.claims if any(row.id == name for row in claim.rows)]
    fits = fits or [claim for claim in graph.claims if claim.id.startswith(name)]
    if len(fits) == 1:
        return fits[0]
    known = ", ".join(claim.id for claim in (fits or graph.claims)[:8])
    what = f"{name!r} fits {len(fits)} claims" if fits else f"no claim is called {name!r}"
    raise UsageError(what, where=graph.path, fix=f"known are {known}" if known else "the claim graph is empty")


def trace(project: Project, graph: ClaimGraph, claim: Claim) -> list[TracedRow]:
    """Every row of the claim, recomputed, with its runs.

    Raises:
        IntegrityError: the log is damaged.

    """
    resolver = Resolver(project, graph)
    logged = seals(Journal(project).entries())
    places = {key: f"{sealed[0].segment}:{sealed[0].index}" for key, sealed in logged.items()}
    out = []
    for row in claim.rows:
        resolved = resolver.resolve(row) if resolver.has_run(row) else Resolved(row.value)
        values = dict(zip((run.run_id for run in resolved.runs), resolved.per_run, strict=False))
        runs = tuple(TracedRun(run, values.get(run.run_id), places.get(run.key)) for run in resolved.runs)
        out.append(TracedRow(row, resolved, runs))
    return out
