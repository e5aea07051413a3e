"""Each sealed run against its manifest: every listed file whole, nothing beside them, nothing moved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ledger.canon import listing
from ledger.errors import InputError
from ledger.model.finding import Finding
from ledger.model.run import RunFile
from ledger.project import Project
from ledger.store.fsck.counted import Counted, finding
from ledger.store.runs import MANIFEST, Run


def check_run(project: Project, run: Run, counted: Counted) -> Iterator[Finding]:
    """All that is wrong with one run's own bytes."""
    yield from _manifest(project, run)
    for file in run.manifest.files:
        yield from _file(project, run, file, counted)
    yield from _unlisted(project, run)


def _manifest(project: Project, run: Run) -> Iterator[Finding]:
    path = project.shown(run.path / MANIFEST)
    if (run.path / MANIFEST).read_bytes() != listing(dict(run.manifest_raw)):
        yield finding(
            "manifest-altered", "the manifest's bytes are not as they were written", path, fix="restore it from git"
        )
    place = (run.path.parent.parent.name, run.path.name)
    if place != (run.exp_id, run.run_id):
        message = f"the folder is {'/'.join(place)} but the manifest says {run.exp_id}/{run.run_id}"
        yield finding("run-moved", message, path, fix="move the folder back")
    try:
        inputs = run.provenance.get("hash_inputs")
        stated = run.provenance.get("provenance_hash")
    except InputError as error:
        yield finding("run-unreadable", str(error), path, fix="restore it from git")
        return
    if inputs and stated != run.manifest.provenance_hash:
        message = f"provenance.json states {stated}, the manifest {run.manifest.provenance_hash}"
        yield finding("provenance-mismatch", message, path, fix="restore the run from git")


def _file(project: Project, run: Run, file: RunFile, counted: Counted) -> Iterator[Finding]:
    """One file against its manifest line."""
    path = run.path / file.path
    shown = project.shown(run.path) + "/" + file.path
    if ".." in Path(file.path).parts or Path(file.path).is_absolute():
        yield finding("manifest-altered", f"the manifest names a path outside the run: {file.path}", shown)
        return
    try:
        path.lstat()
    except OSError:
        if file.tier == "heavy":
            counted.absent_heavy += 1
            message = f"{file.path} ({file.size:,} bytes) of {run.run_id} is not on this machine"
            yield finding(
                "heavy-absent", message, shown, severity="note", fix="bring it from the machine that sealed it"
            )
        else:
            yield finding("file-missing", f"{file.path} of {run.run_id} is gone", shown, fix="restore it from git")
        return
    counted.files += 1
    try:
        found = counted.mismatch(path, file.sha256, file.size)
    except OSError as error:
        yield finding("file-unreadable", f"{file.path} of {run.run_id} cannot be read ({error.strerror})", shown)
        return
    if found:
        message = (
            f"{file.path} of {run.run_id} has changed: sealed as {file.sha256[:12]} ({file.size:,} bytes), now {found}"
        )
        yield finding(
            "hash-mismatch", message, shown, fix="restore it from git, or from the object store",
            reported=found, expected=file.sha256,
        )  # fmt: skip


def _unlisted(project: Project, run: Run) -> Iterator[Finding]:
    listed = {file.path for file in run.manifest.files} | {MANIFEST}
    for path in run.path.rglob("*"):
        name = path.relative_to(run.path).as_posix()
        if (path.is_symlink() or not path.is_dir()) and name not in listed:
            fix = "move it out: nothing is added to a sealed run"
            yield finding(
                "unlisted-file",
                f"{name} is in {run.run_id} but was not sealed with it",
                project.shown(run.path) + "/" + name,
                fix=fix,
            )
