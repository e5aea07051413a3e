"""Each check in the states that a thoroughly prepared project does not show: disclosed, unknown, and the odd noes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ledger.errors import UsageError
from ledger.evidence.disclosures import disclose_claim, settle
from ledger.evidence.graph import load
from ledger.evidence.refresh import refresh
from ledger.gate.gate import run_gate
from ledger.gate.recall import recall, remember
from ledger.model.finding import Finding, Location, Report
from ledger.project import Project
from ledger.reconcile import Source
from ledger.reconcile import check as reconcile
from ledger.store.runs import Run

MakeRun = Callable[..., Run]
WRONG = "| method | acc |\n|:--|--:|\n| C1 | 0.5 |\n"


def states(found: Project, text: str | None = None, disclosed: str = "") -> dict[str, dict[str, tuple[str, str]]]:
    """Row id -> check -> (state, reason)."""
    graph = load(found.evidence)
    documents = {} if text is None else {"README.md": text.encode()}
    report = reconcile([Source(path, data) for path, data in documents.items()], graph)
    if disclosed:
        said = {finding.fingerprint: disclosed for finding in report.findings}
        report = Report("reconcile", report.checked, settle(report.findings, graph, said), report.mentions)
    done = run_gate(found, graph, documents, report)
    return {n.row.id: {a.check: (a.state, a.reason) for a in n.answers} for n in done.numbers}


def write(found: Project, *claims: dict[str, Any]) -> None:
    found.evidence.write_text(json.dumps({"project": "p", "claims": list(claims)}))


def row(**more: Any) -> dict[str, Any]:
    return {"exp_id": "ours", "metric": "acc", **more}


def test_a_number_that_somebody_typed_is_never_verified(here: Project, make_run: MakeRun) -> None:
    make_run(here, seed=0)
    make_run(here, seed=1)
    derived = [
        {"id": "D", "metric": "gain", "derive": "delta(P, P)"},
        {"id": "E", "metric": "gain", "derive": "delta(M, P)"},
    ]
    write(
        here,
        {"id": "M", "evidence": [row(split="test")]},
        {"id": "P", "evidence": [{"metric": "acc", "value": 0.5}]},
        {"id": "X", "evidence": derived},
    )
    refresh(here)
    answers = {name: answer["verified"] for name, answer in states(here).items()}
    assert answers["M"][0] == "yes"
    assert answers["P"] == ("no", "the row names no run")
    assert answers["D"] == answers["E"] == ("no", "it is derived from P, which rests on no run")


def test_a_derived_row_over_a_row_without_value_is_not_verified(here: Project) -> None:
    write(here, {"id": "P", "evidence": [{"metric": "acc"}, {"id": "D", "metric": "g", "derive": "delta(P, P)"}]})
    assert states(here)["D"]["verified"] == ("no", "P has neither a value nor a run")


def test_disclosing_speaks_for_a_single_seed_and_an_unstated_split(here: Project, make_run: MakeRun) -> None:
    make_run(here)
    write(here, {"id": "C1", "evidence": [row()]})
    refresh(here)
    before = states(here)["C1"]
    assert (before["verified"][0], before["split stated"]) == (
        "no",
        ("no", "C1 does not say on which split it was measured"),
    )
    disclose_claim(here, "C1", "one seed, held-out images")
    after = states(here)["C1"]
    assert after["verified"] == ("disclosed", "recomputed from 1 sealed run; one seed, held-out images")
    assert after["split stated"] == ("disclosed", "the row has no split; one seed, held-out images")


def test_a_plain_row_without_a_split_says_that_it_has_none(here: Project) -> None:
    write(here, {"id": "C1", "evidence": [{"metric": "acc", "value": 0.9}]})
    answers = states(here)["C1"]
    assert answers["split stated"] == ("no", "the row has no split")
    assert answers["regenerable"] == ("no", "no run is behind it")


def test_documents_disagree_or_do_not_speak(here: Project) -> None:
    write(here, {"id": "C1", "evidence": [{"metric": "acc", "value": 0.9}]})
    assert states(here)["C1"]["reconciled"] == ("unknown", "no document was looked at")
    assert states(here, "Words.")["C1"]["reconciled"] == ("unknown", "not stated in the 1 documents looked at")
    state, reason = states(here, WRONG)["C1"]["reconciled"]
    assert (state, reason.startswith("1 disagree: README.md:3:")) == ("no", True)
    assert states(here, WRONG, disclosed="of last year")["C1"]["reconciled"] == ("disclosed", "of last year")
    assert states(here, WRONG.replace("0.5", "0.9"))["C1"]["reconciled"] == ("yes", "1 typed and right")
    assert states(here, '#ev("C1", form: "pm")')["C1"]["reconciled"] == ("yes", "generated in README.md")


@pytest.mark.parametrize(
    ("anchor", "code", "state", "said"),
    [
        ("a.txt", "a.txt:2", "yes", "a.txt, a.txt:2"),
        (["a.txt:1", "a.txt:2"], "a.txt:1", "yes", ""),
        ("a.txt:3", "a.txt:1", "no", "a.txt:3: the file has fewer lines"),
        ("a.txt:²", "a.txt:1", "yes", ""),
        ("w" * 300, "a.txt:1", "no", "there is no such file"),
        ("Table 2, first row", "a.txt:1", "no", "Table 2, first row: there is no such file"),
        ("\x00", "a.txt:1", "no", "there is no such file"),
        (".", "a.txt:1", "no", "there is no such file"),
        (None, None, "no", "the claim has no paper_anchor and no repo_implementation"),
    ],
)
def test_mapped(here: Project, anchor: Any, code: Any, state: str, said: str) -> None:
    (here.root / "a.txt").write_text("1\n2\n")
    write(
        here,
        {
            "id": "C1",
            "paper_anchor": anchor,
            "repo_implementation": code,
            "evidence": [{"metric": "acc", "value": 0.9}],
        },
    )
    answer = states(here)["C1"]["mapped"]
    assert answer[0] == state
    assert said in answer[1]


class TestRecall:
    """What `ledger disclose FINGERPRINT` knows of the last checks."""

    def finding(self, i: int) -> Finding:
        return Finding(
            "drift", "error", f"m{i}", Location("a.pdf", page=i + 1, box=(0.0, 0.0, 1.0, 1.0)), "C1", {"i": i}, "fix"
        )

    def test_by_a_unique_prefix(self, here: Project) -> None:
        findings = [self.finding(i) for i in range(40)]
        remember(here, findings)
        for finding in findings:
            found = recall(here, finding.fingerprint)
            assert found.identity is not None
            assert found.identity[1] == finding.fingerprint
            assert (found.message, found.location, found.values) == (finding.message, finding.location, finding.values)
        shared = next(
            f.fingerprint[:1] for f in findings if sum(g.fingerprint[0] == f.fingerprint[0] for g in findings) > 1
        )
        with pytest.raises(UsageError, match=r"fits \d+ findings; type more"):
            recall(here, shared)

    @pytest.mark.parametrize("prefix", ["", "zzzz", "0" * 12])
    def test_what_is_not_remembered(self, here: Project, prefix: str) -> None:
        remember(here, [self.finding(0)])
        with pytest.raises(UsageError, match="neither a claim nor a finding of the last checks"):
            recall(here, prefix)

    def test_the_findings_of_the_last_check_are_kept_longest(self, here: Project) -> None:
        old = [self.finding(i) for i in range(2000)]
        remember(here, old)
        remember(here, [*old[:10], *(self.finding(i) for i in range(2000, 2050))])
        for finding in (*old[:10], self.finding(2049)):
            assert recall(here, finding.fingerprint).message == finding.message
        with pytest.raises(UsageError):
            recall(here, old[10].fingerprint)
