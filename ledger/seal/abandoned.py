"""What a run left in staging when its process died: sealed as `abandoned`, or discarded by the user's word alone.

Nothing here touches a run that a process of this host still writes. The start of a run that was discarded stays in the
log, so that it is counted.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ledger.errors import InputError, UsageError
from ledger.project import Project
from ledger.seal import liveness, outcome, staging, start
from ledger.seal.folder import make_writable
from ledger.seal.publish import Sealed, seal
from ledger.store import atomic
from ledger.store.lock import exclusive

_LOCK = "seal-abandoned"  # two at once would work on one folder under each other's hands


@dataclass(frozen=True, slots=True)
class Left:
    """What lies in a staging folder, and where the run began if that is not here: there it may still run."""

    path: Path
    files: int
    bytes: int
    began: str | None


def find(project: Project, name: str) -> Path | None:
    """The staging folder of the run in progress whose id is `name`, or begins so; None when there is none.

    Raises:
        UsageError: several ids begin so.
    """
    folders = [path for path in staging.leftovers(project) if name and path.name.startswith(name)]
    exact = [path for path in folders if path.name == name]
    if len(exact or folders) > 1:
        listed = ", ".join(path.name for path in folders[:5]) + (" ..." if len(folders) > 5 else "")
        raise UsageError(f"{name!r} fits {len(folders)} runs in progress: {listed}", fix="type more of the id")
    return next(iter(exact or folders), None)


def seal_abandoned(project: Project, run_id: str, *, trusted: bool = False) -> Sealed:
    """Seal what a killed process left in staging, as `abandoned`; a run that ended and could not be sealed then, as what
    it was. `trusted` is the user's word that a run of another host has ended there.

    Raises:
        UsageError: there is no such staging, or a process writes it still, or may do so on another host.
        InputError: its start record is gone or damaged.
    """
    with exclusive(project.local, _LOCK):
        path = _folder(project, run_id)
        staged = staging.load(path)
        _refuse_alive(path, staged.start)
        if (began := liveness.elsewhere(staged.start)) and not trusted:
            message = f"it began {began}, and whether it still runs there cannot be known here"
            raise UsageError(message, where=run_id, fix=f"when it has ended, `ledger seal {run_id} --yes` seals it")
        return seal(project, staged, *(outcome.read(path) or ("abandoned", None)))


def look_at(project: Project, run_id: str) -> Left:
    """What discarding a run would delete. Raises UsageError when there is no such staging, or a process writes it still."""
    path = _folder(project, run_id)
    began = _began(path)
    _refuse_alive(path, began)
    sizes = [about.st_size for file in path.rglob("*") if stat.S_ISREG((about := file.lstat()).st_mode)]
    return Left(path, len(sizes), sum(sizes), liveness.elsewhere(began) if began else None)


def discard(project: Project, run_id: str) -> None:
    """Delete a staging folder and its start record.

    Raises:
        UsageError: there is no such staging, or a process writes it still.
        StoreError: the disk refused; what is left can be discarded again.
    """
    with exclusive(project.local, _LOCK):
        path = _folder(project, run_id)
        _refuse_alive(path, _began(path))
        with atomic.explained(path):
            make_writable(os.fspath(path))
            shutil.rmtree(path)
            outcome.forget(path)
            Path(start.place(path)).unlink(missing_ok=True)
            atomic.fsync_folder(project.running)


def _folder(project: Project, run_id: str) -> Path:
    path = next((path for path in staging.leftovers(project) if path.name == run_id), None)  # never led out of them
    if path is None:
        raise UsageError(
            "no run in progress is called that", where=run_id, fix="`ledger fsck` lists what was left behind"
        )
    if path.is_symlink():
        raise UsageError("is a link, and no staging folder of ours", where=path, fix="look where it leads")
    return path


def _began(path: Path) -> Mapping[str, Any] | None:
    """The start record; None when it is gone or damaged, and nobody knows which process began the run."""
    try:
        return start.read(path)
    except InputError:
        return None


def _refuse_alive(path: Path, began: Mapping[str, Any] | None) -> None:
    """Raise UsageError while the process that began a run on this host runs, or one that was told to write there."""
    if began and (pid := liveness.beginner(began)):
        raise UsageError(f"its process still runs ({pid})", where=path.name, fix="end the process, or wait for it")
    if writers := liveness.writers(path):
        still = f"its command still runs (process {', '.join(map(str, writers))})"
        raise UsageError(still, where=path.name, fix="end it, or wait for it")
