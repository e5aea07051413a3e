"""Take derived files of sealed runs off the disk: images and snapshots that can be made again. The run keeps saying what they were.

The log says it first, then the names go: a crash leaves files that are still there, never files that are gone without
a word. A file whose bytes are no longer those that were sealed is left where it is.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ledger.canon import file_digest
from ledger.errors import IntegrityError
from ledger.log.seals import addresses, seals
from ledger.log.segment import Entry
from ledger.model.run import RunFile
from ledger.project import Project
from ledger.store import atomic
from ledger.store.journal import Journal
from ledger.store.runs import Run

Pruned = Mapping[str, frozenset[str]]  # run address -> paths


@dataclass(frozen=True, slots=True)
class Plan:
    """What of one run would go, and what would not although it is derived: (path, why)."""

    run: Run
    files: tuple[RunFile, ...]
    left: tuple[tuple[str, str], ...]

    @property
    def size(self) -> int:
        """Bytes of the files that would go."""
        return sum(file.size for file in self.files)


def pruned(entries: Iterable[Entry]) -> Pruned:
    """What the log says was pruned. Only files that the manifest calls derived can be: readers ask `gone`."""
    found: dict[str, frozenset[str]] = {}
    for entry in entries:
        if entry.type == "prune":
            address = str(entry.body["address"])
            found[address] = found.get(address, frozenset()).union(entry.body["files"])
    return found


def gone(run: Run, said: Pruned) -> frozenset[str]:
    """Paths of a run that may be absent because they were pruned."""
    paths = said.get(run.address)
    return paths.intersection(file.path for file in run.manifest.files if file.derived) if paths else frozenset()


def plan(project: Project, runs: Iterable[Run]) -> list[Plan]:
    """What pruning these runs would do; runs of which nothing would go or be left are not in it.

    Raises:
        IntegrityError: a run is not in the log, or not what the log says of it.
    """
    logged = seals(Journal(project).entries())
    plans = []
    for run in runs:
        if addresses(logged.get(run.key, ())) != [run.address]:
            fix = "`ledger fsck` says more; nothing was pruned"
            raise IntegrityError("is not the run that the log says was sealed", where=project.shown(run.path), fix=fix)
        files, left = [], []
        for file in run.manifest.files:
            if file.derived and os.path.lexists(run.path / file.path):
                why = _not_to_go(run.path, file)
                if why:
                    left.append((file.path, why))
                else:
                    files.append(file)
        if files or left:
            plans.append(Plan(run, tuple(files), tuple(left)))
    return plans


def carry_out(project: Project, plans: Sequence[Plan]) -> None:
    """Log what goes, then take it away.

    Raises:
        StoreError: the disk refused; what is logged and still there goes with the next attempt.
    """
    plans = [item for item in plans if item.files]
    if not plans:
        return
    Journal(project).append_all(
        [
            {
                "type": "prune",
                "exp_id": item.run.exp_id,
                "run_id": item.run.run_id,
                "address": item.run.address,
                "files": [file.path for file in item.files],
            }
            for item in plans
        ]
    )
    for item in plans:
        for file in item.files:
            path = item.run.path / file.path
            with atomic.explained(path):
                if _not_to_go(item.run.path, file) is None:
                    path.unlink()
        _remove_empty(item.run.path, item.files)


def _not_to_go(root: Path, file: RunFile) -> str | None:
    """Why a derived file stays; None when it is exactly what was sealed."""
    path = PurePosixPath(file.path)
    if path.is_absolute() or ".." in path.parts:
        return "its name leads out of the run"
    place = root / file.path
    folders = [place, *place.parents][: len(path.parts)]
    if any(part.is_symlink() for part in folders) or not place.is_file():
        return "it is a link or no file"
    try:
        same = place.stat().st_size == file.size and file_digest(place)[0] == file.sha256
    except OSError as error:
        return f"it cannot be read ({error.strerror})"
    return None if same else "it has changed since it was sealed"


def _remove_empty(root: Path, files: Iterable[RunFile]) -> None:
    """Folders of which nothing is left; git knows none."""
    folders = {folder for file in files for folder in (root / file.path).parents if folder.is_relative_to(root)}
    for folder in sorted(folders - {root}, key=lambda folder: -len(folder.parts)):
        with contextlib.suppress(OSError):
            folder.rmdir()
