"""From what the user typed (files, folders, globs) to the documents that are meant."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from ledger.errors import InputError
from ledger.registry import BUILT_IN

SKIPPED = frozenset(
    {".git", ".venv", "venv", "node_modules", ".ledger", "results", "generated", "build", "dist", "__pycache__", ".tox"}
)


def expand(paths: Sequence[Path | str], root: Path | str, *, must_exist: bool = True) -> list[Path]:
    """The documents that `paths` mean, each once, in order; relative ones start at `root`.

    A folder gives every document with a known ending below it, except in folders that tools own (`.git`,
    `results`, `generated`...). A file that is named is taken whatever it is called.

    Raises:
        InputError: a path or glob that matches nothing, unless `must_exist` is off (a configured list of globs
            may fit nothing yet).
    """
    base = Path(root)
    out: dict[Path, None] = {}
    for given in paths:
        path = base / given
        if path.is_dir():
            found: Iterable[Path] = _walk(path)
        elif path.exists():
            found = (path,)
        else:
            found = _glob(base, str(given))
            if not found and must_exist:
                raise InputError("there is no such file or folder", where=str(given))
        out.update(dict.fromkeys(found))
    return list(out)


def _walk(folder: Path) -> list[Path]:
    known = tuple(BUILT_IN["readers"])
    out: list[Path] = []
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        out.extend(Path(here) / name for name in sorted(files) if name.lower().endswith(known))
    return out


def _glob(base: Path, pattern: str) -> list[Path]:
    if not any(char in pattern for char in "*?["):
        return []
    absolute = Path(pattern)
    anchor, relative = (
        (Path(absolute.anchor), str(absolute.relative_to(absolute.anchor)))
        if absolute.is_absolute()
        else (base, pattern)
    )
    found = sorted(path for path in anchor.glob(relative) if path.is_file())
    return [path for path in found if not SKIPPED & set(path.relative_to(anchor).parts[:-1])]
