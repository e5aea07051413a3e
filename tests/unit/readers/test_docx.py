"""Word documents: built with python-docx, then read back; what that library cannot write is put in as XML."""

from __future__ import annotations

import io
from typing import Any

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from ledger.model.document import Document, Paragraph, Table
from ledger_adapters.readers.docx import READER

NS = nsdecls("w", "m", "r") + (
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
)


def read(document: Any) -> Document:
    out = io.BytesIO()
    document.save(out)
    return READER.read("d.docx", out.getvalue())


def paragraph(inner: str, tag: str = "w:p") -> Any:
    return parse_xml(f"<{tag} {NS}>{inner}</{tag}>")


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def shown(*inner: str) -> list[tuple[str, dict[str, Any]]]:
    """Text and place of every paragraph of a document of these paragraphs."""
    document = docx.Document()
    for each in inner:
        document.element.body.insert(len(document.element.body) - 1, paragraph(each))
    blocks = read(document).blocks
    assert all(isinstance(block, Paragraph) for block in blocks)
    return [
        (block.text.text, block.text.location("", 0, 1).to_json()) for block in blocks if isinstance(block, Paragraph)
    ]


def words(*inner: str) -> list[str]:
    return [text for text, _ in shown(*inner)]


def test_headings_lists_captions_and_their_places() -> None:
    document = docx.Document()
    document.add_heading("Report", 0)
    document.add_paragraph("")
    document.add_heading("Results", 1)
    document.add_paragraph("net-a reaches 81.3.")
    document.add_paragraph("one of 12", style="List Bullet")
    document.add_paragraph("Table 1: accuracy", style="Caption")
    document.add_table(rows=2, cols=1).cell(1, 0).text = "81.3"
    document.add_paragraph("end 5.0")
    found = read(document)
    assert found.title == "Report"
    text = [block for block in found.blocks if isinstance(block, Paragraph)]
    assert [(block.text.text, block.kind, block.text.location("", 0, 1).paragraph) for block in text] == [
        ("Report", "heading", 0),
        ("Results", "heading", 2),
        ("net-a reaches 81.3.", "text", 3),
        ("one of 12", "item", 4),
        ("Table 1: accuracy", "caption", 5),
        ("end 5.0", "text", 6),
    ]
    (table,) = (block for block in found.blocks if isinstance(block, Table))
    assert table.caption is not None
    assert (table.caption.text, table.caption_is_own) == ("Table 1: accuracy", True)
    assert table.headings == ("Report", "Results")


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        (run("8") + run("1.") + run("3"), "81.3"),
        (run("was ") + f"<w:del>{run('80.0').replace('w:t', 'w:delText')}</w:del><w:ins>{run('81.3')}</w:ins>", "was 81.3"),
        (f"<w:moveFrom>{run('1.0')}</w:moveFrom><w:moveTo>{run('2.0')}</w:moveTo>", "2.0"),
        (run("81.3") + run("a1", '<w:vertAlign w:val="superscript"/>'), "81.3^a1"),
        (run("10") + run("-", '<w:vertAlign w:val="superscript"/>') + run("3", '<w:vertAlign w:val="superscript"/>'), "10^-3"),
        (run("hidden 9 ", "<w:vanish/>") + run("81.3"), "81.3"),
        (run("80.0 ", "<w:strike/>") + run("81.3", '<w:strike w:val="0"/>'), "81.3"),
        ("<w:r><w:t>1</w:t><w:tab/><w:t>2</w:t><w:br/><w:t>3</w:t><w:noBreakHyphen/><w:t>4</w:t></w:r>", "1 2 3-4"),
        ('<w:r><w:t>81.3 </w:t><w:sym w:font="Symbol" w:char="F0B1"/><w:t> 0.2</w:t></w:r>', "81.3 ± 0.2"),
        (('<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>REF _x 12</w:instrText><w:fldChar w:fldCharType="separate"/>'
          '<w:t>81.3</w:t><w:fldChar w:fldCharType="end"/></w:r>'), "81.3"),
        (f"<w:sdt><w:sdtPr/><w:sdtContent>{run('81.3')}</w:sdtContent></w:sdt>", "81.3"),
        ("<m:oMath><m:sSup><m:e><m:r><m:t>10</m:t></m:r></m:e><m:sup><m:r><m:t>5</m:t></m:r></m:sup></m:sSup></m:oMath>", "10^5"),
        (run("81\u00ad.3\u200b1"), "81.31"),
    ],
)  # fmt: skip
def test_what_a_paragraph_shows(inner: str, text: str) -> None:
    assert words(inner) == [text]


def test_columns_count_every_character_that_stands_there() -> None:
    document = docx.Document()
    inner = (
        run("ab ")
        + run("80.0", "<w:strike/>")
        + run(" 81")
        + run("2", '<w:vertAlign w:val="superscript"/>')
        + run(" x")
    )
    document.element.body.insert(0, paragraph(inner))
    (block,) = read(document).blocks
    assert isinstance(block, Paragraph)
    assert block.text.text == "ab  81^2 x"
    assert [block.text.place(i)[1] for i in (0, 4, 5, 6, 7, 9)] == [0, 8, 9, 10, 10, 12]


def test_text_boxes_are_read_once_where_they_are_anchored() -> None:
    box = f"<w:txbxContent><w:p>{run('box 12.5')}</w:p></w:txbxContent>"
    both = (
        f'<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>{box}</wps:txbx></w:drawing></mc:Choice>'
        f"<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    assert shown(run("first"), run("anchor") + both, run("last")) == [
        ("first", {"path": "", "paragraph": 0, "column": 0, "end_column": 1}),
        ("anchor", {"path": "", "paragraph": 1, "column": 0, "end_column": 1}),
        ("box 12.5", {"path": "", "paragraph": 1, "column": 7, "end_column": 8}),
        ("last", {"path": "", "paragraph": 2, "column": 0, "end_column": 1}),
    ]


def test_merged_cells_stand_at_each_place_they_cover() -> None:
    document = docx.Document()
    table = document.add_table(rows=3, cols=3)
    for r in range(3):
        for c in range(3):
            table.cell(r, c).text = f"{r}{c}"
    table.cell(0, 1).merge(table.cell(0, 2)).text = "wide"
    table.cell(1, 0).merge(table.cell(2, 0)).text = "tall"
    (block,) = read(document).blocks
    assert isinstance(block, Table)
    assert [[cell.text.text for cell in row] for row in block.rows] == [
        ["00", "wide", "wide"], ["tall", "11", "12"], ["tall", "21", "22"],
    ]  # fmt: skip
    assert [cell.origin for cell in block.rows[0]] == [None, (0, 1), (0, 1)]
    assert block.rows[2][0].origin == (1, 0)
    assert block.rows[2][2].text.location("d.docx", 0, 2).to_json() == {
        "path": "d.docx", "table": 0, "row": 2, "col": 2, "column": 0, "end_column": 2,
    }  # fmt: skip


def test_a_deleted_row_is_gone_and_the_others_keep_their_numbers() -> None:
    document = docx.Document()
    table = document.add_table(rows=3, cols=1)
    for r in range(3):
        table.cell(r, 0).text = f"{r}.5"
    table.rows[1]._tr.get_or_add_trPr().append(paragraph("", "w:del"))
    (block,) = read(document).blocks
    assert isinstance(block, Table)
    assert [row[0].text.text for row in block.rows] == ["0.5", "2.5"]
    assert block.rows[1][0].text.location("", 0, 1).row == 2


def test_a_table_in_a_cell_has_the_place_of_the_cell() -> None:
    document = docx.Document()
    outer = document.add_table(rows=1, cols=2)
    outer.cell(0, 1).text = "see"
    inner = outer.cell(0, 1).add_table(rows=2, cols=1)
    inner.cell(0, 0).text, inner.cell(1, 0).text = "acc", "81.3"
    document.add_table(rows=1, cols=1).cell(0, 0).text = "7.5"
    tables = [block for block in read(document).blocks if isinstance(block, Table)]
    assert [table.rows[-1][-1].text.text for table in tables] == ["see", "81.3", "7.5"]
    places = [table.rows[-1][-1].text.location("", 0, 1) for table in tables]
    assert [(place.table, place.row, place.col) for place in places] == [(0, 0, 1), (0, 0, 1), (1, 0, 0)]
    assert places[0].column == 0
    assert (places[1].column or 0) > len("see")


def test_footnotes_are_read_where_their_mark_stands() -> None:
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part

    document = docx.Document()
    document.element.body.insert(
        0, paragraph(run("81.3") + '<w:r><w:footnoteReference w:id="2"/></w:r>' + run(" on test"))
    )
    notes = f'<w:footnotes {NS}><w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r>{run(" over 5 seeds")}</w:p></w:footnote></w:footnotes>'
    part = Part(PackURI("/word/footnotes.xml"), "application/xml", notes.encode(), document.part.package)
    document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    texts = [(b.text.text, b.text.location("", 0, 1)) for b in read(document).blocks if isinstance(b, Paragraph)]
    assert [text for text, _ in texts] == ["81.3 on test", "over 5 seeds"]
    assert [place.paragraph for _, place in texts] == [0, 0]
    assert (texts[1][1].column or 0) > len("81.3 on test")


def test_links_are_named_and_bold_cells_are_seen() -> None:
    document = docx.Document()
    key = document.part.relate_to("https://example.org/net_a.py", docx.opc.constants.RELATIONSHIP_TYPE.HYPERLINK, True)  # type: ignore[attr-defined]
    cell = document.add_table(rows=1, cols=2).cell(0, 0)
    cell.paragraphs[0]._p.append(parse_xml(f'<w:hyperlink {NS} r:id="{key}">{run("net-a", "<w:b/>")}</w:hyperlink>'))
    (block,) = read(document).blocks
    assert isinstance(block, Table)
    assert block.rows[0][0].links == ("https://example.org/net_a.py",)
    assert block.rows[0][0].emphasis == ("bold",)
