"""The nearest explanation of a drift: where else the printed number comes from, or what slipped while typing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from ledger.model.number import finite_number
from ledger.reconcile.index import Entry, Index
from ledger.reconcile.matching import Candidate
from ledger.reconcile.quantity import Quantity


@dataclass(frozen=True, slots=True)
class Explanation:
    """A kind for machines, a clause for people, and the evidence row that it points at, if any."""

    kind: str
    sentence: str = ""
    row: str = ""


def explain(quantity: Quantity, expected: Decimal, candidate: Candidate, index: Index) -> Explanation:
    """Why `quantity` may have been printed where `expected` should stand; the most telling reason wins."""
    value = quantity.value
    if value is None:
        return Explanation("unreadable")
    if candidate.facet == "spread":
        return _spread(quantity, expected, candidate)
    if candidate.facet != "value":
        return _slip(quantity, expected, candidate, index) or Explanation("count")
    if value and quantity.agrees(-expected):
        return Explanation("sign", "the sign is reversed")
    for check in (_own_rows, _one_seed, _slip, _other_rows):
        found = check(quantity, expected, candidate, index)
        if found:
            return found
    return Explanation("value")


def _spread(quantity: Quantity, expected: Decimal, candidate: Candidate) -> Explanation:
    """Another kind of spread of the same value, by the textbook formulas from std and n."""
    variance = candidate.entry.row.variance
    if variance is None or variance.type != "std" or not variance.count or variance.count < 2:
        return Explanation("uncertainty")
    n = Decimal(variance.count)
    for other, name in (
        (expected * ((n - 1) / n).sqrt(), "the population standard deviation (divisor n)"),
        (expected / n.sqrt(), "the standard error of the mean"),
        (expected / n.sqrt() * Decimal("1.96"), "the half width of a normal 95% interval"),
        (expected * 2, "two standard deviations"),
    ):
        if quantity.agrees(other):
            return Explanation("uncertainty-kind", f"{quantity.text} is {name}")
    return Explanation("uncertainty")


def _own_rows(quantity: Quantity, expected: Decimal, candidate: Candidate, index: Index) -> Explanation | None:
    """Another split, data set, condition or metric of the same subject."""
    entry = candidate.entry
    for other in index.by_subject[entry.subject]:
        if other is entry or not _prints(quantity, other, candidate):
            continue
        if other.metric != entry.metric:
            return Explanation(
                "other-metric", f"{quantity.text} is its {other.row.metric} ({other.row.id})", other.row.id
            )
        key = next(
            (k for k in (*entry.qualifiers, *other.qualifiers) if entry.qualifiers.get(k) != other.qualifiers.get(k)),
            "run",
        )
        kind = {"split": "other-split", "dataset": "other-dataset"}.get(key, "other-condition")
        return Explanation(
            kind,
            f"{quantity.text} is its value for {key} {other.qualifiers.get(key, '')} ({other.row.id})",
            other.row.id,
        )
    return None


def _one_seed(quantity: Quantity, expected: Decimal, candidate: Candidate, index: Index) -> Explanation | None:
    """One seed's value where the aggregate belongs."""
    row = candidate.entry.row
    values = _per_seed(candidate.entry)
    best = (min if row.direction == "lower_is_better" else max)((value for _, value in values), default=None)
    for factor in candidate.factors:
        fits = [(seed, value) for seed, value in values if quantity.agrees(value * factor)]
        if fits:
            which = " and ".join(f"seed {seed}" for seed, _ in fits)
            how = "the best, " if best in {value for _, value in fits} else ""
            return Explanation(
                "one-seed", f"{quantity.text} is {which} alone, {how}not the {row.raw.get('aggregate', 'mean')}"
            )
    return None


def _per_seed(entry: Entry) -> list[tuple[object, Decimal]]:
    """(seed, value) of each run behind an aggregate; seeds are numbered from 0 where the file only lists values."""
    listed = entry.row.raw.get("per_seed")
    if isinstance(listed, list):
        pairs: list[tuple[object, object]] = list(enumerate(listed))
    else:
        sources = entry.row.raw.get("from")
        pairs = (
            [(source.get("seed"), source.get("value")) for source in sources if isinstance(source, Mapping)]
            if isinstance(sources, list)
            else []
        )
    return [(seed, Decimal(repr(value))) for seed, value in pairs if finite_number(value) is not None]


def _other_rows(quantity: Quantity, expected: Decimal, candidate: Candidate, index: Index) -> Explanation | None:
    """The same metric of another subject: a line slipped, or an older experiment's number stayed."""
    if len(quantity.text.strip("+-−0.,")) < 2:
        return None
    entry = candidate.entry
    for other in index.by_metric.get(entry.metric, ()):
        if other.subject != entry.subject and _prints(quantity, other, candidate):
            return Explanation(
                "other-row",
                f"{quantity.text} is the value of {other.row.exp_id or other.claim.id} ({other.row.id})",
                other.row.id,
            )
    return None


def _prints(quantity: Quantity, other: Entry, candidate: Candidate) -> bool:
    return any(quantity.agrees(other.value * factor) for factor in candidate.factors)


def _slip(quantity: Quantity, expected: Decimal, candidate: Candidate, index: Index) -> Explanation | None:
    """Slips of the hand: digits exchanged, a point moved, percent for a fraction, the last digit."""
    value = quantity.value
    if value is None or not expected:
        return None
    digits = "".join(char for char in quantity.text if char.isdigit())
    right = "".join(char for char in f"{abs(expected).quantize(min(quantity.quantum, Decimal(1))):f}" if char.isdigit())
    if len(digits) == len(right) and digits != right:
        for i in range(len(digits) - 1):
            if digits[:i] + digits[i + 1] + digits[i] + digits[i + 2 :] == right:
                return Explanation("transposed", f"the digits {right[i]} and {right[i + 1]} are exchanged")
    for power in (2, -2):
        if quantity.agrees(expected.scaleb(power)):
            return Explanation("percent-or-fraction", "a percentage and a fraction are mixed up")
    for power in (1, -1, 3, -3):
        if quantity.agrees(expected.scaleb(power)):
            return Explanation(
                "decimal-point", f"it is {'larger' if power > 0 else 'smaller'} by a factor of {10 ** abs(power)}"
            )
    if abs(value - expected) < quantity.quantum * 2:
        return Explanation("last-digit", "the last digit differs")
    return None
