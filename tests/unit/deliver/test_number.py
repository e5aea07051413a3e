"""How numbers are printed. Ties follow IEEE's half-to-even on the decimal text of the double, not on its binary dust."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.deliver.number import fixed, printed
from ledger.model.claim import EvidenceRow


def row(value: float | str | None, **raw: Any) -> EvidenceRow:
    return EvidenceRow("C1", 0, {"metric": "m", "value": value, **raw})


@pytest.mark.parametrize(
    ("value", "display", "text"),
    [
        (0.125, {"decimals": 2}, "0.12"),
        (0.135, {"decimals": 2}, "0.14"),
        (2.675, {"decimals": 2}, "2.68"),  # the double is below the tie, its decimal text is the tie
        (0.5, {"decimals": 0}, "0"),
        (1.5, {"decimals": 0}, "2"),
        (-0.004, {"decimals": 2}, "0.00"),
        (0.98981, {"decimals": 1, "style": "percent"}, "99.0%"),
        (0.98981, {"decimals": 1, "scale": 100}, "99.0"),
        (25557032, {"significant": 3, "scale": 1e-6}, "25.6"),
        (31.4187, {}, "31.42"),
        (0.00012345, {}, "0.0001234"),
        (1e300, {"significant": 2}, "1" + "0" * 300),
        (0.0, {}, "0.000"),
        (12345.678, {}, "12346"),
    ],
)
def test_values(value: float, display: dict[str, Any], text: str) -> None:
    number = printed(row(value, display=display))
    assert number is not None
    assert number.plain == text


@pytest.mark.parametrize(
    ("value", "std", "text"),
    [
        (0.914, 0.013, "0.91 ± 0.01"),
        (31.4187, 0.08, "31.42 ± 0.08"),
        (123.4, 25.0, "123 ± 25"),
        (0.5, 0.0, "0.5000 ± 0.0000"),
    ],
)
def test_without_a_display_the_spread_decides(value: float, std: float, text: str) -> None:
    number = printed(row(value, variance={"type": "std", "value": std, "seeds": 3}))
    assert number is not None
    assert number.with_spread == text


@pytest.mark.parametrize("value", [None, "NaN", "Infinity"])
def test_what_is_no_number_prints_nothing(value: str | None) -> None:
    assert printed(row(value)) is None


@given(st.decimals(-1000, 1000, places=6), st.integers(0, 8))
def test_printed_is_never_further_than_half_a_unit(value: Decimal, decimals: int) -> None:
    text = fixed(value, decimals)
    assert abs(Decimal(text) - value) <= Decimal(1).scaleb(-decimals) / 2
    assert len(text.partition(".")[2]) == decimals
    assert not text.startswith("-0") or Decimal(text) != 0
