"""Folders of the user's that were sealed before and have not changed since, known by what stat(2) says of every file: not
a byte is read again.

One small file for each folder, in the user's cache; without it the folder is sealed once more, and nothing else happens.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ledger.errors import LedgerError
from ledger.project import Project

_SETTLED = (
    2.0  # seconds; a file written later than that before we looked may be written again within one tick of its clock
)


@dataclass(frozen=True, slots=True)
class Seen:
    """A folder as it was before it was sealed."""

    place: str  # without links
    state: str  # digest of every entry's name, size, times, inode and mode
    settled: bool


def look_at(folders: Iterable[Path]) -> dict[Path, Seen]:
    """How each folder is now; those that cannot be walked are left out."""
    seen = {}
    for folder in folders:
        with contextlib.suppress(OSError):
            seen[folder] = _look(folder)
    return seen


def _look(folder: Path) -> Seen:
    place = os.path.realpath(folder)
    hasher = hashlib.sha256()
    newest = 0
    for name, about in sorted(_walk(place, "")):
        times = (about.st_mtime_ns, about.st_ctime_ns)
        newest = max(newest, *times)
        said = f"\0{about.st_size} {times} {about.st_ino} {about.st_mode}\0"
        hasher.update(os.fsencode(name) + said.encode())
    return Seen(place, hasher.hexdigest(), newest / 1e9 < time.time() - _SETTLED)


def _walk(folder: str, prefix: str) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path, f"{prefix}{entry.name}/")
            else:
                yield prefix + entry.name, entry.stat(follow_symlinks=False)


def sealed_as(project: Project, seen: Seen, asked: str) -> str | None:
    """`EXP/RUN` of the run that this very content was sealed as when the same was asked for; None when there is none."""
    try:
        raw = json.loads(_file(project, seen.place, asked).read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(raw, dict) or raw.get("state") != seen.state:
        return None
    exp_id, run_id = str(raw.get("exp_id")), str(raw.get("run_id"))
    there = os.path.lexists(f"{project.results}/{exp_id}/runs/{run_id}/run.json")
    return f"{exp_id}/{run_id}" if there else None


def remember(project: Project, seen: Seen, asked: str, exp_id: str, run_id: str) -> None:
    """Note what a folder was sealed as; a cache that cannot be written is no loss."""
    from ledger.store import atomic

    if seen.settled:
        record = {"state": seen.state, "exp_id": exp_id, "run_id": run_id}
        with contextlib.suppress(LedgerError, OSError):
            atomic.write_bytes(_file(project, seen.place, asked), json.dumps(record).encode(), durable=False)


def _file(project: Project, place: str, asked: str) -> Path:
    key = hashlib.sha256(os.fsencode(place) + b"\0" + asked.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return project.cache / "sealed-folders" / key
