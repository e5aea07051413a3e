"""Units and scales: by which factors a printed number may stand for a stored value.

A printed number is `value * factor`. A unit that is printed fixes the factor; where none is printed, only the
field's two habits are allowed: a fraction as a percentage and a large count in thousands, millions or billions.
"""

from __future__ import annotations

from decimal import Decimal

from ledger.reconcile.index import Entry
from ledger.reconcile.quantity import Quantity
from ledger.reconcile.words import SHARES

_COUNT = {"k": 3, "K": 3, "M": 6, "G": 9, "B": 9, "T": 12, "million": 6, "billion": 9, "thousand": 3}
_TIME = {
    "ns": "1e-9", "us": "1e-6", "µs": "1e-6", "μs": "1e-6", "ms": "1e-3", "s": "1", "sec": "1", "secs": "1", "seconds": "1",
    "min": "60", "mins": "60", "minutes": "60", "h": "3600", "hr": "3600", "hrs": "3600", "hours": "3600", "days": "86400",
}  # fmt: skip
_BYTES = {
    "KB": "1e3",
    "kB": "1e3",
    "MB": "1e6",
    "GB": "1e9",
    "TB": "1e12",
    "KiB": "1024",
    "MiB": "1048576",
    "GiB": "1073741824",
}
_PERCENT = frozenset({"%", "％", "pp", "percent", "points", "pts"})
_ONE, _HUNDRED, _HUNDREDTH = Decimal(1), Decimal(100), Decimal("0.01")


def factors(entry: Entry, quantity: Quantity, head: str = "") -> tuple[Decimal, ...]:
    """The factors that may lie between `entry`'s value and the printed number, the likeliest first.

    `head` is the unit of the column. Empty when the units exclude each other (`GB` against `%`).
    """
    shown = quantity.suffix or head
    scale = entry.row.display.get("scale")
    allowed = _allowed(entry, shown, quantity)
    if isinstance(scale, int | float) and scale and (not shown or shown in _PERCENT):
        own = Decimal(str(scale))
        return (own, *(factor for factor in allowed if factor != own))
    return allowed


def _allowed(entry: Entry, shown: str, quantity: Quantity) -> tuple[Decimal, ...]:
    stored, value = entry.unit.strip(), abs(entry.value)
    if not shown:
        return _bare(stored, value, quantity)
    if shown in _PERCENT:
        return _percent(stored, value)
    if shown == "x":
        return (_ONE,) if stored in ("", "x", "×") else ()
    for table in (_TIME, _BYTES):
        unit = _lookup(table, shown)
        if unit is not None:
            own = _lookup(table, stored)
            if own is not None:
                return (own / unit,)
            if table is _TIME and not quantity.suffix and stored == "" and shown in ("h", "s", "min"):
                return (_ONE, _ONE / unit)
            if shown in ("m", "k"):
                continue
            return (_ONE,) if stored == "" and not entry.metric & SHARES else ()
    power = _COUNT.get(shown) or (_COUNT.get(shown.upper()) if shown in ("m", "g", "b", "t") else None)
    if power is not None:
        own_power = _COUNT.get(stored) or (
            0 if stored in ("", "1", "count", "params", "parameters", "FLOPs", "MACs") else None
        )
        if stored[:1] in _COUNT and own_power is None and stored[1:].lower() in ("flops", "macs", "params"):
            own_power = _COUNT[stored[0]]
        if own_power is None:
            return ()
        exact = Decimal(1).scaleb(own_power - power)
        return (exact, _ONE) if own_power == 0 and value < 10**5 else (exact,)
    return (_ONE,) if not stored or stored.casefold() == shown.casefold() else ()


def _bare(stored: str, value: Decimal, quantity: Quantity) -> tuple[Decimal, ...]:
    """No unit is printed anywhere."""
    small = quantity.value is not None and abs(quantity.value) <= 1
    if stored in _PERCENT:
        return (_ONE, _HUNDREDTH) if small and value > 1 else (_ONE,)
    if stored in _COUNT:
        return (_ONE, Decimal(1).scaleb(_COUNT[stored]))
    if stored:
        return (_ONE,)
    if value <= 1:
        return (_ONE, _HUNDRED)
    if value >= 10**4:
        return (_ONE, Decimal("1e-6"), Decimal("1e-3"), Decimal("1e-9"))
    return (_ONE, _HUNDREDTH) if small and value <= 100 else (_ONE,)


def _percent(stored: str, value: Decimal) -> tuple[Decimal, ...]:
    if stored in _PERCENT:
        return (_ONE,)
    if stored:
        return ()
    return (_HUNDRED, _ONE) if value <= 1 else (_ONE,)


def _lookup(table: dict[str, str], unit: str) -> Decimal | None:
    found = table.get(unit)
    return None if found is None else Decimal(found)
