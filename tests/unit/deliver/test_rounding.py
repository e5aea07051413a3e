"""Rounding vectors: half to even on the shortest decimal text of the double (IEEE 754-2019, 4.3.1), carries, extremes."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.deliver.number import printed
from ledger.model.claim import EvidenceRow


def text(value: Any, spread: Any = None, of: str = "", **display: Any) -> str:
    raw = {"value": value, "display": display, "unit": of}
    number = printed(
        EvidenceRow("C", 0, {**raw, "variance": {"value": spread, "seeds": 3}} if spread is not None else raw)
    )
    assert number is not None
    return number.with_spread


@pytest.mark.parametrize(
    ("value", "decimals", "shown"),
    [
        (0.05, 1, "0.0"),
        (0.15, 1, "0.2"),
        (0.25, 1, "0.2"),
        (0.35, 1, "0.4"),
        (1.005, 2, "1.00"),
        (1.015, 2, "1.02"),
        (2.5, 0, "2"),
        (3.5, 0, "4"),
        (-2.5, 0, "-2"),
        (-0.5, 0, "0"),
        (-0.0, 3, "0.000"),
        (0.25000000000000006, 1, "0.3"),
        (1e22, 0, "10000000000000000000000"),
        (1.7976931348623157e308, 2, "17976931348623157" + "0" * 292 + ".00"),
        (5e-324, 2, "0.00"),
        (5e-324, 324, "0." + "0" * 323 + "5"),
        (-5e-324, 2, "0.00"),
        (123456789, 3, "123456789.000"),
        (12.5, -1, "12"),
        (0.1, 10**9, "0.1" + "0" * 339),
    ],
)
def test_decimals(value: float, decimals: int, shown: str) -> None:
    assert text(value, decimals=decimals) == shown


@pytest.mark.parametrize(
    ("value", "significant", "shown"),
    [
        (9.9996, 4, "10.00"),
        (0.99996, 4, "1.000"),
        (99.95, 3, "100"),
        (0.00099996, 4, "0.001000"),
        (9.9994, 4, "9.999"),
        (123456, 2, "123456"),
        (0.0, 3, "0.00"),
        (1e-7, 2, "0.00000010"),
        (0.5, 0, "0"),
    ],
)
def test_significant_digits_stay_as_many_when_rounding_carries(value: float, significant: int, shown: str) -> None:
    assert text(value, significant=significant) == shown


@pytest.mark.parametrize(
    ("display", "unit", "shown"),
    [
        ({"style": "percent"}, "", "91 ± 2%"),
        ({"style": "percent", "decimals": 0}, "fraction", "91 ± 2%"),
        ({"style": "percent", "scale": 1}, "", "0.91 ± 0.02%"),
        ({"scale": 100, "unit": "pp"}, "fraction", "91 ± 2 pp"),
        ({"scale": -1}, "", "-0.91 ± 0.02"),
        ({"scale": 1000}, "s", "912 ± 15"),
        ({}, "dB", "0.91 ± 0.02 dB"),
        ({}, "fraction", "0.91 ± 0.02"),
        ({}, "1", "0.91 ± 0.02"),
        ({"scale": None, "decimals": None, "significant": None, "style": None, "unit": None}, "", "0.91 ± 0.02"),
    ],
)
def test_scale_style_and_unit(display: dict[str, Any], unit: str, shown: str) -> None:
    assert text(0.912, 0.0153, unit, **display) == shown


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 20))
def test_every_double_is_printed_as_the_decimal_module_rounds_its_shortest_text(value: float, decimals: int) -> None:
    shown = text(value, decimals=decimals)
    exact = Context(prec=1000)
    assert Decimal(shown) == Decimal(repr(value)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN, exact)
    assert "e" not in shown.lower()
    assert len(shown.partition(".")[2]) == decimals


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(0, allow_infinity=False), st.booleans())
def test_no_value_and_no_spread_breaks_the_printing(value: float, spread: float, percent: bool) -> None:
    shown = text(value, spread, style="percent" if percent else None)
    assert shown.count(" ± ") == 1
    assert shown.endswith("%") == percent
