"""Generated macros and tables: they compile, they carry the disclosure, unknown ids stop the build."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.deliver import latex, render, write
from ledger.deliver.entries import disclosures
from ledger.evidence.graph import ClaimGraph, from_bytes
from ledger.project import Project

ODD = 'a_b & 50% of #1 {x} ~ ^ \\ "quoted" $y$ ± −'


def graph(*claims: dict[str, Any]) -> ClaimGraph:
    return from_bytes(json.dumps({"project": "p", "claims": list(claims)}).encode())


def claim(name: str = "C1-main", disclosure: Any = None, **row: Any) -> dict[str, Any]:
    evidence = {
        "exp_id": "ours",
        "metric": "acc",
        "split": "test",
        "value": 0.914,
        "n": 360,
        "from": [{"run": "r", "address": "a"}],
        "variance": {"type": "std", "value": 0.013, "seeds": 3, "over": "seeds"},
        **row,
    }
    return {"id": name, "statement": "s", "evidence": [evidence], "disclosure": disclosure}


CLAIMS = graph(
    claim(disclosure=["three seeds", ODD], aliases=[ODD]),
    claim("C2.base_line", disclosure="three seeds", value=0.8),
    claim("C3", value=None),
)


def test_the_same_claims_give_the_same_bytes_and_nothing_is_written_twice(here: Project) -> None:
    assert render(CLAIMS) == render(CLAIMS)
    assert set(write(here, CLAIMS).values()) == {True}
    before = {path: path.stat().st_mtime_ns for path in here.generated.iterdir()}
    assert set(write(here, CLAIMS).values()) == {False}
    assert {path: path.stat().st_mtime_ns for path in here.generated.iterdir()} == before


def test_each_disclosure_has_one_mark_and_rides_with_its_numbers() -> None:
    assert disclosures(CLAIMS) == [("a", "three seeds"), ("b", ODD)]
    texts = {name: data.decode() for name, data in render(CLAIMS).items()}
    assert r"\ledgerdef{plain}{C1-main}{0.91\evmark{ab}}" in texts["ledger.tex"]
    assert r"\ledgerdef{plain}{C2.base_line}{0.80\evmark{a}}" in texts["ledger.tex"]
    assert "three seeds" in texts["results.md"]
    assert "<sup>ab</sup>" in texts["results.md"]


def test_a_row_without_a_value_shows_that_it_has_none() -> None:
    assert r"\ledgerdef{plain}{C3}{??}" in render(CLAIMS)["ledger.tex"].decode()


@given(st.text())
def test_escaped_latex_has_no_open_group_and_no_live_character(text: str) -> None:
    escaped = latex.escape(text)
    escaped = escaped.replace("~", "") if "\xa0" in text else escaped  # a tie is what such a space becomes
    bare = re.sub(r"\\text\w+\{\}|\\ensuremath\{[^}]*\}|\\[{}$&#_%]", "", escaped)
    assert not set(bare) & set("\\{}$&#_%~^")


def compile_typst(folder: Path, body: str) -> str:
    import pypdfium2
    import typst

    for name, data in render(CLAIMS).items():
        (folder / name).write_bytes(data)
    (folder / "main.typ").write_text('#import "ledger.typ": ev, evtable, evdisclosures\n' + body)
    typst.compile(str(folder / "main.typ"), output=str(folder / "main.pdf"))
    document = pypdfium2.PdfDocument(folder / "main.pdf")
    try:
        page = document[0].get_textpage()
        return str(page.get_text_range())
    finally:
        document.close()


def test_typst_prints_every_form(tmp_path: Path) -> None:
    text = compile_typst(
        tmp_path,
        '#ev("C1-main")\n\n#ev("C1-main", form: "pm")\n\n#ev("C1-main", form: "full")\n\n#ev("C2.base_line", form: "bare")\n\n#evtable\n\n#evdisclosures',
    )
    for part in ("0.91", "± 0.01", "mean ± std over 3 seeds, test, n = 360", "0.80", "three seeds", "50% of #1 {x}"):
        assert part in text.replace("\xa0", " "), text


@pytest.mark.parametrize(
    ("body", "problem"),
    [('#ev("nowhere")', "no evidence row 'nowhere'"), ('#ev("C3", form: "loud")', "no form 'loud'")],
)
def test_typst_stops_at_an_unknown_id(tmp_path: Path, body: str, problem: str) -> None:
    with pytest.raises(Exception, match=problem):
        compile_typst(tmp_path, body)


needs_latex = pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed")


def compile_latex(folder: Path, body: str) -> subprocess.CompletedProcess[str]:
    for name, data in render(CLAIMS).items():
        (folder / name).write_bytes(data)
    (folder / "main.tex").write_text(
        "\\documentclass{article}\\usepackage[utf8]{inputenc}\\usepackage[T1]{fontenc}\n\\input{ledger.tex}\n\\begin{document}\n"
        + body
        + "\n\\end{document}\n"
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main.tex"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)


@needs_latex
def test_latex_prints_every_form(tmp_path: Path) -> None:
    done = compile_latex(
        tmp_path,
        r"\ev{C1-main}, \ev[pm]{C1-main}, \ev[full]{C1-main}, \ev[bare]{C2.base_line}, \ev{C3}"
        "\n\n\\evtable\n\n\\evdisclosures",
    )
    assert done.returncode == 0, done.stdout[-2000:]
    text = subprocess.run(
        ["pdftotext", "main.pdf", "-"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    for part in ("0.91", "0.80", "mean ± std over 3 seeds, test, n = 360", "three seeds", "??"):
        assert part in text, text


@needs_latex
def test_latex_stops_at_an_unknown_id(tmp_path: Path) -> None:
    done = compile_latex(tmp_path, r"\ev{nowhere}")
    assert done.returncode != 0
    assert "no evidence row 'nowhere'" in done.stdout
