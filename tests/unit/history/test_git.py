"""Which commit wrote a line, also where a hook of another repository is around us."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.project import Project
from ledger_adapters.history.git import line_origin

Git = Callable[..., str]


@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_COMMON_DIR"])
def test_a_line_is_traced_in_its_own_repository_within_a_hook_of_another(
    in_git: Project, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git("init", "-q", "-b", "main", at=other)
    (other / "train.py").write_text("somebody else's\n")
    git("add", "-A", at=other)
    git("commit", "-qm", "theirs", at=other)
    place = {"GIT_INDEX_FILE": other / ".git/index", "GIT_WORK_TREE": other}.get(variable, other / ".git")
    before = place.read_bytes() if place.is_file() else b""
    monkeypatch.setenv(variable, str(place))
    found = line_origin(in_git.root, "train.py", 1)
    assert found is not None
    assert found.endswith(", start")
    assert os.environ[variable] == str(place)
    assert before == (place.read_bytes() if place.is_file() else b"")
