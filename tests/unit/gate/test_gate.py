"""The five checks, the policies and the record."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ledger import schema
from ledger.deliver import write
from ledger.evidence.disclosures import disclose_claim
from ledger.evidence.graph import load
from ledger.evidence.refresh import refresh
from ledger.gate import record, reporters
from ledger.gate.gate import Gate, run_gate
from ledger.gate.policy import exit_status
from ledger.model.finding import Finding, Location, Report, Severity
from ledger.project import Project
from ledger.reconcile import Source
from ledger.reconcile import check as reconcile
from ledger.seal import staging
from ledger.seal.publish import seal

RIGHT = "| method | acc |\n|:--|--:|\n| ours | 0.91 |\n"


@pytest.fixture
def ready(in_git: Project, git: Callable[..., str]) -> Project:
    """A project in which every check says yes: two seeds on frozen data, the claim mapped, a document that is right."""
    data = in_git.root / "data"
    data.mkdir()
    (data / "split_manifest.json").write_text("{}")
    (in_git.root / "README.md").write_text(RIGHT)
    claim = {
        "id": "C1",
        "statement": "s",
        "evidence": [{"exp_id": "ours", "metric": "acc", "split": "test", "display": {"decimals": 2}}],
        "paper_anchor": "README.md",
        "repo_implementation": "train.py:1",
    }
    in_git.evidence.write_text(json.dumps({"project": "p", "claims": [claim]}))
    git("add", "-A")
    git("commit", "-qm", "all there")
    for seed, value in ((0, 0.9), (1, 0.92)):
        staged = staging.begin(in_git, "ours", config={"lr": 1}, seed=seed, data=data, command=["python", "train.py"])
        (staged.path / "results.json").write_text(
            json.dumps({"metrics": [{"metric": "acc", "value": value, "split": "test", "n": 10}]})
        )
        seal(in_git, staged, "finished", 0)
    refresh(in_git)
    return in_git


def gate(found: Project, **documents: str) -> Gate:
    graph = load(found.evidence)
    texts = {name.replace("_", "."): text.encode() for name, text in (documents or {"README_md": RIGHT}).items()}
    return run_gate(found, graph, texts, reconcile([Source(path, data) for path, data in texts.items()], graph))


def states(done: Gate) -> dict[str, str]:
    return {answer.check: answer.state for answer in done.numbers[0].answers}


def edit(found: Project, **changes: Any) -> None:
    raw = json.loads(found.evidence.read_text())
    raw["claims"][0].update(changes)
    found.evidence.write_text(json.dumps(raw))


ALL = ("verified", "mapped", "regenerable", "reconciled", "split stated")


def test_everything_in_order_is_five_times_yes(ready: Project) -> None:
    done = gate(ready)
    assert states(done) == dict.fromkeys(ALL, "yes")
    assert done.report.findings == ()
    assert {key: done.report.checked[key] for key in ("runs_started", "runs_sealed", "runs_reported")} == {
        "runs_started": 2,
        "runs_sealed": 2,
        "runs_reported": 2,
    }


def test_altered_evidence_is_not_verified(ready: Project) -> None:
    path = next(ready.results.rglob("results.json"))
    path.chmod(0o644)
    path.write_text(path.read_text() + " ")
    done = gate(ready)
    assert states(done)["verified"] == "no"
    assert "is not what was sealed" in done.numbers[0].answers[0].reason


def test_a_single_seed_is_verified_only_with_its_disclosure(ready: Project) -> None:
    selected = ready.results / "ours/selected.json"
    selected.write_text(json.dumps({"runs": json.loads(selected.read_text())["runs"][:1]}))
    refresh(ready)
    assert states(gate(ready, a_md="nothing"))["verified"] == "no"
    disclose_claim(ready, "C1", "one seed only")
    done = gate(ready, a_md="nothing")
    assert states(done)["verified"] == "disclosed"
    assert "one seed only" in record.markdown(load(ready.evidence), done)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"paper_anchor": ""}, "paper_anchor"),
        ({"repo_implementation": None}, "repo_implementation"),
        ({"repo_implementation": "gone.py:1"}, "no such file"),
        ({"repo_implementation": "train.py:99"}, "fewer lines"),
    ],
)
def test_claims_must_lead_to_places_that_exist(ready: Project, changes: dict[str, Any], word: str) -> None:
    edit(ready, **changes)
    done = gate(ready)
    assert states(done)["mapped"] == "no"
    assert word in done.numbers[0].answers[1].reason


def test_a_wrong_number_in_a_document_and_none_at_all(ready: Project) -> None:
    assert states(gate(ready, README_md=RIGHT.replace("0.91", "0.93")))["reconciled"] == "no"
    assert states(gate(ready, README_md="Words."))["reconciled"] == "unknown"


def test_a_generated_number_is_reconciled_by_being_generated(ready: Project) -> None:
    write(ready, load(ready.evidence))
    done = gate(ready, paper_tex=r"We reach \ev[pm]{C1}.")
    assert states(done)["reconciled"] == "yes"
    assert "generated in paper.tex" in done.numbers[0].answers[3].reason


def test_runs_without_code_or_data_cannot_be_regenerated(ready: Project) -> None:
    staged = staging.begin(ready, "ours", config={"lr": 1}, seed=0)
    (staged.path / "results.json").write_text(
        json.dumps({"metrics": [{"metric": "acc", "value": 0.9, "split": "test"}]})
    )
    run = seal(ready, staged, "finished", 0).run
    raw = json.loads(ready.evidence.read_text())
    raw["claims"][0]["evidence"][0]["run"] = run.run_id
    ready.evidence.write_text(json.dumps(raw))
    refresh(ready)
    done = gate(ready)
    assert states(done)["regenerable"] == "no"
    assert states(done)["split stated"] == "no"


def finding(severity: Severity, disclosed: str | None = None, rule: str = "drift") -> Finding:
    return Finding(rule, severity, "m", Location("a.md", 1, 2), disclosed=disclosed)


@pytest.mark.parametrize(
    ("found", "policy", "verdict", "status"),
    [
        ([], "strict", (), 0),
        ([finding("error")], "disclose", None, 0),
        ([finding("error")], "disclose", (), 1),
        ([finding("warning")], "disclose", (), 0),
        ([finding("error")], "disclose", ("drift",), 1),
        ([finding("error", rule="other")], "disclose", ("drift",), 0),
        ([finding("error", "said")], "disclose", ("drift",), 0),
        ([finding("warning")], "require-disclosure", None, 1),
        ([finding("warning", "said")], "require-disclosure", None, 0),
        ([finding("note")], "require-disclosure", None, 0),
        ([finding("warning", "said")], "strict", None, 1),
        ([finding("note")], "strict", None, 0),
    ],
)
def test_what_a_report_means_for_the_exit_status(found: list[Finding], policy: Any, verdict: Any, status: int) -> None:
    assert exit_status(Report("x", findings=tuple(found)), policy, verdict=verdict) == status


def test_a_report_as_text_and_as_json(ready: Project) -> None:
    report = Report("reconcile", {"paths": ["a.md"], "numbers": 2}, (finding("error"), finding("note", "said")))
    text = reporters.as_text(report)
    assert text.splitlines()[0].startswith("a.md:1:2: error: m [drift ")
    assert text.splitlines()[-1] == "reconcile: checked 1 file, 2 numbers: 1 error, 1 disclosed (--all lists them)"
    assert "disclosed: said" in reporters.as_text(report, everything=True)
    raw = json.loads(reporters.as_json(report, "0"))
    schema.validate(raw, "report")
    assert raw["findings"][0]["location"] == {"path": "a.md", "line": 1, "column": 2}
    assert raw["summary"] == {"errors": 1, "warnings": 0, "notes": 0, "disclosed": 1}
    schema.validate(json.loads(reporters.as_json(gate(ready).report, "0")), "report")


def test_a_fingerprint_is_stable_when_lines_move_and_new_when_a_value_does() -> None:
    first = Finding("drift", "error", "m", Location("a.md", 1, 2), "C1", {"reported": "0.8"})
    moved = Finding("drift", "error", "other words", Location("a.md", 9, 9), "C1", {"reported": "0.8"})
    changed = Finding("drift", "error", "m", Location("a.md", 1, 2), "C1", {"reported": "0.7"})
    assert first.fingerprint == moved.fingerprint != changed.fingerprint
