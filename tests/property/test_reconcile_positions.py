"""Places are exact: whatever dresses a number, its line and column lead back to its characters in the source."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.evidence.graph import from_bytes
from ledger.model.document import Document, Table, Text
from ledger.reconcile import Source, check
from ledger.reconcile.quantity import find
from ledger.registry import load

numbers = st.decimals(min_value=0, max_value=999, places=2, allow_nan=False).map(str)
words = st.sampled_from(["net", "été", "名前", "x_y", "a-b", "𝒜"])
dress = {
    ".md": [
        "{}",
        "**{}**",
        "`{}`",
        "[{}](a/b.py)",
        "<sub>{}</sub>",
        "[w](u) {}",
        "${}$",
        "&plusmn; {}",
        "{}<br>w",
        "\\* {}",
        "~~w~~ {}",
    ],
    ".tex": [
        "{}",
        "\\textbf{{{}}}",
        "${}$",
        "\\num{{{}}}",
        "\\cite{{k}} {}",
        "{}\\,\\%",
        "\\cellcolor{{c}}{}",
        "\\& {}",
        "${}_{{\\pm}}$",
        "w~{}",
    ],
    ".csv": ["{}", '"{}"', '"w, {}"', " {} ", '"w\nw {}"'],
}


@st.composite
def documents(draw: st.DrawFn, suffix: str) -> str:
    """A document of this kind with a table of dressed numbers, and a paragraph where the kind has them."""
    cell = st.builds(str.format, st.sampled_from(dress[suffix]), numbers)
    rows = draw(st.lists(st.tuples(words, cell, cell), min_size=1, max_size=4))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    if suffix == ".csv":
        return end.join(["model,a,b", *(",".join(row) for row in rows)]) + end
    text = " ".join(draw(st.lists(st.one_of(words, cell), max_size=6)))
    if suffix == ".md":
        return end.join(
            [
                "# T",
                "",
                text,
                "",
                "| m | a | b |",
                "|---|---|---|",
                *("| " + " | ".join(row) + " |" for row in rows),
                "",
            ]
        )
    head = "\\begin{tabular}{lcc} m & a & b \\\\ \\midrule"
    body = [
        " & ".join(part.replace("_", "\\_") if i == 0 else part for i, part in enumerate(row)) + " \\\\" for row in rows
    ]
    return end.join(["\\section{T}", "", text.replace("x_y", "x\\_y"), "", head, *body, "\\end{tabular}", ""])


def texts(document: Document) -> Iterable[Text]:
    for block in document.blocks:
        if isinstance(block, Table):
            yield from (cell.text for row in block.rows for cell in row)
        else:
            yield block.text


@pytest.mark.parametrize("suffix", [".md", ".tex", ".csv"])
def test_every_number_stands_where_it_is_said_to(suffix: str) -> None:
    @given(documents(suffix))
    def holds(source: str) -> None:
        lines = source.split("\n")
        seen = 0
        for text in texts(load("readers", suffix).read("d" + suffix, source.encode())):
            for found in find(text.text, cell=True):
                line, column = text.place(found.start)
                assert lines[line - 1][column - 1 :].startswith(found.text)
                place = text.location("d", found.start, found.end)
                assert (place.end_line, place.end_column) == (line, column + len(found.text))
                seen += 1
        assert seen

    holds()


GRAPH = from_bytes(
    b'{"project": "p", "claims": [{"id": "C", "evidence": [{"exp_id": "net", "metric": "acc", "value": 0.5, "dataset": "COCO", "split": "test",'
    b' "variance": {"type": "std", "value": 0.1, "seeds": 3}, "conditions": {"img_size": 224}}, {"exp_id": "a-b", "metric": "loss", "value": 3}]}]}'
)
scraps = st.sampled_from(
    ["net", "a-b", "acc", "accuracy of ", "loss", "COCO", "test", "| ", "\n", "\n\n", "|---|---|\n", "50%", "3.0 ", "± 0.1", "@ 224", "\\begin{tabular}{ll}",
     "\\end{tabular}", " & ", "\\\\", "\\midrule", "{", "}", "$", "<table><tr><td>", "</td></tr></table>", "<!-- ledger: C -->", "% ledger: ignore[drift] x\n",
     "# ", "- ", ",", ";", '"', "\t", "`", "**", "[x](net.py)", "respectively. ", "with ", "from ", " to "]
)  # fmt: skip


@given(
    st.lists(st.one_of(scraps, st.text(max_size=5)), max_size=40).map("".join),
    st.sampled_from(["d.md", "d.tex", "d.csv", "d.tsv"]),
)
def test_any_document_is_survived_and_findings_lie_inside_it(text: str, path: str) -> None:
    data = text.encode("utf-8", "replace")
    lines = data.decode().split("\n")
    for found in check([Source(path, data)], GRAPH).findings:
        assert found.location is not None
        if found.rule != "document-unreadable":
            assert found.location.line is not None
            assert found.location.line <= len(lines)
