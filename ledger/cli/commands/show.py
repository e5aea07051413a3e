"""`ledger show`: one run in full."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Collection
from typing import TYPE_CHECKING

import click

from ledger.cli.common import HELP, find_project

if TYPE_CHECKING:
    from ledger.model.run import RunFile
    from ledger.project import Project
    from ledger.store.runs import Run


@click.command(context_settings=HELP, epilog="Example: ledger show @best:accuracy")
@click.argument("name", metavar="RUN")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--code", is_flag=True, help="Print the code that ran, as a patch for the commit that it ran on.")
def show(name: str, form: str, code: bool) -> int:
    """Show one run: metrics, inputs, files.

    RUN is an id or a unique prefix of one, EXP/ID, EXP for its only run, @last, @selected, or @best:METRIC; EXP/@last and so on within one experiment.
    """
    from ledger.cli.columns import table
    from ledger.cli.commands.run import ending
    from ledger.errors import visible
    from ledger.seal import gaps
    from ledger.store.runs import RunStore

    project = find_project()
    run = RunStore(project).resolve(name)
    if code:
        from ledger.store.source import patch

        sys.stdout.buffer.write(patch(project, run))
        return 0
    absent = _pruned(project, run)
    if form == "json":
        whole = {
            "manifest": run.manifest_raw,
            "address": run.address,
            "provenance": run.provenance,
            "metrics": [m.raw for m in run.metrics],
            "pruned": sorted(absent),
        }
        click.echo(json.dumps(whole, ensure_ascii=False, indent=2))
        return 0
    inputs = run.provenance.get("hash_inputs", {})
    lines = [
        f"{run.exp_id}/{run.run_id}  {ending(run)}",
        f"  address     {run.address}",
        f"  provenance  {run.manifest.provenance_hash}",
        f"  group       {run.manifest.group_hash}",
        *(f"  {key:<11} {json.dumps(value, ensure_ascii=False)}" for key, value in inputs.items()),
        f"  command     {' '.join(run.provenance.get('command') or []) or '-'}",
    ]
    click.echo("\n".join(lines))
    if run.metrics:
        click.echo("\n" + table([m.raw for m in run.metrics], ["metric", "value", "split", "dataset", "n", "unit"]))
    files = [
        {"path": f.path, "bytes": f.size, "tier": _tier(f, absent), "sha256": f.sha256[:12]} for f in run.manifest.files
    ]
    click.echo("\n" + table(files, ["path", "bytes", "tier", "sha256"]))
    for item in run.manifest.skipped:
        click.echo(f"not sealed: {item['path']}: {item['reason']}")
    listed = run.provenance.get(gaps.KEY)
    for gap in gaps.findings(listed if isinstance(listed, list) else (), run.run_id):
        click.echo(f"not captured: {visible(gap.message)} [{gap.rule}]")
    return 0


def _tier(file: RunFile, absent: Collection[str]) -> str:
    words = [file.tier, "derived" if file.derived else "", "pruned" if file.path in absent else ""]
    return ", ".join(filter(None, words))


def _pruned(project: Project, run: Run) -> frozenset[str]:
    """Files that the log says were pruned and that are not there; the log is read only where derived files are missing."""
    from ledger.errors import IntegrityError
    from ledger.store.journal import Journal
    from ledger.store.prune import gone, pruned

    absent = {f.path for f in run.manifest.files if f.derived and not os.path.lexists(run.path / f.path)}
    try:
        return gone(run, pruned(Journal(project).entries())) & absent if absent else frozenset()
    except IntegrityError:  # `ledger fsck` says what is wrong with the log
        return frozenset()
