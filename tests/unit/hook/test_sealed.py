"""A run comes into git as it was sealed, or not at all."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.project import Project
from ledger.store.runs import Run

Git = Callable[..., str]
Shell = Callable[..., subprocess.CompletedProcess[str]]
MakeRun = Callable[..., Run]

TABLE = b"seed,accuracy\r\n0,0.796312\r\n1,0.801275\r\n"
FILES = {"metrics.csv": TABLE, "ü and\nline.txt": b"u", "checkpoints/best.pt": b"w", "empty": b""}


@pytest.fixture
def new(in_git: Project, make_run: MakeRun) -> Run:
    """A run that no commit holds yet."""
    return make_run(in_git, files=FILES)


def hook(shell: Shell, name: str = "append-only") -> subprocess.CompletedProcess[str]:
    return shell(name, module="ledger.hook")


def rewrite(path: Path, data: bytes) -> None:
    path.chmod(0o644)
    path.write_bytes(data)


@pytest.mark.parametrize("first", [True, False])
def test_a_new_run_passes_and_one_saved_by_a_spreadsheet_is_stopped(
    in_git: Project, git: Git, shell: Shell, new: Run, first: bool
) -> None:
    if first:  # a repository without any commit
        git("update-ref", "-d", "HEAD")
    git("add", "-A")
    done = hook(shell)
    assert (done.returncode, done.stderr) == (0, "")
    rewrite(new.path / "metrics.csv", b"seed,accuracy\r\n0,0.8\r\n1,0.8\r\n")
    rewrite(new.path / "ü and\nline.txt", b"v")
    assert hook(shell).returncode == 0, "the work tree is not what is committed"
    git("add", "-A")
    done = hook(shell)
    assert done.returncode == 1
    named, other, *_ = done.stderr.splitlines()
    was = hashlib.sha256(TABLE).hexdigest()[:12]
    assert named.startswith(f"results/ours/runs/{new.run_id}/metrics.csv: sealed as {was}, staged as ")
    assert f"{new.run_id}/ü and\\nline.txt: sealed as " in other
    assert "line ends" not in done.stderr
    assert "git restore --staged" in done.stderr


def test_line_ends_that_git_changes_on_the_way_in_are_called_that(
    in_git: Project, git: Git, shell: Shell, new: Run
) -> None:
    (in_git.root / ".gitattributes").write_text("* text=auto eol=lf\n")
    git("add", "-A")
    done = hook(shell)
    assert done.returncode == 1
    assert "metrics.csv: sealed as " in done.stderr
    assert "only its line ends differ: `ledger init`" in done.stderr


def test_a_part_of_a_run_or_a_pointer_of_git_lfs_is_no_alteration(
    in_git: Project, git: Git, shell: Shell, new: Run
) -> None:
    sha = hashlib.sha256(TABLE).hexdigest()
    rewrite(
        new.path / "metrics.csv", f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha}\nsize 9\n".encode()
    )
    git("add", "-A")
    git("rm", "--cached", "-q", f"results/ours/runs/{new.run_id}/log.txt", check=False)
    assert hook(shell).returncode == 0


@pytest.mark.parametrize("manifest", [b"", b"[]", b'{"files": 3}', b'{"files": [{"path": 1}, 2]}', b"\xff"])
def test_a_manifest_that_is_none_keeps_nobody_from_committing(
    in_git: Project, git: Git, shell: Shell, new: Run, manifest: bytes
) -> None:
    rewrite(new.path / "run.json", manifest)
    git("add", "-A")
    assert hook(shell).returncode == 0


def test_what_another_branch_committed_altered_does_not_stop_the_merge_of_it(
    in_git: Project, git: Git, shell: Shell, make_run: MakeRun
) -> None:
    git("checkout", "-qb", "side")
    run = make_run(in_git, "side", files=FILES)
    rewrite(run.path / "metrics.csv", b"0")
    git("add", "-A")
    git("commit", "-qm", "without the hook")
    git("checkout", "-q", "main")
    (in_git.root / "train.py").write_text("2\n")
    git("commit", "-qam", "here")
    git("merge", "-q", "--no-commit", "side")
    assert hook(shell).returncode == 0


def test_a_project_below_the_top_of_its_repository_is_seen(in_git: Project, git: Git, shell: Shell, new: Run) -> None:
    below = in_git.root / "papers/one"
    below.mkdir(parents=True)
    (in_git.root / "results").rename(below / "results")
    rewrite(below / new.path.relative_to(in_git.root) / "metrics.csv", b"0")
    git("add", "-A")
    for place in (in_git.root, below):
        done = shell("append-only", module="ledger.hook", at=place)
        assert done.returncode == 1
        assert done.stderr.startswith(f"papers/one/results/ours/runs/{new.run_id}/metrics.csv: sealed as ")
