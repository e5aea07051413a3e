"""The record and the terminal table word for word, and what strangers' texts may do to them: nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ledger import schema
from ledger.cli.columns import table
from ledger.cli.commands.gate import terminal
from ledger.evidence.graph import ClaimGraph, from_bytes
from ledger.gate import record
from ledger.gate.checks import Answer, State
from ledger.gate.gate import Checked, Gate
from ledger.gate.reporters import as_json, as_text, finding_lines
from ledger.model.claim import iter_rows
from ledger.model.finding import Finding, Location, Report

CHECKS = ("verified", "mapped", "regenerable", "reconciled", "split stated")
SPREAD = {"type": "std", "value": 0.013, "seeds": 3}


def gate(graph: ClaimGraph, *states: State, reason: str = "why | not") -> Gate:
    answers = tuple(Answer(c, s, reason, None if s == "yes" else "do it") for c, s in zip(CHECKS, states, strict=True))
    numbers = tuple(Checked(claim, row, answers) for claim, row in iter_rows(graph.claims))
    counted = {"numbers": len(numbers), "documents": 1, "runs_started": 4, "runs_sealed": 3, "runs_reported": 2}
    return Gate(numbers, Report("gate", counted))


def graph(*claims: dict[str, Any], project: str = "toy") -> ClaimGraph:
    return from_bytes(json.dumps({"project": project, "claims": list(claims)}).encode())


TOY = graph(
    {"id": "C1", "disclosure": ["3 seeds", "toy data"], "evidence": [{"metric": "acc", "value": 0.914, "variance": SPREAD}]},
    {"id": "C2", "disclosure": "toy data", "evidence": [{"metric": "acc"}]},
)  # fmt: skip

RECORD = """\
# Disclosures of toy

Written by `ledger gate`. Edits are overwritten.

## What must be said with the numbers

- 3 seeds (C1)
- toy data (C1, C2)

## Where each number stands

| number | value | verified | mapped | regenerable | reconciled | split stated |
|:--|--:|:--|:--|:--|:--|:--|
| C1 | 0.91 ± 0.01 | yes | no: why \\| not | yes | unknown: why \\| not | disclosed: why \\| not |
| C2 | - | yes | no: why \\| not | yes | unknown: why \\| not | disclosed: why \\| not |

Runs: 4 started, 3 sealed, 2 reported.
"""

TERMINAL = """\
number  value        verified  mapped  regenerable  reconciled  split stated
C1      0.91 ± 0.01  yes       NO      yes          ?           disclosed
C2      -            yes       NO      yes          ?           disclosed

C1: mapped: NO: why | not; do it
C1: reconciled: ?: why | not; do it
C1: split stated: disclosed: why | not; do it
C2: mapped: NO: why | not; do it
C2: reconciled: ?: why | not; do it
C2: split stated: disclosed: why | not; do it"""

STATES: tuple[State, ...] = ("yes", "no", "yes", "unknown", "disclosed")


def test_the_record_word_for_word() -> None:
    assert record.markdown(TOY, gate(TOY, *STATES)) == RECORD


def test_the_table_word_for_word() -> None:
    assert terminal(gate(TOY, *STATES)) == TERMINAL


def test_nothing_to_say_is_said() -> None:
    empty = graph(project="")
    assert terminal(gate(empty, *STATES)) == "no number ships yet: EVIDENCE.json has no evidence row"
    text = record.markdown(empty, gate(empty, *STATES))
    assert text.startswith("# Disclosures of this project\n")
    assert "Nothing has been disclosed." in text
    assert "| number |" not in text


def test_texts_of_strangers_stay_in_their_cell() -> None:
    odd = "a|b\n# c <script>\x1b[2J"
    odd_graph = graph({"id": odd, "disclosure": odd, "evidence": [{"metric": "m"}]}, project=odd)
    made = gate(odd_graph, *STATES, reason=odd)
    text = record.markdown(odd_graph, made)
    assert text.count("\n#") == 2
    assert "<script>" not in text.replace("\\<script\\>", "")
    row = next(line for line in text.splitlines() if line.startswith("| a"))
    assert row.replace("\\|", "").count("|") == 8
    assert "\x1b" not in text + terminal(made).splitlines()[1]


REPORT = Report(
    "reconcile",
    {"paths": ["a.md", "b.md"], "numbers": 1, "matched": 1234},
    (
        Finding("drift", "error", "b says 2", Location("b.md", 2, 1), "C1", {"reported": "2"}, "write 3"),
        Finding("drift", "warning", "a says 1", Location("a.md", 9, 2), disclosed="older"),
        Finding("rounding-truncated", "note", "no place", None),
    ),
)


def test_a_report_as_text_word_for_word() -> None:
    prints = [finding.fingerprint for finding in REPORT.findings]
    everything = f"""\
-: note: no place [rounding-truncated {prints[2]}]
a.md:9:2: disclosed: a says 1 [drift {prints[1]}]
    disclosed: older
b.md:2:1: error: b says 2 [drift {prints[0]}]
    write 3
reconcile: checked 2 files, 1 number, 1,234 matched: 1 error, 1 note, 1 disclosed (--all lists them)"""
    assert as_text(REPORT, everything=True) == everything
    kept = [line for line in everything.splitlines() if "a says" not in line and "older" not in line]
    assert as_text(REPORT).splitlines() == kept
    assert as_text(Report("fsck")) == "fsck: checked nothing: nothing found"


def test_a_report_as_json_word_for_word() -> None:
    text = as_json(REPORT, "1.2")
    raw = json.loads(text)
    schema.validate(raw, "report", text, "report")
    assert raw["tool"] == {"name": "evidence-ledger", "version": "1.2", "command": "reconcile"}
    assert raw["summary"] == {"errors": 1, "warnings": 0, "notes": 1, "disclosed": 1}
    assert raw["findings"][0] == {
        "rule": "drift",
        "severity": "error",
        "message": "b says 2",
        "location": {"path": "b.md", "line": 2, "column": 1},
        "claim": "C1",
        "values": {"reported": "2"},
        "fix": "write 3",
        "fingerprint": REPORT.findings[0].fingerprint,
        "disclosed": None,
    }


def test_colour_is_added_to_the_same_words() -> None:
    import re

    for finding in REPORT.findings:
        coloured = "\n".join(finding_lines(finding, colour=True))
        assert "\x1b[" in coloured
        assert re.sub(r"\x1b\[\d*m", "", coloured) == "\n".join(finding_lines(finding))


@pytest.mark.parametrize("text", ["\x1b[31mred", "two\nlines", "\u202etxet", "bell\x07", "\udcff"])
def test_what_a_document_says_cannot_steer_the_terminal(text: str) -> None:
    finding = Finding("drift", "error", f"says {text}", Location(f"{text}.md", 1, 1), fix=text)
    lines = list(finding_lines(finding))
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)
    assert text not in "".join(lines)
    assert len(table([{"a": text}], ["a"]).splitlines()) == 2


def test_a_table_puts_numbers_to_the_right() -> None:
    rows = [{"a": "x", "n": 1, "v": 0.123456789}, {"a": None, "n": 100, "v": None}]
    assert table(rows, ["a", "n", "v"]).splitlines() == ["a    n         v", "x    1  0.123457", "-  100         -"]
    assert table([], ["a", "b"]) == "a  b"
