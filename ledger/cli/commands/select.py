"""`ledger select`: choose a run for its seed."""

from __future__ import annotations

import click

from ledger.cli.common import HELP, find_project, say


@click.command(context_settings=HELP, epilog="Example: ledger select 20261201T101500Z-3f9a")
@click.argument("name", metavar="RUN")
def select(name: str) -> int:
    """Choose a run for its seed; logged, never destructive.

    The run chosen before stays sealed and can be chosen again. RUN is an id, a prefix, EXP, @last or @best:METRIC, as for `ledger show`.
    """
    from ledger.errors import InputError
    from ledger.store.runs import RunStore
    from ledger.store.selection import Selection

    project = find_project()
    run = RunStore(project).resolve(name)
    selection = Selection(project)
    try:
        before = run.run_id in selection.ids(run.exp_id)
        damaged = list(selection.damaged(run.exp_id))
    except InputError:  # choosing makes it again from the log
        before, damaged = False, []
    for problem in damaged:
        say(f"warning: {problem}")
    replaced = selection.select(run)
    if before and not replaced:
        say(f"{run.exp_id}/{run.run_id} was selected already")
        return 0
    instead = f" instead of {', '.join(replaced)}" if replaced else ""
    say(
        f"selected {run.exp_id}/{run.run_id} for seed {run.seed}{instead}; `ledger evidence refresh` takes its numbers over"
    )
    return 0
