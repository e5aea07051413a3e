"""`ledger diff`: what differs between two runs."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from ledger.cli.common import HELP, find_project


@click.command(context_settings=HELP, epilog="Example: ledger diff 20261201T101500Z-3f9a @last")
@click.argument("first", metavar="RUN")
@click.argument("second", metavar="RUN")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def diff(first: str, second: str, form: str) -> int:
    """Say what differs between two runs.

    In one line which of the six inputs differ, then the values and config keys.
    """
    from ledger.gate.reporters import table
    from ledger.store.compare import compare
    from ledger.store.runs import RunStore

    store = RunStore(find_project())
    one, other = store.resolve(first), store.resolve(second)
    found = compare(one, other)
    if form == "json":
        click.echo(json.dumps({"verdict": found.verdict, **asdict(found)}, ensure_ascii=False, indent=2, default=str))
        return 0
    click.echo(f"{one.exp_id}/{one.run_id} and {other.exp_id}/{other.run_id}: {found.verdict}")
    rows = [
        {"differs": d.name, "first": _short(d.first), "second": _short(d.second)}
        for d in (*found.values, *found.config)
    ]
    if rows:
        click.echo(table(rows, ["differs", "first", "second"]))
    return 0


def _short(value: object) -> object:
    """Digests are told apart by their first digits."""
    return value[:12] if isinstance(value, str) and len(value) == 64 else value
