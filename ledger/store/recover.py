"""The log entry of a sealed run, and how it is added when a crash came between publishing and logging."""

from __future__ import annotations

from typing import Any

from ledger.canon import file_digest
from ledger.errors import IntegrityError
from ledger.project import Project
from ledger.store.atomic import explained
from ledger.store.journal import Journal
from ledger.store.runs import Run


def seal_entry(run: Run) -> dict[str, Any]:
    """What the log says of a sealed run."""
    return {
        "type": "seal",
        "exp_id": run.exp_id,
        "run_id": run.run_id,
        "address": run.address,
        "provenance_hash": run.manifest.provenance_hash,
        "status": run.manifest.status,
    }


def log_run(project: Project, run: Run) -> None:
    """Log a published run after checking every byte of it.

    Raises:
        IntegrityError: the run's bytes are not what its manifest says.

    """
    for file in run.manifest.files:
        path = run.path / file.path
        with explained(path):
            if not path.is_file() or file_digest(path)[0] != file.sha256:
                raise IntegrityError(
                    "does not match its manifest, so it cannot be logged", where=path, fix="restore it from git"
                )
    Journal(project).append(seal_entry(run))
    (project.running / f"{run.run_id}.json").unlink(missing_ok=True)
