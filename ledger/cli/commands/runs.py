"""`ledger runs`: list sealed runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from ledger.cli.common import HELP, find_project, say
from ledger.errors import LedgerError

if TYPE_CHECKING:
    from ledger.project import Project
    from ledger.store.index import Index, Row
    from ledger.store.index.language import Expression

_SAID = 5
_COLUMNS = ["sel", "exp_id", "run_id", "seed", "status", "group"]


@click.command(
    context_settings=HELP,
    epilog="Example: ledger runs --where 'psnr>31 and config.lr==3e-4 and split==test' --sort -psnr --limit 20",
)
@click.argument("exp_id", metavar="[EXP]", required=False)
@click.option(
    "--where", help="Filter: metrics, config.KEY, exp_id, run_id, status, seed, created, group, split, dataset."
)
@click.option("--sort", help="A metric, config.KEY or field; a leading - puts the largest first.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many.")
@click.option(
    "--all", "everything", is_flag=True, help="Runs that failed or were killed, and starts never sealed, too."
)
@click.option(
    "--groups", is_flag=True, help="One line for each group (runs alike but for the seed), and how groups differ."
)
@click.option("--format", "form", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True)
def runs(
    exp_id: str | None,
    where: str | None,
    sort: str | None,
    limit: int | None,
    everything: bool,
    groups: bool,
    form: str,
) -> int:
    """List sealed runs with their metrics.

    `*` marks the selected ones.
    """
    from ledger.store.index import Index, find

    project = find_project()
    index = Index(project)
    if index.alone:
        say(f"note: {index.path} is locked by another process, so the log was read instead")
    tree = _parsed(where) if where else None
    found = find(index, tree, exp_id=exp_id, sort=sort, limit=limit, finished=not everything)
    if groups:
        rows = _grouped(project, found, form)
    else:
        chosen = _selected(project, {run.exp_id for run in found})
        rows = [_row(run, (run.exp_id, run.run_id) in chosen) for run in found]
        if everything and not where:
            rows += [_unsealed(*start) for start in index.unsealed(exp_id)]
    if form == "json":
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    elif form == "csv":
        click.echo(_csv(rows), nl=False)
    elif rows:
        from ledger.cli.columns import table

        click.echo(table([{**row, **row["metrics"]} for row in rows], _columns(rows)))
    else:
        click.echo("no run fits" if where or exp_id else "no runs yet; `ledger run EXP -- COMMAND` makes one", err=True)
    for problem in _left_out(index, exp_id):
        say(f"warning: left out: {problem}")
    unfinished = index.unfinished(exp_id)
    if unfinished and not everything and not where and form == "table":
        click.echo(f"{unfinished} more did not finish (--all lists them)", err=True)
    return 0


def _parsed(where: str) -> Expression:
    from ledger.store.index.language import parse

    return parse(where)


def _left_out(index: Index, exp_id: str | None) -> list[str]:
    """What the log names and cannot be listed, a screenful at most."""
    from ledger.store.index.left_out import left_out

    found = left_out(index, exp_id)
    return found if len(found) <= _SAID else [*found[:_SAID], f"{len(found) - _SAID} more; `ledger fsck` says which"]


def _selected(project: Any, experiments: set[str]) -> set[tuple[str, str]]:
    """Keys of the selected runs. A selection that cannot be read is said, and marks none."""
    from ledger.store.chosen import selected_ids

    selected: set[tuple[str, str]] = set()
    for exp_id in sorted(experiments):
        try:
            selected.update((exp_id, run_id) for run_id in selected_ids(project, exp_id))
        except LedgerError as error:
            say(f"warning: what is selected of {exp_id} is not known: {error}")
    return selected


def _row(run: Any, selected: bool) -> dict[str, Any]:
    return {
        "sel": "*" if selected else "",
        "exp_id": run.exp_id,
        "run_id": run.run_id,
        "seed": run.seed,
        "status": run.status,
        "group": run.group[:8],
        "metrics": run.metrics,
    }


def _grouped(project: Project, found: list[Row], form: str) -> list[dict[str, Any]]:
    from ledger.store.groups import by_group

    groups = by_group(project, found)
    if form == "json":
        return [group.to_json() for group in groups]
    return [
        {
            "exp_id": group.exp_id,
            "group": group.group[:8],
            "runs": len(group.runs),
            "seeds": " ".join(dict.fromkeys(str(run.seed) for run in group.runs)),
            "differs": group.differs,
            "metrics": {name: str(spread) for name, spread in group.metrics.items()},
        }
        for group in groups
    ]


def _unsealed(exp_id: str, run_id: str) -> dict[str, Any]:
    """A start that the log knows and that never became a run."""
    return {
        "sel": "",
        "exp_id": exp_id,
        "run_id": run_id,
        "seed": None,
        "status": "unsealed",
        "group": None,
        "metrics": {},
    }


def _columns(rows: list[dict[str, Any]]) -> list[str]:
    metrics = dict.fromkeys(name for row in rows for name in row["metrics"])
    own = [key for key in rows[0] if key != "metrics"] if rows else _COLUMNS
    return [*own, *metrics]


def _csv(rows: list[dict[str, Any]]) -> str:
    import csv
    import io

    out = io.StringIO()
    writer = csv.DictWriter(out, _columns(rows), lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows({**row, **row["metrics"]} for row in rows)
    return out.getvalue()
