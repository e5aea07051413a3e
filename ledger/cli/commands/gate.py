"""`ledger gate`: five checks for every number that ships."""

from __future__ import annotations

from pathlib import Path

import click

from ledger.cli.common import HELP, deliver, find_project, report_options, say


@click.command(context_settings=HELP, epilog="Example: ledger gate paper/paper.tex README.md --policy strict")
@click.argument("documents", nargs=-1, type=click.Path(path_type=Path))
@report_options
def gate(documents: tuple[Path, ...], form: str, output: Path | None, everything: bool, policy: str | None) -> int:
    """Five checks for every number that ships.

    Verified, mapped, regenerable, reconciled, split stated. DOCUMENTS default to `documents` of the configuration. Writes DISCLOSURES.md. Reports only, unless a policy asks
    for more.
    """
    from ledger import reconcile
    from ledger.evidence.graph import load
    from ledger.gate import record
    from ledger.gate.gate import read_documents, run_gate
    from ledger.store.atomic import write_if_changed

    project = find_project()
    graph = load(project.evidence, shown="EVIDENCE.json")
    if documents:
        paths = reconcile.expand(list(documents), Path.cwd())
    else:
        paths = reconcile.expand(list(project.config.documents), project.root, must_exist=False)
    texts = dict(read_documents(paths, project))
    report = reconcile.check([reconcile.Source(path, data) for path, data in texts.items()], graph)
    done = run_gate(project, graph, texts, report)
    if write_if_changed(
        project.root / "DISCLOSURES.md", record.markdown(graph, done).encode("utf-8", "backslashreplace")
    ):
        say("wrote DISCLOSURES.md")
    return deliver(
        done.report, form=form, output=output, everything=everything, policy=policy, at=project,
        shown=record.terminal(done),
    )  # fmt: skip
