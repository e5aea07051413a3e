"""When a JSON value is a number: true and false are none, nor is what no double holds."""

from __future__ import annotations

import math


def finite_number(raw: object) -> float | None:
    """The finite double that a JSON value stands for, else None (NaN and infinities are stored as strings)."""
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return None
    try:
        value = float(raw)
    except OverflowError:
        return None
    return value if math.isfinite(value) else None


def whole_number(raw: object) -> int | None:
    """The integer that a JSON value stands for (3.0 is one in JSON), else None."""
    value = finite_number(raw)
    if value is None or not value.is_integer():
        return None
    return raw if isinstance(raw, int) else int(value)
