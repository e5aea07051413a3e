"""The hook and what leaves a work tree: pruned files may go, heavy files that a branch switch left behind are said."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.project import Project
from ledger.store.journal import Journal
from ledger.store.runs import Run

Git = Callable[..., str]
Shell = Callable[..., subprocess.CompletedProcess[str]]
MakeRun = Callable[..., Run]


@pytest.fixture
def sealed(in_git: Project, git: Git, make_run: MakeRun) -> Run:
    """A run that a commit holds."""
    run = make_run(in_git)
    git("add", "-A")
    git("commit", "-qm", "sealed")
    return run


def stage(git: Git) -> None:
    git("add", "-A")


def hook(shell: Shell, name: str = "append-only") -> subprocess.CompletedProcess[str]:
    return shell(name, module="ledger.hook")


def test_only_what_the_log_says_was_pruned_may_be_deleted(
    in_git: Project, git: Git, shell: Shell, make_run: MakeRun
) -> None:
    image = "qualitative/t/d/pred/ü 1.png"
    run = make_run(in_git, files={image: b"image", "qualitative/t/d/pred/2.png": b"second"})
    git("add", "-A")
    git("commit", "-qm", "sealed")
    (run.path / image).unlink()
    stage(git)
    assert hook(shell).returncode == 1
    git("reset", "-q", "--hard")
    assert shell("prune", run.run_id, "--yes").returncode == 0
    stage(git)
    assert hook(shell).returncode == 0
    assert hook(shell, "all").returncode == 0
    (run.path / "results.json").unlink()
    stage(git)
    stopped = hook(shell)
    assert stopped.returncode == 1
    assert "results.json: the commit deletes" in stopped.stderr
    assert "2.png" not in stopped.stderr
    git("restore", "--staged", "--worktree", f"results/ours/runs/{run.run_id}/results.json")
    git("restore", "--staged", ".ledger/log")  # the deletions without the entry that says so
    assert hook(shell).returncode == 1


def test_a_pruned_entry_excuses_no_file_that_is_not_derived(
    in_git: Project, git: Git, shell: Shell, sealed: Run
) -> None:
    entry = {"type": "prune", "exp_id": sealed.exp_id, "run_id": sealed.run_id, "address": sealed.address}
    Journal(in_git).append({**entry, "files": ["results.json"]})
    (sealed.path / "results.json").unlink()
    stage(git)
    assert hook(shell).returncode == 1


def test_in_a_project_below_the_top_pruning_is_let_pass(
    here: Project, git: Git, shell: Shell, make_run: MakeRun, tmp_path: Path
) -> None:
    git("init", "-q", "-b", "main", at=tmp_path)
    run = make_run(here, files={"qualitative/1.png": b"image"})
    git("add", "-A", at=tmp_path)
    git("commit", "-qm", "sealed", at=tmp_path)
    shell("prune", run.run_id, "--yes")
    git("add", "-A", at=tmp_path)
    for folder in (tmp_path, here.root, here.root / "results"):
        assert shell("append-only", module="ledger.hook", at=folder).returncode == 0


def test_files_that_a_branch_switch_left_behind_are_said(
    in_git: Project, git: Git, shell: Shell, make_run: MakeRun
) -> None:
    git("switch", "-qc", "side")
    run = make_run(in_git, files={"checkpoints/best.pt": b"weights"})
    git("add", "-A")
    git("commit", "-qm", "sealed")
    git("switch", "-q", "main")
    report = shell("fsck", "--format", "json")
    assert report.returncode == 0
    rules = {item["rule"]: item["severity"] for item in json.loads(report.stdout)["findings"]}
    assert rules["run-elsewhere"] == "note"
    stage(git)
    said = hook(shell)
    assert said.returncode == 0
    assert f"{run.run_id}: the commit adds 1 of its files, but no run.json" in said.stderr
    git("reset", "-q")
    git("switch", "-q", "side")
    assert "nothing found" in shell("fsck").stdout


def test_init_keeps_checkpoints_out_of_git_also_on_other_branches(
    in_git: Project, git: Git, shell: Shell, make_run: MakeRun
) -> None:
    shell("init")
    git("add", "-A")
    git("commit", "-qm", "init")
    git("switch", "-qc", "side")
    make_run(in_git, files={"checkpoints/best.pt": b"weights"})
    git("add", "-A")
    git("commit", "-qm", "sealed")
    git("switch", "-q", "main")
    assert git("status", "--porcelain") == ""
