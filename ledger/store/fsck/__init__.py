"""Check everything the store holds: each run against its manifest, the log against its history and the runs,
selections, objects, leftovers.

Checking only reads. `repair` acts where nothing can be lost and leaves the rest to the user.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from ledger.errors import IntegrityError, LedgerError, UsageError
from ledger.model.finding import Finding, Report
from ledger.project import Project
from ledger.store import git
from ledger.store.atomic import explained
from ledger.store.fsck.counted import Counted
from ledger.store.fsck.leftovers import check_leftovers, remove
from ledger.store.fsck.log import check_against, check_logged, read_log
from ledger.store.fsck.objects import check_objects
from ledger.store.fsck.runs import check_run, no_run
from ledger.store.fsck.selections import check_selections
from ledger.store.prune import gone, pruned
from ledger.store.recover import log_run
from ledger.store.runs import Run, RunStore, read_run
from ledger.store.selection import Selection

__all__ = ["check", "repair"]


def check(
    project: Project,
    *,
    quick: bool = False,
    sample: int | None = None,
    against: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Report:
    """Check the whole store; `checked` says how much was read.

    `quick` compares sizes and hashes nothing, `sample` hashes so many files chosen at random, `against` is a git
    revision whose log must be the beginning of today's. `progress` is called with bytes as they are hashed.

    Raises:
        UsageError: `against` is no revision.
    """
    findings: list[Finding] = []
    segments, damaged = read_log(project)
    whole = all(item.severity == "note" for item in damaged)
    said = pruned(entry for segment in segments for entry in segment.entries)
    counted = Counted(progress, chosen=_chosen(project, quick, sample))
    runs: dict[tuple[str, str], Run] = {}
    store = RunStore(project)
    counted.ahead(project.objects)
    for folder in store.folders():
        counted.runs += 1
        try:
            run = read_run(folder)
            _ = run.address  # a number beyond all that JSON can say has none
        except LedgerError as error:
            findings.append(no_run(project, folder, error, segments if whole else None))
            continue
        runs[run.exp_id, run.run_id] = run
        findings += check_run(project, run, counted, gone(run, said))
    findings += damaged
    if against is not None:
        findings += check_against(project, _log_at(project, against), segments, against)
    findings += check_logged(project, segments, runs, complete=whole)
    findings += check_selections(project, runs, segments if whole else None)
    findings += check_objects(project, runs.values(), counted, said)
    findings += check_leftovers(project)
    checked: dict[str, object] = {
        "runs": counted.runs,
        "files": counted.files,
        "hashed": counted.hashed,
        "bytes": counted.bytes,
        "heavy_files_elsewhere": counted.absent_heavy,
        "files_pruned": counted.pruned,
        "segments": len(segments),
        "entries": sum(len(segment.entries) for segment in segments),
    }
    if quick:
        checked["contents"] = "not read: sizes were compared"
    elif sample is not None:
        checked["contents"] = f"read of {counted.hashed:,} files, chosen at random"
    return Report("fsck", checked=checked, findings=tuple(findings))


def _chosen(project: Project, quick: bool, sample: int | None) -> Collection[str] | None:
    """Digests to verify: all (None), none, or a random choice among what the manifests list."""
    if quick:
        return ()
    if sample is None:
        return None
    import random

    listed = sorted({file.sha256 for run in RunStore(project).all() for file in run.manifest.files})
    return frozenset(random.sample(listed, min(sample, len(listed))))


def _log_at(project: Project, ref: str) -> dict[str, bytes]:
    """The log's segments as a git revision holds them."""

    def asked(*args: str) -> bytes:
        done = git.ask(project.root, *args)
        if done.returncode:
            raise UsageError(git.complaint(done), where=f"--against {ref}", fix="name a commit, branch or tag")
        return done.stdout

    folder = f"{project.log.relative_to(project.root).as_posix()}/"
    names = asked("ls-tree", "-z", "--name-only", ref, "--", folder).split(b"\0")
    paths = [name.decode() for name in names if name.endswith(b".jsonl")]
    return {
        path.rpartition("/")[2].removesuffix(".jsonl"): asked("cat-file", "blob", f"{ref}:./{path}") for path in paths
    }


def repair(project: Project, report: Report) -> list[str]:
    """Do what cannot lose data: log whole runs that a crash left unlogged, write selections that are gone or broken as the
    log has them, remove temporary files. Says what it did.

    Raises:
        IntegrityError: an unlogged run is not what its manifest says, or the log is damaged; everything else is done.
        StoreError: the disk refused.
    """
    done = []
    refused: IntegrityError | None = None
    for item in report.findings:
        if item.location is None:
            continue
        path = project.root / item.location.path
        if item.rule == "run-unlogged":
            try:
                log_run(project, read_run(path))
            except IntegrityError as error:
                refused = refused or error
                continue
            done.append(f"logged {path.name}")
        elif item.rule == "leftover":
            with explained(path):
                remove(project, path)
            done.append(f"removed {item.location.path}")
        elif item.rule == "selection-broken":
            try:
                ids = Selection(project).rebuild(path.parent.name)
            except IntegrityError as error:
                refused = refused or error
                continue
            if ids:
                done.append(f"selected {', '.join(ids)} of {path.parent.name} as the log has it")
    if refused:
        raise refused
    return done
