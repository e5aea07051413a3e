"""`ledger trace`: the chain from a claim to its hashed conditions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click

from ledger.cli.common import HELP, find_project
from ledger.registry import load as adapter


@click.command(context_settings=HELP, epilog="Example: ledger trace C1-main")
@click.argument("name", metavar="CLAIM")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def trace(name: str, form: str) -> int:
    """Print the chain from a claim to its hashed conditions.

    Its sentence, rows and runs, each with its value, run address and place in the log.
    """
    from ledger.evidence import trace as tracing
    from ledger.evidence.graph import load

    project = find_project()
    graph = load(project.evidence, shown="EVIDENCE.json")
    claim = tracing.find_claim(graph, name)
    rows = tracing.trace(project, graph, claim)
    origin = _origin(project, claim.implementation)
    if form == "json":
        whole = {"claim": claim.id, "statement": claim.statement, "anchors": claim.anchors, "implementation": claim.implementation,
                 "implementation_commit": origin, "disclosures": claim.disclosures, "rows": [row.to_json() for row in rows]}  # fmt: skip
        click.echo(json.dumps(whole, ensure_ascii=False, indent=2))
        return 0
    click.echo(f"{claim.id}: {claim.statement}")
    for anchor in claim.anchors:
        click.echo(f"  stated in    {anchor}")
    if claim.implementation:
        click.echo(f"  produced by  {claim.implementation}" + (f"  ({origin})" if origin else ""))
    for text in claim.disclosures:
        click.echo(f"  disclosure   {text}")
    for row in rows:
        for line in _row(row):
            click.echo(line)
    return 0


def _row(traced: Any) -> Iterator[str]:
    from ledger.deliver.entries import NO_VALUE
    from ledger.deliver.number import printed

    row = traced.row
    number = printed(row)
    shown = number.with_spread if number else NO_VALUE
    what = row.raw.get("derive") or ", ".join(part for part in (row.exp_id, row.metric, row.split, row.dataset) if part)
    yield f"  {row.id} = {shown}  [{what}]"
    if traced.resolved.findings:
        yield from (f"    {finding.message}" for finding in traced.resolved.findings)
        return
    if traced.runs:
        state = (
            "recomputed just now: the same"
            if traced.holds
            else f"recomputed just now: {traced.resolved.value!r}, STALE"
        )
        yield f"    stored {row.value!r}, {state}"
    for item in traced.runs:
        run = item.run
        own = f" = {item.value!r}" if item.value is not None else ""
        yield f"    seed {run.seed}: {run.exp_id}/{run.run_id}{own}"
        yield f"      run address {run.address[:16]}, log {item.log_place or 'NOT LOGGED'}"
        yield f"      provenance {run.manifest.provenance_hash[:16]} = {_inputs(run)}"


def _inputs(run: Any) -> str:
    """The six inputs in one line."""
    inputs = run.provenance.get("hash_inputs", {})
    code = inputs.get("code", {})
    commit = (code.get("commit") or "no commit")[:10] + (" + changes" if code.get("dirty") else "")
    hardware = inputs.get("hardware", {})
    parts = [
        f"config {str(inputs.get('config', {}).get('sha256'))[:8]}",
        f"code {str(code.get('tree_sha256'))[:8]} ({commit})",
        f"data {str(inputs.get('data', {}).get('sha256'))[:8]}",
        f"seed {inputs.get('seed', {}).get('value')}",
        f"env {str(inputs.get('env_lock', {}).get('sha256'))[:8]}",
        f"hardware {hardware.get('gpu') or hardware.get('cpu')}",
    ]
    return ", ".join(parts)


def _origin(project: Any, implementation: str) -> str | None:
    """The commit that wrote the implementing line, where git and GitPython can tell."""
    path, _, line = implementation.rpartition(":")
    if not line.isdigit():
        return None
    from ledger.errors import UsageError

    try:
        line_origin = adapter("history", "git")
    except UsageError:
        return None
    return line_origin(project.root, path, int(line)) if line_origin else None
