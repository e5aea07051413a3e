"""The claim graph's nouns: a claim and its evidence rows, as `EVIDENCE.json` states them.

A claim or row keeps the mapping it was read from, so keys that this version does not know survive a rewrite.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ledger.model.number import finite_number, whole_number


@dataclass(frozen=True, slots=True)
class Variance:
    """Spread of a value: its kind (`std`, `sem`, `ci95`...), its size, and over what (`seeds` or `items`)."""

    type: str
    value: float
    over: str | None = None
    count: int | None = None

    @classmethod
    def read(cls, raw: object) -> Variance | None:
        value = finite_number(raw.get("value")) if isinstance(raw, Mapping) else None
        if not isinstance(raw, Mapping) or value is None:
            return None
        seeds = raw.get("seeds")
        over = raw.get("over") or ("seeds" if seeds else None)
        return cls(str(raw.get("type") or "std"), value, over, whole_number(seeds))


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One metric of one run, or an aggregate of several. `index` is its place in the claim, from 0."""

    claim_id: str
    index: int
    raw: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The row's own id, or `CLAIM` for a claim's only or first row and `CLAIM.1` and so on for the others."""
        own = self.raw.get("id")
        if own:
            return str(own)
        return self.claim_id if self.index == 0 else f"{self.claim_id}.{self.index}"

    @property
    def exp_id(self) -> str:
        return str(self.raw.get("exp_id") or "")

    @property
    def run(self) -> str | list[str]:
        """`selected` (the default), a run id, or a list of run ids."""
        run = self.raw.get("run")
        return [str(item) for item in run] if isinstance(run, list) else str(run or "selected")

    @property
    def metric(self) -> str:
        return str(self.raw.get("metric") or "")

    @property
    def value(self) -> float | None:
        """The stored value; None when absent or not a finite number (NaN is stored as a string)."""
        return finite_number(self.raw.get("value"))

    @property
    def split(self) -> str:
        return str(self.raw.get("split") or "")

    @property
    def dataset(self) -> str:
        return str(self.raw.get("dataset") or "")

    @property
    def unit(self) -> str:
        return str(self.raw.get("unit") or "")

    @property
    def direction(self) -> str:
        return str(self.raw.get("direction") or "")

    @property
    def n(self) -> int | None:
        return whole_number(self.raw.get("n"))

    @property
    def variance(self) -> Variance | None:
        return Variance.read(self.raw.get("variance"))

    @property
    def aliases(self) -> tuple[str, ...]:
        return _strings(self.raw.get("aliases"))

    @property
    def display(self) -> Mapping[str, Any]:
        """How documents print it: `decimals` or `significant`, `style`, `scale` (100 for percent)."""
        display = self.raw.get("display")
        return display if isinstance(display, Mapping) else {}

    @property
    def addresses(self) -> tuple[str, ...]:
        """Run addresses that the stored value was computed from, written by `ledger evidence refresh`."""
        sources = self.raw.get("from") or ()
        return tuple(str(source.get("address", "")) for source in sources if isinstance(source, Mapping))


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement the paper makes, with its evidence rows, its places and its disclosure."""

    id: str
    raw: Mapping[str, Any]
    index: int = 0

    @property
    def statement(self) -> str:
        return str(self.raw.get("statement") or "")

    @property
    def rows(self) -> tuple[EvidenceRow, ...]:
        rows = self.raw.get("evidence") or ()
        return tuple(EvidenceRow(self.id, i, row) for i, row in enumerate(rows) if isinstance(row, Mapping))

    @property
    def aliases(self) -> tuple[str, ...]:
        return _strings(self.raw.get("aliases"))

    @property
    def anchors(self) -> tuple[str, ...]:
        """Where the paper states it."""
        return _strings(self.raw.get("paper_anchor"))

    @property
    def implementation(self) -> str:
        """`path:line` of the code that produces it."""
        return str(self.raw.get("repo_implementation") or "")

    @property
    def disclosures(self) -> tuple[str, ...]:
        return _strings(self.raw.get("disclosure"))


def _strings(raw: object) -> tuple[str, ...]:
    """A string, a list of strings or nothing, always as a tuple."""
    if isinstance(raw, str):
        return (raw,) if raw.strip() else ()
    return tuple(str(item) for item in raw if item) if isinstance(raw, list | tuple) else ()


def iter_rows(claims: tuple[Claim, ...]) -> Iterator[tuple[Claim, EvidenceRow]]:
    """Every evidence row with its claim, in file order."""
    for claim in claims:
        for row in claim.rows:
            yield claim, row
