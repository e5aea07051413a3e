"""What a crash left behind: temporary files, the beginning of a log entry, staging. None of it was ever counted."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from ledger.model.finding import Finding
from ledger.project import Project
from ledger.store.atomic import TEMPORARY, is_temporary
from ledger.store.fsck.counted import finding
from ledger.store.journal import Journal

GRACE = 3600  # seconds; what is younger may be of a process that still writes it

_PLACES = (
    ".ledger/objects/sha256/??", ".ledger/log", ".ledger/local", ".ledger/running", "results/*", "results/*/runs",
)  # fmt: skip


def check_leftovers(project: Project) -> Iterator[Finding]:
    """Temporary files that no living process can need, and runs that were never sealed."""
    for path in sorted(_temporary(project)):
        fix = "`ledger fsck --repair` removes it"
        shown = project.shown(path.parent) + "/" + path.name
        yield finding("leftover", "a temporary file that a crash left", shown, severity="note", fix=fix)
    for path in sorted(project.running.glob("*")):
        if path.is_dir():
            fix = (
                f"`ledger seal {path.name}` seals it as abandoned if its process has died; with --discard it is deleted"
            )
            yield finding(
                "staging-leftover",
                f"{path.name} is in progress or was left behind",
                project.shown(path),
                severity="note",
                fix=fix,
            )


def torn(project: Project, segment: Path) -> Finding:
    """The finding for a segment of ours whose last line was never finished."""
    message = "the last line was cut off by a crash; its entry was never counted"
    fix = "`ledger fsck --repair` removes the rest of it, and so does the next entry"
    return finding("leftover", message, project.shown(segment), severity="note", fix=fix)


def remove(project: Project, path: Path) -> None:
    """Remove a leftover. Raises OSError or StoreError."""
    if not path.name.startswith(TEMPORARY):
        Journal(project).settle()
    elif path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _temporary(project: Project) -> Iterator[Path]:
    for place in _PLACES:
        for path in project.root.glob(f"{place}/{TEMPORARY}*"):
            # not its mtime: that of a second name of an old file is old
            if is_temporary(path.name) and time.time() - path.lstat().st_ctime >= GRACE:
                yield path
