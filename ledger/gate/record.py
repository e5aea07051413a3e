"""The gate's answers for people: a table for the terminal, and `DISCLOSURES.md` for the repository."""

from __future__ import annotations

from ledger.deliver.entries import disclosures
from ledger.deliver.markdown import escape
from ledger.deliver.number import printed
from ledger.evidence.graph import ClaimGraph
from ledger.gate.checks import Answer
from ledger.gate.gate import Checked, Gate
from ledger.gate.reporters import table

_SIGNS = {"yes": "yes", "no": "NO", "disclosed": "disclosed", "unknown": "?"}


def terminal(gate: Gate) -> str:
    """One line for each number, then the reasons of everything that is not a plain yes."""
    if not gate.numbers:
        return "no number ships yet: EVIDENCE.json has no evidence row"
    checks = [answer.check for answer in gate.numbers[0].answers]
    rows = [
        {"number": number.row.id, "value": _value(number), **{a.check: _SIGNS[a.state] for a in number.answers}}
        for number in gate.numbers
    ]
    lines = [table(rows, ["number", "value", *checks]), ""]
    for number in gate.numbers:
        for answer in number.answers:
            if answer.state != "yes":
                fix = f"; {answer.fix}" if answer.fix else ""
                lines.append(f"{number.row.id}: {answer.check}: {_SIGNS[answer.state]}: {answer.reason}{fix}")
    return "\n".join(lines).rstrip()


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
                f"| {escape(number.row.id)} | {escape(_value(number))} | "
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


def _value(number: Checked) -> str:
    shown = printed(number.row)
    return shown.with_spread if shown else "-"
