"""The notebook reader: cells and outputs, their places, and what is left alone."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest

from ledger.errors import InputError
from ledger.evidence.graph import from_bytes
from ledger.model.document import Document, Paragraph, Table
from ledger.reconcile import Source, check
from ledger_adapters.readers.notebook import READER

GRAPH = from_bytes(
    b'{"project": "p", "claims": [{"id": "C", "evidence": [{"exp_id": "net", "metric": "acc", "value": 97.5, "unit": "%"}]}]}'
)


def notebook(*cells: dict[str, Any]) -> bytes:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


def markdown(*lines: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": [line + "\n" for line in lines]}


def code(source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": list(outputs), "execution_count": 1}


def shows(**data: Any) -> dict[str, Any]:
    bundle = {kind.replace("_", "/"): value for kind, value in data.items()}
    return {"output_type": "display_data", "metadata": {}, "data": bundle}


def read(*cells: dict[str, Any]) -> Document:
    return READER.read("d.ipynb", notebook(*cells))


def shown(document: Document) -> list[str]:
    return [block.text.text for block in document.blocks if isinstance(block, Paragraph)]


def test_sections_and_tables_count_on_through_the_cells() -> None:
    first = markdown("# Results", "", "text 1.5", "| a | b |", "|---|---|", "| c | 2.5 |")
    document = read(first, code("x = 3.5"), markdown("| a | b |", "|---|---|", "| c | 4.5 |"))
    tables = [block for block in document.blocks if isinstance(block, Table)]
    assert [(table.index, table.headings) for table in tables] == [(0, ("Results",)), (1, ("Results",))]
    assert document.title == "Results"
    place = tables[1].rows[1][1].text.location("d.ipynb", 0, 3)
    assert (place.cell, place.line, place.column, str(place)) == (2, 3, 7, "d.ipynb (cell 2):3:7")


def test_the_richest_form_of_an_output_is_read_and_its_lines_count_on() -> None:
    html = ["<table>\n", "<tr><th>m</th><th>acc</th></tr>\n", "<tr><td>net</td><td>97.5</td></tr></table>"]
    shown_as = shows(text_html=html, text_plain="m acc\nnet 97.5")
    document = read(code("a = 1\nb", shown_as, shows(text_markdown="said **8.5**")))
    table, text = document.blocks
    assert isinstance(table, Table)
    assert isinstance(text, Paragraph)
    assert [[cell.text.text for cell in row] for row in table.rows] == [["m", "acc"], ["net", "97.5"]]
    assert table.rows[1][1].text.place(0) == (5, html[2].index("97.5") + 1)
    assert (text.text.text, text.text.place(5)) == ("said 8.5", (6, 8))


def test_code_errors_and_raw_cells_are_left_alone() -> None:
    error = {"output_type": "error", "ename": "E", "evalue": "9.5", "traceback": ["9.5"]}
    assert read(code("# accuracy 9.5", error), {"cell_type": "raw", "source": "9.5"}, {"cell_type": 3}).blocks == ()


def test_format_3_is_read() -> None:
    cells = [
        {"cell_type": "heading", "level": 1, "source": ["Results"]},
        {"cell_type": "markdown", "source": "seen"},
        {"cell_type": "code", "input": "x", "outputs": [{"output_type": "pyout", "html": "<p>put out</p>", "png": "iVBO"}]},
    ]  # fmt: skip
    old = {"nbformat": 3, "worksheets": [{"cells": cells}]}
    assert shown(READER.read("d.ipynb", json.dumps(old).encode())) == ["Results", "seen", "put out"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"cells": [}', "is not valid JSON: Expecting value: line 1 column 12 (char 11)"),
        (b"[1]", "is no notebook: it has no list of cells"),
        (b'{"cells": 3}', "is no notebook: it has no list of cells"),
        (b"[" * 200_000, "is nested too deeply to be a notebook"),
        (b'{"cells": ["\xff"]}', "is not UTF-8 (byte 12 is 0xff)"),
        (b'{"cells": [{"image/png": "AAAA"}, }', "is not valid JSON: Expecting value: line 1 column 35 (char 34)"),
    ],
)
def test_a_broken_notebook_is_one_line(data: bytes, message: str) -> None:
    with pytest.raises(InputError) as raised:
        READER.read("d.ipynb", data)
    assert raised.value.message == message


@pytest.mark.parametrize("strange", [None, 3, "x", [], {}, [None], {"text/plain": 5}, [["a"]]])
def test_parts_of_another_type_are_survived(strange: Any) -> None:
    cells = (
        {"cell_type": "markdown", "source": strange},
        {"cell_type": "code", "source": strange, "outputs": strange},
        {"cell_type": "code", "source": "", "outputs": [strange, {"data": strange}, {"text": strange}]},
        strange,
        markdown("seen"),
    )
    assert shown(read(*cells))[-1:] == ["seen"]


def test_pictures_cost_no_memory() -> None:
    heavy = "iVBORw0KGgo" * 1_000_000
    lines = [heavy[i : i + 76] + "\n" for i in range(0, len(heavy), 76)]
    plots = shows(image_png=heavy), shows(image_png=lines), shows(text_plain="seen", application_pdf=heavy)
    data = notebook(code("x", *plots), markdown("seen"))
    tracemalloc.start()
    document = READER.read("d.ipynb", data)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert shown(document)[-1] == "seen"
    assert most < len(data) / 10


def test_a_comment_speaks_for_its_own_cell_only() -> None:
    wrong = markdown("The accuracy of net is 91.5%.")
    silent = markdown("<!-- ledger: ignore[drift] old -->", "", "The accuracy of net is 91.5%.")
    found = check([Source("d.ipynb", notebook(wrong, silent, wrong))], GRAPH).findings
    assert [(f.rule, f.location.cell, f.location.line) for f in found if f.location] == [
        ("drift", 0, 1),
        ("drift", 2, 1),
    ]


def test_an_idle_comment_and_an_unknown_binding_name_their_cell() -> None:
    cells = markdown("fine"), markdown("", "<!-- ledger: ignore[drift] old -->"), markdown("<!-- ledger: nobody -->")
    found = check([Source("d.ipynb", notebook(*cells))], GRAPH).findings
    assert {(f.rule, f.location.cell, f.location.line) for f in found if f.location} == {
        ("suppression-unused", 1, 2),
        ("ambiguous", 2, 1),
    }


def test_a_comment_in_code_binds_what_the_cell_puts_out() -> None:
    put_out = shows(text_html="<p>it came to 91.5%</p>")
    bound = check([Source("d.ipynb", notebook(code("# ledger: C\nrun()", put_out), code("run()", put_out)))], GRAPH)
    assert [(f.rule, f.claim, f.location.cell, f.location.line) for f in bound.findings if f.location] == [
        ("drift", "C", 0, 3)
    ]
