"""Rules of the user's that keep light files out of git are said, and the advice helps."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.model.finding import Finding
from ledger.project import Project
from ledger.seal import staging
from ledger.seal.publish import Sealed, seal

Git = Callable[..., str]


def run(found: Project) -> Sealed:
    staged = staging.begin(found, "exp", config={"lr": 1})
    for name in ("log.txt", "curve.csv", "train.log", "with space.csv", "ü.log"):
        (staged.path / name).write_text("x")
    (staged.path / "checkpoints").mkdir()
    (staged.path / "checkpoints/best.pt").write_bytes(b"w")
    return seal(found, staged, "finished", 0)


def said(sealed: Sealed) -> Finding | None:
    return next((finding for finding in sealed.findings if finding.rule == "ignored-by-git"), None)


def held(git: Git) -> set[str]:
    git("add", "-A")
    return {path.rpartition("/")[2] for path in git("ls-files", "-z", "results").split("\0") if path}


@pytest.mark.parametrize(
    ("rules", "files"),
    [("*.log\n*.csv\n", 4), ("results/\n", 10), ("/results/*\n", 10), ("run.json\n", 1), ("checkpoints/\n*.pt\n", 0)],
)
def test_what_no_clone_would_have_is_said(in_git: Project, git: Git, rules: str, files: int) -> None:
    ignore = in_git.root / ".gitignore"
    ignore.write_text(ignore.read_text() + rules)
    sealed = run(in_git)
    light = {file.path for file in sealed.run.manifest.files if file.tier == "light"} | {"run.json"}
    finding = said(sealed)
    assert (finding.values["files"] if finding else 0) == files
    assert len(light - held(git)) == files
    if finding:
        assert re.search(r"\.gitignore:[45]: ", finding.message)
        ignore.write_text(ignore.read_text() + "!/results/\n!/results/**\n")
        assert light <= held(git)
        assert "best.pt" not in held(git)
        assert said(run(in_git)) is None


def test_an_ordinary_project_hears_nothing(in_git: Project, here: Project, git: Git) -> None:
    assert said(run(in_git)) is None


def test_outside_git_nothing_is_ignored(here: Project) -> None:
    (here.root / ".gitignore").write_text("*\n")
    assert said(run(here)) is None


def test_results_on_another_disk_are_no_matter_of_this_repository(in_git: Project, tmp_path: Path) -> None:
    (tmp_path / "large disk").mkdir()
    in_git.results.symlink_to(tmp_path / "large disk")
    assert said(run(in_git)) is None
