"""Walk a staged run: digest every file once, sort light from heavy, leave out what is no file of the run."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ledger.canon import file_digest
from ledger.errors import InputError
from ledger.model.run import RunFile, Tier

HEAVY_FROM = 1024 * 1024  # bytes; larger files are heavy wherever they lie
HEAVY_FOLDER = "checkpoints/"
DERIVED_FOLDER = "qualitative/"  # may be pruned: it can be made again from the checkpoint


@dataclass(frozen=True, slots=True)
class Collected:
    """What a run consists of; `skipped` says what was left out and why."""

    files: tuple[RunFile, ...]
    skipped: tuple[dict[str, str], ...]


def tier_of(path: str, size: int) -> Tier:
    return "heavy" if path.startswith(HEAVY_FOLDER) or size > HEAVY_FROM else "light"


def collect(root: Path, *, leave: frozenset[str] = frozenset()) -> Collected:
    """Every file under `root` but those named in `leave`, each read once, sorted by path.

    Links that stay inside are followed and count as files; links that lead outside, sockets, pipes and devices are
    skipped and said.

    Raises:
        InputError: a file changed while it was read.
        OSError: a file cannot be read.

    """
    files: list[RunFile] = []
    skipped: list[dict[str, str]] = []
    inside = root.resolve()
    for path in _walk(root):
        name = path.relative_to(root).as_posix()
        if name in leave:
            continue
        reason = _not_taken(path, inside)
        if reason:
            skipped.append({"path": name, "reason": reason})
        elif path.is_file():
            files.append(entry(path, name))
    return Collected(
        tuple(sorted(files, key=lambda file: file.path)), tuple(sorted(skipped, key=lambda item: item["path"]))
    )


def entry(path: Path, name: str) -> RunFile:
    """One file as the manifest lists it.

    Raises:
        InputError: it changed while it was read.

    """
    before = path.stat()
    sha256, size = file_digest(path)
    after = path.stat()
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns) or size != after.st_size:
        raise InputError("changed while it was sealed", where=path, fix="end the process that writes it and seal again")
    return RunFile(name, size, sha256, tier_of(name, size), name.startswith(DERIVED_FOLDER))


def _not_taken(path: Path, inside: Path) -> str | None:
    """Why this entry is no file of the run, or None."""
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        try:
            target = path.resolve(strict=True)
        except (OSError, RuntimeError):
            return "a link that leads nowhere"
        if not target.is_relative_to(inside):
            return f"a link that leaves the run ({os.readlink(path)})"  # noqa: PTH115 (kept as written)
        return None if target.is_file() else "a link to a folder"
    return None if stat.S_ISREG(mode) else "neither a file nor a folder"


def _walk(folder: Path) -> Iterator[Path]:
    """Every entry below, folders entered but not yielded, links to folders not entered."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda item: item.name):
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(Path(entry.path))
            else:
                yield Path(entry.path)
