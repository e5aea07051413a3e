"""How a value is printed: scale, decimals, spread.

Rounding is half to even on the shortest decimal form of the double, so 0.125 at two decimals prints 0.12 and what
is printed never depends on binary dust.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal

from ledger.model.claim import EvidenceRow
from ledger.model.number import finite_number, whole_number

_DEFAULT_SIGNIFICANT = 4
_MOST_DECIMALS = 340  # enough for the smallest double
_EXACT = Context(prec=800)  # digits; a double scaled has at most 309 before the point, and nobody prints 400 behind it


@dataclass(frozen=True, slots=True)
class Printed:
    """A row's number in text: `97.2`, `0.4` and `%`; the spread is None where there is none."""

    value: str
    spread: str | None
    unit: str

    @property
    def plain(self) -> str:
        return f"{self.value}{self.unit}"

    @property
    def with_spread(self) -> str:
        return f"{self.value} ± {self.spread}{self.unit}" if self.spread is not None else self.plain


def printed(row: EvidenceRow) -> Printed | None:
    """The row's stored value as documents print it; None while it has no finite value."""
    if row.value is None:
        return None
    percent = row.display.get("style") == "percent"
    scale = Decimal(repr(finite_number(row.display.get("scale")) or (100 if percent else 1)))
    value = Decimal(repr(row.value)) * scale
    variance = row.variance
    spread = Decimal(repr(variance.value)) * abs(scale) if variance else None
    decimals = _decimals(row, value, spread)
    unit = "%" if percent else (f" {row.unit}" if row.unit and scale == 1 and row.unit not in {"fraction", "1"} else "")
    named = row.display.get("unit")  # of the scaled value: `pp` for the difference of two fractions times 100
    unit = f" {named}" if isinstance(named, str) and named else unit
    return Printed(fixed(value, decimals), fixed(spread, decimals) if spread is not None else None, unit)


def fixed(value: Decimal, decimals: int) -> str:
    """The decimal with exactly so many places (none for 0 and below), a proper minus kept as `-`."""
    rounded = _rounded(value, decimals)
    return f"{rounded:f}" if rounded else f"{abs(rounded):f}"


def _rounded(value: Decimal, decimals: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-min(max(decimals, 0), _MOST_DECIMALS)), ROUND_HALF_EVEN, _EXACT)


def _decimals(row: EvidenceRow, value: Decimal, spread: Decimal | None) -> int:
    """`display` decides; else the spread's first digit, else four significant digits."""
    wanted = whole_number(row.display.get("decimals"))
    if wanted is not None:
        return wanted
    significant = whole_number(row.display.get("significant"))
    if significant is None and spread:
        return max(0, -spread.adjusted())
    digits = _DEFAULT_SIGNIFICANT if significant is None else significant
    if not value:
        return max(0, digits - 1)
    decimals = max(0, digits - 1 - value.adjusted())
    carried = _rounded(value, decimals).adjusted() > value.adjusted()  # 9.9999 is 10.00 in four digits
    return max(0, decimals - 1) if carried else decimals
