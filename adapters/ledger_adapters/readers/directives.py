"""Directives: comments in which a document speaks to the tool, in whatever comment syntax its format has."""

from __future__ import annotations

import re

from ledger.model.document import Directive
from ledger_adapters.readers.source import Source

_DIRECTIVE = re.compile(
    r"^\s*ledger:\s*(?:ignore(?:\[(?P<rule>[\w-]*)\])?(?:\s+(?P<reason>.*?))?|(?P<claim>[^\s\[\]]+))\s*$", re.DOTALL
)


def parse(comment: str, source: Source, offset: int) -> Directive | None:
    """The directive in a comment's inner text, or None: `ledger: ignore[rule] reason`, `ledger: CLAIM`. The comment
    stands at `offset`.
    """
    if "ledger:" not in comment:
        return None
    match = _DIRECTIVE.match(comment)
    if match is None:
        return None
    line = source.place(offset)[0]
    if match["claim"]:
        return Directive(line, claim=match["claim"], within=source.within)
    reason = (match["reason"] or "").strip()
    return Directive(line, ignore=match["rule"] or "*", reason=reason, within=source.within)
