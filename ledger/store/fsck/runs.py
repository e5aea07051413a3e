"""Each sealed run against its manifest: every listed file whole, nothing beside them, nothing moved."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from ledger.canon import listing, read_record
from ledger.errors import InputError, LedgerError, NewerVersionError
from ledger.log.seals import seals
from ledger.log.segment import Segment
from ledger.model.finding import Finding
from ledger.model.run import RunFile
from ledger.project import Project
from ledger.store.fsck.counted import Counted, finding, state, unread
from ledger.store.fsck.paths import check_paths, files_once
from ledger.store.runs import MANIFEST, PROVENANCE, Run


def check_run(project: Project, run: Run, counted: Counted, pruned: Collection[str] = ()) -> Iterator[Finding]:
    """All that is wrong with one run's own bytes. `pruned` are paths that may be absent."""
    yield from _manifest(project, run)
    yield from check_paths(project, run)
    files = files_once(run)
    absent = []
    for file in files:
        if file.path in pruned and not os.path.lexists(f"{run.path}/{file.path}"):
            absent.append(file)
        else:
            yield from _file(project, run, file, counted)
    if absent:
        counted.pruned += len(absent)
        many = f"{len(absent)} derived files of {run.run_id} were" if len(absent) > 1 else f"{absent[0].path} was"
        message = f"{many} pruned ({sum(file.size for file in absent):,} bytes)"
        fix = "nothing to do: the log says so, and they can be made again"
        shown = project.shown(run.path)
        yield finding("pruned", message, shown, severity="note", fix=fix, files=len(absent), address=run.address)
    yield from _unlisted(project, run, {file.path for file in files})


def no_run(project: Project, folder: Path, error: LedgerError, segments: Sequence[Segment] | None) -> Finding:
    """What a folder under `runs/` is whose manifest cannot be read; `segments` are the log, None when it is damaged."""
    shown = project.shown(folder)
    logged = segments is None or (folder.parent.parent.name, folder.name) in seals(
        entry for segment in segments for entry in segment.entries
    )
    if logged or os.path.lexists(folder / MANIFEST):
        fix, bad = "restore it from git", state(folder / MANIFEST)
        return unread(error, "run-unreadable", error.message, shown, fix=fix, reported=bad)
    sizes = [os.lstat(folder / name).st_size for name in _below(os.fspath(folder), "")]
    message = (
        f"no run is sealed here, but {len(sizes)} file{'' if len(sizes) == 1 else 's'} ({sum(sizes):,} bytes) lie here"
    )
    fix = "nothing to do after a branch switch: git leaves heavy files behind, and they serve their run again on its branch"
    return finding("run-elsewhere", message, shown, severity="note", fix=fix)


def _manifest(project: Project, run: Run) -> Iterator[Finding]:
    path = f"{project.shown(run.path)}/{MANIFEST}"
    if read_record(run.path / MANIFEST) != listing(dict(run.manifest_raw)):
        yield finding(
            "manifest-altered", "the manifest's bytes are not as they were written", path, fix="restore it from git",
            reported=state(run.path / MANIFEST), expected=run.address,
        )  # fmt: skip
    place = (run.path.parent.parent.name, run.path.name)
    if place != (run.exp_id, run.run_id):
        message = f"the folder is {'/'.join(place)} but the manifest says {run.exp_id}/{run.run_id}"
        yield finding("run-moved", message, path, fix="move the folder back", address=run.address)
    try:
        inputs = run.provenance.get("hash_inputs")
        stated = run.provenance.get("provenance_hash")
    except InputError as error:
        bad = state(run.path / PROVENANCE)
        shown = f"{project.shown(run.path)}/{PROVENANCE}" if isinstance(error, NewerVersionError) else path
        yield unread(error, "run-unreadable", str(error), shown, fix="restore it from git", reported=bad)
        return
    if inputs and stated != run.manifest.provenance_hash:
        message = f"provenance.json states {stated}, the manifest {run.manifest.provenance_hash}"
        fix, expected = "restore the run from git", run.manifest.provenance_hash
        yield finding("provenance-mismatch", message, path, fix=fix, reported=stated, expected=expected)


def _file(project: Project, run: Run, file: RunFile, counted: Counted) -> Iterator[Finding]:
    """One file against its manifest line."""
    path = f"{run.path}/{file.path}"  # as text: there are thousands, and nearly all are as they were

    def shown() -> str:
        return f"{project.shown(run.path)}/{file.path}"

    if os.path.isabs(file.path) or (".." in file.path and ".." in Path(file.path).parts):  # noqa: PTH117
        message = f"the manifest names a path outside the run: {file.path}"
        yield finding("manifest-altered", message, shown(), address=run.address)
        return
    if not os.path.lexists(path):
        if file.tier == "heavy":
            counted.absent_heavy += 1
            message = f"{file.path} ({file.size:,} bytes) of {run.run_id} is not on this machine"
            yield finding(
                "heavy-absent", message, shown(), severity="note", fix="bring it from the machine that sealed it",
                expected=file.sha256,
            )  # fmt: skip
        else:
            message, fix = f"{file.path} of {run.run_id} is gone", "restore it from git"
            yield finding("file-missing", message, shown(), fix=fix, expected=file.sha256)
        return
    counted.files += 1
    try:
        found = counted.mismatch(path, file.sha256, file.size)
    except OSError as error:
        message = f"{file.path} of {run.run_id} cannot be read ({error.strerror})"
        yield finding("file-unreadable", message, shown(), expected=file.sha256)
        return
    if found:
        was = f"sealed as {file.sha256[:12]} ({file.size:,} bytes)"
        fix = "restore it from git, or from the object store"
        message = f"{file.path} of {run.run_id} has changed: {was}, now {found}"
        yield finding("hash-mismatch", message, shown(), fix=fix, reported=state(path), expected=file.sha256)


def _unlisted(project: Project, run: Run, listed: Collection[str]) -> Iterator[Finding]:
    for name in _below(os.fspath(run.path), ""):
        if name not in listed and name != MANIFEST:
            yield finding(
                "unlisted-file",
                f"{name} is in {run.run_id} but was not sealed with it",
                f"{project.shown(run.path)}/{name}",
                fix="move it out: nothing is added to a sealed run",
                reported=state(run.path / name),
                address=run.address,
            )


def _below(folder: str, prefix: str) -> Iterator[str]:
    """Names of everything below that is no folder; a link to one is none. A folder that cannot be read is passed over:
    what the manifest lists in it is said to be gone.
    """
    try:
        with os.scandir(folder) as entries:
            found = list(entries)
    except OSError:
        return
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name
