"""Seal: complete the records, digest everything, publish in one rename, append to the log.

Order and crash behaviour (docs/format.md): objects, then the manifest, then fsync of all, then the rename, then
the log entry, then the selection. A crash leaves staging, or a whole run whose log entry `fsck --repair` adds.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ledger.canon import listing, spelled
from ledger.errors import LedgerError
from ledger.model.finding import Finding, Location
from ledger.model.run import Manifest, RunFile, Status
from ledger.project import Project
from ledger.seal import collect, ignored, staging
from ledger.seal.complete import IGNORE, complete
from ledger.seal.snapshots import mark_snapshots
from ledger.store import atomic
from ledger.store.journal import Journal, now
from ledger.store.objects import READ_ONLY, ObjectStore, share
from ledger.store.recover import seal_entry
from ledger.store.runs import MANIFEST, Run, RunStore, just_sealed
from ledger.store.selection import Selection

_IGNORE_NOTE = "# heavy files: their bytes live in the object store, their digests in run.json"


@dataclass(frozen=True, slots=True)
class Sealed:
    """A run just sealed, what there is to say about it, and whether it became its seed's chosen run."""

    run: Run
    findings: tuple[Finding, ...]
    selected: bool


@dataclass(frozen=True, slots=True)
class _Ready:
    """A staged run whose bytes are final."""

    staged: staging.Staging
    manifest: Manifest
    certificate: Mapping[str, Any]
    findings: list[Finding]


def seal(project: Project, staged: staging.Staging, status: Status, exit_status: int | None) -> Sealed:
    """Make a staged run final.

    Raises:
        StoreError: the disk refused; the staging folder stays and can be sealed again.
        InputError: a file changed while it was read; likewise.
    """
    return seal_all(project, [staged], status, exit_status)[0]


def seal_all(
    project: Project, many: Sequence[staging.Staging], status: Status, exit_status: int | None
) -> list[Sealed]:
    """Make several staged runs final with one wait for the disk. Raises as `seal`."""
    ready = [_prepare(project, staged, status, exit_status) for staged in many]
    store = RunStore(project)
    targets = [store.folder(item.staged.exp_id) / item.staged.run_id for item in ready]
    with atomic.explained(project.results):
        atomic.fsync_trees(
            [(item.staged.path, [*(file.path for file in item.manifest.files), MANIFEST]) for item in ready]
        )
        atomic.publish([(item.staged.path, target) for item, target in zip(ready, targets, strict=True)])
        runs = [
            just_sealed(target, item.manifest, item.certificate) for target, item in zip(targets, ready, strict=True)
        ]
        Journal(project).append_all([seal_entry(run) for run in runs])
        for item in ready:
            staging.forget(item.staged)
    chosen, problems = _select(project, runs)
    hidden = ignored.findings(project, runs)
    return [
        Sealed(
            run,
            (*item.findings, *_skipped(project, run), *([hidden[run.key]] if run.key in hidden else []), *problems),
            run.key in chosen,
        )
        for run, item in zip(runs, ready, strict=True)
    ]


def _select(project: Project, runs: Sequence[Run]) -> tuple[set[tuple[str, str]], list[Finding]]:
    """Select runs whose seed has none yet. They are sealed, so a selection that cannot be made is a finding."""
    try:
        return Selection(project).select_first(runs), []
    except LedgerError as error:
        where = Location(f"{runs[0].exp_id}/{runs[0].run_id}")
        fix = "the run is sealed; put the selection right, then `ledger select` it"
        return set(), [Finding("selection-broken", "warning", f"not selected: {error}", where, fix=fix)]


def _prepare(project: Project, staged: staging.Staging, status: Status, exit_status: int | None) -> _Ready:
    """Complete the records, digest every file, put heavy ones into the object store, write the manifest."""
    with atomic.explained(staged.path):
        record, findings = complete(project, staged, status, exit_status)
        found = collect.collect(staged.path, leave=frozenset({MANIFEST}))
        if any(spelled(name) != name for name in (*(f.path for f in found.files), *(i["path"] for i in found.skipped))):
            collect.respell(staged.path)
            found = collect.collect(staged.path, leave=frozenset({MANIFEST}))
            findings.append(_respelled(staged))
        for name in found.unfinished:
            (staged.path / name).unlink()
        files = {file.path: file for file in found.files}
        heavy = [file for file in found.files if file.tier == "heavy"]
        if heavy:
            files[IGNORE] = _write_ignore(staged.path, heavy)
        manifest = Manifest(
            exp_id=staged.exp_id,
            run_id=staged.run_id,
            status=status,
            created=now(),
            provenance_hash=record["provenance_hash"],
            group_hash=record["group_hash"],
            files=mark_snapshots(file for _, file in sorted(files.items())),
            skipped=found.skipped,
        )
        _place(project, staged.path, manifest)
        atomic.write_bytes(staged.path / MANIFEST, listing(manifest.to_json()), mode=READ_ONLY, durable=False)
    return _Ready(staged, manifest, record, findings)


def _place(project: Project, root: Path, manifest: Manifest) -> None:
    """Heavy files become one with their objects, light ones read-only; what was skipped is taken out."""
    objects = ObjectStore(project.objects)
    for item in manifest.skipped:
        # a link, a socket or a pipe: no bytes of its own, and `skipped` says where it led
        (root / item["path"]).unlink()
    for file in manifest.files:
        place = f"{root}/{file.path}"
        if os.path.islink(place):  # noqa: PTH114 (one of thousands of files: paths as text cost a tenth)
            share(Path(place).resolve(), Path(place))
        if file.tier == "heavy":
            objects.adopt(Path(place), file.sha256)
        else:
            atomic.set_mode(place, READ_ONLY)


def _write_ignore(root: Path, heavy: list[RunFile]) -> RunFile:
    """Keep git away from the heavy files, and from nothing else; the run's own .gitignore keeps its lines."""
    path = root / IGNORE
    own = path.read_bytes().split(f"{_IGNORE_NOTE}\n".encode())[0] if path.is_file() else b""
    lines = "".join(f"{line}\n" for line in (_IGNORE_NOTE, *map(_ignored, heavy)))
    atomic.write_bytes(path, own + lines.encode("utf-8", "surrogateescape"), durable=False)
    return collect.entry(path, IGNORE)


def _ignored(file: RunFile) -> str:
    """A .gitignore pattern that matches exactly this path (a newline can only be matched by `?`)."""
    special = "\\*?[]!# "
    escaped = "".join(f"\\{char}" if char in special else ("?" if char == "\n" else char) for char in file.path)
    return f"/{escaped}"


def _respelled(staged: staging.Staging) -> Finding:
    return Finding(
        rule="name-respelled",
        severity="note",
        message="a file has a name that is no UTF-8; its wrong bytes are written as \\xff now",
        location=Location(f"{staged.exp_id}/{staged.run_id}"),
        fix="name files in UTF-8; the content is as it was",
    )


def _skipped(project: Project, run: Run) -> list[Finding]:
    """One finding for each entry that was no file of the run."""
    return [
        Finding(
            rule="not-sealed",
            severity="warning",
            message=f"{item['path']} was not sealed: {item['reason']}",
            location=Location(f"{project.shown(run.path)}/{item['path']}"),
            fix="write a regular file into the run folder",
        )
        for item in run.manifest.skipped
    ]
