"""`ledger diff`: what differs between two runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from ledger.cli.common import HELP, find_project

if TYPE_CHECKING:
    from ledger.store.compare import Difference


@click.command(context_settings=HELP, epilog="Example: ledger diff 20261201T101500Z-3f9a @last")
@click.argument("first", metavar="RUN")
@click.argument("second", metavar="RUN")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def diff(first: str, second: str, form: str) -> int:
    """Say what differs between two runs.

    In one line which of the six inputs differ, then the values and config keys. RUN is an id, a prefix, EXP, @last, @selected or @best:METRIC, as for `ledger show`.
    """
    from ledger.cli.columns import table
    from ledger.store.compare import compare
    from ledger.store.runs import RunStore

    store = RunStore(find_project())
    one, other = store.resolve(first), store.resolve(second)
    found = compare(one, other)
    if form == "json":
        parts = {"values": list(map(_json, found.values)), "config": list(map(_json, found.config))}
        whole = {"verdict": found.verdict, "inputs": found.inputs, **parts}
        click.echo(json.dumps(whole, ensure_ascii=False, indent=2))
        return 0
    click.echo(f"{one.exp_id}/{one.run_id} and {other.exp_id}/{other.run_id}: {found.verdict}")
    rows = [
        {"differs": d.name, "first": _shown(d.first), "second": _shown(d.second)}
        for d in (*found.values, *found.config)
    ]
    if rows:
        click.echo(table(rows, ["differs", "first", "second"]))
    return 0


def _json(item: Difference) -> dict[str, Any]:
    """A side that has no such key is left out: null is a value."""
    from ledger.store.compare import ABSENT

    sides = {"first": item.first, "second": item.second}
    return {"name": item.name, **{side: value for side, value in sides.items() if value is not ABSENT}}


def _shown(value: Any) -> str:
    """A value as JSON has it, texts without quotes unless they could be taken for something else; digests are told
    apart by their first digits.
    """
    from ledger.store.compare import ABSENT

    if value is ABSENT:
        return "absent"
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if len(value) == 64:
        return value[:12]
    return json.dumps(value, ensure_ascii=False) if _could_be_more(value) else value


def _could_be_more(text: str) -> bool:
    if text in {"", "absent"} or text != text.strip():
        return True
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
