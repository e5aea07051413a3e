"""The HTML reader: what a browser shows, where it stands, and what is left alone."""

from __future__ import annotations

import pytest

from ledger.model.document import Document, Paragraph, Table
from ledger_adapters.readers.html import READER


def read(text: str) -> Document:
    return READER.read("d.html", text.encode())


def shown(text: str) -> list[str]:
    return [block.text.text for block in read(text).blocks if isinstance(block, Paragraph)]


def table(text: str) -> Table:
    (found,) = (block for block in read(text).blocks if isinstance(block, Table))
    return found


def grid(text: str) -> list[list[str]]:
    return [[cell.text.text for cell in row] for row in table(text).rows]


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("a <b>b</b> <i>c</i><code>d</code> <del>e</del>f", "a b cd f"),
        ("1 &plusmn; 2 &lt; 3 &#177; 4 &amp 5", "1 ± 2 < 3 ± 4 & 5"),
        ("x<sup>2</sup> H<sub>2</sub>O a<br>b", "x^2 H_2O a b"),
        ("*a* _b_ `c` [d](e) $5", "*a* _b_ `c` [d](e) $5"),
        ("\\(97.2 \\pm 0.4\\) and $1 \\times 2$", "97.2 ± 0.4 and 1 × 2"),
        ("97.&shy;5 and 9\u200b8", "97.5 and 98"),
        ("a\n     b\t\tc", "a b c"),
        ("1 < 2 and a<3", "1 < 2 and a<3"),
        ("seen<!-- unseen -->too <![CDATA[x]]><?php 1 ?>", "seentoo"),
        ("<math><mn>97.2</mn><mo>±</mo><mn>0.4</mn><annotation>97.2 \\pm 0.4</annotation></math>", "97.2±0.4"),
    ],
)
def test_inline_dress(source: str, visible: str) -> None:
    assert shown(f"<p>{source}</p>") == [visible]


@pytest.mark.parametrize(
    "source",
    [
        "<script>if (a < b) '</p>9.5'</script>", "<style>p { width: 9.5px }</style>", "<template><p>9.5</p></template>", "<p hidden>9.5",
        "<div hidden><div>9.5</div>9.5</div>", "<div style='display: none'>9.5</div>", "<pre>9.5</pre>", "<svg><text>9.5</text></svg>",
        "<span aria-hidden=true>9.5</span>", "<textarea><p>9.5</p></textarea>", "<SCRIPT>9.5</SCRIPT >", "<head><title>9.5</title></head>",
        "<select><option>9.5</select>", "<img alt='9.5' src=9.5>", "<input value=9.5>", "<noscript>9.5</noscript>",
    ],
)  # fmt: skip
def test_what_is_not_shown_is_left_alone(source: str) -> None:
    assert shown(f"<p>before</p>{source}<p>after</p>") == ["before", "after"]


def test_blocks_know_their_headings_kinds_and_links() -> None:
    page = "<title>T</title><h1>One</h1>text<ul><li>a <a href='x/net.py'>b</a><li>c</ul><h2>Two</h2><p>d<p>e"
    assert [(b.kind, b.text.text, b.headings, b.links) for b in read(page).blocks if isinstance(b, Paragraph)] == [
        ("heading", "One", (), ()), ("text", "text", ("One",), ()), ("item", "a b", ("One",), ("x/net.py",)), ("item", "c", ("One",), ()),
        ("heading", "Two", ("One",), ()), ("text", "d", ("One", "Two"), ()), ("text", "e", ("One", "Two"), ()),
    ]  # fmt: skip
    assert read(page).title == "One"
    assert read("<title>T</title><p>a").title == "T"


def test_heads_emphasis_and_captions() -> None:
    page = (
        "<table><caption>Table 1. Accuracy</caption><thead><tr><td>m<td>a</thead><tbody><tr><th>n<td><b>1</b><tr><th>o"
        "<td style='font-weight: bold'><i>2</i></table>"
    )
    read_table = table(page)
    assert read_table.header_rows == 1
    assert read_table.caption is not None
    assert (read_table.caption.text, read_table.caption_is_own) == ("Table 1. Accuracy", True)
    assert [row[1].emphasis for row in read_table.rows] == [(), ("bold",), ("bold", "italic")]


@pytest.mark.parametrize("order", ["<figcaption>Said</figcaption>{}", "{}<figcaption>Said</figcaption>"])
def test_a_figure_has_the_caption_of_its_figure_element(order: str) -> None:
    inner = "<table><tr><td>m<td>1</table>"
    caption = table(f"<p>before</p><figure>{order.format(inner)}</figure>").caption
    assert caption is not None
    assert caption.text == "Said"


def test_a_table_in_a_cell_is_a_table_of_its_own() -> None:
    page = "<table><tr><td>a<table><tr><td>1<td>2</table>b<td>c</table>"
    tables = [block for block in read(page).blocks if isinstance(block, Table)]
    assert [[[cell.text.text for cell in row] for row in t.rows] for t in tables] == [[["1", "2"]], [["ab", "c"]]]


@pytest.mark.parametrize(
    ("page", "rows"),
    [
        ("<table><tr><td rowspan=0>a<td>1<tr><td>2", [["a", "1"], ["a", "2"]]),
        ("<table><tr><td rowspan=2>a<td colspan=2>1<tr><td>2", [["a", "1", "1"], ["a", "2", ""]]),
        ("<table><tr><td>a<td rowspan=9>b<tr><td>c", [["a", "b"], ["c", "b"]]),
        ("<table><td>a<td colspan=x>b</table>", [["a", "b"]]),
        ("<table><tr><td>a<td hidden>x<td>b</table>", [["a", "b"]]),
        ("<table><tr hidden><td>a</tr><tr><td>b<td>c</table>", [["b", "c"]]),
        ("<table><tr><td>a</b></i></td></p><td>b</div></table>", [["a", "b"]]),
        ("<TABLE><TR><TD>a</TD><TD>b</TD></TR></TABLE>", [["a", "b"]]),
    ],
)
def test_odd_tables(page: str, rows: list[list[str]]) -> None:
    assert grid(page) == rows


def test_comments_may_be_directives() -> None:
    found = read("<p>a</p>\n<!-- ledger: C1 -->\n<table><!-- ledger: ignore[drift] because --></table>").directives
    assert [(d.line, d.claim, d.ignore) for d in found] == [(2, "C1", None), (3, None, "drift")]


def test_spans_beyond_all_measure_are_left_out() -> None:
    document = read("<table>" + "<tr><td colspan=1000 rowspan=60000>1" * 3000 + "</table>")
    (only,) = document.blocks
    assert isinstance(only, Table)
    assert (len(only.rows), len(only.rows[0])) == (3000, 1)
    assert document.notes == ("a table spans far more cells than it has; its spans were left out",)


@pytest.mark.parametrize(
    "piece",
    ["<", "<!--", "<!-- -", "<a ", "<a b='", '<a b="', "<table>", "<tr><td>", "<div hidden>", "&", "&#", "<script>", "</", "<p", "\\(", "$\\", "<sup>",
     "<b>", "</table>", "<figure>", "<title>", "<!", "<a =", "<td rowspan=2>", " \n"],
)  # fmt: skip
def test_broken_pages_are_read_in_one_pass(piece: str) -> None:
    """A reader that starts again at every unclosed piece would not come to an end here."""
    assert shown("<p>seen</p>" + piece * 100_000)[0] == "seen"
