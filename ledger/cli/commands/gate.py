"""`ledger gate`: five checks for every number that ships."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ledger.cli.common import HELP, deliver, find_project, report_options, say

if TYPE_CHECKING:
    from ledger.gate.gate import Gate

_SIGNS = {"yes": "yes", "no": "NO", "disclosed": "disclosed", "unknown": "?"}


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
        shown=terminal(done),
    )  # fmt: skip


def terminal(done: Gate) -> str:
    """One line for each number, then the reasons of everything that is not a plain yes."""
    from ledger.cli.columns import table
    from ledger.gate.record import stated

    if not done.numbers:
        return "no number ships yet: EVIDENCE.json has no evidence row"
    checks = [answer.check for answer in done.numbers[0].answers]
    rows = [
        {"number": number.row.id, "value": stated(number), **{a.check: _SIGNS[a.state] for a in number.answers}}
        for number in done.numbers
    ]
    lines = [table(rows, ["number", "value", *checks]), ""]
    for number in done.numbers:
        for answer in number.answers:
            if answer.state != "yes":
                fix = f"; {answer.fix}" if answer.fix else ""
                lines.append(f"{number.row.id}: {answer.check}: {_SIGNS[answer.state]}: {answer.reason}{fix}")
    return "\n".join(lines).rstrip()
