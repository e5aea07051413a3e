"""Run the five checks over every number of the claim graph."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ledger.evidence import check as evidence_check
from ledger.evidence import disclosures
from ledger.evidence.graph import ClaimGraph
from ledger.evidence.resolve import Resolved, Resolver, row_finding
from ledger.gate.checks import CHECKS, Answer, Known
from ledger.log.seals import addresses, seals
from ledger.model.claim import Claim, EvidenceRow, iter_rows
from ledger.model.finding import Finding, Report
from ledger.project import Project
from ledger.store.journal import Journal
from ledger.store.runs import RunStore

# \ev{ID}, \ev[pm]{ID} in LaTeX; #ev("ID", ...) in Typst
_MACRO = re.compile(r"""\\ev(?:\[\w+\])?\{([^{}]+)\}|\bev\(\s*"([^"]+)\"""")


@dataclass(frozen=True, slots=True)
class Checked:
    """One number with its five answers."""

    claim: Claim
    row: EvidenceRow
    answers: tuple[Answer, ...]

    def to_json(self) -> dict[str, Any]:
        answers = [answer.to_json() for answer in self.answers]
        return {"claim": self.claim.id, "row": self.row.id, "value": self.row.value, "checks": answers}


@dataclass(frozen=True, slots=True)
class Gate:
    """All numbers with their answers, and the same as a report."""

    numbers: tuple[Checked, ...]
    report: Report


def run_gate(project: Project, graph: ClaimGraph, documents: Mapping[str, bytes], reconciled: Report) -> Gate:
    """Answer the five checks for every evidence row.

    `documents` are path -> bytes of what ships, `reconciled` the report of reconcile over them.

    Raises:
        IntegrityError: the log is damaged.

    """
    evidence = evidence_check.check(project, graph)
    entries = list(Journal(project).entries())
    said = disclosures.recorded(project)
    known = Known(
        project=project,
        logged={key: addresses(sealed) for key, sealed in seals(entries).items()},
        evidence=evidence.findings,
        reconcile=disclosures.settle(reconciled.findings, graph, said),
        mentioned=Counter(mention.claim for mention in reconciled.mentions or () if mention.claim),
        generated_in=_generated_in(documents),
        documents=len(documents),
    )
    resolver = Resolver(project, graph)
    numbers: list[Checked] = []
    for claim, row in iter_rows(graph.claims):
        resolved = resolver.resolve(row) if resolver.has_run(row) else Resolved(row.value)
        numbers.append(Checked(claim, row, tuple(check(known, claim, row, resolved) for check in CHECKS)))
    numbers, findings = _settled(graph, numbers, said)
    unfinished = [
        finding for finding in evidence.findings if finding.rule in {"claim-without-evidence", "disclosure-expired"}
    ]
    started = len(
        {(body["exp_id"], body["run_id"]) for body in (entry.body for entry in entries) if body.get("type") == "start"}
    )
    checked = {
        "numbers": len(numbers),
        "documents": len(documents),
        "runs_started": started,
        "runs_sealed": len(RunStore(project).all()),
        "runs_reported": len(
            {run.key for n in numbers if resolver.has_run(n.row) for run in resolver.resolve(n.row).runs}
        ),
    }
    sections = {"numbers": [number.to_json() for number in numbers]}
    return Gate(tuple(numbers), Report("gate", checked, (*findings, *unfinished), sections=sections))


def read_documents(paths: Sequence[Path], project: Project) -> Iterator[tuple[str, bytes]]:
    """Shown path and bytes of each document that can be read; the others are reconcile's to report."""
    for path in paths:
        try:
            yield project.shown(path), path.read_bytes()
        except OSError:
            continue


def _generated_in(documents: Mapping[str, bytes]) -> dict[str, list[str]]:
    """Row id -> documents that print it by macro."""
    out: dict[str, list[str]] = {}
    for path, data in documents.items():
        for match in _MACRO.finditer(data.decode("utf-8", "replace")):
            places = out.setdefault(match[1] or match[2], [])
            if path not in places:
                places.append(path)
    return out


def _settled(
    graph: ClaimGraph, numbers: Sequence[Checked], said: Mapping[str, str]
) -> tuple[list[Checked], list[Finding]]:
    """The numbers with what `ledger disclose FINDING` said of single answers, and one finding for each that is not a yes."""
    told: list[Checked] = []
    findings: list[Finding] = []
    for number in numbers:
        answers = []
        for answer in number.answers:
            if answer.state not in {"no", "disclosed"}:
                answers.append(answer)
                continue
            (finding,) = disclosures.settle([_finding(graph, number, answer)], None, said)
            findings.append(finding)
            if answer.state == "no" and finding.disclosed:
                answer = replace(answer, state="disclosed", reason=f"{answer.reason}; {finding.disclosed}", fix=None)
            answers.append(answer)
        told.append(replace(number, answers=tuple(answers)))
    return told, findings


def _finding(graph: ClaimGraph, number: Checked, answer: Answer) -> Finding:
    """What an answer that is no plain yes has to say; bound to the row's value and run addresses."""
    finding = row_finding(
        graph, number.row, f"gate-{answer.check.replace(' ', '-')}", "warning",
        f"{number.row.id} is not {answer.check}: {answer.reason}", answer.fix or "",
    )  # fmt: skip
    return finding.with_disclosure(answer.reason) if answer.state == "disclosed" else finding
