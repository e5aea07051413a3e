"""The chosen runs of an experiment, one per seed. Choosing again is logged and destroys nothing."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from ledger.canon import parse, pretty
from ledger.errors import InputError, UsageError
from ledger.model.run import SELECTED_SCHEMA
from ledger.project import Project
from ledger.store import atomic
from ledger.store.journal import Journal
from ledger.store.lock import exclusive
from ledger.store.runs import Run, RunStore

FILE = "selected.json"
LINK = "selected"


class Selection:
    """Reads and writes `results/<exp_id>/selected.json`."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.store = RunStore(project)

    def path(self, exp_id: str) -> Path:
        return self.project.results / exp_id / FILE

    def ids(self, exp_id: str) -> list[str]:
        """Ids of the selected runs, in order of selection. Raises InputError when the file is malformed."""
        path = self.path(exp_id)
        try:
            raw: Any = parse(path.read_bytes(), self.project.shown(path))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror})", where=self.project.shown(path)) from error
        runs = raw.get("runs") if isinstance(raw, dict) else None
        if not isinstance(runs, list) or not all(isinstance(run, str) for run in runs):
            raise InputError(
                'expected {"runs": ["RUN", ...]}', where=self.project.shown(path), fix="`ledger select RUN` rewrites it"
            )
        return runs

    def runs(self, exp_id: str) -> tuple[list[Run], list[str]]:
        """The selected runs, and the ids among them that are absent."""
        found, absent = [], []
        for run_id in self.ids(exp_id):
            run = self.store.get(exp_id, run_id)
            if run is None:
                absent.append(run_id)
            else:
                found.append(run)
        return found, absent

    def select(self, run: Run) -> list[str]:
        """Make `run` the chosen one of its seed; returns the ids that it replaced.

        Raises:
            UsageError: the run did not finish.
            StoreError: the disk refused.

        """
        if run.manifest.status != "finished":
            raise UsageError(
                f"{run.run_id} is {run.manifest.status}, and only finished runs can carry numbers",
                fix="select another run of this seed",
            )
        with exclusive(self.project.local, f"select-{run.exp_id}"):
            chosen, _ = self.runs(run.exp_id)
            replaced = [old.run_id for old in chosen if old.seed == run.seed and old.run_id != run.run_id]
            if any(old.run_id == run.run_id for old in chosen) and not replaced:
                return []
            kept = [old for old in chosen if old.run_id not in replaced and old.run_id != run.run_id]
            ordered = sorted([*kept, run], key=_seed_order)
            body = {
                "type": "select",
                "exp_id": run.exp_id,
                "run_id": run.run_id,
                "address": run.address,
                "replaced": replaced,
            }
            Journal(self.project).append(body)
            self._write(run.exp_id, [item.run_id for item in ordered])
        return replaced

    def select_first(self, run: Run) -> bool:
        """Select a finished run if its seed has no chosen run yet; says whether it did."""
        if run.manifest.status != "finished":
            return False
        chosen, _ = self.runs(run.exp_id)
        if any(old.seed == run.seed for old in chosen):
            return False
        self.select(run)
        return True

    def _write(self, exp_id: str, ids: list[str]) -> None:
        atomic.write_bytes(self.path(exp_id), pretty({"schema": SELECTED_SCHEMA, "runs": ids}))
        link = self.path(exp_id).parent / LINK
        target = f"runs/{ids[0]}"
        temporary = link.parent / f"{atomic.TEMPORARY}selected"
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
        try:
            temporary.symlink_to(target)
        except (OSError, NotImplementedError):  # a file system without symlinks: plain text says the same
            atomic.write_bytes(link, f"{target}\n".encode())
        else:
            temporary.replace(link)


def _seed_order(run: Run) -> tuple[int, float, str]:
    """Numbered seeds in order, then others by name."""
    seed = run.seed
    return (0, float(seed), run.run_id) if isinstance(seed, int | float) else (1, 0.0, f"{seed} {run.run_id}")
