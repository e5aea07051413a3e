"""The LaTeX reader: what the page shows, where it stands in the source, and what is left alone."""

from __future__ import annotations

import pytest

from ledger.errors import InputError
from ledger.model.document import Document, Paragraph, Table
from ledger_adapters.readers.tex import READER


def read(text: str) -> Document:
    return READER.read("d.tex", text.encode())


def shown(text: str) -> list[str]:
    return [block.text.text for block in read(text).blocks if isinstance(block, Paragraph)]


def tables(text: str) -> list[list[list[str]]]:
    return [[[c.text.text for c in row] for row in b.rows] for b in read(text).blocks if isinstance(b, Table)]


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        (r"a \textbf{b} \emph{c}~d", "a b c d"),
        (r"$97.2 \pm 0.4$ and 97.2\,\%", "97.2 ± 0.4 and 97.2\u2009%"),
        (r"12{,}480 of 1\,439", "12,480 of 1\u2009439"),
        (r"$1.2\times10^{6}$", "1.2×10^6"),
        (r"81.3\textsuperscript{2} $79.5^{\dagger}$", "81.3^2 79.5^†"),
        (r"\SI{76.4}{\percent} \qty{3.1}{\milli\second} \num{1.5}", "76.4% 3.1 ms 1.5"),
        (r"seen % not 97.5", "seen"),
        (r"100\% seen", "100% seen"),
        (r"as \cite[p.~7]{smith2019} in Table~\ref{tab:1}", "as  in Table"),
        (r"\textcolor{red}{1.5} \href{x/net.py}{net} \scalebox{0.98}{2.5}", "1.5 net 2.5"),
        (r"by macro \ev{C1} and \ev[pm]{C2}", "by macro  and"),
        ("0.5--0.7 ``q''", '0.5–0.7 "q"'),
        (r"\verb|x| \unknown[opt]{1.5}", "|x| 1.5"),
    ],
)
def test_inline_dress(source: str, visible: str) -> None:
    assert shown(source) == [visible]


def test_a_macro_shows_its_value_at_its_definition() -> None:
    (block,) = read("\\newcommand{\\best}{97.5}\n\\begin{document}\nIt is \\best\\%.\n\\end{document}\n").blocks
    assert isinstance(block, Paragraph)
    assert block.text.text == "It is 97.5%."
    assert block.text.place(6) == (1, 20)


def test_macros_that_call_themselves_end() -> None:
    assert shown("\\newcommand{\\a}{x\\b}\\newcommand{\\b}{y\\a}\\begin{document}\\a\\end{document}")[0].startswith(
        "xyxy"
    )


def test_blocks_and_captions() -> None:
    text = r"""\title{Not in the body}
\begin{document}
\section{Results} Text one.

\begin{itemize}\item first \item second\end{itemize}
\begin{table}\begin{tabular}{ll} a & b \\ \midrule c & 1.5 \\ \end{tabular}\caption{About \textbf{c}.}\end{table}
\begin{verbatim} 97.5 \end{verbatim}
After.\footnote{A note of 2.5.}
\end{document} 97.5"""
    document = read(text)
    kinds = [(b.kind, b.text.text) for b in document.blocks if isinstance(b, Paragraph)]
    assert kinds == [("heading", "Results"), ("text", "Text one."), ("item", "first"), ("item", "second"), ("caption", "About c."),
                     ("footnote", "A note of 2.5."), ("text", "After.")]  # fmt: skip
    (table,) = (block for block in document.blocks if isinstance(block, Table))
    assert table.caption is not None
    assert (table.caption.text, table.caption_is_own, table.header_rows, table.headings) == (
        "About c.",
        True,
        1,
        ("Results",),
    )
    assert document.title == "Not in the body"


def test_spanning_cells_and_rules() -> None:
    text = r"""\begin{tabular}{l|cc}
\toprule \multirow{2}{*}{M} & \multicolumn{2}{c}{Acc} \\ \cmidrule(lr){2-3}
 & a & b \\ \midrule % a remark & with \\ signs
n & \makecell{1.5 \\ (x)} & \textbf{2.5} \\[2pt] \addlinespace
\rowcolor{gray} o & 3.5 & -- \\ \bottomrule
\end{tabular}"""
    assert tables(text) == [[["M", "Acc", "Acc"], ["M", "a", "b"], ["n", "1.5   (x)", "2.5"], ["o", "3.5", "–"]]]
    (table,) = read(text).blocks
    assert isinstance(table, Table)
    assert table.header_rows == 2
    assert table.rows[2][2].text.place(0) == (4, 37)
    assert table.rows[2][2].emphasis == ("bold",)


@pytest.mark.parametrize("name", ["tabular", "tabular*", "tabularx", "longtable", "array"])
def test_kinds_of_tabular(name: str) -> None:
    width = "{\\linewidth}" if name in ("tabular*", "tabularx") else ""
    assert tables(f"\\begin{{{name}}}{width}{{@{{}}lc@{{}}}} a & 1.5 \\\\ b & 2.5 \\end{{{name}}}") == [
        [["a", "1.5"], ["b", "2.5"]]
    ]


@pytest.mark.parametrize(
    "text",
    ["\\textbf{a 1.5", "}}} 1.5", "\\begin{tabular}{l} a & 1.5", "$a 1.5", "\\section{1.5", "\\begin{itemize} 1.5"],
)
def test_unbalanced_input_still_shows_its_text(text: str) -> None:
    everything = " ".join([*shown(text), *(cell for table in tables(text) for row in table for cell in row)])
    assert "1.5" in everything


def test_what_is_not_text_names_the_byte() -> None:
    with pytest.raises(InputError, match=r"d\.tex: is not UTF-8 \(byte 2 is 0xff\)"):
        READER.read("d.tex", b"ab\xff")
