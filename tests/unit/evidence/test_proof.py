"""Proofs of claims: they hold as made, and not after any single change."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ledger import project
from ledger.errors import InputError, LedgerError, UsageError
from ledger.evidence.graph import load
from ledger.evidence.proof import check_proof, prove_claim, prove_runs
from ledger.evidence.refresh import refresh
from ledger.project import Project
from ledger.seal import staging
from ledger.seal.publish import seal
from ledger.store.runs import RunStore

CLAIMS = [
    {"id": "C1", "statement": "ours", "evidence": [{"exp_id": "ours", "metric": "acc", "split": "test"}]},
    {"id": "C2", "statement": "base", "evidence": [{"exp_id": "base", "metric": "acc", "split": "test"}]},
    {"id": "C3", "statement": "gain", "evidence": [{"metric": "gain", "derive": "delta(C1, C2)"}]},
]


@pytest.fixture(scope="module")
def proven(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        root = tmp_path_factory.mktemp("project")
        (root / "EVIDENCE.json").write_text(json.dumps({"project": "p", "claims": CLAIMS}))
        found = project.at(root)
        for exp, seed, value in (("ours", 0, 0.9), ("ours", 1, 0.92), ("base", 0, 0.85)):
            staged = staging.begin(found, exp, config={"lr": 1}, seed=seed)
            row = {"metric": "acc", "value": value, "split": "test", "n": 100}
            (staged.path / "results.json").write_text(json.dumps({"metrics": [row, {**row, "split": "val"}]}))
            seal(found, staged, "finished", 0)
        refresh(found)
        yield found


def claim_proof(found: Project, claim: str) -> dict[str, Any]:
    graph = load(found.evidence)
    chosen = graph.claim(claim)
    assert chosen is not None
    document: dict[str, Any] = json.loads(json.dumps(prove_claim(found, graph, chosen)))
    return document


@pytest.mark.parametrize(("claim", "runs", "rows"), [("C1", 2, 1), ("C2", 1, 1), ("C3", 3, 3)])
def test_a_proof_holds(proven: Project, claim: str, runs: int, rows: int) -> None:
    document = claim_proof(proven, claim)
    assert len(document["runs"]) == runs
    assert len(document["claim"]["rows"]) == rows
    assert check_proof(document) == []
    assert check_proof(document, document["head"]) == []


def test_a_proof_under_another_head_does_not_hold(proven: Project) -> None:
    document = claim_proof(proven, "C1")
    assert check_proof(document, "ab@1:" + "0" * 32) != []


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every scalar."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*path, index))
    else:
        yield path


def changed(value: Any) -> Any:
    if isinstance(value, bool) or value is None:
        return "changed"
    if isinstance(value, int | float):
        return value + 1
    return ("0" if value[:1] != "0" else "1") + value[1:]


def test_no_changed_scalar_passes_but_those_that_only_tell(proven: Project) -> None:
    """Words that nothing hangs on (the statement, the disclosure) are not proven; the docs say so."""
    document = claim_proof(proven, "C3")
    told = {"statement", "disclosure", "id"}
    for path in places(document):
        if path[0] == "claim" and path[-1] in told:
            continue
        doctored = copy.deepcopy(document)
        inner = doctored
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = changed(inner[path[-1]])
        try:
            problems = check_proof(doctored)
        except LedgerError:
            continue
        assert problems, path


def test_a_run_outside_the_log_cannot_be_proven(proven: Project) -> None:
    run = RunStore(proven).all()[0]
    segment = next(proven.log.glob("*.jsonl"))
    kept = segment.read_bytes()
    segment.write_bytes(kept.split(b"\n")[0] + b"\n")
    try:
        with pytest.raises(UsageError, match="not in the log"):
            prove_runs(proven, [run])
    finally:
        segment.write_bytes(kept)


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"schema": "evidence-ledger/proof/v1"},
        {"schema": "evidence-ledger/proof/v1", "heads": [1], "head": "", "runs": [{}], "claim": None},
    ],
)
def test_what_is_no_proof_is_refused_in_one_line(document: Any) -> None:
    with pytest.raises(InputError):
        check_proof(document)


def test_the_fixture_is_untouched_by_reading(proven: Project, tmp_path: Path) -> None:
    before = sorted((path, path.stat().st_mtime_ns) for path in proven.results.rglob("*"))
    claim_proof(proven, "C1")
    assert before == sorted((path, path.stat().st_mtime_ns) for path in proven.results.rglob("*"))


def test_runs_of_two_experiments_under_equal_conditions_have_different_ids(proven: Project) -> None:
    """They share second and provenance hash; a derived row over both must still see two runs."""
    assert len({run.run_id for run in RunStore(proven).all()}) == 3
