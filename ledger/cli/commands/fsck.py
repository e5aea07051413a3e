"""`ledger fsck`: check every byte of the store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ledger.cli.common import HELP, deliver, find_project, report_options, say

if TYPE_CHECKING:
    from ledger.model.finding import Report
    from ledger.project import Project


@click.command(context_settings=HELP, epilog="Example: ledger fsck --format json --output fsck.json")
@report_options
@click.option("--quick", is_flag=True, help="Compare sizes, hash nothing.")
@click.option("--sample", type=click.IntRange(min=1), help="Hash so many files, chosen at random.")
@click.option("--against", metavar="REF", help="A git revision: nothing that its log sealed may have been altered.")
@click.option(
    "--repair", "repairing", is_flag=True, help="Finish what a crash interrupted; never does what could lose data."
)
def fsck(
    quick: bool,
    sample: int | None,
    against: str | None,
    repairing: bool,
    form: str,
    output: Path | None,
    everything: bool,
    policy: str | None,
) -> int:
    """Check every byte of runs, objects and log.

    Exits 1 when something is damaged, altered or gone.
    """
    from ledger.store import fsck as store_check

    project = find_project()
    report = store_check.check(project, quick=quick, sample=sample, against=against, progress=_progress())
    if repairing:
        done = store_check.repair(project, report)
        for line in done:
            say(line)
        if done:
            report = store_check.check(project)
    report = _with_claims(project, report)
    if contents := report.checked.get("contents"):
        say(f"contents were {contents}; `ledger fsck` without --{'quick' if quick else 'sample'} reads every byte")
    return deliver(report, form=form, output=output, everything=everything, policy=policy, verdict=(), at=project)


def _with_claims(project: Project, report: Report) -> Report:
    """The report, its findings with the claims that rest on what is damaged; as it is when there are no claims."""
    from dataclasses import replace

    from ledger.errors import LedgerError
    from ledger.evidence.graph import load
    from ledger.evidence.touched import name_claims

    if not report.findings:
        return report
    try:
        graph = load(project.evidence, shown="EVIDENCE.json")
    except LedgerError as error:
        say(f"the claims that rest on it cannot be named: {error}")
        return report
    return replace(report, findings=name_claims(graph, report.findings))


def _progress() -> Any:
    """Bytes hashed so far on a terminal, nothing elsewhere; a small store is done before it would show."""
    import sys
    import time

    if not sys.stderr.isatty():
        return None
    begun = time.monotonic()
    shown = begun
    total = 0

    def show(count: int) -> None:
        nonlocal total, shown
        total += count
        now = time.monotonic()
        if now - shown > 0.5:
            shown = now
            sys.stderr.write(f"\r{total / 1e6:,.0f} MB checked, {total / 1e6 / (now - begun):,.0f} MB/s ")

    return show
