"""Selections against the runs that they name, and against what the log says was chosen."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ledger.errors import LedgerError
from ledger.log.segment import Segment, in_order
from ledger.model.finding import Finding
from ledger.project import Project
from ledger.store.choices import SeedOf, choices, seed_text
from ledger.store.fsck.counted import finding, state, unread
from ledger.store.runs import MANIFEST, Run, RunStore, read_run, seed_of
from ledger.store.selection import Selection

_FROM_LOG = "`ledger fsck --repair` writes it as the log has it"


def check_selections(
    project: Project, runs: Mapping[tuple[str, str], Run], segments: Iterable[Segment] | None
) -> Iterator[Finding]:
    """Every selection can be read, is what the log says, its runs are there, no two of them are of one seed, and the link
    says the same. `runs` are those that can be read; `segments` is None when not all of the log is known, which then
    says nothing.
    """
    selection, store = Selection(project), RunStore(project)

    def its_seed(exp_id: str, run_id: str) -> Any:
        run = runs.get((exp_id, run_id))
        return run.seed if run else seed_of(store.folder(exp_id) / run_id)

    logged = choices(in_order(segments), its_seed) if segments is not None else None
    for exp_id in store.experiments():
        path = selection.path(exp_id)
        shown = project.shown(path)
        chosen = (logged or {}).get(exp_id, [])
        if not path.exists():
            if chosen:
                message = f"the selection is gone; the log chose {', '.join(chosen)}"
                yield finding("selection-broken", message, shown, fix=_FROM_LOG, expected=chosen)
            continue
        try:
            ids = selection.ids(exp_id)
        except LedgerError as error:
            fix = _FROM_LOG if chosen else error.fix
            yield unread(error, "selection-broken", error.message, shown, fix=fix, reported=state(path))
            continue
        leads_to = selection.leads_to(exp_id)
        if ids and leads_to and leads_to != ids[0]:
            message = f"`selected` leads to {leads_to}, and the first selected run is {ids[0]}"
            fix = f"`ledger select {ids[0]}` puts it right"
            yield finding("selection-broken", message, shown, severity="warning", fix=fix, link=leads_to, runs=ids)
        yield from _runs(store, exp_id, ids, shown)
        if logged is not None:
            yield from _unlogged(exp_id, ids, chosen, shown, its_seed)


def _runs(store: RunStore, exp_id: str, ids: Sequence[str], shown: str) -> Iterator[Finding]:
    """Every selected run is there, and no two are of one seed."""
    seeds: dict[str, str] = {}
    for run_id in ids:
        folder = store.folder(exp_id) / run_id
        if not (folder / MANIFEST).is_file():
            message = f"the selected run {run_id} is absent"
            yield finding("selection-broken", message, shown, fix="`ledger select` another run", run=run_id)
            continue
        with contextlib.suppress(LedgerError):  # its damage is said of the run itself
            seed = read_run(folder).seed
            first = seeds.setdefault(repr(seed), run_id)
            if first != run_id:
                message = f"{first} and {run_id} are both selected for seed {seed}"
                fix = "`ledger select` the one that counts"
                both = [first, run_id]
                yield finding("selection-broken", message, shown, severity="warning", fix=fix, runs=both)


def _unlogged(
    exp_id: str, ids: Sequence[str], chosen: Sequence[str], shown: str, its_seed: SeedOf
) -> Iterator[Finding]:
    """Where the file and the last word of the log differ: somebody wrote the file, or a crash came before it was."""
    of_seed = {seed_text(its_seed, exp_id, run_id): run_id for run_id in chosen}
    instead = set()
    for run_id in (run_id for run_id in ids if run_id not in chosen):
        other = of_seed.get(seed_text(its_seed, exp_id, run_id))
        if other in ids:
            continue  # that both are selected is said already
        instead.add(other)
        message = f"{run_id} is selected, and the log " + (f"chose {other} for its seed" if other else "never chose it")
        fix = f"`ledger select {run_id}` logs it" + (f", `ledger select {other}` takes that one" if other else "")
        yield _differs(message, shown, fix, run_id, chosen)
    for run_id in (run_id for run_id in chosen if run_id not in ids and run_id not in instead):
        message = f"the log chose {run_id}, and it is not selected"
        yield _differs(message, shown, f"`ledger select {run_id}` selects it again", run_id, chosen)


def _differs(message: str, shown: str, fix: str, run_id: str, chosen: Sequence[str]) -> Finding:
    return finding("selection-unlogged", message, shown, severity="warning", fix=fix, run=run_id, expected=list(chosen))
