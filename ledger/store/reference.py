"""What people type for a run: an id or the beginning of one, an experiment, or a mark such as `@best:accuracy`.

Whatever fits several runs is refused with the candidates, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

from ledger.errors import UsageError
from ledger.model.run import Metric
from ledger.store.chosen import selected_ids
from ledger.store.runs import Run, RunStore, read_run

LAST, SELECTED, BEST = "@last", "@selected", "@best:"

_LISTED = 5
_MARKS = "@last, @selected or @best:METRIC"


def resolve(store: RunStore, name: str) -> Run:
    """The run that `name` means: `ID`, `EXP/ID`, `EXP`, `@last`, `@selected`, `@best:METRIC[@SPLIT]`, or a mark within
    one experiment, `EXP/@last`. An id may be shortened to any prefix that only one run has; an experiment means its
    only run, or else its only selected one.

    Raises:
        UsageError: none or several runs fit; candidates are listed.
        InputError: the run that fits cannot be read.

    """
    if not any(True for _ in store.folders()):
        raise UsageError("no run is sealed yet", fix="`ledger run EXP -- COMMAND` makes one")
    exp_id, mark = _parted(name)
    if exp_id and exp_id not in store.experiments():
        fix = f"there is {_listed(store.experiments())}"
        raise UsageError(f"no experiment is called {exp_id!r}", where=name, fix=fix)
    if mark == LAST:
        return _last(store, exp_id)
    if mark == SELECTED:
        return _only_selected(store, exp_id, name)
    if mark.startswith(BEST):
        return _best(store, exp_id, mark.removeprefix(BEST), name)
    if mark.startswith("@"):
        raise UsageError(f"{name!r} is no reference to a run", fix=f"use an id, {_MARKS}")
    return _called(store, exp_id, mark, name)


def _parted(name: str) -> tuple[str | None, str]:
    """The experiment, where one is named, and the rest; a split or dataset may have a slash of its own."""
    if name.startswith("@"):
        return None, name
    exp_id, slash, rest = name.partition("/")
    return (exp_id, rest) if slash else (None, name)


def _called(store: RunStore, exp_id: str | None, name: str, shown: str) -> Run:
    """The run whose folder is called so; no other run is read."""
    folders = list(store.folders(exp_id))
    exact = [folder for folder in folders if folder.name == name]
    if not exact and exp_id is None and name in store.experiments():
        return _only(store, name)
    fits = exact or [folder for folder in folders if folder.name.startswith(name)]
    if not fits:
        raise UsageError(f"no run is called {shown!r}", fix="`ledger runs` lists them")
    if len(fits) > 1:
        raise _several(shown, [_key(folder) for folder in fits], "type more of the id")
    return read_run(fits[0])


def _only(store: RunStore, exp_id: str) -> Run:
    """The only run of an experiment, or else its only selected one."""
    folders = list(store.folders(exp_id))
    if len(folders) == 1:
        return read_run(folders[0])
    chosen = [folder for folder in folders if folder.name in selected_ids(store.project, exp_id)]
    if len(chosen) == 1:
        return read_run(chosen[0])
    raise _several(exp_id, [_key(folder) for folder in chosen or folders], "type EXP/ID, or EXP/@last")


def _last(store: RunStore, exp_id: str | None) -> Run:
    runs = store.all(exp_id)
    if not runs:
        raise UsageError("no run here can be read", fix="`ledger fsck` says why")
    return max(runs, key=lambda run: (run.manifest.created, run.run_id))


def _only_selected(store: RunStore, exp_id: str | None, shown: str) -> Run:
    within = [exp_id] if exp_id else store.experiments()
    chosen = [store.folder(exp) / run_id for exp in within for run_id in selected_ids(store.project, exp)]
    if not chosen:
        raise UsageError(
            f"no run is selected{f' of {exp_id}' if exp_id else ''}", fix="`ledger select RUN` chooses one"
        )
    if len(chosen) > 1:
        fix = "type more of the id" if exp_id else "name the experiment, EXP/@selected, or the run"
        raise _several(shown, [_key(folder) for folder in chosen], fix)
    if not chosen[0].is_dir():
        fix = "restore it from git, or `ledger select` another run"
        raise UsageError(f"the selected run {_key(chosen[0])} is absent", fix=fix)
    return read_run(chosen[0])


def _best(store: RunStore, exp_id: str | None, asked: str, shown: str) -> Run:
    """The finished run with the best finite value: the highest, or the lowest where the rows say `lower_is_better`."""
    runs = [run for run in store.all(exp_id) if run.manifest.status == "finished"]
    rows = _measured(runs, asked)
    if not rows:
        within = f" of {exp_id}" if exp_id else ""
        raise UsageError(
            f"no finished run{within} has a metric {asked!r}", fix="`ledger show RUN` lists a run's metrics"
        )
    parts = sorted({_part(row) for row, _ in rows})
    if len(parts) > 1:
        metric = rows[0][0].metric
        fix = f"name one: {f'{exp_id}/' if exp_id else ''}{BEST}{metric}@{parts[0]}"
        raise UsageError(
            f"{metric} stands for {len(parts)} splits and datasets: {_listed(parts)}", where=shown, fix=fix
        )
    for (row, run), (_, after) in pairwise(rows):
        if run is after:
            message = f"{run.exp_id}/{run.run_id} has several rows of {row.metric} ({_part(row)})"
            raise UsageError(message, where=shown, fix="`ledger show` it, and name the run that you mean")
    finite = [(row.number, run) for row, run in rows if row.number is not None]
    if not finite:
        raise UsageError(f"no finished run has a finite {asked}", where=shown, fix="`ledger runs` lists the values")
    directions = {str(row.raw["direction"]) for row, _ in rows if row.raw.get("direction")}
    if len(directions) > 1:
        message = f"the runs do not agree on which {asked} is better: {', '.join(sorted(directions))}"
        raise UsageError(message, where=shown, fix="name the run")
    pick = min if directions == {"lower_is_better"} else max
    return pick(finite, key=lambda pair: pair[0])[1]


def _measured(runs: Iterable[Run], asked: str) -> list[tuple[Metric, Run]]:
    """The rows that `METRIC` or `METRIC@PART` asks for; a metric may have an @ in its own name, such as mAP@0.5."""
    every = [(row, run) for run in runs for row in run.metrics]
    rows = [(row, run) for row, run in every if row.metric == asked]
    if rows:
        return rows
    metric, _, part = asked.rpartition("@")
    return [(row, run) for row, run in every if row.metric == metric and part in {row.split, row.dataset, _part(row)}]


def _part(row: Metric) -> str:
    """The split and dataset of a row, as messages say them and as they are typed."""
    return "/".join(part for part in (row.split, row.dataset) if part) or "no split"


def _key(folder: Path) -> str:
    return f"{folder.parent.parent.name}/{folder.name}"


def _several(name: str, fits: Sequence[str], fix: str) -> UsageError:
    return UsageError(f"{name!r} fits {len(fits)} runs: {_listed(fits)}", fix=fix)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_LISTED]) + (" ..." if len(names) > _LISTED else "")
