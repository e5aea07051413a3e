"""`ledger runs`: list sealed runs."""

from __future__ import annotations

import json
from typing import Any

import click

from ledger.cli.common import HELP, find_project


@click.command(context_settings=HELP, epilog="Example: ledger runs baseline --format csv")
@click.argument("exp_id", metavar="[EXP]", required=False)
@click.option(
    "--all", "everything", is_flag=True, help="Runs that failed or were killed, and starts that were never sealed, too."
)
@click.option("--format", "form", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True)
def runs(exp_id: str | None, everything: bool, form: str) -> int:
    """List sealed runs with their metrics; `*` marks the selected ones."""
    from ledger.gate.reporters import table
    from ledger.store.runs import RunStore
    from ledger.store.selection import Selection

    project = find_project()
    selection = Selection(project)
    found = RunStore(project).all(exp_id)
    shown = [run for run in found if everything or run.manifest.status == "finished"]
    rows = [_row(run, selection) for run in shown]
    if everything:
        rows += _unsealed(project, found, exp_id)
    if form == "json":
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    elif form == "csv":
        click.echo(_csv(rows), nl=False)
    elif rows:
        click.echo(table([{**row, **row["metrics"]} for row in rows], _columns(rows)))
    else:
        click.echo("no runs yet; `ledger run EXP -- COMMAND` makes one", err=True)
    hidden = len(found) - len(shown)
    if hidden and form == "table":
        click.echo(f"{hidden} more did not finish (--all lists them)", err=True)
    return 0


def _row(run: Any, selection: Any) -> dict[str, Any]:
    return {
        "sel": "*" if run.run_id in selection.ids(run.exp_id) else "",
        "exp_id": run.exp_id,
        "run_id": run.run_id,
        "seed": run.seed,
        "status": run.manifest.status,
        "group": run.manifest.group_hash[:8],
        "metrics": {_name(metric): metric.value for metric in run.metrics},
    }


def _name(metric: Any) -> str:
    return ":".join(part for part in (metric.metric, metric.split, metric.dataset) if part)


def _columns(rows: list[dict[str, Any]]) -> list[str]:
    metrics = dict.fromkeys(name for row in rows for name in row["metrics"])
    return ["sel", "exp_id", "run_id", "seed", "status", "group", *metrics]


def _unsealed(project: Any, found: list[Any], exp_id: str | None) -> list[dict[str, Any]]:
    """Starts that the log knows and that never became a run."""
    from ledger.store.journal import Journal

    sealed = {run.run_id for run in found}
    starts = [entry.body for entry in Journal(project).entries() if entry.type == "start"]
    missing = [s for s in starts if s["run_id"] not in sealed and (exp_id is None or s["exp_id"] == exp_id)]
    return [
        {
            "sel": "",
            "exp_id": s["exp_id"],
            "run_id": s["run_id"],
            "seed": None,
            "status": "unsealed",
            "group": None,
            "metrics": {},
        }
        for s in missing
    ]


def _csv(rows: list[dict[str, Any]]) -> str:
    import csv
    import io

    out = io.StringIO()
    columns = _columns(rows)
    writer = csv.DictWriter(out, columns, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows({**row, **row["metrics"]} for row in rows)
    return out.getvalue()
