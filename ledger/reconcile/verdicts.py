"""Verdicts: whether a matched number agrees with its claim.

A number agrees when the claim's value rounds to the printed digits (either tie rule). Of several candidates one
that agrees is taken; when none does and they differ, the number is ambiguous and never a drift.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from ledger.reconcile.matching import Candidate, Match
from ledger.reconcile.quantity import Quantity

Kind = Literal["agree", "truncated", "coarse", "open", "ambiguous", "drift"]
_ORDER: tuple[Kind, ...] = ("agree", "truncated", "coarse", "open", "drift")
_MORE = frozenset((">", "≥", "over", "above", "more than", "at least", "exceed", "exceeds", "exceeding"))
_LESS = frozenset(("<", "≤", "below", "under", "less than", "at most", "up to", "within"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a match came to, the candidate it was judged by, and the scale between that claim and the document.

    `coarse`: the claim is stored with fewer digits than the document prints; `open`: an approximation (`about
    97`). Neither can be judged.
    """

    kind: Kind
    candidate: Candidate
    factor: Decimal

    @property
    def expected(self) -> Decimal:
        """The claim's value in the units of the document, not rounded."""
        return self.candidate.value * self.factor


def judge(match: Match) -> Verdict | None:
    """The verdict on a match; None without candidates, and for a guessed subject that does not agree."""
    best: Verdict | None = None
    for candidate in match.candidates:
        verdict = _judge_one(match.quantity, candidate)
        if best is None or _rank(verdict) < _rank(best):
            best = verdict
    if best is None or best.kind != "drift":
        return best
    if match.weak:
        return None
    if len({(found.value, found.entry.metric) for found in match.candidates}) > 1:
        return Verdict("ambiguous", best.candidate, best.factor)
    return best


def spread_of(quantity: Quantity, verdict: Verdict) -> Verdict | None:
    """The verdict on the uncertainty beside a number, when its row has a spread; `2.1 ± 0.3` holds two numbers."""
    entry = verdict.candidate.entry
    if quantity.spread is None or entry.row.variance is None or verdict.candidate.facet != "value":
        return None
    scales = (verdict.factor,) if verdict.kind != "drift" else verdict.candidate.factors
    candidate = Candidate(
        entry, scales, verdict.candidate.score, (*verdict.candidate.why, "beside its value"), "spread"
    )
    return _judge_one(quantity.spread, candidate)


def _rank(verdict: Verdict) -> tuple[int, float]:
    return _ORDER.index(verdict.kind), -verdict.candidate.score


def _judge_one(quantity: Quantity, candidate: Candidate) -> Verdict:
    kinds: dict[Kind, Decimal] = {}
    for factor in candidate.factors:
        kinds.setdefault(_compare(quantity, candidate, factor), factor)
    for kind in _ORDER[:-1]:
        if kind in kinds:
            return Verdict(kind, candidate, kinds[kind])
    return Verdict("drift", candidate, _nearest(quantity, candidate))


def _nearest(quantity: Quantity, candidate: Candidate) -> Decimal:
    """The scale that a wrong number was most likely meant in: the likeliest, unless another lies much closer."""

    def apart(factor: Decimal) -> Decimal:
        distance = _distance(quantity, candidate.value * factor)
        return distance if factor == candidate.factors[0] else distance * 3

    return min(candidate.factors, key=apart)


def _compare(quantity: Quantity, candidate: Candidate, factor: Decimal) -> Kind:
    exact = candidate.value * factor
    if quantity.value is None:
        return "drift"
    if quantity.agrees(exact):
        return "agree"
    if (quantity.relation in _MORE and exact >= quantity.value) or (
        quantity.relation in _LESS and exact <= quantity.value
    ):
        return "agree"
    about = quantity.relation and quantity.relation not in _MORE | _LESS
    if about and abs(quantity.value - exact) <= max(quantity.quantum, abs(exact) / 100):
        return "open"
    if quantity.truncates(exact):
        return "truncated"
    return "coarse" if _coarse(quantity, candidate, factor) else "drift"


def _coarse(quantity: Quantity, candidate: Candidate, factor: Decimal) -> bool:
    """The stored value has fewer digits than the document, and the printed number rounds to it."""
    exponent = candidate.value.as_tuple().exponent
    if candidate.entry.exact or quantity.value is None or not isinstance(exponent, int):
        return False
    own = Decimal(1).scaleb(min(exponent, 0)) * factor
    return own > quantity.quantum and abs(quantity.value - candidate.value * factor) * 2 <= own


def _distance(quantity: Quantity, exact: Decimal) -> Decimal:
    """How far apart two magnitudes are, as a ratio of at least 1; a missing one is infinitely far."""
    if not quantity.value or not exact:
        return Decimal("Infinity")
    ratio = abs(quantity.value / exact)
    return max(ratio, 1 / ratio)
