"""`ledger evidence`: write or recompute the values of the claim graph."""

from __future__ import annotations

from pathlib import Path

import click

from ledger.cli.common import HELP, deliver, find_project, report_options, say


@click.group(context_settings=HELP)
def evidence() -> None:
    """Write or recompute the values of the claim graph."""


@evidence.command(context_settings=HELP, epilog="Example: ledger evidence refresh && git diff EVIDENCE.json")
def refresh() -> int:
    """Write what the selected runs say into EVIDENCE.json. Nobody types a value."""
    from ledger.evidence.refresh import refresh as write

    project = find_project()
    done = write(project)
    for change in done.changes:
        old = "nothing" if change.old is None else repr(change.old)
        runs = [*(f"+{run}" for run in change.added_runs), *(f"-{run}" for run in change.dropped_runs)]
        moved = f"{old} -> {change.new!r}" if change.old != change.new else f"still {change.new!r}"
        other = ", ".join(key for key in change.keys if key not in ("value", "from"))
        why = " ".join(runs) or (f"same runs; {other} rewritten" if other else "same runs")
        click.echo(f"{change.row.id}: {moved}  ({why})")
    for finding in done.findings:
        say(f"{finding.severity}: {finding.message}; {finding.fix} [{finding.rule}]")
    rows = sum(len(claim.rows) for claim in done.graph.claims)
    say(
        f"{len(done.graph.claims)} claims, {rows} rows: {len(done.changes)} changed"
        + ("" if done.written else "; file untouched")
    )
    return 0


@evidence.command(context_settings=HELP, epilog="Example: ledger evidence check --format json")
@report_options
def check(form: str, output: Path | None, everything: bool, policy: str | None) -> int:
    """Recompute every value from its runs; exits 1 when one is wrong, stale or without evidence."""
    from ledger.evidence.check import check as recompute
    from ledger.evidence.graph import load

    project = find_project()
    report = recompute(project, load(project.evidence, shown="EVIDENCE.json"))
    return deliver(report, form=form, output=output, everything=everything, policy=policy, verdict=(), at=project)
