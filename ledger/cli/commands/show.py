"""`ledger show`: one run in full."""

from __future__ import annotations

import json

import click

from ledger.cli.common import HELP, find_project


@click.command(context_settings=HELP, epilog="Example: ledger show @best:accuracy")
@click.argument("name", metavar="RUN")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def show(name: str, form: str) -> int:
    """Show one run: metrics, inputs, files.

    RUN is an id or a unique prefix of one, EXP/ID, EXP for its only run, @last, @selected, or @best:METRIC; EXP/@last and so on within one experiment.
    """
    from ledger.cli.columns import table
    from ledger.store.runs import RunStore

    project = find_project()
    run = RunStore(project).resolve(name)
    if form == "json":
        whole = {
            "manifest": run.manifest_raw,
            "address": run.address,
            "provenance": run.provenance,
            "metrics": [m.raw for m in run.metrics],
        }
        click.echo(json.dumps(whole, ensure_ascii=False, indent=2))
        return 0
    inputs = run.provenance.get("hash_inputs", {})
    lines = [
        f"{run.exp_id}/{run.run_id}  {run.manifest.status}",
        f"  address     {run.address}",
        f"  provenance  {run.manifest.provenance_hash}",
        f"  group       {run.manifest.group_hash}",
        *(f"  {key:<11} {json.dumps(value, ensure_ascii=False)}" for key, value in inputs.items()),
        f"  command     {' '.join(run.provenance.get('command') or []) or '-'}",
    ]
    click.echo("\n".join(lines))
    if run.metrics:
        click.echo("\n" + table([m.raw for m in run.metrics], ["metric", "value", "split", "dataset", "n", "unit"]))
    files = [{"path": f.path, "bytes": f.size, "tier": f.tier, "sha256": f.sha256[:12]} for f in run.manifest.files]
    click.echo("\n" + table(files, ["path", "bytes", "tier", "sha256"]))
    for item in run.manifest.skipped:
        click.echo(f"not sealed: {item['path']}: {item['reason']}")
    return 0
