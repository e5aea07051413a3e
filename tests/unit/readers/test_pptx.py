"""Slides: built with python-pptx, then read back."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pptx
import pytest
from click.testing import CliRunner
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from ledger.cli.lazy import cli
from ledger.model.document import Document, Paragraph, Table
from ledger_adapters.readers.pptx import READER

BOX = [Inches(1)] * 4


def read(deck: Any) -> Document:
    out = io.BytesIO()
    deck.save(out)
    return READER.read("d.pptx", out.getvalue())


def run(*options: str) -> Any:
    command = ["reconcile", "talk.pptx", "--evidence", "EVIDENCE.json", *options]
    return CliRunner().invoke(cli, command, standalone_mode=False)


def texts(document: Document) -> list[tuple[str, str, int | None, int | None]]:
    return [
        (block.text.text, block.kind, place.slide, place.paragraph)
        for block in document.blocks
        if isinstance(block, Paragraph)
        for place in [block.text.location("", 0, 1)]
    ]


def test_titles_bodies_groups_and_notes_in_order() -> None:
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[6])
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.placeholders[1].text = "net-a: 81.3\n\nnet-b: 80.1"
    slide.shapes.title.text = "Results"
    group = slide.shapes.add_group_shape().shapes.add_group_shape()
    group.shapes.add_textbox(*BOX).text_frame.text = "base: 58.1 %"
    slide.notes_slide.notes_text_frame.text = "say 3 seeds"
    found = read(deck)
    assert found.title == "Results"
    assert texts(found) == [
        ("Results", "heading", 2, None),
        ("net-a: 81.3", "item", 2, 0),
        ("net-b: 80.1", "item", 2, 2),
        ("base: 58.1 %", "item", 2, 3),
        ("say 3 seeds", "item", 2, 4),
    ]
    assert all(block.headings == ("Results",) for block in found.blocks[1:])


def test_runs_join_raised_text_is_marked_and_struck_text_is_not_shown() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    paragraph = slide.shapes.add_textbox(*BOX).text_frame.paragraphs[0]
    for text, attributes in [("8", {}), ("1.3", {"b": "1"}), ("2", {"baseline": "30000"}), (" 79.0", {"strike": "sngStrike"}), (" x", {})]:  # fmt: skip
        run = paragraph.add_run()
        run.text = text
        for key, given in attributes.items():
            run._r.get_or_add_rPr().set(key, given)
    run = paragraph.add_run()
    run.text, run.hyperlink.address = "code", "https://example.org/net_a.py"
    (block,) = read(deck).blocks
    assert isinstance(block, Paragraph)
    assert block.text.text == "81.3^2 xcode"
    assert [block.text.place(i)[1] for i in (0, 4, 5, 6, 7)] == [0, 4, 4, 10, 11]
    assert block.links == ("https://example.org/net_a.py",)


@pytest.mark.parametrize("code", ["0.0", "General"])
def test_charts_show_the_values_that_they_keep(code: str) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Accuracy"
    data = CategoryChartData(number_format=code)
    data.categories = ["net-a", "net-b"]
    data.add_series("val", (81.25, None))
    data.add_series("test", (79.5, 0.1 + 0.2))
    shape = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *BOX, data)
    shape.chart.has_title = True
    shape.chart.chart_title.text_frame.text = "top-1"
    slide.shapes.add_table(1, 1, *BOX).table.cell(0, 0).text = "x"
    first, found = [block for block in read(deck).blocks if isinstance(block, Table)]
    a, b = ("81.3", "0.3") if code == "0.0" else ("81.25", "0.3")
    assert [[cell.text.text for cell in row] for row in found.rows] == [["", "val", "test"], ["net-a", a, "79.5"], ["net-b", "", b]]  # fmt: skip
    assert found.caption is not None
    assert (found.caption.text, found.headings, first.index, found.index) == ("top-1", ("Accuracy",), 0, 1)
    place = found.rows[1][2].text.location("d.pptx", 0, 1)
    assert (place.slide, place.table, place.row, place.col) == (1, 1, 1, 2)


def test_scatter_plots_with_points_of_their_own() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    data = XyChartData()
    for name, points in [("net-a", [(1, 81.5)]), ("net-b", [(2, 80.5), (4, 82)])]:
        series = data.add_series(name)
        for x, y in points:
            series.add_data_point(x, y)
    slide.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, *BOX, data)
    (found,) = read(deck).blocks
    assert isinstance(found, Table)
    assert [[cell.text.text for cell in row] for row in found.rows[1:]] == [
        ["net-a", "1", "81.5"], ["net-b", "2", "80.5"], ["net-b", "4", "82"],
    ]  # fmt: skip


def test_a_deck_is_reconciled_in_tables_and_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    table = slide.shapes.add_table(2, 2, *BOX).table
    for r, row in enumerate([("model", "accuracy (%)"), ("ours", "65.5")]):
        for c, text in enumerate(row):
            table.cell(r, c).text = text
    slide.shapes.add_group_shape().shapes.add_textbox(*BOX).text_frame.text = "base accuracy: 58.1 %"
    deck.save(str(tmp_path / "talk.pptx"))
    rows = [("C1", "ours", 0.6049), ("C2", "base", 0.5812)]
    claims = [{"id": i, "evidence": [{"exp_id": e, "metric": "accuracy", "value": v}]} for i, e, v in rows]
    (tmp_path / "EVIDENCE.json").write_text(json.dumps({"project": "p", "claims": claims}))
    monkeypatch.chdir(tmp_path)
    done = run("--mentions", "--format", "json")
    report = json.loads(done.stdout)
    assert done.return_value == 1
    assert [(m["claim"], m["location"]["slide"]) for m in report["mentions"]] == [("C1", 1), ("C2", 1)]
    (drift,) = report["findings"]
    assert drift["location"] == {"path": "talk.pptx", "column": 0, "end_column": 4, "table": 0, "row": 1, "col": 1, "slide": 1}  # fmt: skip
    said = run().stdout
    assert said.startswith("talk.pptx slide 1, table 1, row 2, column 2: error: ")
