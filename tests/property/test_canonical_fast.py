"""The fast way to canonical JSON gives the bytes that the RFC 8785 library gives, whatever the value."""

from __future__ import annotations

import json

import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from ledger.canon import canonical, listing

texts = st.text(st.characters(blacklist_categories=["Cs"]))
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | texts
    | st.floats(allow_nan=False, allow_infinity=False)
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=20
)


@given(values)
def test_canonical_is_what_the_library_says(value: object) -> None:
    assert canonical(value) == rfc8785.dumps(value)  # type: ignore[arg-type]


def test_keys_beyond_the_basic_plane_sort_by_utf16_units() -> None:
    assert canonical({"\U0001f600": 1, "\ufb33": 2}) == '{"\U0001f600":1,"\ufb33":2}'.encode()


@given(st.dictionaries(texts, values, max_size=5))
def test_a_listing_is_read_back(value: dict[str, object]) -> None:
    assert json.loads(listing(value)) == value
    assert listing(json.loads(listing(value))) == listing(value)


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["a", "}, {", "b"]),
            st.text('}, {"\\\n') | st.lists(st.dictionaries(st.just("c"), st.integers(), max_size=1), max_size=2),
            max_size=3,
        ),
        min_size=1,
        max_size=4,
    )
)
def test_a_listing_has_one_item_a_line_and_says_the_same(rows: list[dict[str, object]]) -> None:
    data = listing({"rows": rows})
    assert json.loads(data) == {"rows": rows}
    assert data.decode().split("\n")[2:-3] == [
        f"    {json.dumps(row, ensure_ascii=False)}{',' if place < len(rows) - 1 else ''}"
        for place, row in enumerate(rows)
    ]
