"""Directives: comments in which a document speaks to the tool, in whatever comment syntax its format has."""

from __future__ import annotations

import re

from ledger.model.document import Directive

_DIRECTIVE = re.compile(
    r"^\s*ledger:\s*(?:ignore(?:\[(?P<rule>[\w-]*)\])?(?:\s+(?P<reason>.*?))?|(?P<claim>[^\s\[\]]+))\s*$", re.DOTALL
)


def parse(comment: str, line: int) -> Directive | None:
    """The directive in a comment's inner text, or None: `ledger: ignore[rule] reason`, `ledger: CLAIM`."""
    if "ledger:" not in comment:
        return None
    match = _DIRECTIVE.match(comment)
    if match is None:
        return None
    if match["claim"]:
        return Directive(line, claim=match["claim"])
    return Directive(line, ignore=match["rule"] or "*", reason=(match["reason"] or "").strip())
