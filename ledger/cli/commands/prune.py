"""`ledger prune`: take derived files of sealed runs off the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ledger.cli.common import HELP, confirmed, find_project, human_bytes, say

if TYPE_CHECKING:
    from ledger.project import Project
    from ledger.store.prune import Plan
    from ledger.store.runs import Run

_SHOWN = 20


@click.command(context_settings=HELP, epilog="Example: ledger prune --yes")
@click.argument("names", nargs=-1, metavar="[RUN]...")
@click.option("--all", "everything", is_flag=True, help="Selected runs too.")
@click.option("--yes", is_flag=True, help="Remove without asking.")
def prune(names: tuple[str, ...], everything: bool, yes: bool) -> int:
    """Take derived files of sealed runs off the disk.

    Derived are images under qualitative/, and numbered checkpoints beside a best and a last one: they can be made again. Without RUN, of every run that is not selected. The manifest keeps their digests, the log says that they were pruned, and what would go is printed first.
    """
    from ledger.store import prune as store_prune

    project = find_project()
    plans = store_prune.plan(project, _runs(project, names, everything))
    for item in plans:
        for path, why in item.left:
            say(f"{item.run.exp_id}/{item.run.run_id}: {path} stays: {why}")
    plans = [item for item in plans if item.files]
    if not plans:
        say("nothing to prune")
        return 0
    for item in plans[:_SHOWN]:
        click.echo(f"{item.run.exp_id}/{item.run.run_id}  {_files(len(item.files))}  {human_bytes(item.size)}")
    if len(plans) > _SHOWN:
        click.echo(f"... and {len(plans) - _SHOWN} more runs")
    total = sum(len(item.files) for item in plans)
    what = f"prune {_files(total)} ({human_bytes(sum(item.size for item in plans))})"
    if confirmed(what, yes):
        store_prune.carry_out(project, plans)
        say(f"pruned {_files(total)}{_objects_freed(project, plans)}")
    return 0


def _runs(project: Project, names: tuple[str, ...], everything: bool) -> list[Run]:
    """The runs that were named, or all, selected ones only where that is asked for."""
    from ledger.store.runs import RunStore
    from ledger.store.selection import Selection

    store = RunStore(project)
    if names:
        return list({run.key: run for run in map(store.resolve, names)}.values())
    runs = store.all()
    if everything:
        return runs
    selection = Selection(project)
    selected = {(exp_id, run_id) for exp_id in store.experiments() for run_id in selection.ids(exp_id)}
    spared = [run for run in runs if run.key in selected and any(file.derived for file in run.manifest.files)]
    if spared:
        say(f"left out {len(spared)} selected run{'' if len(spared) == 1 else 's'}; --all prunes them too")
    return [run for run in runs if run.key not in selected]


def _objects_freed(project: Project, plans: list[Plan]) -> str:
    """Remove the objects of what was pruned where nothing else names them; what cannot be told is left to `ledger gc`."""
    from ledger.errors import IntegrityError
    from ledger.store import garbage

    digests = {file.sha256 for item in plans for file in item.files if file.tier == "heavy"}
    if not digests:
        return ""
    try:
        gone = garbage.remove(garbage.look(project, grace=0, among=digests))
    except IntegrityError as error:
        return f"; their objects stay: {error}"
    return f" and {len(gone)} object{'' if len(gone) == 1 else 's'} of theirs"


def _files(count: int) -> str:
    return f"{count} file{'' if count == 1 else 's'}"
