"""The Markdown reader: what is shown, where it stands, and what is left alone."""

from __future__ import annotations

import pytest

from ledger.model.document import Document, Paragraph, Table
from ledger_adapters.readers.markdown import READER


def read(text: str) -> Document:
    return READER.read("d.md", text.encode())


def shown(text: str) -> list[str]:
    return [block.text.text for block in read(text).blocks if isinstance(block, Paragraph)]


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("a **b** _c_ `d` ~~e~~ f", "a b c d  f"),
        ("[text](target.py) and ![image](x.png)", "text and"),
        ("1 &plusmn; 2 &lt; 3", "1 ± 2 < 3"),
        ("x<sup>2</sup> H<sub>2</sub>O a<br>b", "x^2 H_2O a b"),
        (r"83.1\* net\_s", "83.1* net_s"),
        ("$97.2 \\pm 0.4$ and $5", "97.2 ± 0.4 and $5"),
        ("snake_case_name", "snake_case_name"),
        ("seen<!-- unseen -->too", "seentoo"),
        ("97.\u00ad5 and 9\u200b8", "97.5 and 98"),
    ],
)
def test_inline_dress(source: str, visible: str) -> None:
    assert shown(source) == [visible]


def test_blocks_know_their_headings_and_kinds() -> None:
    blocks = read("# One\n\ntext\n\n## Two\n\n- item 1\n- item 2\n\nOther\n=====\n\nend\n").blocks
    assert [(b.kind, b.text.text, b.headings) for b in blocks if isinstance(b, Paragraph)] == [
        ("heading", "One", ()), ("text", "text", ("One",)), ("heading", "Two", ("One",)), ("item", "item 1", ("One", "Two")),
        ("item", "item 2", ("One", "Two")), ("heading", "Other", ()), ("text", "end", ("Other",)),
    ]  # fmt: skip


def test_code_and_front_matter_are_left_alone() -> None:
    text = "---\naccuracy: 97.5\n---\n\n```\n97.5\n```\n\n    97.5 indented\n\nseen\n"
    assert shown(text) == ["seen"]


def test_a_table_with_links_places_and_escaped_bars() -> None:
    text = "before\n\n  | a | b \\| c | d |\n  |---|:-:|---|\n  | [x](y/net.py) | **1.5** |\n"
    (table,) = (block for block in read(text).blocks if isinstance(block, Table))
    assert [[cell.text.text for cell in row] for row in table.rows] == [["a", "b | c", "d"], ["x", "1.5", ""]]
    assert table.rows[1][0].links == ("y/net.py",)
    assert table.rows[1][1].text.place(0) == (5, 23)
    assert table.rows[1][1].emphasis == ("bold",)
    assert table.caption is not None
    assert table.caption.text == "before"


def test_html_tables_with_spans() -> None:
    text = "<table><tr><th rowspan='2'>m</th><th colspan='2'>acc</th></tr><tr><th>a</th><th>b</th></tr>\n<tr><td>n</td><td>1</td><td>2</td></tr></table>\n"
    (table,) = (block for block in read(text).blocks if isinstance(block, Table))
    assert [[cell.text.text for cell in row] for row in table.rows] == [
        ["m", "acc", "acc"],
        ["m", "a", "b"],
        ["n", "1", "2"],
    ]
    assert table.header_rows == 2
    assert table.rows[2][2].text.place(0) == (2, 29)


def test_directives_in_and_between_blocks() -> None:
    found = read("<!-- ledger: C1 -->\n\ntext <!-- ledger: ignore[drift] because -->\n\n<!-- a remark -->\n").directives
    assert [(d.line, d.claim, d.ignore, d.reason) for d in found] == [
        (1, "C1", None, ""),
        (3, None, "drift", "because"),
    ]


def test_quotes_and_nested_lists_keep_their_places() -> None:
    blocks = [b for b in read("> said 1.5 by\n> two 2.5 lines\n\n- a\n  - b 3.5\n").blocks if isinstance(b, Paragraph)]
    places = [(b.text.text, b.text.place(b.text.text.index(".5") - 1)) for b in blocks if ".5" in b.text.text]
    assert places == [("said 1.5 by two 2.5 lines", (1, 8)), ("b 3.5", (5, 7))]
    quote = blocks[0]
    assert quote.text.place(quote.text.text.index("2.5")) == (2, 7)
