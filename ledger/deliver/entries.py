"""What every output form prints: one entry for each evidence row, with its marks and notes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ledger.deliver.number import Printed, printed
from ledger.evidence.graph import ClaimGraph
from ledger.model.claim import Claim, EvidenceRow

NO_VALUE = "??"  # what a document shows for a row that has never been refreshed


@dataclass(frozen=True, slots=True)
class Entry:
    """One evidence row ready to be printed. `mark` is the letter of its disclosure, empty without one."""

    claim: Claim
    row: EvidenceRow
    number: Printed | None
    mark: str

    @property
    def plain(self) -> str:
        return self.number.plain if self.number else NO_VALUE

    @property
    def with_spread(self) -> str:
        return self.number.with_spread if self.number else NO_VALUE

    @property
    def method(self) -> str:
        """How the paper calls what was measured: the row's or claim's first alias, else the experiment."""
        aliases = (*self.row.aliases, *self.claim.aliases)
        return str(self.row.raw.get("label") or (aliases[0] if aliases else self.row.exp_id or self.row.id))

    @property
    def conditions(self) -> str:
        """`mean ± std over 3 seeds, test, n = 360`: what `full` adds in parentheses."""
        variance = self.row.variance
        parts = []
        if variance and variance.count:
            kind = self.row.raw.get("aggregate") or "mean"
            parts.append(f"{kind} ± {variance.type} over {variance.count} {variance.over or 'runs'}")
        else:
            if variance:
                parts.append(f"± {variance.type} over {variance.over}" if variance.over else f"± {variance.type}")
            if len(self.row.addresses) == 1 and not self.row.raw.get("derive"):
                parts.append("one run")
        if self.row.split:
            parts.append(self.row.split)
        if self.row.n:
            parts.append(f"n = {self.row.n}")
        return ", ".join(parts)

    @property
    def full(self) -> str:
        return f"{self.with_spread} ({self.conditions})" if self.conditions else self.with_spread


def entries(graph: ClaimGraph) -> list[Entry]:
    """Every row in file order."""
    marks = {text: mark for mark, text in disclosures(graph)}
    return [
        Entry(claim, row, printed(row), "".join(marks[text] for text in claim.disclosures))
        for claim in graph.claims
        for row in claim.rows
    ]


def disclosures(graph: ClaimGraph) -> list[tuple[str, str]]:
    """Each disclosure once, with its mark: a, b, ... in the order of the claims."""
    texts = dict.fromkeys(text for claim in graph.claims for text in claim.disclosures)
    return list(zip(_letters(), texts, strict=False))


def _letters() -> Iterator[str]:
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    yield from alphabet
    for first in alphabet:
        for second in alphabet:
            yield first + second
