from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.model.document import Table
from ledger_adapters.readers.csv import READER, sniff, split


def table(text: str, path: str = "t.csv") -> Table:
    (block,) = READER.read(path, text.encode()).blocks
    assert isinstance(block, Table)
    return block


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators_are_found(separator: str) -> None:
    text = "model,acc,note\nnet-a,1.5,x\nnet-b,2.5,y\n".replace(",", separator)
    assert sniff(text) == separator
    assert [[cell.text.text for cell in row] for row in table(text).rows] == [
        ["model", "acc", "note"],
        ["net-a", "1.5", "x"],
        ["net-b", "2.5", "y"],
    ]


def test_quotes_line_breaks_and_places() -> None:
    rows = table('a,b\n"x, ""y""\nz","1,250.5"\n').rows
    assert rows[1][1].text.text == "1,250.5"
    assert rows[1][1].text.place(0) == (3, 5)


def test_decimal_commas_are_found() -> None:
    assert READER.read("t.csv", b"a;b\nx;1,5\ny;2,5\n").comma
    assert not READER.read("t.csv", b"a,b\nx,1.5\ny,2.5\n").comma


def test_short_and_blank_rows() -> None:
    assert [[cell.text.text for cell in row] for row in table("a,b,c\n\nx\n").rows] == [["a", "b", "c"], ["x", "", ""]]
    assert READER.read("t.csv", b"\n\n").blocks == ()


def test_comment_lines_may_be_directives() -> None:
    document = READER.read("t.csv", b"# ledger: ignore[drift] old\na,b\nx,1\n")
    assert [(d.line, d.ignore) for d in document.directives] == [(1, "drift")]


cells = st.text(alphabet=st.characters(exclude_characters='"\r\n\x00', exclude_categories=("Cs",)), max_size=6)


@given(st.lists(st.lists(cells, min_size=2, max_size=4), min_size=1, max_size=4))
def test_splits_as_the_standard_library_does(rows: list[list[str]]) -> None:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    text = written.getvalue()
    assert [[text[a:b] for a, b in row] for row in split(text, ",")][: len(rows)] == rows
