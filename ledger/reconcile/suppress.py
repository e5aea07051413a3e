"""Ignore directives: what they silence, and those that silence nothing any more."""

from __future__ import annotations

from dataclasses import replace

from ledger.model.document import Directive, Document
from ledger.model.finding import Finding, Location
from ledger.reconcile.binding import reach


def suppress(findings: list[Finding], document: Document) -> list[Finding]:
    """`findings` without those that a directive of the document ignores, plus `suppression-unused` for idle ones."""
    ignores = [directive for directive in document.directives if directive.ignore]
    if not ignores:
        return findings
    kept = list(findings)
    for directive in ignores:
        first, last = reach(document, directive)
        hit = [found for found in kept if _covers(directive, first, last, found)]
        kept = [found for found in kept if found not in hit]
        if not any(_covers(directive, first, last, found) for found in findings):
            kept.append(_unused(directive, document.path))
    return kept


def _covers(directive: Directive, first: int, last: int, found: Finding) -> bool:
    place = found.location
    if place is None or place.line is None or directive.ignore not in ("*", found.rule):
        return False
    inside = replace(place, line=None, column=None, end_line=None, end_column=None)
    return first <= place.line <= last and inside == replace(directive.within or Location(""), path=place.path)


def _unused(directive: Directive, path: str) -> Finding:
    what = "every rule" if directive.ignore == "*" else f"the rule {directive.ignore}"
    return Finding(
        "suppression-unused", "warning", f"this comment ignores {what} here, but nothing is found here",
        directive.location(path), values={"ignore": directive.ignore, "reason": directive.reason}, fix="delete the comment",
    )  # fmt: skip
