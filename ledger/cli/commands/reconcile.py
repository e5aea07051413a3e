"""`ledger reconcile`: find numbers in documents that disagree with their claims."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from ledger.cli.common import HELP, deliver, find_project, report_options
from ledger.errors import UsageError

UNREADABLE = 3


@click.command(
    context_settings=HELP,
    epilog="Example: ledger reconcile paper.tex README.md --evidence EVIDENCE.json --format json --mentions",
)
@click.argument("documents", nargs=-1, metavar="[DOCUMENT]...")
@click.option(
    "--evidence",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Claims to check against; needs no project then.",
)
@click.option("--mentions", is_flag=True, help="List every number that was matched to a claim, agreeing ones too.")
@report_options
def reconcile(
    documents: tuple[str, ...],
    evidence: Path | None,
    mentions: bool,
    form: str,
    output: Path | None,
    everything: bool,
    policy: str | None,
) -> int:
    """Find numbers in documents that disagree with their claims.

    DOCUMENTS are files, folders or globs; without any, `documents` of the configuration. Nothing is written. Exits 1
    while a drift is neither corrected nor disclosed, 3 when a document could not be read.
    """
    from ledger import reconcile as engine
    from ledger.evidence.graph import load

    project = None if evidence else find_project()
    if evidence is None:
        assert project is not None
        graph = load(project.evidence, shown=project.shown(project.evidence))
    else:
        graph = load(evidence, shown=evidence.as_posix())
    here = Path.cwd()
    if documents:
        paths = engine.expand(list(documents), here)
    elif project is not None:
        paths = engine.expand(list(project.config.documents), project.root, must_exist=False)
    else:
        raise UsageError("which documents?", fix="ledger reconcile DOCUMENT... --evidence FILE")
    sources = []
    for path in paths:
        shown = path.relative_to(here).as_posix() if path.is_relative_to(here) else path.as_posix()
        sources.append(engine.Source(shown, path.read_bytes()))
    report = engine.check(sources, graph)
    if not mentions:
        report = replace(report, mentions=None)
    status = deliver(
        report, form=form, output=output, everything=everything, policy=policy, verdict=("drift",), at=project
    )
    # a document that could not be read is work not finished, unless there is worse to say
    return status or (UNREADABLE if any(f.rule == "document-unreadable" for f in report.findings) else 0)
