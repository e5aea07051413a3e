"""The short way for plain cells says what the grammar says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ledger.reconcile import quantity

plain = st.from_regex(r"[-+]?[0-9]{1,8}(\.[0-9]{1,8})?", fullmatch=True)


@given(plain)
def test_a_plain_cell_is_read_as_the_grammar_reads_it(text: str) -> None:
    assert quantity.find(text, cell=True) == list(quantity._scan(text, comma=False, cell=True))
