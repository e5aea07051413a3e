"""Seal folders that the user made: their bytes are the user's, so they are copied unless told otherwise."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ledger.errors import UsageError
from ledger.model.finding import Finding, Location
from ledger.project import Project
from ledger.seal import provenance, staging
from ledger.seal.publish import Sealed, seal, seal_all
from ledger.store import atomic
from ledger.store.objects import clone

Placement = Literal["copy", "move", "link"]


def seal_folders(
    project: Project,
    folders: Sequence[Path],
    exp_id: str,
    *,
    placement: Placement = "copy",
    config: Mapping[str, Any] | None = None,
    seed: Any = None,
    data: Path | None = None,
    dataset: str | None = None,
) -> list[Sealed]:
    """Seal the content of each folder as a run of `exp_id`; all of them wait for the disk together.

    The six inputs are those of now, not of when the training ran, and a note on each run says so.

    Raises:
        UsageError: a folder is none, is empty or holds the project.
        StoreError: the disk refused; the folders are untouched unless they were handed over by `move`.
    """
    for folder in folders:
        _check(project, folder)
    staging.check_exp_id(exp_id)
    around = provenance.surroundings(project, data_path=data, dataset=dataset, command=())
    kept = staging.keep(project, around)
    staged: list[staging.Staging] = []
    try:
        for folder in folders:
            staged.append(staging.stage(project, exp_id, around, kept, config=config, seed=seed, durable=False))
            _place(folder, staged[-1].path, placement)
    except BaseException:
        if placement != "move":  # nothing of the user's is in there but copies
            for item in staged:
                shutil.rmtree(item.path, ignore_errors=True)
                staging.forget(item)
        raise
    staging.log_starts(project, staged)
    return [_noted(sealed) for sealed in seal_all(project, staged, "finished", None)]


def _check(project: Project, folder: Path) -> None:
    if not folder.is_dir():
        raise UsageError("there is no such folder", where=folder)
    if project.root.is_relative_to(folder.resolve()) or folder.resolve().is_relative_to(project.private):
        raise UsageError("the project itself cannot be sealed as a run", where=folder, fix="name the run's own folder")
    if not any(folder.iterdir()):
        raise UsageError("the folder is empty", where=folder, fix="name the folder that the training wrote")


def _noted(sealed: Sealed) -> Sealed:
    note = Finding(
        "sealed-later",
        "note",
        "config, code, data and environment were captured at sealing, not before the run",
        Location(f"{sealed.run.exp_id}/{sealed.run.run_id}"),
        fix="start the training with `ledger run` and they are captured before it begins",
    )
    return Sealed(sealed.run, (*sealed.findings, note), sealed.selected)


def seal_abandoned(project: Project, run_id: str) -> Sealed:
    """Seal what a killed process left in staging, as `abandoned`.

    Raises:
        UsageError: there is no such staging, or its process still runs.

    """
    path = project.running / run_id
    if not path.is_dir():
        raise UsageError(
            "no run in progress is called that", where=run_id, fix="`ledger fsck` lists what was left behind"
        )
    staged = staging.load(path)
    if staged.alive():
        raise UsageError("its process still runs", where=run_id, fix="end the process, or wait for it")
    return seal(project, staged, "abandoned", None)


def _place(source: Path, target: Path, placement: Placement) -> None:
    """Bring every entry of `source` under `target`."""
    with atomic.explained(target):
        if placement == "move":
            _move(source, target)
        else:
            put = os.link if placement == "link" else clone
            shutil.copytree(source, target, symlinks=True, copy_function=put, dirs_exist_ok=True)


def _move(source: Path, target: Path) -> None:
    """Make `source` the staging folder; entry by entry where it lies on another file system."""
    try:
        source.rename(target)  # an empty folder is replaced, on POSIX
    except OSError:
        for entry in sorted(source.iterdir()):
            shutil.move(entry, target / entry.name)
        source.rmdir()
