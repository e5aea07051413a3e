"""The code input: which source tree ran, whether git knows it, and how to get it back when git does not.

`tree_sha256` covers tracked and untracked files (ignored ones not) without results, logs and generated files, so
sealing one seed does not change the code of the next. Only it enters the provenance hash: committing a sealed run
moves the commit and changes no code.
"""

from __future__ import annotations

import fnmatch
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ledger.canon import digest, file_digest, sha256, spelled
from ledger.project import Project

# what the evidence layer and the paper's build write; matched against paths relative to the project
NOT_CODE = (
    "results/*", ".ledger/*", "generated/*", "figures/*/output/*", "figures/*/source_data.csv", "figures/*.provenance",
    "EVIDENCE.json", "DISCLOSURES.md", "dvc.lock",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Code:
    """The code input, and the bytes that must be kept so that a dirty tree can be rebuilt."""

    record: dict[str, Any]
    diff: bytes | None = None
    untracked: tuple[str, ...] = ()  # project-relative paths of sources that no commit holds

    @property
    def dirty(self) -> bool:
        return bool(self.record.get("dirty"))


def capture(project: Project) -> Code:
    """The state of the project's source tree now."""
    top = _git(project.root, "rev-parse", "--show-toplevel")
    if top is None:
        files = _walk(project.root)
        return Code({"commit": None, "tree_sha256": _tree(project, files), "dirty": None, "diff_sha256": None})
    tracked = _paths(_git(project.root, "ls-files", "-z", "--cached"))
    untracked = _paths(_git(project.root, "ls-files", "-z", "--others", "--exclude-standard"))
    commit = _git(project.root, "rev-parse", "--verify", "-q", "HEAD")
    excluded = [f":(exclude){pattern}" for pattern in _not_code(project)]  # git's `*` crosses slashes too, as fnmatch's
    # the diff is stored to be applied again: no colour, no user's diff driver, binary files whole
    diff = (
        _git(
            project.root, "diff", "--no-ext-diff", "--no-color", "--binary", "--relative", "HEAD", "--", ".", *excluded
        )
        if commit
        else None
    )
    new = tuple(path for path in untracked if _is_code(project, path))
    sources = sorted({*tracked, *untracked})
    record = {
        "commit": commit.decode().strip() if commit else None,
        "tree_sha256": _tree(project, sources),
        "dirty": bool(diff) or bool(new) or not commit,
        "diff_sha256": sha256(diff) if diff else None,
    }
    return Code(record, diff or None, new if commit else tuple(path for path in sources if _is_code(project, path)))


def _git(root: Path, *args: str) -> bytes | None:
    """Output of a git command, or None when git is absent or says no (no repository, no commit)."""
    try:
        done = subprocess.run(["git", "-C", str(root), *args], capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def _paths(output: bytes | None) -> list[str]:
    return [path.decode("utf-8", "surrogateescape") for path in (output or b"").split(b"\0") if path]


def _not_code(project: Project) -> tuple[str, ...]:
    return (*NOT_CODE, *project.config.not_code)


def _is_code(project: Project, path: str) -> bool:
    return not any(fnmatch.fnmatchcase(path, pattern) for pattern in _not_code(project))


def _tree(project: Project, paths: Iterable[str]) -> str:
    """Digest over (path, content digest) of every source file that exists; a symlink counts as its target's text."""
    listed = []
    for path in paths:
        if not _is_code(project, path):
            continue
        file = project.root / path
        shown = spelled(path)
        if file.is_symlink():
            listed.append([shown, sha256(str(file.readlink()).encode("utf-8", "surrogateescape"))])
        elif file.is_file():
            listed.append([shown, file_digest(file)[0]])
    return digest(sorted(listed))


def _walk(root: Path) -> list[str]:
    """Source files of a project outside git: everything that is neither hidden nor a cache nor an environment."""
    skipped = {"__pycache__", "node_modules", "venv", "build", "dist"}
    out: list[str] = []
    stack = [root]
    while stack:
        for path in stack.pop().iterdir():
            if path.name.startswith(".") or path.name in skipped:
                continue
            if path.is_dir() and not path.is_symlink():
                stack.append(path)
            else:
                out.append(path.relative_to(root).as_posix())
    return out
