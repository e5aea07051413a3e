"""Git history through GitPython: which commit wrote a line."""

from __future__ import annotations

from pathlib import Path


def line_origin(root: Path, path: str, line: int) -> str | None:
    """`abc1234567, 2026-12-01, Subject` of the commit that last wrote `path:line` (from 1); None when git cannot tell."""
    import git

    try:
        with git.Repo(root, search_parent_directories=True) as repository:
            top = Path(str(repository.working_tree_dir)).resolve()
            for commit, lines in repository.blame("HEAD", (root / path).resolve().relative_to(top).as_posix()) or ():
                line -= len(lines)
                if line <= 0:
                    day = commit.committed_datetime.date().isoformat()
                    return f"{commit.hexsha[:10]}, {day}, {commit.summary}"
    except (git.GitError, ValueError, OSError):
        return None
    return None
