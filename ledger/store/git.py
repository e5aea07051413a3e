"""Git, asked about the repository of a project: never about the one that a hook around us speaks of."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_OF_A_HOOK = frozenset(
    {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"}
)


def ask(root: Path, *args: str, said: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run a git command in `root`, `said` being its standard input. Its complaints are in English, and what a partial
    clone left out is fetched from nobody.

    Raises:
        FileNotFoundError: git is not installed.
        OSError: it cannot be run.
    """
    around = {key: value for key, value in os.environ.items() if key not in _OF_A_HOOK}
    around |= {"LC_ALL": "C", "GIT_NO_LAZY_FETCH": "1"}
    command = ["git", "-C", os.fspath(root), *args]
    return subprocess.run(command, env=around, input=said, capture_output=True, check=False)


def complaint(done: subprocess.CompletedProcess[bytes]) -> str:
    """The first thing that a failed command said."""
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[0] if lines else f"git ended with exit status {done.returncode}"
