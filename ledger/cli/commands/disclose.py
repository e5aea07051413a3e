"""`ledger disclose`: attach a sentence to a claim or a finding."""

from __future__ import annotations

import click

from ledger.cli.common import HELP, find_project, say
from ledger.errors import UsageError


@click.command(context_settings=HELP, epilog='Example: ledger disclose C1-main --text "3 seeds; std over seeds"')
@click.argument("what", metavar="CLAIM|FINDING")
@click.option("--text", required=True, help="The sentence that must ride with the number.")
def disclose(what: str, text: str) -> int:
    """Attach a disclosure to a claim or a finding.

    FINDING is the fingerprint that a check prints in brackets. The disclosure holds for the value and the runs of
    today: when they move on it expires, and the next check says so.
    """
    from ledger.evidence import disclosures
    from ledger.evidence.graph import load
    from ledger.gate.recall import recall

    if not text.strip():
        raise UsageError("a disclosure needs words", fix='--text "..."')
    project = find_project()
    graph = load(project.evidence, shown="EVIDENCE.json")
    if graph.claim(what):
        disclosures.disclose_claim(project, what, text)
        say(f"disclosed {what}; `ledger build` carries the sentence into macros, tables and captions")
        return 0
    finding = recall(project, what)
    fingerprint = finding.identity[1] if finding.identity else finding.fingerprint
    if finding.rule in disclosures.SETTLED_BY_CLAIM and finding.claim and graph.claim(finding.claim):
        disclosures.disclose_claim(project, finding.claim, text)
        say(f"disclosed {finding.claim} ({finding.rule}); the sentence rides with its numbers")
        return 0
    disclosures.log(project, text, claim=finding.claim, rule=finding.rule, fingerprint=fingerprint)
    say(f"disclosed {fingerprint} ({finding.rule}); it is asked for again when its values change")
    return 0
