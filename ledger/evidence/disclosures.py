"""Disclosures: the sentence that must ride with a number, bound to the value and runs it was made for.

A claim's `disclosure` holds the sentences, `disclosed_for` the value and run addresses of each row when they were
made. When a row moves on, the disclosure has expired until the user repeats it. Findings without a claim are
disclosed by a log entry that names their fingerprint, which holds the values too.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from ledger.errors import UsageError
from ledger.evidence.graph import ClaimGraph, load, to_bytes
from ledger.model.claim import Claim, EvidenceRow
from ledger.model.finding import Finding, Location
from ledger.project import Project
from ledger.store import atomic
from ledger.store.journal import Journal
from ledger.store.lock import exclusive

# what a sentence beside the number settles; a wrong number in a document is not among it
SETTLED_BY_CLAIM = frozenset(
    {"single-seed", "mixed-conditions", "variance-missing", "split-unstated", "code-not-committed"}
)


def bind(old: ClaimGraph, new: ClaimGraph, raw: dict[str, Any]) -> dict[str, Any]:
    """Bind disclosures that were typed into the file `old`, and so have no binding yet, to the values beside which they
    were typed; to those of `new` where there was none. `raw` is what becomes the file.
    """
    for before, claim in zip(old.claims, new.claims, strict=True):
        target = raw["claims"][claim.index]
        if (
            claim.disclosures
            and target.get("disclosed_for") is None
            and any(row.value is not None for row in claim.rows)
        ):
            rows = zip(before.rows, claim.rows, strict=True)
            target["disclosed_for"] = {
                row.id: _row_binding(row if _unstated(typed, row) else typed) for typed, row in rows
            }
        if not claim.disclosures:
            target.pop("disclosed_for", None)
    return raw


def expired(graph: ClaimGraph, claim: Claim) -> list[Finding]:
    """One finding for each row whose value or runs moved on since the claim's disclosure was made."""
    bound = claim.raw.get("disclosed_for")
    if not claim.disclosures or not isinstance(bound, Mapping):
        return []
    findings = []
    for row in claim.rows:
        then = bound.get(row.id)
        if then != _row_binding(row):
            then = then if isinstance(then, Mapping) else {}
            message = (
                f"the disclosure of {claim.id} was made for {row.id} = {then.get('value')}, which is now {row.value}"
            )
            if not then:
                message = f"the disclosure of {claim.id} was made when it had no row {row.id}"
            elif then.get("value") == row.value:
                message = (
                    f"the disclosure of {claim.id} was made for other runs of {row.id} with the same value {row.value}"
                )
            values = {"row": row.id, "reported": then.get("value"), "expected": row.value}
            fix = f'repeat or reword it: ledger disclose {claim.id} --text "..."'
            findings.append(
                Finding("disclosure-expired", "warning", message, Location(graph.path), claim.id, values, fix)
            )
    return findings


def recorded(project: Project) -> dict[str, str]:
    """Fingerprint -> sentence, of every disclosure in the log. Raises IntegrityError when the log is damaged."""
    return {
        str(entry.body["fingerprint"]): str(entry.body["text"])
        for entry in Journal(project).entries()
        if entry.type == "disclose" and entry.body.get("fingerprint")
    }


def settle(
    findings: Iterable[Finding], graph: ClaimGraph | None, by_fingerprint: Mapping[str, str]
) -> tuple[Finding, ...]:
    """The same findings, those that a standing disclosure speaks of marked as disclosed."""
    standing = (
        {claim.id: claim.disclosures[0] for claim in graph.claims if claim.disclosures and not expired(graph, claim)}
        if graph
        else {}
    )
    out = []
    for finding in findings:
        text = finding.disclosed or by_fingerprint.get(finding.fingerprint)
        if not text and finding.rule in SETTLED_BY_CLAIM:
            text = standing.get(finding.claim or "")
        out.append(finding.with_disclosure(text) if text else finding)
    return tuple(out)


def disclose_claim(project: Project, claim_id: str, text: str) -> None:
    """Attach a sentence to a claim, for the values it has now, and log that it was said.

    Raises:
        UsageError: there is no such claim.
        InputError: the claim graph cannot be read.
        StoreError: the disk refused.

    """
    with exclusive(project.local, "evidence"):
        graph = load(project.evidence, shown=project.shown(project.evidence))
        claim = graph.claim(claim_id)
        if claim is None:
            raise UsageError(f"no claim is called {claim_id!r}", where=graph.path)
        raw = copy.deepcopy(dict(graph.raw))
        target = raw["claims"][claim.index]
        texts = [*(old for old in claim.disclosures if old != text), text]
        target["disclosure"] = texts[0] if len(texts) == 1 else texts
        target["disclosed_for"] = _binding(claim)
        atomic.write_bytes(project.evidence, to_bytes(raw), follow=True)
    log(project, text, claim=claim_id, bound=target["disclosed_for"])


def log(
    project: Project,
    text: str,
    *,
    claim: str | None = None,
    rule: str | None = None,
    fingerprint: str | None = None,
    bound: Mapping[str, Any] | None = None,
) -> None:
    """Record that the user disclosed a claim or a finding."""
    said = {"claim": claim, "rule": rule, "fingerprint": fingerprint, "text": text, "for": bound}
    Journal(project).append({"type": "disclose", **said})


def _unstated(typed: EvidenceRow, row: EvidenceRow) -> bool:
    """Whether the file had no value when a sentence was typed into it, or today's value and did not say of which runs."""
    return typed.raw.get("value") is None or (typed.raw.get("value") == row.raw.get("value") and not typed.addresses)


def _binding(claim: Claim) -> dict[str, Any]:
    return {row.id: _row_binding(row) for row in claim.rows}


def _row_binding(row: EvidenceRow) -> dict[str, Any]:
    return {"value": row.raw.get("value"), "from": list(row.addresses)}
