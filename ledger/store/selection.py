"""The chosen runs of an experiment, one per seed. Choosing again is logged and destroys nothing."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from ledger.canon import pretty, read_record, sha256
from ledger.errors import InputError, LedgerError, NewerVersionError, UsageError
from ledger.model.run import SELECTED_SCHEMA
from ledger.project import Project
from ledger.store import atomic
from ledger.store.choices import choices
from ledger.store.chosen import selected_file, selected_ids
from ledger.store.journal import Journal
from ledger.store.lock import exclusive
from ledger.store.runs import Run, RunStore, seed_of

LINK = "selected"


class Selection:
    """Reads and writes `results/<exp_id>/selected.json`."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.store = RunStore(project)

    def path(self, exp_id: str) -> Path:
        return selected_file(self.project, exp_id)

    def ids(self, exp_id: str) -> list[str]:
        """Ids of the selected runs, in order of selection. Raises InputError when the file is malformed."""
        return selected_ids(self.project, exp_id)

    def runs(self, exp_id: str) -> tuple[list[Run], list[str]]:
        """The selected runs, and the ids among them that are absent or damaged."""
        return self._split(exp_id, self.ids(exp_id))

    def damaged(self, exp_id: str) -> Iterator[str]:
        """One sentence for each selected run that is there and cannot be read. Raises InputError as `ids`."""
        for run_id in self.ids(exp_id):
            try:
                self._get(exp_id, run_id)
            except InputError as error:
                yield str(error)

    def leads_to(self, exp_id: str) -> str | None:
        """The id that `results/<exp_id>/selected` leads to; None when it is absent or leads to no run."""
        link = self.path(exp_id).parent / LINK
        try:
            text = os.fspath(link.readlink()) if link.is_symlink() else read_record(link).decode()
        except (OSError, ValueError):
            return None
        folder, _, run_id = text.strip().replace("\\", "/").rpartition("/")
        return run_id if folder == "runs" else None

    def _split(self, exp_id: str, ids: Iterable[str]) -> tuple[list[Run], list[str]]:
        found, absent = [], []
        for run_id in ids:
            try:
                run = self._get(exp_id, run_id)
            except InputError:
                run = None
            if run is None:
                absent.append(run_id)
            else:
                found.append(run)
        return found, absent

    def _get(self, exp_id: str, run_id: str) -> Run | None:
        """The run, whole enough to tell its seed; None when it is absent. Raises InputError when it is damaged."""
        run = self.store.get(exp_id, run_id)
        if run is not None:
            _ = run.seed
        return run

    def select(self, run: Run) -> list[str]:
        """Make `run` the chosen one of its seed; returns the ids that it replaced, selected runs that are absent, or
        damaged beyond telling their seed, among them. A selection that cannot be read is made again from the log.

        Raises:
            UsageError: the run did not finish.
            NewerVersionError: a newer version of this tool wrote the selection.
            IntegrityError: neither the selection nor the log can be read.
            StoreError: the disk refused.
        """
        if run.manifest.status != "finished":
            raise UsageError(
                f"{run.run_id} is {run.manifest.status}, and only finished runs can carry numbers",
                fix="select another run of this seed",
            )
        with self._locked(run.exp_id):
            try:
                ids, readable = self.ids(run.exp_id), True
            except NewerVersionError:  # it is whole: nothing to make again
                raise
            except InputError:
                ids, readable = self._logged(run.exp_id), False
            chosen, absent = self._split(run.exp_id, ids)
            if readable and any(old.run_id == run.run_id for old in chosen) and self._is_logged(run):
                if self.leads_to(run.exp_id) != ids[0]:  # a crash came between the file and the link
                    with atomic.explained(self.path(run.exp_id)):
                        self._link(run.exp_id, ids[0])
                return []
            replaced = [old.run_id for old in chosen if repr(old.seed) == repr(run.seed) and old.run_id != run.run_id]
            damaged = [run_id for run_id in absent if self._is_of_another_seed(run, run_id)]
            replaced += [run_id for run_id in absent if run_id not in damaged]
            Journal(self.project).append(_entry(run, replaced))
            kept = [old for old in chosen if old.run_id not in {*replaced, run.run_id}]
            self._write(run.exp_id, [*kept, run], damaged)
        return replaced

    def _is_of_another_seed(self, run: Run, other: str) -> bool:
        """Whether a run whose manifest is damaged is known to have another seed, so that its choice stands."""
        try:
            return repr(seed_of(self.store.folder(run.exp_id) / other)) != repr(run.seed)
        except InputError:
            return False

    def select_first(self, runs: Sequence[Run]) -> set[tuple[str, str]]:
        """Select those finished runs whose seed has no chosen run yet; returns their keys.

        Raises:
            StoreError: the disk refused.
        """
        selected: set[tuple[str, str]] = set()
        for exp_id in dict.fromkeys(run.exp_id for run in runs):
            with self._locked(exp_id):
                chosen, absent = self.runs(exp_id)
                taken = {repr(old.seed) for old in chosen}
                new = []
                for run in runs:
                    if run.exp_id == exp_id and run.manifest.status == "finished" and repr(run.seed) not in taken:
                        taken.add(repr(run.seed))
                        new.append(run)
                if new:
                    Journal(self.project).append_all([_entry(run, []) for run in new])
                    self._write(exp_id, [*chosen, *new], absent)
                    selected.update(run.key for run in new)
        return selected

    def _logged(self, exp_id: str) -> list[str]:
        """Ids of the runs that the log says are selected. Raises IntegrityError when the log is damaged."""
        return choices(Journal(self.project).entries(), self._seed_of).get(exp_id, [])

    def _seed_of(self, exp_id: str, run_id: str) -> Any:
        return seed_of(self.store.folder(exp_id) / run_id)

    def _is_logged(self, run: Run) -> bool:
        """Whether the log chose it; a log that cannot be read is no reason to say so again."""
        try:
            return run.run_id in self._logged(run.exp_id)
        except LedgerError:
            return True

    def rebuild(self, exp_id: str) -> list[str]:
        """Write a selection that is gone or broken as the log has it; returns its ids, none where there is nothing to do.
        What was broken is kept in `.ledger/local/`.

        Raises:
            IntegrityError: the log is damaged.
            StoreError: the disk refused.
        """
        path = self.path(exp_id)
        with self._locked(exp_id), atomic.explained(path):
            try:
                self.ids(exp_id)
                broken = None
            except NewerVersionError:
                return []
            except InputError:
                try:
                    broken = read_record(path)
                except OSError:  # what cannot even be read may be whole
                    return []
            ids = self._logged(exp_id)
            if not ids or (broken is None and path.exists()):
                return []
            if broken is not None:
                atomic.make_folder(self.project.local)
                atomic.write_bytes(self.project.local / f"{exp_id}.{sha256(broken)[:8]}.{path.name}", broken)
            chosen, absent = self._split(exp_id, ids)
            self._replace(exp_id, [*(run.run_id for run in sorted(chosen, key=_seed_order)), *absent])
            return self.ids(exp_id)

    def _locked(self, exp_id: str) -> AbstractContextManager[None]:
        return exclusive(self.project.local, f"select-{exp_id}")

    def _write(self, exp_id: str, runs: Sequence[Run], absent: Sequence[str] = ()) -> None:
        with atomic.explained(self.path(exp_id)):
            self._replace(exp_id, [*(run.run_id for run in sorted(runs, key=_seed_order)), *absent])

    def _replace(self, exp_id: str, ids: list[str]) -> None:
        atomic.write_bytes(self.path(exp_id), pretty({"schema": SELECTED_SCHEMA, "runs": ids}))
        self._link(exp_id, ids[0])

    def _link(self, exp_id: str, run_id: str) -> None:
        link = self.path(exp_id).parent / LINK
        target = f"runs/{run_id}"
        temporary = link.parent / f"{atomic.TEMPORARY}selected"
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
        try:
            temporary.symlink_to(target)
        except (OSError, NotImplementedError):  # a file system without symlinks: plain text says the same
            atomic.write_bytes(link, f"{target}\n".encode())
        else:
            temporary.replace(link)
            atomic.fsync_folder(link.parent)


def _entry(run: Run, replaced: list[str]) -> dict[str, Any]:
    """What the log says of a choice."""
    return {
        "type": "select",
        "exp_id": run.exp_id,
        "run_id": run.run_id,
        "address": run.address,
        "replaced": replaced,
    }


def _seed_order(run: Run) -> tuple[int, float, str]:
    """Numbered seeds in order, then others by name."""
    seed = run.seed
    return (0, float(seed), run.run_id) if isinstance(seed, int | float) else (1, 0.0, f"{seed} {run.run_id}")
