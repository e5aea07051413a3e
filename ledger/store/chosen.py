"""Which runs of an experiment are selected, as `results/<exp_id>/selected.json` says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ledger.canon import parse, read_record
from ledger.errors import InputError
from ledger.model.run import SELECTED_SCHEMA
from ledger.model.version import refuse_newer
from ledger.project import Project

FILE = "selected.json"


def selected_file(project: Project, exp_id: str) -> Path:
    """Where an experiment's selection is written."""
    return project.results / exp_id / FILE


def selected_ids(project: Project, exp_id: str) -> list[str]:
    """Ids of the selected runs, in order of selection. Raises InputError when the file is malformed."""
    path = selected_file(project, exp_id)
    try:
        raw: Any = parse(read_record(path), project.shown(path))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=project.shown(path)) from error
    refuse_newer(raw, SELECTED_SCHEMA, project.shown(path))
    runs = raw.get("runs") if isinstance(raw, dict) else None
    if not isinstance(runs, list) or not all(isinstance(run, str) for run in runs):
        fix = "`ledger select RUN` rewrites it"
        raise InputError('expected {"runs": ["RUN", ...]}', where=project.shown(path), fix=fix)
    return runs
