r"""The inline layer of LaTeX: from source characters to what the page shows, place by place.

An own tokenizer and not pylatexenc: that builds a node for every word (about 5 ms per kilobyte, half a second for
a paper) and knows no values of user macros, while this only needs what is shown and where. It is tolerant: an
unclosed brace ends with its block. Macros that the ledger generated (`\ev{...}`) show nothing, for their numbers
cannot drift.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ledger_adapters.readers.inline import MATH_SYMBOLS
from ledger_adapters.readers.source import Source, Visible, word_set

TOKEN = re.compile(
    r"(?P<comment>%[^\n]*\n?[ \t]*)|\\(?P<command>[A-Za-z@]+\*?|[^A-Za-z]|$)|(?P<brace>[{}])|(?P<math>\$\$?)|(?P<mark>[\^_])"
    r"|(?P<tie>~)|(?P<dash>---?)|(?P<quote>``|'')",
    re.DOTALL,
)
# commands and how many of their arguments are not shown; further arguments are
_HIDDEN_ARGUMENTS = {
    **dict.fromkeys(word_set("ref eqref cref Cref autoref pageref label cite citep citet citealp citeauthor citeyear nocite parencite textcite footcite "
        "vspace hspace vspace* hspace* includegraphics cellcolor rowcolor color url bibliography bibliographystyle pagestyle "
        "thispagestyle input include usepackage documentclass begin end linewidth si unit arraystretch cline cmidrule hyperref "
        "addlinespace graphicspath rule pagenumbering phantom vphantom hphantom ev evref evdisclosure evtable evspread evn"),
        1,
    ),
    **dict.fromkeys(word_set("textcolor href scalebox rotatebox raisebox colorbox parbox setlength addtolength setcounter fontsize"), 1),
    **dict.fromkeys(word_set("multirow multicolumn resizebox fcolorbox"), 2),
    "setlength": 2, "addtolength": 2, "setcounter": 2, "fontsize": 2, "rule": 2, "specialrule": 3, "newcommand": 2, "renewcommand": 2,
    "providecommand": 2, "definecolor": 3, "SIrange": 0,
}  # fmt: skip
_QUANTITIES = frozenset({"SI", "qty"})
_UNITS = {"percent": "%", "milli": "m", "second": "s", "decibel": "dB", "giga": "G", "mega": "M", "kilo": "k", "byte": "B", "hour": "h",
          "minute": "min", "meter": "m", "metre": "m", "hertz": "Hz", "micro": "µ", "nano": "n", "watt": "W", "joule": "J"}  # fmt: skip
_DEPTH = 12


@dataclass(slots=True)
class TexInline:
    """What inline LaTeX shows, and what it carries along."""

    visible: Visible
    macros: dict[str, tuple[int, int]] = field(default_factory=dict)  # name -> span of its body
    links: list[str] = field(default_factory=list)
    comments: list[tuple[int, str]] = field(default_factory=list)
    footnotes: list[tuple[int, int]] = field(default_factory=list)
    math: bool = False


def group(text: str, at: int, end: int) -> tuple[int, int, int] | None:
    """The braced argument at `at` (white space before it allowed): inner start, inner end, offset behind it."""
    while at < end and text[at] in " \t\n\r":
        at += 1
    if at >= end or text[at] != "{":
        return None
    depth, i = 0, at
    while i < end:
        char = text[i]
        if char == "\\":
            i += 1
        elif char == "%":
            line = text.find("\n", i, end)
            i = line if line >= 0 else end
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return at + 1, i, i + 1
        i += 1
    return at + 1, end, end


def option(text: str, at: int, end: int) -> int:
    """Offset behind `[...]` and `(...)` arguments that follow directly."""
    while at < end and text[at] in "[(":
        close = text.find("]" if text[at] == "[" else ")", at, end)
        if close < 0:
            return at
        at = close + 1
    return at


def undress(source: Source, start: int, end: int, out: TexInline, depth: int = 0) -> None:
    """Append what source[start:end] shows to `out`."""
    position = start
    while position < end:
        match = TOKEN.search(source.text, position, end)
        if match is None:
            out.visible.add(position, end)
            return
        out.visible.add(position, match.start())
        position = max(_step(source, match, end, out, depth), match.start() + 1)


def _step(source: Source, match: re.Match[str], end: int, out: TexInline, depth: int) -> int:
    kind = match.lastgroup
    if kind == "command":
        return _command(source, match, end, out, depth)
    if kind == "comment":
        out.comments.append((match.start(), match.group().lstrip("%").strip()))
    elif kind == "math":
        out.math = not out.math
    elif kind == "mark":
        out.visible.add(match.start(), match.end())
    elif kind == "tie":
        out.visible.put(" ", match.start())
    elif kind == "dash":
        out.visible.put("–", match.start())
    elif kind == "quote":
        out.visible.put('"', match.start())
    return match.end()


def _command(source: Source, match: re.Match[str], end: int, out: TexInline, depth: int) -> int:
    """One command: a sign, a hidden argument, a macro's value, or just its shown arguments."""
    text, name, at = source.text, match["command"], match.end()
    if name and name in "%&_#${}":
        out.visible.add(at - 1, at)
        return at
    if name in ("\\", "newline", "linebreak", "tabularnewline"):
        out.visible.put(" ", match.start())
        return option(text, at, end) if text[at : at + 1] == "[" else at
    if name in out.macros and depth < _DEPTH:
        undress(source, *out.macros[name], out, depth + 1)
        return at
    if name in MATH_SYMBOLS:
        out.visible.put(MATH_SYMBOLS[name], match.start())
        return at
    if name in ("textsuperscript", "textsubscript"):
        out.visible.put("^" if name == "textsuperscript" else "_", match.start())
        return at
    if name in ("footnote", "thanks"):
        inner = group(text, option(text, at, end), end)
        if inner:
            out.footnotes.append((inner[0], inner[1]))
            return inner[2]
        return at
    if name in _QUANTITIES:
        return _quantity(source, at, end, out, depth)
    after = option(text, at, end) if text[at : at + 1] == "[" or name in ("cmidrule", "cline") else at
    for i in range(_HIDDEN_ARGUMENTS.get(name, 0)):
        inner = group(text, after, end)
        if inner is None:
            break
        if name == "href" and i == 0:
            out.links.append(text[inner[0] : inner[1]])
        after = option(text, inner[2], end) if text[inner[2] : inner[2] + 1] == "[" else inner[2]
    if name[:1].isalpha() and after == at and text[at : at + 1] == " ":
        return at + 1  # the space behind a command's name is not shown
    return after


def _quantity(source: Source, at: int, end: int, out: TexInline, depth: int) -> int:
    r"""`\SI{76.4}{\percent}` and `\qty`: the number, then its unit."""
    after = option(source.text, at, end)
    number = group(source.text, after, end)
    if number is None:
        return at
    undress(source, number[0], number[1], out, depth + 1)
    unit = group(source.text, number[2], end)
    if unit is None:
        return number[2]
    shown = "".join(_UNITS.get(word, word) for word in re.findall(r"[A-Za-z%]+", source.text[unit[0] : unit[1]]))
    out.visible.put(shown if shown == "%" else f" {shown}", unit[0])
    return unit[2]
