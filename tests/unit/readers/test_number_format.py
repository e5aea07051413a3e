"""Number formats: what spreadsheets show for a stored value."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_adapters.readers.number_format import BUILT_IN, shown


@pytest.mark.parametrize(
    ("stored", "code", "text"),
    [
        ("0.7643", "General", "0.7643"), ("0.30000000000000004", "General", "0.3"), ("76", "", "76"), ("1E-20", "General", "1E-20"),
        ("123456789012", "General", "1.23456789E+11"), ("-0.5", "General", "-0.5"), ("76.4499", "0.0", "76.4"),
        ("76.45", "0.0", "76.5"), ("0.765", "0%", "77%"), ("0.7643", "0.0%", "76.4%"), ("0.7643", "0.00 %", "76.43 %"),
        ("1234567.891", "#,##0.00", "1,234,567.89"), ("1234567", "0.0,,\"M\"", "1.2M"), ("1500", "0,", "2"), ("12", "0000", "0012"),
        ("0.5", "#.##", ".5"), ("0.5", "0.0##", "0.5"), ("0.12345", "0.0##", "0.123"), ("0.000123", "0.00E+00", "1.23E-04"),
        ("9.999", "0.0E+0", "1.0E+1"), ("0", "0.0E+0", "0.0E+0"), ("-1.25", "0.0;(0.0)", "(1.3)"), ("0", "0.0;-0.0;\"none\"", "none"),
        ("-0.04", "0.0", "0.0"), ("5", "[Red]0.0", "5.0"), ("5", "[$€-407] #,##0", "€ 5"), ("5", "0.0\" dB\"", "5.0 dB"), ("5", "0.0_)", "5.0 "),
        ("5", "\\x0", "x5"), ("0.95", "[>=0.9]0%;0.00", "95%"), ("0.5", "[>=0.9]0%;0.00", "0.50"), ("x", "0.0", "x"), ("3.5", "@", "3.5"),
        ("45000", "yyyy\\-mm\\-dd", "2023-03-15"), ("45000.5", "d/m/yyyy h:mm", "2023-03-15 12:00:00"), ("1.5", "[h]:mm:ss", "36:00:00"),
        ("0.25", "h:mm", "6:00:00"), ("0.5", "# ?/?", "0.5"), ("1e999", "0.0", "1e999"), ("NaN", "0", "NaN"), ("5", '"', ""), ("5", "", "5"),
        ("81.3", "0.0±0", "81.3"),
    ],
)  # fmt: skip
def test_vectors(stored: str, code: str, text: str) -> None:
    assert shown(stored, code) == text


@given(st.decimals(-(10**9), 10**9, places=6), st.integers(0, 5), st.booleans(), st.booleans())
def test_fixed_digits_round_half_up(value: Decimal, digits: int, grouped: bool, percent: bool) -> None:
    code = ("#,##0" if grouped else "0") + ("." + "0" * digits if digits else "") + ("%" if percent else "")
    text = shown(str(value), code).removesuffix("%").replace(",", "")
    exact = (value * (100 if percent else 1)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    assert Decimal(text) == exact
    assert len(text.partition(".")[2]) == digits


@given(
    st.one_of(st.floats().map(repr), st.text(max_size=5)),
    st.one_of(st.sampled_from(sorted(BUILT_IN.values())), st.text('0#?.,%E+-;"\\_*[]@ymdhsG<>=1$€ ', max_size=20)),
)
def test_no_format_falls_over(stored: str, code: str) -> None:
    assert not re.search("[\0]", shown(stored, code)) or "\0" in stored + code
