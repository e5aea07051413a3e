"""What `diff` and the claim graph call the same conditions, repeats, and different ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ledger import project
from ledger.project import Project
from ledger.seal import staging
from ledger.seal.publish import seal
from ledger.store.compare import ABSENT, compare, differing_inputs
from ledger.store.runs import Run


@pytest.fixture
def found(tmp_path: Path) -> Project:
    (tmp_path / "EVIDENCE.json").write_text('{"project": "p", "claims": []}')
    (tmp_path / "train.py").write_text("print(1)\n")
    return project.at(tmp_path)


def run(found: Project, config: dict[str, Any], seed: int = 0) -> Run:
    staged = staging.begin(found, "exp", config=config, seed=seed)
    return seal(found, staged, "finished", 0).run


def test_equal_conditions(found: Project) -> None:
    comparison = compare(run(found, {"lr": 1}), run(found, {"lr": 1}))
    assert comparison.inputs == comparison.values == comparison.config == ()
    assert "same conditions" in comparison.verdict


def test_repeats_differ_in_the_seed_alone(found: Project) -> None:
    comparison = compare(run(found, {"lr": 1}, seed=0), run(found, {"lr": 1}, seed=1))
    assert comparison.inputs == ("seed",)
    assert [(d.name, d.first, d.second) for d in comparison.values] == [("seed.value", 0, 1)]
    assert "repeats" in comparison.verdict


def test_config_keys_are_named_with_their_path(found: Project) -> None:
    first = run(found, {"lr": 1, "model": {"width": 64, "depth": 2}, "only": 1})
    second = run(found, {"lr": 1, "model": {"width": 32, "depth": 2}})
    comparison = compare(first, second)
    assert comparison.inputs == ("config",)
    assert [(d.name, d.first, d.second) for d in comparison.config] == [("model.width", 64, 32), ("only", 1, ABSENT)]
    assert comparison.verdict == "they differ in config (model.width, only)"


def test_changed_code_is_named(found: Project) -> None:
    first = run(found, {"lr": 1})
    (found.root / "train.py").write_text("print(2)\n")
    second = run(found, {"lr": 1})
    comparison = compare(first, second)
    assert comparison.inputs == ("code",)
    assert [d.name for d in comparison.values] == ["code.tree_sha256"]
    assert differing_inputs([first, second, first]) == ["code"]
