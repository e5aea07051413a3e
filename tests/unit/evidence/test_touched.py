"""Damage names the claims that rest on it: of the run itself, of objects it shares, of a choice, and of nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from ledger.evidence.graph import load
from ledger.evidence.refresh import refresh
from ledger.evidence.touched import name_claims
from ledger.model.finding import Finding
from ledger.project import Project
from ledger.store import fsck
from ledger.store.objects import ObjectStore
from ledger.store.runs import Run

CLAIMS = [
    {"id": "C-ours", "statement": "ours", "evidence": [{"exp_id": "ours", "metric": "acc", "split": "test"}]},
    {"id": "C-base", "statement": "base", "evidence": [{"exp_id": "base", "metric": "acc", "split": "test"}]},
    {"id": "C-gain", "statement": "gain", "evidence": [{"metric": "gain", "derive": "delta(C-ours, C-base)"}]},
]
WEIGHTS = {"checkpoints/best.pt": b"shared weights"}


@pytest.fixture
def claimed(here: Project, make_run: Callable[..., Run]) -> dict[str, Run]:
    runs = {exp: make_run(here, exp, value=value, files=WEIGHTS) for exp, value in (("ours", 0.9), ("base", 0.8))}
    runs["unused"] = make_run(here, "unused")
    here.evidence.write_text(json.dumps({"project": "p", "claims": CLAIMS}))
    refresh(here)
    return runs


def damage(here: Project) -> list[Finding]:
    findings = name_claims(load(here.evidence), fsck.check(here).findings)
    return [finding for finding in findings if finding.severity != "note"]


@pytest.mark.parametrize(
    ("exp", "claims"), [("ours", ["C-ours", "C-gain"]), ("base", ["C-base", "C-gain"]), ("unused", [])]
)
@pytest.mark.parametrize("name", ["results.json", "run.json"])
def test_of_a_run(here: Project, claimed: dict[str, Run], exp: str, claims: list[str], name: str) -> None:
    path = claimed[exp].path / name
    path.chmod(0o644)
    path.write_bytes(path.read_bytes().replace(b"0", b"1", 1))
    plain = {finding.fingerprint for finding in fsck.check(here).findings}
    found = damage(here)
    assert found
    for finding in found:
        assert finding.values.get("claims", []) == claims
        assert all(claim in finding.message for claim in claims)
        assert finding.fingerprint in plain  # a disclosure of the damage holds whatever is claimed of it


def test_of_a_run_that_is_gone(here: Project, claimed: dict[str, Run]) -> None:
    claimed["base"].path.rename(here.root / "away")
    by_rule = {finding.rule: finding for finding in damage(here)}
    assert by_rule["run-missing"].values["claims"] == ["C-base", "C-gain"]
    assert by_rule["selection-broken"].claim == "C-base"


def test_of_an_object_that_several_runs_share(here: Project, claimed: dict[str, Run]) -> None:
    sha = next(file.sha256 for file in claimed["ours"].manifest.files if file.tier == "heavy")
    path = ObjectStore(here.objects).path(sha)
    path.chmod(0o644)
    path.unlink()
    path.write_bytes(b"other bytes")
    (finding,) = [finding for finding in damage(here) if finding.rule == "object-damaged"]
    assert all(claimed[exp].run_id in finding.message for exp in ("ours", "base"))
    assert finding.values["claims"] == ["C-ours", "C-base", "C-gain"]


def test_many_claims_are_counted() -> None:
    rows = [{"exp_id": "e", "metric": "acc", "value": 1, "from": [{"run": "r", "address": "0"}]}]
    from ledger.evidence.graph import from_bytes

    claims = [{"id": f"C{i}", "statement": "s", "evidence": rows} for i in range(9)]
    graph = from_bytes(json.dumps({"project": "p", "claims": claims}).encode(), "EVIDENCE.json")
    (named,) = name_claims(graph, [Finding("x", "error", "damaged", values={"runs": ["r"]})])
    assert named.message == "damaged; what rests on it: C0, C1, C2, C3, C4 and 4 more"
    assert len(named.values["claims"]) == 9
