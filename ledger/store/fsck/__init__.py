"""Check everything the store holds: each run against its manifest, the log against its history and the runs,
selections, objects, leftovers.

Checking only reads. `repair` acts where nothing can be lost and leaves the rest to the user.
"""

from __future__ import annotations

from collections.abc import Callable

from ledger.errors import LedgerError
from ledger.model.finding import Finding, Report
from ledger.project import Project
from ledger.store.fsck.counted import Counted, finding
from ledger.store.fsck.log import check_logged, read_log
from ledger.store.fsck.objects import check_leftovers, check_objects, check_selections
from ledger.store.fsck.runs import check_run
from ledger.store.recover import log_run
from ledger.store.runs import Run, RunStore, read_run

__all__ = ["check", "repair"]


def check(project: Project, *, progress: Callable[[int], None] | None = None) -> Report:
    """Check the whole store; `checked` says how much was read. `progress` is called with bytes as they are hashed."""
    findings: list[Finding] = []
    counted = Counted(progress)
    runs: dict[tuple[str, str], Run] = {}
    store = RunStore(project)
    for folder in store.folders():
        counted.runs += 1
        try:
            run = read_run(folder)
        except LedgerError as error:
            findings.append(finding("run-unreadable", error.message, project.shown(folder), fix="restore it from git"))
            continue
        runs[run.exp_id, run.run_id] = run
        findings += check_run(project, run, counted)
    segments, damaged = read_log(project)
    findings += damaged
    findings += check_logged(project, segments, runs, complete=not damaged)
    findings += check_selections(project, store)
    findings += check_objects(project, runs.values(), counted)
    findings += check_leftovers(project)
    checked = {
        "runs": counted.runs,
        "files": counted.files,
        "bytes": counted.bytes,
        "heavy_files_elsewhere": counted.absent_heavy,
        "segments": len(segments),
        "entries": sum(len(segment.entries) for segment in segments),
    }
    return Report("fsck", checked=checked, findings=tuple(findings))


def repair(project: Project, report: Report) -> list[str]:
    """Do what cannot lose data: log whole runs that a crash left unlogged, remove temporary files. Says what it did.

    Raises:
        IntegrityError: an unlogged run is not what its manifest says.

    """
    done = []
    for item in report.findings:
        if item.location is None:
            continue
        path = project.root / item.location.path
        if item.rule == "run-unlogged":
            log_run(project, read_run(path))
            done.append(f"logged {path.name}")
        elif item.rule == "leftover":
            path.unlink()
            done.append(f"removed {item.location.path}")
    return done
