"""Seal a folder that the user made: its bytes are theirs, so they are copied unless the user says otherwise."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from ledger.errors import UsageError
from ledger.model.finding import Finding, Location
from ledger.project import Project
from ledger.seal import staging
from ledger.seal.publish import Sealed, seal
from ledger.store import atomic
from ledger.store.objects import clone

Placement = Literal["copy", "move", "link"]


def seal_folder(
    project: Project,
    folder: Path,
    exp_id: str,
    *,
    placement: Placement = "copy",
    config: Mapping[str, Any] | None = None,
    seed: Any = None,
    data: Path | None = None,
    dataset: str | None = None,
) -> Sealed:
    """Seal the content of `folder` as a run of `exp_id`.

    The six inputs are those of now, not of when the training ran, and a note on the run says so.

    Raises:
        UsageError: `folder` is no folder, is empty or holds the project.
        StoreError: the disk refused; `folder` is untouched unless it was handed over by `move`.

    """
    if not folder.is_dir():
        raise UsageError("there is no such folder", where=folder)
    if project.root.is_relative_to(folder.resolve()) or folder.resolve().is_relative_to(project.private):
        raise UsageError("the project itself cannot be sealed as a run", where=folder, fix="name the run's own folder")
    if not any(folder.iterdir()):
        raise UsageError("the folder is empty", where=folder, fix="name the folder that the training wrote")
    staged = staging.begin(project, exp_id, config=config, seed=seed, data=data, dataset=dataset)
    try:
        _place(folder, staged.path, placement)
    except BaseException:
        if placement != "move":  # nothing of the user's is in there but copies
            shutil.rmtree(staged.path, ignore_errors=True)
            staging.forget(staged)
        raise
    sealed = seal(project, staged, "finished", None)
    note = Finding(
        "sealed-later",
        "note",
        "config, code, data and environment were captured at sealing, not before the run",
        Location(f"{exp_id}/{staged.run_id}"),
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
            for entry in sorted(source.iterdir()):
                shutil.move(entry, target / entry.name)
            source.rmdir()
        else:
            put = os.link if placement == "link" else clone
            shutil.copytree(source, target, symlinks=True, copy_function=put, dirs_exist_ok=True)
