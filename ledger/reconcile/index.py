"""The claims, indexed: names, metrics and qualifiers of every evidence row, each looked up in constant time.

A *subject* is what a number is about: an experiment (`exp_id`), a part of one where its rows have aliases of their
own, or a claim whose rows name no experiment. Its rows differ by metric and by qualifiers (data set, split, conditions
such as an image size, a label).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property

from ledger.evidence.graph import ClaimGraph
from ledger.model.claim import Claim, EvidenceRow
from ledger.reconcile.names import Names
from ledger.reconcile.words import DATASETS, SPLITS, head_unit, metric_tokens, squash, stem, tokens, word_set

_BOOKKEEPING = word_set(
    "id exp_id run metric direction value unit n variance results_json figure aliases display aggregate derive from seeds n_seeds "
    "per_seed config count statement protocol history note notes"
)
_LARGEST = 400  # power of ten; doubles end before it, and what is beyond is no measurement
_PLAIN_UNITS = frozenset(("fraction", "proportion", "ratio", "1"))


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One evidence row with a value, ready to be matched."""

    claim: Claim
    row: EvidenceRow
    value: Decimal
    subject: str
    metric: frozenset[str]
    metric_aliases: tuple[frozenset[str], ...]
    unit: str
    qualifiers: Mapping[str, str]  # key -> value as written: dataset, split, label, and every condition

    @property
    def exact(self) -> bool:
        """Whether all digits of the stored value count: it was computed from runs, not typed."""
        return bool(self.row.raw.get("from")) or self.row.n is not None

    @property
    def change(self) -> bool:
        """A difference or relative change of two other rows."""
        return str(self.row.raw.get("derive", "")).startswith(("delta", "percent_change"))


class Index:
    """Everything that matching asks of a claim graph."""

    def __init__(self, graph: ClaimGraph) -> None:
        self.entries = tuple(_entries(graph))
        by_subject: dict[str, list[Entry]] = {}
        for entry in self.entries:
            by_subject.setdefault(entry.subject, []).append(entry)
        self.by_subject = {subject: tuple(found) for subject, found in by_subject.items()}
        self.names: Names[str] = Names(self._names())
        self.stems: Names[str] = Names(
            (stem(name), subject) for name, subject in self._names() if "/" in name or "." in name
        )
        self.qualifiers: Names[tuple[str, str]] = Names(_qualifier_names(self.entries))
        self.metric_words = frozenset(word for entry in self.entries for word in entry.metric)
        self.ids = {entry.row.id: entry for entry in self.entries}

    def _names(self) -> list[tuple[str, str]]:
        pairs: list[tuple[str, str]] = []
        for entry in self.entries:
            pairs.append((entry.row.exp_id or entry.claim.id, entry.subject))
            aliases = (*entry.row.aliases, *entry.claim.aliases)
            pairs.extend((alias, entry.subject) for alias in aliases if metric_tokens(alias) != entry.metric)
        return pairs

    @cached_property
    def by_metric(self) -> dict[frozenset[str], tuple[Entry, ...]]:
        found: dict[frozenset[str], list[Entry]] = {}
        for entry in self.entries:
            found.setdefault(entry.metric, []).append(entry)
        return {metric: tuple(entries) for metric, entries in found.items()}

    @cached_property
    def metric_alias_keys(self) -> dict[frozenset[str], tuple[Entry, ...]]:
        """Claims called by an alias where a metric's name would stand."""
        found: dict[frozenset[str], list[Entry]] = {}
        for entry in self.entries:
            for key in entry.metric_aliases:
                found.setdefault(key, []).append(entry)
        return {key: tuple(entries) for key, entries in found.items()}

    def linked(self, target: str) -> frozenset[str]:
        """Subjects whose configuration, weights or card a link points at."""
        name = stem(target)
        return self.stems.get(name) or self.names.get(name)

    def bound(self, name: str) -> tuple[Entry, ...]:
        """The rows of a claim id or row id that a directive names."""
        if name in self.ids:
            row = self.ids[name]
            return tuple(e for e in self.entries if e.claim.id == name) or (row,)
        return tuple(entry for entry in self.entries if entry.claim.id == name)


def _subjects(graph: ClaimGraph) -> dict[str, bool]:
    """exp_id -> whether its rows are told apart by their own aliases."""
    spellings: dict[str, set[frozenset[str]]] = {}
    for claim in graph.claims:
        for row in claim.rows:
            spellings.setdefault(row.exp_id, set()).add(frozenset(row.aliases))
    return {exp_id: len(found) > 1 for exp_id, found in spellings.items()}


def _subject(claim: Claim, row: EvidenceRow, split: bool) -> str:
    if not row.exp_id:
        return claim.id
    return f"{row.exp_id} ({', '.join(sorted(row.aliases))})" if split and row.aliases else row.exp_id


def _entries(graph: ClaimGraph) -> Iterable[Entry]:
    divided = _subjects(graph)
    for claim in graph.claims:
        for row in claim.rows:
            value = _decimal(row.raw.get("value"))
            if value is None:
                continue
            name = row.metric or str(row.raw.get("derive", ""))
            unit = "" if row.unit in _PLAIN_UNITS else row.unit or head_unit(row.metric)[1]
            aliases = tuple(metric_tokens(alias) for alias in (*row.aliases, *claim.aliases) if _short(alias))
            subject = _subject(claim, row, divided[row.exp_id])
            yield Entry(claim, row, value, subject, metric_tokens(name), aliases, unit, _qualifiers(row))


def _decimal(raw: object) -> Decimal | None:
    """The stored value exactly as its shortest decimal; None for absent values, NaN, infinities and what is as good as one."""
    if raw is None or isinstance(raw, bool):
        return None
    try:
        value = Decimal(repr(raw)) if isinstance(raw, float) else Decimal(str(raw).strip())
    except InvalidOperation:
        return None
    return value if value.is_finite() and abs(value.adjusted()) <= _LARGEST else None


def _short(alias: str) -> bool:
    return "/" not in alias and len(alias) < 60


def _qualifiers(row: EvidenceRow) -> dict[str, str]:
    """What tells rows of one subject and metric apart, by key."""
    out = {key: value for key, value in (("dataset", row.dataset), ("split", row.split)) if value}
    conditions = row.raw.get("conditions")
    extra = [*conditions.items()] if isinstance(conditions, Mapping) else []
    extra += [(key, value) for key, value in row.raw.items() if key not in _BOOKKEEPING and key not in out]
    for key, value in extra:
        if isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip():
            out.setdefault(str(key), str(value))
    return out


def _qualifier_names(entries: Iterable[Entry]) -> Iterable[tuple[str, tuple[str, str]]]:
    """Each spelling of a qualifier's value; the field's data sets are known even when no claim has them."""
    for name in DATASETS:
        yield name, ("dataset", squash(name))
    for word, split in SPLITS.items():
        yield word, ("split", split)
    yield "test-dev", ("split", "testdev")
    seen: set[tuple[str, str]] = set()
    for entry in entries:
        for key, value in entry.qualifiers.items():
            if (key, value) in seen:
                continue
            seen.add((key, value))
            if not is_numeric(value):
                yield value, (key, normal(key, value))


def normal(key: str, value: str) -> str:
    """The form in which qualifier values are compared."""
    flat = squash(value)
    return SPLITS.get(flat, flat) if key == "split" else flat


def is_numeric(value: str) -> bool:
    """A condition such as an image size, which is looked for as a number and not as a word."""
    return bool(re.fullmatch(r"\d+(?:\.\d+)?", value.strip()))


def key_tokens(key: str) -> frozenset[str]:
    """The words of a condition's key, to find its column: `img_size` gives img and size."""
    return frozenset(tokens(key))
