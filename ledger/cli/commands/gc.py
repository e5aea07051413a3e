"""`ledger gc`: remove objects that nothing names."""

from __future__ import annotations

import click

from ledger.cli.common import HELP, confirmed, find_project, human_bytes, say

_DAY = 86400
_SHOWN = 10


@click.command(context_settings=HELP, epilog="Example: ledger gc --yes")
@click.option(
    "--grace", type=click.FloatRange(min=0), default=14, show_default=True, help="Keep what is younger, in days."
)
@click.option("--yes", is_flag=True, help="Remove without asking.")
def gc(grace: float, yes: bool) -> int:
    """Remove objects that nothing names.

    An object stays while a sealed run, a run in progress, or any branch, tag, stash, reflog entry, index or work tree of git names it. What would go is printed first.
    """
    from ledger.store import garbage

    project = find_project()
    found = garbage.look(project, grace=grace * _DAY)
    if found.young:
        say(f"kept {found.young} that nothing names, younger than {grace:g} days")
    if not found.objects:
        say("nothing to remove")
        return 0
    for path in found.objects[:_SHOWN]:
        click.echo(f"{path.parent.name}{path.name}  {human_bytes(path.lstat().st_size)}")
    if len(found.objects) > _SHOWN:
        click.echo(f"... and {len(found.objects) - _SHOWN} more")
    what = f"remove {_objects(len(found.objects))} ({human_bytes(found.size)})"
    if confirmed(what, yes):
        say(f"removed {_objects(len(garbage.remove(found)))}")
    return 0


def _objects(count: int) -> str:
    return f"{count} object{'' if count == 1 else 's'}"
