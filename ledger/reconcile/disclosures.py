"""Disclosures that should ride with a hand-typed number and stand nowhere near it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ledger.model.document import Document, Paragraph, Table
from ledger.model.finding import Finding
from ledger.reconcile.matching import Match
from ledger.reconcile.verdicts import Verdict
from ledger.reconcile.wording import location

_NEAR = 2  # blocks before and after the number
_SHARE = 0.6  # of a disclosure's telling words that must be found


def missing(document: Document, judged: Sequence[tuple[Match, Verdict]], path: str) -> list[Finding]:
    """At most one finding per claim: its first mention, when no mention has the disclosure beside it."""
    out: list[Finding] = []
    by_claim: dict[str, list[tuple[Match, Verdict]]] = {}
    for match, verdict in judged:
        claim = verdict.candidate.entry.claim
        if claim.disclosures and verdict.kind != "ambiguous":
            by_claim.setdefault(claim.id, []).append((match, verdict))
    for claim_id, mentions in by_claim.items():
        claim = mentions[0][1].candidate.entry.claim
        near = {words for match, _ in mentions for words in _nearby(document, match.block)}
        for disclosure in claim.disclosures:
            telling = _words(disclosure)
            if telling and len(telling & near) < _SHARE * len(telling):
                match = mentions[0][0]
                out.append(Finding(
                    "disclosure-missing", "warning",
                    f"{match.quantity.text} states {claim_id}, whose disclosure stands nowhere near it: {disclosure!r}",
                    location(match, path), claim_id, {"text": match.quantity.text, "disclosure": disclosure},
                    "say it in the same paragraph, caption or footnote, or generate the number",
                ))  # fmt: skip
    return out


def _nearby(document: Document, block: int) -> set[str]:
    words: set[str] = set()
    for i, other in enumerate(document.blocks):
        if abs(i - block) <= _NEAR or (isinstance(other, Paragraph) and other.kind == "footnote"):
            words |= _block_words(other)
    return words


def _block_words(block: Table | Paragraph) -> set[str]:
    if isinstance(block, Paragraph):
        return _words(block.text.text)
    words = _words(block.caption.text) if block.caption else set()
    return words.union(*(_words(cell.text.text) for row in block.rows for cell in row))


def _words(text: str) -> set[str]:
    """Words of four letters and more, and numbers."""
    return {word for word in re.findall(r"\w+", text.casefold()) if len(word) > 3 or word.isdigit()}
