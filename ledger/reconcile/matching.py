"""The scorer that tables and prose share: candidates with reasons, narrowed by qualifiers, never by equal digits.

A candidate is an evidence row that a number may speak of. Subject and metric make it one; data set, split and
conditions choose among candidates and veto those of another data set or split.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from ledger.model.document import Text
from ledger.reconcile.index import Entry, is_numeric, key_tokens, normal
from ledger.reconcile.quantity import Quantity
from ledger.reconcile.signals import Facet, Signals, is_size_key, metric_score, sizes
from ledger.reconcile.words import SPLITS, same_name, same_split, tokens


@dataclass(frozen=True, slots=True)
class Candidate:
    """An evidence row that a number may speak of, how strongly, and by what.

    `facet` says which of its numbers: the value, its spread, the number of items, or the number of seeds.
    """

    entry: Entry
    factors: tuple[Decimal, ...]
    score: float
    why: tuple[str, ...]
    facet: Facet = "value"

    @property
    def value(self) -> Decimal:
        """The stored number of this facet; candidates exist only for facets that are stored."""
        found = facet_value(self.entry, self.facet)
        return self.entry.value if found is None else found


def facet_value(entry: Entry, facet: Facet) -> Decimal | None:
    """What an evidence row stores for a facet, or None."""
    variance = entry.row.variance
    if facet == "spread":
        return Decimal(repr(variance.value)) if variance else None
    if facet == "n":
        return Decimal(entry.row.n) if entry.row.n is not None else None
    if facet == "seeds":
        return Decimal(variance.count) if variance and variance.over == "seeds" and variance.count else None
    return entry.value


@dataclass(frozen=True, slots=True)
class Match:
    """A number in a document with the evidence rows that it may speak of."""

    quantity: Quantity
    text: Text
    candidates: tuple[Candidate, ...]
    bound: bool = False  # by a directive: certain
    weak: bool = False  # its subject is guessed: it may agree, but is never called a drift
    table: tuple[int, int, int] | None = None  # table, row, col from 0
    block: int = 0  # index of the block in its document


@dataclass(frozen=True, slots=True)
class Level:
    """One circle of context around a number, from near to far. A veto level excludes what contradicts it."""

    name: str
    signals: Signals
    veto: bool = False


@dataclass(frozen=True, slots=True)
class Around:
    """All context of a number: circles, and the conditions that columns or the sentence state for it."""

    levels: Sequence[Level]
    stated: Mapping[frozenset[str], str] = field(default_factory=dict)  # words of a column head -> its cell in the row
    size: str = ""  # the size named for this very number


def by_metric(entries: Iterable[Entry], signals: Signals, others: Sequence[Signals] = ()) -> list[tuple[Entry, float]]:
    """The entries whose metric `signals` names best; `others` are the neighbouring columns' heads.

    A part of a metric's name (`AP` for `box AP`) counts only when it leaves one metric, after those that a
    neighbouring column names in full are taken away.
    """
    scored = [(entry, metric_score(signals, entry)) for entry in entries]
    best = max((score for _, score in scored), default=0.0)
    if best <= 0:
        return []
    kept = [(entry, score) for entry, score in scored if score == best]
    if best >= 0.9 or len({entry.metric for entry, _ in kept}) == 1:
        return kept
    kept = [(entry, score) for entry, score in kept if not any(metric_score(other, entry) >= 0.9 for other in others)]
    return kept if len({entry.metric for entry, _ in kept}) == 1 else []


def narrow(entries: Sequence[Entry], around: Around) -> tuple[list[Entry], list[str]]:
    """Those of `entries` that the context allows, and what spoke for them."""
    kept, why = list(entries), []
    keys = dict.fromkeys(key for entry in entries for key in entry.qualifiers)
    for key in keys:
        if not kept:
            break
        before = len(kept)
        kept, reason = _narrow_key(kept, key, around)
        if reason and (len(kept) < before or key in ("dataset", "split")):
            why.append(reason)
    return kept, why


def _narrow_key(entries: list[Entry], key: str, around: Around) -> tuple[list[Entry], str]:
    if any(is_numeric(entry.qualifiers.get(key, "")) for entry in entries):
        return _narrow_number(entries, key, around)
    for level in around.levels:
        mentioned = level.signals.qualifiers.get(key)
        if not mentioned:
            continue
        fitting = [e for e in entries if key in e.qualifiers and _fits(key, e.qualifiers[key], mentioned)]
        if fitting:
            return fitting, f"{key} in the {level.name}"
        if level.veto and key in ("dataset", "split"):
            return [e for e in entries if key not in e.qualifiers], f"another {key} in the {level.name}"
    return entries, ""


def _fits(key: str, value: str, mentioned: frozenset[str]) -> bool:
    own = normal(key, value)
    if key == "split":
        parts = {own, *tokens(value)}
        return any(same_split(part, found) for part in parts & {own, *SPLITS} for found in mentioned)
    if key == "dataset":
        return any(same_name(own, found) for found in mentioned)
    return own in mentioned


def _narrow_number(entries: list[Entry], key: str, around: Around) -> tuple[list[Entry], str]:
    """Conditions with a number: by their own column, by the size beside the number, by the circles of context."""
    words = key_tokens(key)
    size = is_size_key(words)
    for head, cell in around.stated.items():
        if head == words or (size and is_size_key(head)):
            number = cell.split("x")[0].split("×")[0].strip()
            if is_numeric(number):
                return _equal(entries, key, number), f"{key} in its column"
    if size and around.size:
        return _equal(entries, key, around.size), f"{key} beside the number"
    for level in around.levels:
        found = {number for _, number in sizes(level.signals.text)} if size else _conditions(level.signals.text, words)
        fitting = [entry for entry in entries if entry.qualifiers.get(key) in found]
        if fitting:
            return fitting, f"{key} in the {level.name}"
        if found and level.name == "row" and size:
            return [entry for entry in entries if key not in entry.qualifiers], f"another {key} in the row"
    return entries, ""


def _equal(entries: list[Entry], key: str, number: str) -> list[Entry]:
    return [e for e in entries if key not in e.qualifiers or Decimal(e.qualifiers[key]) == Decimal(number)]


def _conditions(text: str, words: frozenset[str]) -> set[str]:
    """Numbers beside a condition's word: `5-shot`, `epochs = 100`."""
    out: set[str] = set()
    for word in words:
        if word in text.casefold():
            stem = re.escape(word.rstrip("s"))
            for match in re.finditer(
                rf"(\d+(?:\.\d+)?)[-\s]?{stem}|{stem}s?\W{{0,3}}(\d+(?:\.\d+)?)", text, re.IGNORECASE
            ):
                out.add(match.group(1) or match.group(2))
    return out
