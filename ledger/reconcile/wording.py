"""The sentences: what the report says about a judged number, and how the right one would be printed.

A disagreement names both places and never says which one is wrong: now and then the document is right.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ledger.canon import finite
from ledger.model.finding import Finding, Location
from ledger.reconcile.explain import explain
from ledger.reconcile.index import Entry, Index
from ledger.reconcile.matching import Candidate, Match
from ledger.reconcile.quantity import Quantity
from ledger.reconcile.verdicts import Verdict


def mention(match: Match, verdict: Verdict, path: str) -> Finding:
    """The match as an entry of the report's mentions."""
    candidate = verdict.candidate
    values = _values(match.quantity, verdict)
    values |= {"verdict": verdict.kind, "score": round(candidate.score, 3), "why": list(candidate.why)}
    return Finding(
        "mention",
        "note",
        f"{match.quantity.text} is {named(candidate)}",
        location(match, path),
        candidate.entry.claim.id,
        values,
    )


def finding(match: Match, verdict: Verdict, path: str, index: Index) -> Finding | None:
    """What the report says about a match; None when there is nothing to say."""
    quantity, entry = match.quantity, verdict.candidate.entry
    place, values = location(match, path), _values(match.quantity, verdict)
    if verdict.kind == "ambiguous":
        options = [f"{named(found)} {plain(found.value)}" for found in match.candidates[:4]]
        more = " or others" if len(match.candidates) > 4 else ""
        message = f"{quantity.text} may be {' or '.join(options)}{more}; it equals none of them"
        values["candidates"] = [found.entry.row.id for found in match.candidates]
        fix = f"name which one it is: a comment `ledger: {entry.row.id}` binds it"
        return Finding("ambiguous", "note", message, place, None, values, fix)
    shown = printed(quantity, verdict.expected)
    if verdict.kind == "truncated":
        exact = exactly(verdict.expected, quantity)
        message = f"{quantity.text} cuts {exact} of {named(verdict.candidate)} off instead of rounding it to {shown}"
        return Finding("rounding-truncated", "note", message, place, entry.claim.id, values, f"write {shown}")
    return _drift(match, verdict, place, shown, index) if verdict.kind == "drift" else None


def _drift(match: Match, verdict: Verdict, place: Location, shown: str, index: Index) -> Finding:
    quantity, entry = match.quantity, verdict.candidate.entry
    explanation = explain(quantity, verdict.expected, verdict.candidate, index)
    values = _values(quantity, verdict) | {"explanation": explanation.kind}
    if explanation.row:
        values["explanation_row"] = explanation.row
    what = f"{named(verdict.candidate)} is {exactly(verdict.expected, quantity)}{source(verdict.candidate)}"
    why = f"; {explanation.sentence}" if explanation.sentence else ""
    if quantity.value is None:
        message = f"{quantity.text} is not a number that can be read; {what}"
    else:
        sign = "±" if verdict.candidate.facet == "spread" and quantity.text[0] != "±" else ""
        message = f"reports {sign}{quantity.text} but {what}{why}"
    fix = f"write {shown}, or correct {entry.claim.id} if the document is right"
    return Finding("drift", "error", message, place, entry.claim.id, values, fix)


def location(match: Match, path: str) -> Location:
    """Exactly the digits of a match."""
    return match.text.location(path, match.quantity.start, match.quantity.end)


def named(candidate: Candidate) -> str:
    """`C1-main accuracy (cnn, test)`, or the number beside it: `the std over 3 seeds of C1-main ...`."""
    name, variance = label(candidate.entry), candidate.entry.row.variance
    if candidate.facet == "spread" and variance:
        over = f" over {variance.count} {variance.over}" if variance.count and variance.over else ""
        return f"the {variance.type}{over} of {name}"
    if candidate.facet in ("n", "seeds"):
        return f"the number of {'items' if candidate.facet == 'n' else 'seeds'} of {name}"
    return name


def label(entry: Entry) -> str:
    """How messages call an evidence row."""
    given = [entry.row.exp_id, entry.row.split, entry.row.dataset]
    extra = [value for key, value in entry.qualifiers.items() if key not in ("split", "dataset")]
    inside = ", ".join(part for part in (*given, *extra[:2]) if part)
    name = f"{entry.claim.id} {entry.row.metric or entry.row.raw.get('derive', '')}".strip()
    return f"{name} ({inside})" if inside else name


def source(candidate: Candidate) -> str:
    """` (mean of 3 seeds, runs a, b, c)`: where a stored number comes from, as far as the row says."""
    entry = candidate.entry
    parts, names = [], runs(entry)
    variance, aggregate = entry.row.variance, entry.row.raw.get("aggregate")
    count = variance.count if variance and variance.over == "seeds" else len(names) or None
    if count and count > 1 and candidate.facet == "value":
        parts.append(f"{aggregate or 'mean'} of {count} seeds")
    if names:
        parts.append(
            ("run " if len(names) == 1 else "runs ") + ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        )
    return f" ({', '.join(parts)})" if parts else ""


def runs(entry: Entry) -> list[str]:
    """The runs that the stored value came from, else those that the row names."""
    sources = entry.row.raw.get("from")
    if isinstance(sources, list):
        return [str(item["run"]) for item in sources if isinstance(item, dict) and item.get("run")]
    run = entry.row.run
    return [] if run == "selected" else [run] if isinstance(run, str) else run


def printed(quantity: Quantity, exact: Decimal) -> str:
    """`exact` in the style in which the document printed `quantity`: places, decimal mark, thousands, exponent."""
    mantissa, mark, _ = quantity.text.lower().partition("e")
    if mark and quantity.value is not None:
        return f"{exact:.{len(mantissa.partition('.')[2])}e}".replace("e+", "e")
    rounded = f"{exact.quantize(_place(quantity, exact)):,f}"
    if ("." if quantity.comma else ",") not in quantity.text:
        rounded = rounded.replace(",", "")
    if quantity.comma:
        rounded = rounded.translate(str.maketrans(",.", ".,"))
    return rounded.replace("-", "−") if "−" in quantity.text else rounded


def _place(quantity: Quantity, exact: Decimal) -> Decimal:
    """The place to round to: the document's, or as many digits as it printed when the magnitude is another."""
    if quantity.value is None:
        return max(Decimal(1).scaleb(_exponent(exact)), Decimal("0.0001"))
    if exact and quantity.value and not Decimal("0.2") < abs(quantity.value / exact) < 5:
        digits = len(quantity.value.normalize().as_tuple().digits)
        return min(Decimal(1).scaleb(exact.adjusted() + 1 - max(digits, 2)), Decimal(1))
    return min(quantity.quantum, Decimal(1))


def exactly(exact: Decimal, quantity: Quantity) -> str:
    """`exact` with up to two more places than it would print with, and the printed magnitude or percent sign."""
    places = max(_exponent(exact), _exponent(_place(quantity, exact)) - 2)
    suffix = quantity.suffix if quantity.suffix in ("%", "k", "K", "M", "G", "B", "T", "x") else ""
    return plain(exact.quantize(Decimal(1).scaleb(min(places, 0)))) + suffix


def plain(value: Decimal) -> str:
    """Without exponent and without trailing zeros behind the point."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _exponent(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


def _number(value: Decimal | None) -> float | str | None:
    """As the report's JSON holds it: what no double holds is the text `Infinity`."""
    number: float | str | None = None if value is None else finite(float(value))
    return number


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
