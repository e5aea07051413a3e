"""`ledger build`: generate macros, tables and disclosures."""

from __future__ import annotations

import click

from ledger.cli.common import HELP, find_project, say


@click.command(
    context_settings=HELP,
    epilog=r"Example: ledger build && latexmk -pdf paper.tex   (with \input{generated/ledger.tex})",
)
def build() -> int:
    r"""Generate macros, tables and disclosures.

    From EVIDENCE.json into generated/. LaTeX: \ev{ID}, \ev[pm]{ID}, \ev[full]{ID}, \evtable, \evdisclosures. Typst: #ev("ID"), #evtable, #evdisclosures.
    A file whose content would not change is not written.
    """
    from ledger.deliver import write
    from ledger.evidence.graph import load
    from ledger.model.claim import iter_rows

    project = find_project()
    graph = load(project.evidence, shown="EVIDENCE.json")
    for name, changed in write(project, graph).items():
        say(f"{'wrote' if changed else 'kept'} generated/{name}")
    empty = [row.id for _, row in iter_rows(graph.claims) if row.value is None]
    if empty:
        say(f"warning: no value yet for {', '.join(empty)}; they print as ??; run `ledger evidence refresh`")
    return 0
