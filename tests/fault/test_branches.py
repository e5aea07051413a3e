"""A branch is switched while a run is in progress: its segment knows more than the new branch holds, and nothing is damaged.

What the branch itself held and lost is damage as ever.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ledger.project import Project
from ledger.seal import staging
from ledger.seal.publish import seal
from ledger.store import fsck
from ledger.store.journal import Journal
from ledger.store.runs import Run
from tests.conftest import commit

Git = Callable[..., str]


def rules(found: Project, severity: str) -> list[str]:
    return [each.rule for each in fsck.check(found).findings if each.severity == severity]


@pytest.fixture
def switched(in_git: Project, git: Git, make_run: Callable[..., Run]) -> Project:
    """A run that began on `main`, in a segment of its own, and was sealed on `old`, which has no log."""
    git("branch", "old")
    make_run(in_git)
    commit(git, "a run")
    (in_git.local / "segment.json").unlink()  # as a clone would: the next entry begins a segment
    staged = staging.begin(in_git, "new")
    git("checkout", "-q", "old")
    seal(in_git, staged, "finished", 0)
    return in_git


def test_what_is_on_another_branch_is_not_gone(switched: Project, git: Git) -> None:
    assert rules(switched, "error") == []
    (said,) = [each for each in fsck.check(switched).findings if each.rule == "log-shorter"]
    assert "on the branch main" in said.message
    commit(git, "the new run")
    assert rules(switched, "error") == []
    git("merge", "-q", "--no-edit", "main")
    assert rules(switched, "error") == []
    assert "log-shorter" not in rules(switched, "note")


def test_what_this_branch_had_is_gone_when_it_is_deleted(switched: Project, git: Git) -> None:
    commit(git, "the new run")
    git("merge", "-q", "--no-edit", "main")
    known = next(path for path in Journal(switched).files() if b'"knows":[]' in path.read_bytes())
    known.unlink()
    assert "log-rewritten" in rules(switched, "error")
    commit(git, "without it")
    assert "log-rewritten" in rules(switched, "error")


def test_what_no_branch_holds_is_gone(switched: Project, git: Git) -> None:
    git("branch", "-qD", "main")
    assert "log-rewritten" in rules(switched, "error")
