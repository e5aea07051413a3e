"""Verdicts: whether a matched number agrees with its claim, and the sentence that says so.

A number agrees when the claim's value rounds to the printed digits (either tie rule). Disagreement names both
places and never says which one is wrong: now and then the document is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from ledger.model.finding import Finding, Location
from ledger.reconcile.explain import explain
from ledger.reconcile.index import Entry, Index
from ledger.reconcile.matching import Candidate, Match
from ledger.reconcile.quantity import Quantity
from ledger.reconcile.words import tokens

Kind = Literal["agree", "drift", "truncated", "coarse", "ambiguous", "open"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a match came to: its kind, the candidate it was judged by, and that claim's value as it would print."""

    kind: Kind
    candidate: Candidate
    factor: Decimal
    spread_off: bool = False

    @property
    def expected(self) -> Decimal:
        """The claim's value in the units of the document, not rounded."""
        return self.candidate.entry.value * self.factor


_MORE = frozenset((">", "≥", "over", "above", "more than", "at least", "exceed", "exceeds", "exceeding"))
_LESS = frozenset(("<", "≤", "below", "under", "less than", "at most", "up to", "within"))


def judge(match: Match) -> Verdict | None:
    """The verdict on a match; None when it has no candidate.

    Of several candidates one that agrees is taken. If none agrees and they state different values, the number is
    ambiguous: it is not known which of them it speaks of.
    """
    best: Verdict | None = None
    order: tuple[Kind, ...] = ("agree", "truncated", "coarse", "open", "drift")
    for candidate in match.candidates:
        verdict = _judge_one(match.quantity, candidate)
        if best is None or order.index(verdict.kind) < order.index(best.kind) or (
            verdict.kind == best.kind and candidate.score > best.candidate.score
        ):
            best = verdict
    if best is None or best.kind != "drift":
        return best
    if match.weak:
        return None
    if len({(c.entry.value, c.entry.metric) for c in match.candidates}) > 1:
        return Verdict("ambiguous", best.candidate, best.factor)
    return best


def _judge_one(quantity: Quantity, candidate: Candidate) -> Verdict:
    entry = candidate.entry
    kinds: dict[Kind, Decimal] = {}
    for factor in candidate.factors:
        kinds.setdefault(_compare(quantity, entry, entry.value * factor), factor)
    for kind in ("agree", "truncated", "coarse", "open"):
        if kind in kinds:
            return Verdict(kind, candidate, kinds[kind], _spread_off(quantity, entry, kinds[kind]))  # type: ignore[arg-type, index]
    nearest = min(candidate.factors, key=lambda factor: _distance(quantity, entry.value * factor))
    return Verdict("drift", candidate, nearest)


def _compare(quantity: Quantity, entry: Entry, exact: Decimal) -> Kind:
    if quantity.value is None:
        return "drift"
    if quantity.agrees(exact):
        return "agree"
    if quantity.relation in _MORE and exact >= quantity.value:
        return "agree"
    if quantity.relation in _LESS and exact <= quantity.value:
        return "agree"
    if quantity.relation and quantity.relation not in _MORE | _LESS:  # about, nearly: judged to one place less
        if abs(quantity.value - exact) <= max(quantity.quantum, abs(exact) / 100):
            return "open"
    if quantity.truncates(exact):
        return "truncated"
    return "coarse" if _coarse(quantity, entry, exact) else "drift"


def _coarse(quantity: Quantity, entry: Entry, exact: Decimal) -> bool:
    """The stored value has fewer digits than the document and would round from the printed one: cannot be judged."""
    exponent = exact.normalize().as_tuple().exponent
    if entry.exact or quantity.value is None or not isinstance(exponent, int):
        return False
    own = Decimal(1).scaleb(min(exponent, 0))
    return own > quantity.quantum and abs(quantity.value - exact) * 2 <= own


def _distance(quantity: Quantity, exact: Decimal) -> Decimal:
    """How far apart two magnitudes are, as a ratio of at least 1; a missing one is infinitely far."""
    if not quantity.value or not exact:
        return Decimal("Infinity")
    ratio = abs(quantity.value / exact)
    return max(ratio, 1 / ratio)


def _spread_off(quantity: Quantity, entry: Entry, factor: Decimal) -> bool:
    variance = entry.row.variance
    if quantity.spread is None or quantity.spread.value is None or variance is None:
        return False
    exact = Decimal(repr(variance.value)) * factor
    return not (quantity.spread.agrees(exact) or quantity.spread.truncates(exact))


def mention(match: Match, verdict: Verdict, path: str) -> Finding:
    """The match as an entry of the report's mentions."""
    entry = verdict.candidate.entry
    values = _values(match.quantity, verdict)
    values |= {"verdict": verdict.kind, "score": round(verdict.candidate.score, 3), "why": list(verdict.candidate.why)}
    text = f"{match.quantity.text} is {label(entry)}"
    return Finding("mention", "note", text, location(match, path), entry.claim.id, values)


def finding(match: Match, verdict: Verdict, path: str, index: Index) -> Finding | None:
    """What the report says about a match; None when there is nothing to say."""
    quantity, entry = match.quantity, verdict.candidate.entry
    place, shown = location(match, path), printed(quantity, verdict.expected)
    values = _values(quantity, verdict)
    if verdict.kind == "ambiguous":
        options = [label(c.entry) + " " + plain(c.entry.value) for c in match.candidates[:4]]
        values["candidates"] = [c.entry.row.id for c in match.candidates]
        return Finding(
            "ambiguous", "note",
            f"{quantity.text} may be {' or '.join(options)}{' or others' if len(match.candidates) > 4 else ''}; it equals none of them",
            place, None, values, f"name which one it is: a comment `ledger: {entry.row.id}` binds it",
        )  # fmt: skip
    if verdict.kind == "truncated":
        return Finding(
            "rounding-truncated", "note",
            f"{quantity.text} cuts {exactly(verdict.expected, quantity)} of {label(entry)} off instead of rounding it to {shown}",
            place, entry.claim.id, values, f"write {shown}",
        )  # fmt: skip
    if verdict.kind == "drift":
        return _drift(match, verdict, place, shown, index)
    if verdict.spread_off:
        return _spread(match, verdict, path)
    return None


def _drift(match: Match, verdict: Verdict, place: Location, shown: str, index: Index) -> Finding:
    quantity, entry = match.quantity, verdict.candidate.entry
    explanation = explain(quantity, verdict.expected, verdict.candidate, index)
    values = _values(quantity, verdict) | {"explanation": explanation.kind, "row": entry.row.id}
    if explanation.row:
        values["explanation_row"] = explanation.row
    why = f"; {explanation.sentence}" if explanation.sentence else ""
    if quantity.value is None:
        message = f"{quantity.text} is not a number that can be read; {label(entry)} is {exactly(verdict.expected, quantity)}{source(entry)}"
    else:
        message = f"reports {quantity.text} but {label(entry)} is {exactly(verdict.expected, quantity)}{source(entry)}{why}"
    fix = f"write {shown}, or correct {entry.claim.id} if the document is right"
    return Finding("drift", "error", message, place, entry.claim.id, values, fix)


def _spread(match: Match, verdict: Verdict, path: str) -> Finding:
    """An uncertainty that is not the claim's."""
    quantity, entry = match.quantity, verdict.candidate.entry
    spread, variance = quantity.spread, entry.row.variance
    assert spread is not None and variance is not None
    exact = Decimal(repr(variance.value)) * verdict.factor
    shown = printed(spread, exact)
    kind, note = _spread_kind(spread, entry, verdict.factor)
    values: dict[str, Any] = {
        "text": spread.text, "reported": _number(spread.value), "expected": _number(exact),
        "tolerance": _number(spread.quantum / 2), "explanation": kind, "row": entry.row.id, "runs": runs(entry),
    }  # fmt: skip
    over = f" over {variance.count} {variance.over}" if variance.count and variance.over else ""
    message = f"reports ±{spread.text} but the {variance.type}{over} of {label(entry)} is {exactly(exact, spread)}{note}"
    place = match.text.location(path, spread.start, spread.end)
    return Finding("drift", "error", message, place, entry.claim.id, values, f"write {shown}")


def _spread_kind(spread: Quantity, entry: Entry, factor: Decimal) -> tuple[str, str]:
    """`uncertainty-kind` when the printed one is another kind of spread of the same value."""
    variance = entry.row.variance
    count = variance.count if variance else None
    if variance is None or not count or count < 2 or variance.type != "std":
        return "uncertainty", ""
    exact = Decimal(repr(variance.value)) * factor
    n = Decimal(count)
    for other, name in (
        (exact * ((n - 1) / n).sqrt(), "the population standard deviation (divisor n)"),
        (exact / n.sqrt(), "the standard error of the mean"),
        (exact / n.sqrt() * Decimal("1.96"), "the half width of the 95% interval"),
    ):
        if spread.agrees(other):
            return "uncertainty-kind", f"; {spread.text} is {name}"
    return "uncertainty", ""


def location(match: Match, path: str) -> Location:
    return match.text.location(path, match.quantity.start, match.quantity.end)


def label(entry: Entry) -> str:
    """`C1-main accuracy (cnn, test)`: how messages call an evidence row."""
    given = [entry.row.exp_id, entry.row.split, entry.row.dataset]
    extra = [value for key, value in entry.qualifiers.items() if key not in ("split", "dataset")]
    inside = ", ".join(part for part in (*given, *extra[:2]) if part)
    name = f"{entry.claim.id} {entry.row.metric or entry.row.raw.get('derive', '')}".strip()
    return f"{name} ({inside})" if inside else name


def source(entry: Entry) -> str:
    """` (mean of 3 seeds, runs a, b, c)`: where a stored value comes from, as far as the row says."""
    parts = []
    variance, aggregate = entry.row.variance, entry.row.raw.get("aggregate")
    count = variance.count if variance and variance.over == "seeds" else len(runs(entry)) or None
    if count and count > 1:
        parts.append(f"{aggregate or 'mean'} of {count} seeds")
    names = runs(entry)
    if names:
        parts.append(("run " if len(names) == 1 else "runs ") + ", ".join(names[:3]) + (", ..." if len(names) > 3 else ""))
    return f" ({', '.join(parts)})" if parts else ""


def runs(entry: Entry) -> list[str]:
    """The runs that the stored value came from, else those the row names."""
    sources = entry.row.raw.get("from")
    if isinstance(sources, list):
        return [str(item.get("run", "")) for item in sources if isinstance(item, dict) and item.get("run")]
    run = entry.row.run
    return [] if run == "selected" else [run] if isinstance(run, str) else run


def printed(quantity: Quantity, exact: Decimal) -> str:
    """`exact` in the style in which the document printed `quantity`: places, decimal mark, thousands, exponent."""
    if "e" in quantity.text.lower() and quantity.value is not None:
        digits = max(0, len(quantity.text.lower().split("e")[0].split(".")[-1]) if "." in quantity.text.lower().split("e")[0] else 0)
        return f"{exact:.{digits}e}".replace("e+", "e").replace("E+", "e")
    quantum = quantity.quantum if quantity.quantum <= 1 else Decimal(1)
    if quantity.value is None:
        quantum = max(Decimal(1).scaleb(_exponent(exact)), Decimal("0.0001"))
    rounded = f"{exact.quantize(quantum):,f}"
    grouped = "," in quantity.text if not quantity.comma else "." in quantity.text
    if not grouped:
        rounded = rounded.replace(",", "")
    if quantity.comma:
        rounded = rounded.translate(str.maketrans(",.", ".,"))
    return rounded.replace("-", "−") if "−" in quantity.text else rounded


def exactly(exact: Decimal, quantity: Quantity) -> str:
    """`exact` with up to two more places than the document printed."""
    places = max(_exponent(exact), -(quantity.decimals + 2))
    return plain(exact.quantize(Decimal(1).scaleb(min(places, 0))))


def plain(value: Decimal) -> str:
    """Without exponent and without trailing zeros behind the point."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _exponent(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


def _number(value: Decimal | None) -> float | None:
    return None if value is None else float(value)


def _values(quantity: Quantity, verdict: Verdict) -> dict[str, Any]:
    entry = verdict.candidate.entry
    return {
        "text": quantity.text,
        "reported": _number(quantity.value),
        "expected": _number(verdict.expected),
        "tolerance": _number(quantity.quantum / 2),
        "row": entry.row.id,
        "runs": runs(entry),
    }
