"""Explicit bindings: a comment `ledger: CLAIM` says which claim the numbers of a block speak of, and wins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ledger.model.document import Directive, Document, Paragraph, Table, Text
from ledger.model.finding import Finding, Location
from ledger.reconcile.index import Entry, Index
from ledger.reconcile.matching import Candidate, Match
from ledger.reconcile.quantity import Quantity
from ledger.reconcile.units import factors

_Item = tuple[Quantity, Text, Match | None]


def block_lines(block: Table | Paragraph) -> tuple[int, int]:
    """First and last line of a block's visible text."""
    texts = (
        [block.text]
        if isinstance(block, Paragraph)
        else [cell.text for row in block.rows for cell in row if cell.text.text]
    )
    lines = [line for text in texts for _, line, _ in (text.anchors[0], text.anchors[-1])]
    return (min(lines), max(lines)) if lines else (0, 0)


def reach(document: Document, directive: Directive) -> tuple[int, int]:
    """The lines that a directive speaks of: its own line when text stands there, else the next line of the block
    that it stands in, else the whole next block.
    """
    beside = [block for block in document.blocks if _lies_in(block) == directive.within]
    spans = [block_lines(block) for block in beside]
    lines = _text_lines(beside)
    if directive.line in lines:
        return directive.line, directive.line
    for first, last in spans:
        if first < directive.line < last:
            following = min((line for line in lines if line > directive.line), default=last)
            return following, following
    after = [(first, last) for first, last in spans if first > directive.line]
    return min(after) if after else (directive.line, directive.line)


def _lies_in(block: Table | Paragraph) -> Location | None:
    """What all of a block lies in; a table's cells may say more, but no less, than its first."""
    return block.text.within if isinstance(block, Paragraph) else block.rows[0][0].text.within


def _text_lines(blocks: Iterable[Table | Paragraph]) -> set[int]:
    lines: set[int] = set()
    for block in blocks:
        texts = (
            [block.text]
            if isinstance(block, Paragraph)
            else [cell.text for row in block.rows for cell in row if cell.text.text]
        )
        lines.update(line for text in texts for _, line, _ in text.anchors)
    return lines


class Bindings:
    """The binding directives of one document, applied to its matches."""

    def __init__(self, document: Document, index: Index) -> None:
        self.unknown: list[Directive] = []
        self.spans: list[tuple[Location | None, int, int, tuple[Entry, ...]]] = []
        for directive in document.directives:
            if directive.claim is None:
                continue
            entries = index.bound(directive.claim)
            if entries:
                self.spans.append((directive.within, *reach(document, directive), entries))
            else:
                self.unknown.append(directive)

    def apply(self, items: Iterable[_Item]) -> Iterator[_Item]:
        """The same numbers in the same order; those under a binding speak of its claim and of nothing else."""
        if not self.spans:
            yield from items
            return
        held: dict[int, list[_Item]] = {}
        everything = list(items)
        for item in everything:
            for i, (within, first, last, _) in enumerate(self.spans):
                if item[1].within == within and first <= item[1].place(item[0].start)[0] <= last:
                    held.setdefault(i, []).append(item)
        replaced: dict[int, Match | None] = {}
        for i, group in held.items():
            replaced.update(_bind(group, self.spans[i][3]))
        for quantity, text, match in everything:
            yield quantity, text, replaced.get(id(quantity), match)

    def findings(self, path: str) -> list[Finding]:
        """Bindings to claims that do not exist."""
        return [
            Finding("ambiguous", "warning", f"this comment binds numbers to {d.claim}, which is no claim or row", d.location(path),
                    values={"claim": d.claim}, fix="correct the id")
            for d in self.unknown
        ]  # fmt: skip


def _bind(group: list[_Item], entries: tuple[Entry, ...]) -> dict[int, Match | None]:
    """For each number of a bound block its match: with one row, the number that agrees or is likeliest."""
    out: dict[int, Match | None] = {}
    options: list[tuple[bool, bool, int, Match]] = []
    for quantity, text, match in group:
        out[id(quantity)] = None
        candidates = tuple(
            Candidate(e, allowed, 2.0, ("bound by a comment",)) for e in entries if (allowed := factors(e, quantity))
        )
        if not candidates:
            continue
        own = match is not None and any(c.entry in entries for c in match.candidates)
        agrees = any(quantity.agrees(c.entry.value * f) for c in candidates for f in c.factors)
        base = match or Match(quantity, text, ())
        options.append((own, agrees, quantity.decimals, replace(base, candidates=candidates, bound=True)))
    for _, _, _, chosen in sorted(options, key=lambda option: option[:3], reverse=True)[: len(entries)]:
        out[id(chosen.quantity)] = chosen
    return out
