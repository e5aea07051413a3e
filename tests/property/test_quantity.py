"""Rules of the number grammar that hold for every number and every text."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from hypothesis import given
from hypothesis import strategies as st

from ledger.reconcile.quantity import find

values = st.decimals(min_value=Decimal(-99999), max_value=Decimal(99999), places=6, allow_nan=False)


@given(values, st.integers(0, 5), st.sampled_from([ROUND_HALF_EVEN, ROUND_HALF_UP]))
def test_every_rounding_agrees_with_what_it_rounds(value: Decimal, places: int, rule: str) -> None:
    printed = value.quantize(Decimal(1).scaleb(-places), rounding=rule)
    (found,) = find(f"{printed:f}", cell=True)
    assert found.value == printed
    assert found.decimals == places
    assert found.agrees(value)


@given(values, st.integers(0, 4), st.integers(1, 9))
def test_no_other_last_digit_agrees(value: Decimal, places: int, step: int) -> None:
    quantum = Decimal(1).scaleb(-places)
    wrong = value.quantize(quantum, rounding=ROUND_HALF_EVEN) + quantum * (step + 1)
    (found,) = find(f"{wrong:f}", cell=True)
    assert not found.agrees(value)


@given(st.integers(1000, 10**12), st.sampled_from([",", "\u2009", "\u202f", "'"]))
def test_thousands_separators_change_nothing(value: int, separator: str) -> None:
    (found,) = find(f"{value:,}".replace(",", separator), cell=True)
    assert found.value == value


@given(values, st.integers(-9, 9))
def test_exponents_in_every_writing_are_one_value(value: Decimal, power: int) -> None:
    written = (f"{value:f}e{power}", f"{value:f}×10^{power}", f"{value:f} x 10^{power}")
    assert {found.value for text in written for found in find(text, cell=True)} == {value.scaleb(power)}


@given(st.text(max_size=80), st.booleans(), st.booleans())
def test_any_text_is_survived_and_spans_are_in_order(text: str, comma: bool, cell: bool) -> None:
    end = 0
    for found in find(text, comma=comma, cell=cell):
        assert end <= found.start < found.end <= len(text)
        assert text[found.start : found.end] == found.text
        end = found.end


@given(st.text(alphabet="0123456789.,-+±%()eE x×^kMG @/:_", max_size=30))
def test_texts_of_number_characters_are_survived(text: str) -> None:
    for found in find(text, cell=True):
        assert text[found.start : found.end] == found.text
