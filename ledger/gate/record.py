"""The gate's answers for the repository: `DISCLOSURES.md`."""

from __future__ import annotations

from ledger.deliver.entries import disclosures
from ledger.deliver.markdown import escape
from ledger.deliver.number import printed
from ledger.evidence.graph import ClaimGraph
from ledger.gate.checks import Answer
from ledger.gate.gate import Checked, Gate


def markdown(graph: ClaimGraph, gate: Gate) -> str:
    """The disclosure record: what is said with which number, and where each number stands."""
    out = [
        f"# Disclosures of {escape(graph.project) or 'this project'}",
        "",
        "Written by `ledger gate`. Edits are overwritten.",
        "",
    ]
    said = disclosures(graph)
    out += ["## What must be said with the numbers", ""]
    for _, text in said:
        claims = ", ".join(claim.id for claim in graph.claims if text in claim.disclosures)
        out.append(f"- {escape(text)} ({escape(claims)})")
    if not said:
        out.append("Nothing has been disclosed.")
    out += ["", "## Where each number stands", ""]
    if gate.numbers:
        checks = [answer.check for answer in gate.numbers[0].answers]
        out.append("| number | value | " + " | ".join(checks) + " |")
        out.append("|:--|--:|" + ":--|" * len(checks))
        for number in gate.numbers:
            out.append(
                f"| {escape(number.row.id)} | {escape(stated(number))} | "
                + " | ".join(map(_cell, number.answers))
                + " |"
            )
    checked = gate.report.checked
    out += [
        "",
        f"Runs: {checked['runs_started']} started, {checked['runs_sealed']} sealed, {checked['runs_reported']} reported.",
    ]
    return "\n".join(out) + "\n"


def _cell(answer: Answer) -> str:
    return answer.state if answer.state == "yes" else f"{answer.state}: {escape(answer.reason)}"


def stated(number: Checked) -> str:
    """A number as it is printed, with its spread."""
    shown = printed(number.row)
    return shown.with_spread if shown else "-"
