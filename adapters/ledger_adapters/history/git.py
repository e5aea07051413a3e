"""Git history through GitPython: which commit wrote a line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# what git tells its hooks of the repository it works on; another repository is none of it
_OF_A_HOOK = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY")


def line_origin(root: Path, path: str, line: int) -> str | None:
    """`abc1234567, 2026-12-01, Subject` of the commit that last wrote `path:line` (from 1); None when git cannot tell."""
    import git

    try:
        with _no_hook_around(), git.Repo(root, search_parent_directories=True) as repository:
            top = Path(str(repository.working_tree_dir)).resolve()
            for commit, lines in repository.blame("HEAD", (root / path).resolve().relative_to(top).as_posix()) or ():
                line -= len(lines)
                if line <= 0:
                    day = commit.committed_datetime.date().isoformat()
                    return f"{commit.hexsha[:10]}, {day}, {commit.summary}"
    except (git.GitError, ValueError, OSError):
        return None
    return None


@contextmanager
def _no_hook_around() -> Iterator[None]:
    """Take these variables out of the environment for a while: GitPython reads them itself and hands them on to git."""
    kept = {name: os.environ.pop(name) for name in _OF_A_HOOK if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(kept)
