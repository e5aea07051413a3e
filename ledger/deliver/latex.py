r"""LaTeX: `\ev{ID}`, `\ev[pm]{ID}`, `\ev[full]{ID}`, `\evtable`, `\evdisclosures`. Needs no package.

`\ev` of an unknown id is an error of the build, never an empty place.
"""

from __future__ import annotations

import re

from ledger.deliver.entries import Entry

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"\ensuremath{\pm}", "−": r"\ensuremath{-}",
    "\N{NO-BREAK SPACE}": "~", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip
# what pdfLaTeX knows in mathematics alone; names of methods and disclosures are full of it
_MATHS = {
    "≤": "leq", "≥": "geq", "≈": "approx", "≠": "neq", "×": "times", "·": "cdot", "→": "to", "←": "gets", "∞": "infty",
    "↑": "uparrow", "↓": "downarrow", "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon",
    "ζ": "zeta", "η": "eta", "θ": "theta", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "π": "pi", "ρ": "rho",
    "σ": "sigma", "τ": "tau", "φ": "varphi", "χ": "chi", "ψ": "psi", "ω": "omega", "Δ": "Delta", "Σ": "Sigma",
    "Ω": "Omega",
}  # fmt: skip
_SPECIAL.update({char: rf"\ensuremath{{\{name}}}" for char, name in _MATHS.items()})
_ESCAPED = re.compile("[" + "".join(map(re.escape, _SPECIAL)) + "]")
_BLANK = re.compile(r"[\x00-\x20\x7f]+")

_PREAMBLE = r"""% {note}
\makeatletter
\providecommand{\ev}{}
\renewcommand{\ev}[2][plain]{%
  \@ifundefined{ledger@#1@\detokenize{#2}}%
    {\PackageError{ledger}{no evidence row '#2' in the form '#1'}{Run `ledger build`, or correct the id.}}%
    {\@nameuse{ledger@#1@\detokenize{#2}}}}
\providecommand{\evmark}{}
\renewcommand{\evmark}[1]{\textsuperscript{#1}}
\newcommand{\ledgerdef}[3]{\expandafter\gdef\csname ledger@#1@\detokenize{#2}\endcsname{#3}}
"""


def escape(text: str) -> str:
    """Plain text as LaTeX source; a value and its spread stay on one line."""
    tied = text.replace(" ± ", "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}")
    return _ESCAPED.sub(lambda match: _SPECIAL[match[0]], _BLANK.sub(" ", tied))


def render(entries: list[Entry], disclosures: list[tuple[str, str]], note: str) -> str:
    lines = [_PREAMBLE.replace("{note}", note)]
    for entry in entries:
        if re.search(r"[\\{}%#]", entry.row.id):
            lines.append(f"% {entry.row.id!r} cannot be a LaTeX name; give the row another id")
            continue
        mark = rf"\evmark{{{entry.mark}}}" if entry.mark else ""
        forms = {
            "bare": escape(entry.plain),
            "plain": escape(entry.plain) + mark,
            "pm": escape(entry.with_spread) + mark,
            "full": escape(entry.full) + mark,
        }
        lines += [rf"\ledgerdef{{{form}}}{{{entry.row.id}}}{{{text}}}" for form, text in forms.items()]
    lines += [r"\makeatother", "", _table(entries), "", _disclosures(disclosures), ""]
    return "\n".join(lines)


def _table(entries: list[Entry]) -> str:
    rows = []
    for entry in entries:
        mark = rf"\evmark{{{entry.mark}}}" if entry.mark else ""
        cells = [entry.method, entry.row.metric or "derived", entry.row.split or "--", str(entry.row.n or "--")]
        seeds = entry.row.variance.count if entry.row.variance else None
        rows.append(" & ".join([*map(escape, cells), escape(entry.with_spread) + mark, str(seeds or "--")]) + r" \\")
    body = "\n".join(f"  {row}" for row in rows)
    return rf"""\newcommand{{\evtable}}{{%
\begin{{tabular}}{{llrrrr}}
  \hline
  Method & Metric & Split & $n$ & Value & Seeds \\
  \hline
{body}
  \hline
\end{{tabular}}}}"""


def _disclosures(disclosures: list[tuple[str, str]]) -> str:
    if not disclosures:
        return r"\newcommand{\evdisclosures}{}"
    items = r"\par ".join(rf"\evmark{{{mark}}}\,{escape(text)}" for mark, text in disclosures)
    return rf"\newcommand{{\evdisclosures}}{{{items}}}"
