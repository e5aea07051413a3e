"""What a form must survive: ids and texts of every kind, and it says what the spread is over."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.deliver import latex, markdown, render, typst
from ledger.deliver.entries import Entry, disclosures, entries
from ledger.evidence.graph import ClaimGraph, from_bytes

ODD = 'α ≤ 5% of #1 {x} & $y$ ~^_\\ <b> |p| "q" `r` *s* [t](u)\n\nnext − ± × é'


def graph(*claims: dict[str, Any], **more: Any) -> ClaimGraph:
    return from_bytes(json.dumps({"project": "p", "claims": list(claims), **more}).encode())


def claim(name: str, disclosure: Any = None, label: str = "ours", **row: Any) -> dict[str, Any]:
    rows = [{"metric": "acc", "value": 0.5, "label": label, **row}]
    return {"id": name, "evidence": rows, "disclosure": disclosure}


def entry(**row: Any) -> Entry:
    return entries(graph(claim("C", **row)))[0]


SEEDS = {"type": "std", "value": 0.02, "seeds": 3, "over": "seeds"}
ONE = [{"run": "r", "address": "a"}]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"variance": SEEDS, "split": "test", "n": 100}, "0.50 ± 0.02 (mean ± std over 3 seeds, test, n = 100)"),
        ({"variance": SEEDS, "aggregate": "median"}, "0.50 ± 0.02 (median ± std over 3 seeds)"),
        ({"variance": {"type": "sem", "value": 0.02, "over": "items"}, "from": ONE}, "0.50 ± 0.02 (± sem over items, one run)"),
        ({"variance": {"type": "std", "value": 0.02}, "from": ONE}, "0.50 ± 0.02 (± std, one run)"),
        ({"from": ONE, "split": "val"}, "0.5000 (one run, val)"),
        ({"from": ONE * 2, "derive": "delta(C, C)"}, "0.5000"),
        ({}, "0.5000"),
        ({"value": None, "split": "test"}, "?? (test)"),
    ],
)  # fmt: skip
def test_the_full_form_says_what_the_spread_is(row: dict[str, Any], said: str) -> None:
    assert entry(**row).full == said


def test_a_method_is_called_as_the_paper_calls_it() -> None:
    claims = {"id": "C", "aliases": ["ours"], "evidence": [{"metric": "m", "exp_id": "e"}, {"metric": "m", "aliases": ["own"]}]}  # fmt: skip
    assert [item.method for item in entries(graph(claims))] == ["ours", "own"]
    bare = {"id": "C", "evidence": [{"metric": "m", "exp_id": "e"}, {"metric": "m"}]}
    assert [item.method for item in entries(graph(bare))] == ["e", "C.1"]


def test_marks_go_on_after_z_and_no_disclosure_is_lost() -> None:
    many = graph(*(claim(f"C{i}", f"text {i}") for i in range(60)))
    marks = [mark for mark, _ in disclosures(many)]
    assert marks[:2] + marks[25:28] + marks[-1:] == ["a", "b", "z", "aa", "ab", "bh"]
    assert len(set(marks)) == 60
    assert [item.mark for item in entries(many)] == marks


def test_the_bytes_hang_on_the_claims_alone() -> None:
    first, again = graph(claim("C", ODD)), graph(claim("C", ODD))
    assert render(first) == render(again)
    assert render(first) != render(graph(claim("C", "other")))


def test_numbers_that_json_cannot_hash_stand_in_nobodys_way() -> None:
    assert render(graph(claim("C"), built_ns=2**63 + 1))
    assert render(from_bytes(b'{"claims": [{"id": "C", "evidence": [{"metric": "m", "value": 1e999}]}]}'))


@given(st.text(max_size=30))
def test_escaped_markdown_is_shown_as_it_was_written(text: str) -> None:
    parser = pytest.importorskip("markdown_it", reason="needs the extra `docs-readers`").MarkdownIt(
        "gfm-like", {"linkify": False}
    )
    shown = markdown.escape("x" + text + "x")
    assert "\n" not in shown
    tokens = parser.parseInline(shown)[0].children
    assert {token.type for token in tokens} <= {"text", "text_special"}
    written = " ".join(("x" + text + "x").translate({**dict.fromkeys(range(33), " "), 127: " "}).split(" "))
    assert "".join(token.content for token in tokens).split() == written.split()


def test_a_table_row_in_markdown_keeps_its_columns() -> None:
    parser = pytest.importorskip("markdown_it", reason="needs the extra `docs-readers`").MarkdownIt(
        "gfm-like", {"linkify": False}
    )
    text = render(graph(claim("C", ODD, label="a|b\\|c"), claim("D", ODD, label=ODD)))["results.md"].decode()
    cells = [token for token in parser.parse(text) if token.type == "td_open"]
    assert len(cells) == 2 * 6


@given(st.text(st.characters(blacklist_categories=["Cs"]), max_size=20))
def test_a_typst_string_ends_where_it_should(text: str) -> None:
    quoted = typst.quote(text)
    inner = quoted[1:-1].replace("\\\\", "")
    assert quoted[0] == quoted[-1] == '"'
    assert '"' not in inner.replace('\\"', "")
    assert all(ord(char) >= 32 for char in quoted)


def test_typst_takes_odd_ids_and_texts() -> None:
    compiler = pytest.importorskip("typst", reason="needs the extra `typst`")
    claims = graph(claim('a.b_c-"d"\\e #f', [ODD, "\x00\x07 control"], label=ODD), claim("Ünï cödé/1"))
    source = render(claims)["ledger.typ"].decode()
    ids = " ".join(f'#ev({typst.quote(item.row.id)}, form: "full")' for item in entries(claims))
    pdf = compiler.compile((source + "\n" + ids + "\n#evtable\n#evdisclosures\n").encode())
    assert pdf.startswith(b"%PDF")


def test_typst_with_no_claim_at_all_compiles_and_one_id_is_told_from_another() -> None:
    compiler = pytest.importorskip("typst", reason="needs the extra `typst`")
    empty = render(graph())["ledger.typ"]
    assert compiler.compile(empty + b"\n#evtable #evdisclosures").startswith(b"%PDF")
    with pytest.raises(Exception, match="no evidence row 'C'; run `ledger build`, or correct the id"):
        compiler.compile(empty + b'\n#ev("C")')


needs_latex = pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed")
DOCUMENT = "\\documentclass{article}\n\\input{ledger.tex}\n\\begin{document}\n%s\n\\end{document}\n"


def compile_latex(folder: Path, claims: ClaimGraph, body: str) -> subprocess.CompletedProcess[str]:
    (folder / "ledger.tex").write_bytes(render(claims)["ledger.tex"])
    (folder / "main.tex").write_text(DOCUMENT % body, "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main.tex"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)


@needs_latex
def test_latex_takes_odd_ids_and_texts_with_no_package_loaded(tmp_path: Path) -> None:
    claims = graph(claim("a.b_c-d", [ODD, "tab\tand\x00null"], label=ODD), claim("Ünï^1~2"), claim("a & $b"))
    body = (
        "\\section{In a title \\ev{a.b_c-d}}\n\\ev[full]{a.b_c-d}, $x = \\ev[bare]{a.b_c-d}$, \\ev{Ünï^1~2}\n\n"
        "\\begin{tabular}{l} \\ev{a & $b} \\end{tabular}\n\n\\evtable\n\n\\evdisclosures\n"
        "\\begin{figure}\\caption{\\ev[pm]{a.b_c-d}}\\end{figure}"
    )
    done = compile_latex(tmp_path, claims, body)
    assert done.returncode == 0, done.stdout[-1500:]
    assert "Missing character" not in done.stdout
    again = compile_latex(tmp_path, claims, body)  # with what the first run wrote about titles and captions
    assert again.returncode == 0, again.stdout[-1500:]


@needs_latex
@pytest.mark.parametrize("body", [r"\ev{no.such_id}", r"\ev[loud]{C}"])
def test_latex_stops_with_our_words(tmp_path: Path, body: str) -> None:
    done = compile_latex(tmp_path, graph(claim("C")), body)
    assert done.returncode != 0
    assert "Package ledger Error: no evidence row" in done.stdout


def test_an_id_that_is_no_latex_name_is_said_where_it_would_stand() -> None:
    text = render(graph(claim("50%{x}")))["ledger.tex"].decode()
    assert "% '50%{x}' cannot be a LaTeX name; give the row another id" in text
    assert "{50%{x}}" not in text


def test_every_escape_of_latex_is_of_one_character() -> None:
    assert latex.escape("a ± b") == r"a~\ensuremath{\pm}~b"
    assert latex.escape("\\{}") == r"\textbackslash{}\{\}"
    assert latex.escape("a\n\n b\x00c") == "a b c"
    assert latex.escape("<α>") == r"\textless{}\ensuremath{\alpha}\textgreater{}"
