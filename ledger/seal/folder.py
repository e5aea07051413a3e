"""Seal folders that the user made: their bytes are the user's, so they are copied unless told otherwise."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from ledger.errors import StoreError, UsageError
from ledger.model.finding import Finding, Location
from ledger.project import Project
from ledger.seal import kept, provenance, staging, start
from ledger.seal.experiment import check_exp_id
from ledger.seal.publish import Sealed, seal_all
from ledger.store import atomic, space
from ledger.store.objects import clone
from ledger.store.runs import MANIFEST

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
    real = _checked(project, folders)
    if placement == "move":
        _check_apart(folders, real)
    check_exp_id(project, exp_id)
    around = provenance.surroundings(project, data_path=data, dataset=dataset, command=())
    stored = kept.keep(project, around)
    born = start.conditions(project, exp_id, around, stored, config=config, seed=seed)
    staged: list[staging.Staging] = []
    try:
        for _ in folders:
            beside = staged[0] if staged else None
            staged.append(staging.stage(project, born, beside=beside, durable=False))
        if placement == "move":  # a power cut must not leave what was handed over without the record that seals it
            staging.flush(project, staged)
        for folder, source, item in zip(folders, real, staged, strict=True):
            _place(source, item.path, placement)
            if placement == "move" and os.path.islink(folder):  # noqa: PTH114
                with atomic.explained(folder):
                    folder.unlink()
    except BaseException as error:
        for item in staged:
            if placement == "move" and item.path.is_dir() and any(item.path.iterdir()):
                continue  # handed over already: `ledger seal RUN` makes it a run
            shutil.rmtree(item.path, ignore_errors=True)  # nothing of the user's is in there but copies
            staging.forget(item)
        if space.is_full(error):  # in all, now that no copy takes any
            lack = space.lack(project.running, sum(map(_size, real)))
            message = f"cannot be written (No space left on device: {lack})"
            raise StoreError(
                message, where=project.running, fix="free some space and try again; nothing was lost"
            ) from error
        raise
    staging.log_starts(project, staged)
    return [_noted(sealed) for sealed in seal_all(project, staged, "finished", None)]


def _checked(project: Project, folders: Sequence[Path]) -> list[str]:
    """The folders without links. Raises UsageError where one is none, is empty, or holds or is part of what is sealed."""
    real = []
    private, results = project.private.resolve(), project.results.resolve()
    for folder in folders:
        if not os.path.isdir(folder):  # noqa: PTH112 (a thousand folders in one command are usual)
            raise UsageError("there is no such folder", where=folder)
        here = os.path.realpath(folder)
        if _within(project.root, here) or _within(here, private):
            fix = "name the run's own folder"
            raise UsageError("the project itself cannot be sealed as a run", where=folder, fix=fix)
        if _holds_sealed(results, here):
            fix = "name a folder that the training wrote; `ledger select` chooses among sealed runs"
            raise UsageError("it holds sealed runs, or lies in one", where=folder, fix=fix)
        with os.scandir(folder) as entries:
            if next(entries, None) is None:
                raise UsageError("the folder is empty", where=folder, fix="name the folder that the training wrote")
        real.append(here)
    return real


def _within(inner: str | Path, outer: str | Path) -> bool:
    """Whether a path is another or lies below it; both without links."""
    return f"{inner}{os.sep}".startswith(f"{str(outer).rstrip(os.sep)}{os.sep}")


def _holds_sealed(results: Path, here: str) -> bool:
    """Whether sealed runs would be copied, or moved away, with this folder."""
    if _within(results, here):
        return any(results.glob(f"*/runs/*/{MANIFEST}"))
    if not _within(here, results):
        return False
    _, *inner = Path(here).relative_to(results).parts
    return inner[:1] == ["runs"] or (not inner and any(Path(here).glob(f"runs/*/{MANIFEST}")))


def _size(folder: str) -> int:
    """Bytes of the files below."""
    paths = (os.path.join(here, name) for here, _, names in os.walk(folder) for name in names)  # noqa: PTH118
    return sum(found.st_size for found in map(os.lstat, paths) if stat.S_ISREG(found.st_mode))


def _check_apart(folders: Sequence[Path], real: Sequence[str]) -> None:
    """Folders that are handed over must not lie in one another."""
    # sorted by its parts, a folder stands right behind the one that it lies in
    placed = sorted((Path(here).parts, folder) for here, folder in zip(real, folders, strict=True))
    for (outer, other), (inner, folder) in pairwise(placed):
        if inner[: len(outer)] == outer:
            raise UsageError(f"is handed over with {other} already", where=folder, fix="name it once")


def _noted(sealed: Sealed) -> Sealed:
    note = Finding(
        "sealed-later",
        "note",
        "config, code, data and environment were captured at sealing, not before the run",
        Location(f"{sealed.run.exp_id}/{sealed.run.run_id}"),
        fix="start the training with `ledger run` and they are captured before it begins",
    )
    return Sealed(sealed.run, (*sealed.findings, note), sealed.selected)


def _place(source: str, target: Path, placement: Placement) -> None:
    """Bring every entry of `source` under `target`, in folders that we may write to."""
    with atomic.explained(target):
        if placement == "move":
            _move(source, target)
        else:
            _copy_tree(source, target, _link if placement == "link" else _copy)
        make_writable(os.fspath(target))


def _copy_tree(source: str, target: Path, put: Callable[[str, str], None]) -> None:
    def put_one(one: str, place: str) -> None:
        try:
            put(one, place)
        except OSError as error:
            if error.errno in space.FULL:  # there is no point in trying the next one
                raise StoreError("cannot be copied: the disk is full", where=one) from error
            raise

    try:
        shutil.copytree(source, target, symlinks=True, copy_function=put_one, dirs_exist_ok=True)
    except shutil.Error as error:
        path, _, reason = error.args[0][0]
        raise StoreError(f"cannot be copied ({reason})", where=path) from error


def make_writable(folder: str) -> None:
    """Let us write into a folder and those below it."""
    mode = os.stat(folder).st_mode  # noqa: PTH116
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        os.chmod(folder, mode | stat.S_IRWXU)  # noqa: PTH101
    with os.scandir(folder) as entries:
        below = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    for inner in below:
        make_writable(inner)


def _copy(source: str, target: str) -> None:
    if stat.S_ISREG(os.stat(source).st_mode):  # noqa: PTH116
        clone(source, target)
    else:  # a pipe, socket or device has no end to read to; sealing names what stands in its place as not taken
        os.mkfifo(target)


def _link(source: str, target: str) -> None:
    os.link(source, target)


def _move(source: str, target: Path) -> None:
    """Make `source` the staging folder; where it lies on another file system it is copied, and goes when the copy is safe."""
    try:
        os.rename(source, target)  # noqa: PTH104 (an empty folder is replaced, on POSIX)
    except OSError:
        try:
            _copy_tree(source, target, _copy)
            files = [str(path.relative_to(target)) for path in target.rglob("*") if stat.S_ISREG(path.lstat().st_mode)]
            atomic.fsync_trees([(target, files)])
        except BaseException:
            shutil.rmtree(target, ignore_errors=True)  # it is all still where it was
            raise
        shutil.rmtree(source, ignore_errors=True)  # only now: one of the two is on the disk at every moment
