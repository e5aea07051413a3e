"""What a report means for the exit status. Blocking is something the user switches on."""

from __future__ import annotations

from collections.abc import Collection

from ledger.model.finding import Report
from ledger.project import Policy

NO = 1


def exit_status(report: Report, policy: Policy, *, verdict: Collection[str] | None = None) -> int:
    """0, or 1 when the answer is "no".

    `verdict` names the rules that a command is asked about by its nature (an empty collection: every error); None for
    commands that only report.
    """
    standing = [finding for finding in report.findings if not finding.disclosed]
    if verdict is not None and any(f.rule in verdict if verdict else f.severity == "error" for f in standing):
        return NO
    if policy == "strict" and any(f.severity != "note" for f in report.findings):
        return NO
    if policy == "require-disclosure" and any(f.severity != "note" for f in standing):
        return NO
    return 0
