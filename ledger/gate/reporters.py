"""One report, two forms: text for people, JSON for machines. Both carry the same facts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ledger.errors import visible
from ledger.model.finding import SEVERITIES, Finding, Report, count

_COLOURS = {"error": "31", "warning": "33", "note": "36"}


def as_json(report: Report, version: str) -> str:
    return json.dumps(report.to_json(version), ensure_ascii=False, indent=2, allow_nan=False, default=str)


def as_text(report: Report, *, colour: bool = False, everything: bool = False) -> str:
    """Findings in order of place, then what was checked and how it came out.

    Disclosed findings are counted, and listed only when `everything` is asked for.
    """
    lines: list[str] = []
    for finding in sorted(report.findings, key=_order):
        if not finding.disclosed or everything:
            lines += finding_lines(finding, colour=colour)
    return "\n".join([*lines, summary(report)])


def summary(report: Report) -> str:
    """`3 documents, 41 numbers: 1 error, 2 notes, 1 disclosed`."""
    looked = ", ".join(_amount(key, value) for key, value in report.checked.items() if isinstance(value, int))
    paths = report.checked.get("paths")
    if isinstance(paths, list | tuple):
        looked = ", ".join(part for part in (_amount("files", len(paths)), looked) if part)
    counted = count(report.findings)
    named = [_amount(f"{severity}s", counted[f"{severity}s"]) for severity in SEVERITIES if counted[f"{severity}s"]]
    if counted["disclosed"]:
        named.append(f"{counted['disclosed']} disclosed (--all lists them)")
    return f"{report.command}: checked {looked or 'nothing'}: {', '.join(named) or 'nothing found'}"


def finding_lines(finding: Finding, *, colour: bool = False) -> Iterator[str]:
    """Place, severity, sentence and rule in one line, what to do in a second."""
    place = visible(str(finding.location)) if finding.location else "-"
    severity: str = "disclosed" if finding.disclosed else finding.severity
    if colour:
        severity = f"\x1b[{_COLOURS.get(severity, '2')}m{severity}\x1b[0m"
        place = f"\x1b[1m{place}\x1b[0m"
    yield f"{place}: {severity}: {visible(finding.message)} [{finding.rule} {finding.fingerprint}]"
    if finding.disclosed:
        yield f"    disclosed: {visible(finding.disclosed)}"
    elif finding.fix:
        yield f"    {visible(finding.fix)}"


def _order(finding: Finding) -> tuple[Any, ...]:
    place = finding.location
    return (place.path, place.line or 0, place.column or 0) if place else ("", 0, 0)


def _amount(name: str, number: int) -> str:
    words = name.replace("_", " ")
    plural = words.endswith("s") and not words.endswith("series")
    return f"{number:,} {words[:-1] if number == 1 and plural else words}"
