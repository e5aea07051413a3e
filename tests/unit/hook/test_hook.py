"""The pre-commit hook in real repositories: what it stops, what it lets pass, what it reads and what it costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.project import Project
from ledger.store.runs import Run

Git = Callable[..., str]
Shell = Callable[..., subprocess.CompletedProcess[str]]
MakeRun = Callable[..., Run]

CLAIMS = {
    "project": "p",
    "claims": [
        {
            "id": "C1",
            "statement": "ours",
            "evidence": [{"exp_id": "ours", "metric": "acc", "split": "test", "value": 0.912}],
        }
    ],
}
RIGHT = "| method | acc |\n|:--|--:|\n| ours | 0.912 |\n"
WRONG = RIGHT.replace("0.912", "0.921")


@pytest.fixture
def sealed(in_git: Project, git: Git, make_run: MakeRun) -> Run:
    """A run that a commit holds."""
    run = make_run(in_git, files={"notes with space\nand line.txt": b"light", "ü.txt": b"u"})
    git("add", "-A")
    git("commit", "-qm", "sealed")
    return run


def stage(git: Git) -> None:
    git("add", "-A")


def hook(shell: Shell, name: str = "append-only") -> subprocess.CompletedProcess[str]:
    return shell(name, module="ledger.hook")


@pytest.mark.parametrize("act", ["modify", "delete", "add", "rename", "type", "mode of a run and manifest"])
def test_a_commit_that_touches_a_sealed_run_is_stopped(
    in_git: Project, git: Git, shell: Shell, sealed: Run, act: str
) -> None:
    file = sealed.path / "results.json"
    if act == "modify":
        file.chmod(0o644)
        file.write_text(file.read_text() + " ")
    elif act == "delete":
        file.unlink()
    elif act == "add":
        (sealed.path / "late.txt").write_text("late")
    elif act == "rename":
        file.rename(sealed.path / "renamed.json")
    elif act == "type":
        file.unlink()
        file.symlink_to("provenance.json")
    else:
        for path in sealed.path.iterdir():
            path.unlink()
    stage(git)
    done = hook(shell)
    assert done.returncode == 1
    assert "results/ours/runs/" in done.stderr
    assert "never altered" in done.stderr
    assert "Traceback" not in done.stderr


def test_odd_names_are_seen_too(in_git: Project, git: Git, shell: Shell, sealed: Run) -> None:
    for name in ("notes with space\nand line.txt", "ü.txt"):
        (sealed.path / name).unlink()
    stage(git)
    done = hook(shell)
    assert done.returncode == 1
    assert done.stderr.count("the commit deletes") == 2


def test_new_runs_selections_and_log_entries_pass(
    in_git: Project, git: Git, shell: Shell, sealed: Run, make_run: MakeRun
) -> None:
    make_run(in_git, seed=1)
    stage(git)
    done = hook(shell)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_log_that_is_rewritten_is_stopped_and_one_that_grows_is_not(
    in_git: Project, git: Git, shell: Shell, sealed: Run
) -> None:
    segment = next(in_git.log.glob("*.jsonl"))
    kept = segment.read_bytes()
    segment.write_bytes(kept.replace(b'"start"', b'"START"', 1))
    stage(git)
    assert "only ever appended" in hook(shell).stderr
    segment.write_bytes(kept + b'{"type":"more"}\n')
    stage(git)
    assert hook(shell).returncode == 0
    segment.unlink()
    stage(git)
    assert hook(shell).returncode == 1


def test_the_first_commit_and_a_merge_of_runs_pass(
    in_git: Project, git: Git, shell: Shell, make_run: MakeRun, tmp_path: Path
) -> None:
    git("checkout", "-q", "--orphan", "fresh")
    make_run(in_git)
    stage(git)
    assert hook(shell).returncode == 0
    git("commit", "-qm", "first")
    git("checkout", "-qb", "side")
    make_run(in_git, "side")
    stage(git)
    git("commit", "-qm", "side")
    git("checkout", "-q", "fresh")
    make_run(in_git, "main")
    stage(git)
    git("commit", "-qm", "main")
    git("merge", "-q", "--no-commit", "side")
    assert hook(shell).returncode == 0


def test_folders_of_that_name_which_hold_no_sealed_run_are_nobodys_business(
    in_git: Project, git: Git, shell: Shell
) -> None:
    path = in_git.root / "lib/results/x/runs/y/file.txt"
    path.parent.mkdir(parents=True)
    path.write_text("1")
    stage(git)
    git("commit", "-qm", "not ours")
    path.write_text("2")
    stage(git)
    assert hook(shell).returncode == 0


class TestReconcile:
    """Staged blobs against the staged claims."""

    @pytest.fixture
    def claims(self, in_git: Project, git: Git) -> None:
        in_git.evidence.write_text(json.dumps(CLAIMS))
        (in_git.root / "README.md").write_text(RIGHT)
        stage(git)
        git("commit", "-qm", "claims")

    def test_what_is_right_is_passed_over_in_silence(
        self, in_git: Project, git: Git, shell: Shell, claims: None
    ) -> None:
        (in_git.root / "README.md").write_text(RIGHT + "\nMore words.\n")
        stage(git)
        done = hook(shell, "reconcile")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    def test_the_staged_blob_counts_not_the_work_tree(
        self, in_git: Project, git: Git, shell: Shell, claims: None
    ) -> None:
        (in_git.root / "README.md").write_text(WRONG)
        stage(git)
        (in_git.root / "README.md").write_text(RIGHT)
        done = hook(shell, "reconcile")
        assert done.returncode == 0
        assert "README.md:3:10: error: reports 0.921" in done.stderr
        (in_git.root / "README.md").write_text(RIGHT + "\n")
        stage(git)
        (in_git.root / "README.md").write_text(WRONG)
        assert hook(shell, "reconcile").stderr == ""

    def test_changed_claims_are_held_against_every_document(
        self, in_git: Project, git: Git, shell: Shell, claims: None
    ) -> None:
        in_git.evidence.write_text(json.dumps(CLAIMS).replace("0.912", "0.934"))
        stage(git)
        assert "0.912" in hook(shell, "reconcile").stderr

    def test_a_policy_can_stop_the_commit(self, in_git: Project, git: Git, shell: Shell, claims: None) -> None:
        (in_git.root / "ledger.toml").write_text('policy = "strict"\n')
        (in_git.root / "README.md").write_text(WRONG)
        stage(git)
        assert hook(shell, "reconcile").returncode == 1
        assert hook(shell, "all").returncode == 1

    def test_it_prints_a_screenful_at_most(self, in_git: Project, git: Git, shell: Shell, claims: None) -> None:
        (in_git.root / "README.md").write_text("\n\n".join([WRONG] * 40))
        stage(git)
        assert len(hook(shell, "reconcile").stderr.splitlines()) <= 25

    def test_a_project_inside_the_repository_has_its_own_claims(
        self, in_git: Project, git: Git, shell: Shell, claims: None
    ) -> None:
        inner = in_git.root / "inner"
        inner.mkdir()
        (inner / "EVIDENCE.json").write_text(json.dumps(CLAIMS).replace("0.912", "0.5"))
        (inner / "README.md").write_text(RIGHT)
        stage(git)
        said = hook(shell, "reconcile").stderr
        assert "inner/README.md:3" in said
        assert "is 0.5" in said

    def test_broken_claims_are_one_line_and_no_obstacle(
        self, in_git: Project, git: Git, shell: Shell, claims: None
    ) -> None:
        in_git.evidence.write_text('{"claims": [}')
        stage(git)
        done = hook(shell, "reconcile")
        assert (done.returncode, len(done.stderr.splitlines())) == (0, 1)
        assert "EVIDENCE.json:1:13" in done.stderr


def test_the_installed_hook_stops_a_commit_and_foreign_hooks_are_left_alone(
    in_git: Project, git: Git, shell: Shell, sealed: Run
) -> None:
    assert shell("hook", "install").returncode == 0
    assert shell("hook", "install").returncode == 0  # renewing our own is fine
    path = in_git.root / ".git/hooks/pre-commit"
    assert os.access(path, os.X_OK)
    (sealed.path / "late.txt").write_text("late")
    stage(git)
    assert not git("commit", "-qm", "late", check=False)
    assert "late.txt" in git("diff", "--cached", "--name-only")
    path.write_text("#!/bin/sh\nexit 0\n")
    refused = shell("hook", "install")
    assert (refused.returncode, "another hook" in refused.stderr) == (2, True)
    assert path.read_text() == "#!/bin/sh\nexit 0\n"


def test_outside_a_repository_it_says_so_in_one_line(here: Project, shell: Shell) -> None:
    done = hook(shell)
    assert (done.returncode, len(done.stderr.splitlines())) == (3, 1)
    assert shell("hook", "install").returncode == 2
    assert hook(shell, "nonsense").returncode == 2


def test_on_an_unchanged_tree_it_imports_the_standard_library_alone(in_git: Project, sealed: Run) -> None:
    code = (
        "import sys; bare = set(sys.modules); sys.argv = ['ledger-hook', 'all']\n"
        "from ledger.hook import main\n"
        "status = main()\n"
        "print(status, sorted({name.split('.')[0] for name in set(sys.modules) - bare} - set(sys.stdlib_module_names)),"
        " sorted(name for name in sys.modules if name.startswith('ledger.')))"
    )
    around = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=in_git.root, env=around, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "0 ['ledger'] ['ledger.hook']"
