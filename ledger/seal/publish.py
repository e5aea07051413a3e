"""Seal: complete the records, digest everything, publish in one rename, append to the log.

Order and crash behaviour (docs/format.md): objects, then the manifest, then fsync of all, then the rename, then
the log entry, then the selection. A crash leaves staging, or a whole run whose log entry `fsck --repair` adds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ledger.canon import pretty
from ledger.errors import InputError
from ledger.model.finding import Finding, Location
from ledger.model.run import Manifest, RunFile, Status
from ledger.project import Project
from ledger.seal import collect, records, staging
from ledger.store import atomic
from ledger.store.journal import Journal, now
from ledger.store.objects import READ_ONLY, ObjectStore, share
from ledger.store.recover import seal_entry
from ledger.store.runs import CONFIG, MANIFEST, PROVENANCE, RESULTS, Run, RunStore, read_run
from ledger.store.selection import Selection

RESULTS_REFUSED = "results.refused.json"
IGNORE = ".gitignore"


@dataclass(frozen=True, slots=True)
class Sealed:
    """A run just sealed, what there is to say about it, and whether it became its seed's chosen run."""

    run: Run
    findings: tuple[Finding, ...]
    selected: bool


def seal(project: Project, staged: staging.Staging, status: Status, exit_status: int | None) -> Sealed:
    """Make a staged run final.

    Raises:
        StoreError: the disk refused; the staging folder stays and can be sealed again.
        InputError: a file changed while it was read; likewise.

    """
    with atomic.explained(staged.path):
        findings = _complete(project, staged, status, exit_status)
        record = _write_provenance(staged, exit_status)
        found = collect.collect(staged.path, leave=frozenset({MANIFEST, IGNORE}))
        heavy = [file for file in found.files if file.tier == "heavy"]
        files = found.files
        if heavy:
            files = (*files, _write_ignore(staged.path, heavy))
        manifest = Manifest(
            exp_id=staged.exp_id,
            run_id=staged.run_id,
            status=status,
            created=now(),
            provenance_hash=record["provenance_hash"],
            group_hash=record["group_hash"],
            files=tuple(sorted(files, key=lambda file: file.path)),
            skipped=found.skipped,
        )
        _make_durable(project, staged.path, manifest)
        target = RunStore(project).folder(staged.exp_id) / staged.run_id
        atomic.publish(staged.path, target)
    run = read_run(target)
    Journal(project).append(seal_entry(run))
    staging.forget(staged)
    findings += [_skipped(project, target, item) for item in found.skipped]
    return Sealed(run, tuple(findings), Selection(project).select_first(run))


def _complete(project: Project, staged: staging.Staging, status: Status, exit_status: int | None) -> list[Finding]:
    """Write results.json, history.csv and the resolved config from what the run logged."""
    root = staged.path
    shown = f"{staged.exp_id}/{staged.run_id}"
    findings: list[Finding] = []
    rows, torn = records.read_journal(root / staging.RESULTS_JOURNAL)
    own = root / RESULTS
    try:
        results = records.merge_results(own.read_bytes() if own.is_file() else None, rows, f"{shown}/{RESULTS}")
    except InputError as error:
        # the run is over and cannot be asked again: keep its words, take what it logged
        own.replace(root / RESULTS_REFUSED)
        results = records.merge_results(None, rows, shown)
        fix = f"the file is kept as {RESULTS_REFUSED}; write a valid one in the next run"
        findings.append(Finding("results-unreadable", "error", str(error), Location(shown), fix=fix))
    if results is not None:
        atomic.write_bytes(own, results)
        findings += records.non_finite(results, f"{shown}/{RESULTS}")
    elif status == "finished":
        message = "the run reported no metric"
        fix = "write results.json into $LEDGER_RUN_DIR, or call run.result(...)"
        findings.append(Finding("no-results", "note", message, Location(shown), fix=fix))
    curve, torn_steps = records.read_journal(root / staging.HISTORY_JOURNAL)
    if curve:
        atomic.write_bytes(root / "history.csv", records.history_csv(curve))
    if torn or torn_steps:
        message = f"{torn + torn_steps} logged line was cut off when the process ended"
        findings.append(
            Finding("torn-line", "note", message, Location(shown), fix="nothing to do; whole lines are kept")
        )
    if staged.config:
        import yaml

        text = yaml.safe_dump(dict(staged.config), sort_keys=True, allow_unicode=True)
        atomic.write_bytes(root / CONFIG, text.encode())
    for name in (staging.RESULTS_JOURNAL, staging.HISTORY_JOURNAL):
        (root / name).unlink(missing_ok=True)
    if staged.provenance["hash_inputs"]["code"]["dirty"]:
        findings.append(_dirty(staged, shown))
    return findings


def _dirty(staged: staging.Staging, shown: str) -> Finding:
    code = staged.provenance["hash_inputs"]["code"]
    new = len(staged.provenance["untracked"])
    commit = (code["commit"] or "")[:10] or "no commit"
    return Finding(
        rule="dirty-tree",
        severity="warning",
        message=f"the code that ran is not what {commit} holds"
        + (f" ({new} untracked file{'s' if new != 1 else ''})" if new else ""),
        location=Location(shown),
        values={"commit": code["commit"], "diff_sha256": code["diff_sha256"], "untracked": new},
        fix="commit before you train; the difference is stored, so this run can still be rebuilt",
    )


def _write_provenance(staged: staging.Staging, exit_status: int | None) -> Mapping[str, Any]:
    ended = now()
    record = {**staged.provenance, "ended": ended, "exit_status": exit_status, "created": ended}
    atomic.write_bytes(staged.path / PROVENANCE, pretty(record))
    return record


def _write_ignore(root: Path, heavy: list[RunFile]) -> RunFile:
    """Keep git away from the heavy files, and from nothing else."""
    lines = ["# heavy files: their bytes live in the object store, their digests in run.json", *map(_ignored, heavy)]
    atomic.write_bytes(root / IGNORE, ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape"))
    return collect.entry(root / IGNORE, IGNORE)


def _ignored(file: RunFile) -> str:
    """A .gitignore pattern that matches exactly this path (a newline can only be matched by `?`)."""
    special = "\\*?[]!# "
    escaped = "".join(f"\\{char}" if char in special else ("?" if char == "\n" else char) for char in file.path)
    return f"/{escaped}"


def _make_durable(project: Project, root: Path, manifest: Manifest) -> None:
    """Objects, the manifest and every byte of the staging folder are on the disk when this returns."""
    objects = ObjectStore(project.objects)
    for item in manifest.skipped:
        (
            root / item["path"]
        ).unlink()  # a link, a socket or a pipe: no bytes of its own, and `skipped` says where it led
    for file in manifest.files:
        path = root / file.path
        if path.is_symlink():
            share(path.resolve(), path)
        if file.tier == "heavy":
            objects.adopt(path, file.sha256)
        else:
            path.chmod(READ_ONLY)
    atomic.write_bytes(root / MANIFEST, pretty(manifest.to_json()), mode=READ_ONLY)
    atomic.fsync_tree(root, [*(file.path for file in manifest.files), MANIFEST])


def _skipped(project: Project, target: Path, item: Mapping[str, str]) -> Finding:
    return Finding(
        rule="not-sealed",
        severity="warning",
        message=f"{item['path']} was not sealed: {item['reason']}",
        location=Location(f"{project.shown(target)}/{item['path']}"),
        fix="write a regular file into the run folder",
    )
