"""The inline layer of Markdown: from source characters to what a reader of the page sees, place by place.

Emphasis marks, code marks, link targets, tags and comments are dropped; superscripts and subscripts keep a mark
(`81.3^2`), so that a footnote never becomes a digit; struck-out text is not shown.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

from ledger_adapters.readers.source import NOT_SHOWN, Source, Visible

_SPECIAL = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<comment><!--.*?(?:-->|$))"
    r"|(?P<code>`+)"
    r"|(?P<auto><(?:https?://|mailto:)[^>\s]*>)"
    r"|(?P<tag></?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>)"
    r"|(?P<image>!\[)"
    r"|(?P<note>\[\^[^\]\s]+\]:?)"
    r"|(?P<link>\[)"
    r"|(?P<entity>&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"
    r"|(?P<strike>~~)"
    r"|(?P<address>https?://[^\s<>|)\]]+)"
    r"|(?P<stars>\*+)"
    r"|(?P<under>(?<![^\W_])_+(?=\S)|(?<=\S)_+(?![^\W_]))"
    r"|(?P<math>\$)",
    re.DOTALL,
)
# a span without any of these is shown as it stands
MARKED = re.compile(rf"[\\<`!\[&~*_${NOT_SHOWN}]|https?://")
_TARGET = re.compile(r"\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s]*)*)>?(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)")
_REFERENCE = re.compile(r"\[([^\]\n]*)\]")
_HREF = re.compile(r"""href\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)
_BRACKET = re.compile(r"\\.|[\[\]]", re.DOTALL)
_MATH_COMMAND = re.compile(r"\\(?P<name>[A-Za-z]+|.)")
MATH_SYMBOLS = {
    "pm": "±", "times": "×", "cdot": "·", "uparrow": "↑", "downarrow": "↓", "%": "%", "approx": "≈", "sim": "~", "leq": "≤",
    "le": "≤", "geq": "≥", "ge": "≥", ",": "\u2009", ";": " ", " ": " ", "!": "", "mu": "µ", "dagger": "†", "ddagger": "‡",
    "rightarrow": "→", "to": "→", "Delta": "Δ", "sigma": "σ", "_": "_", "&": "&", "#": "#", "$": "$", "quad": " ", "qquad": " ",
}  # fmt: skip


@dataclass(slots=True)
class Inline:
    """What an inline text shows and points at."""

    visible: Visible
    links: list[str] = field(default_factory=list)
    comments: list[tuple[int, str]] = field(default_factory=list)  # (source offset, inner text)
    brackets: dict[int, int] = field(default_factory=dict)  # opening -> closing bracket
    paired: tuple[int, int] = (0, -1)  # the span in which they were paired


def undress(source: Source, start: int, end: int, out: Inline) -> None:
    """Append what source[start:end] shows to `out`."""
    text = source.text
    position = start
    while position < end:
        match = _SPECIAL.search(text, position, end)
        if match is None:
            out.visible.add(position, end)
            return
        out.visible.add(position, match.start())
        position = max(_step(source, match, end, out), match.start() + 1)


def _step(source: Source, match: re.Match[str], end: int, out: Inline) -> int:
    """Handle one piece of markup; the offset where reading goes on."""
    kind = match.lastgroup
    if kind == "escape":
        out.visible.add(match.start() + 1, match.end())
    elif kind == "comment":
        out.comments.append((match.start(), match.group()[4:].removesuffix("-->")))
    elif kind == "code":
        return _code(source, match, end, out)
    elif kind == "tag":
        return _tag(source, match, end, out)
    elif kind in ("link", "image"):
        return _link(source, match, end, out)
    elif kind == "entity":
        out.visible.put(html.unescape(match.group()), match.start())
    elif kind == "strike":
        close = source.text.find("~~", match.end(), end)
        return close + 2 if close >= 0 else match.end()
    elif kind in ("auto", "address"):
        target = match.group().strip("<>")
        out.links.append(target)
        out.visible.put(" ", match.start())
    elif kind == "math":
        return _math(source, match, end, out)
    return match.end()


def _code(source: Source, match: re.Match[str], end: int, out: Inline) -> int:
    mark = match.group()
    close = source.text.find(mark, match.end(), end)
    if close < 0:
        out.visible.add(match.start(), match.end())
        return match.end()
    out.visible.add(match.end(), close)
    return close + len(mark)


def _tag(source: Source, match: re.Match[str], end: int, out: Inline) -> int:
    """A tag shows nothing but a mark for raised and lowered text and a space for a line break."""
    name = re.sub(r"[^a-z]", "", match.group()[:12].split()[0].lower())
    closing = match.group().startswith("</")
    if name == "br":
        out.visible.put(" ", match.start())
    elif name in ("sup", "sub") and not closing and out.visible.parts and out.visible.parts[-1][-1:].strip():
        out.visible.put("^" if name == "sup" else "_", match.start())
    elif name == "a" and not closing:
        href = _HREF.search(match.group())
        if href:
            out.links.append(html.unescape(href.group(1)))
    elif name in ("del", "s", "strike", "script", "style") and not closing:
        close = re.compile(rf"</{name}\s*>", re.IGNORECASE).search(source.text, match.end(), end)
        if close:
            return close.end()
    return match.end()


def _link(source: Source, match: re.Match[str], end: int, out: Inline) -> int:
    """`[text](target)`: the text is shown, the target kept; a bracket that opens no link is shown as it is."""
    _brackets(source.text, match.start(), end, out)
    close = out.brackets.get(match.end() - 1, end)
    if close >= end:
        out.visible.add(match.start(), match.end())
        return match.end()
    target = _TARGET.match(source.text, close + 1, end)
    if target is None:
        reference = _REFERENCE.match(source.text, close + 1, end)
        if reference and not match.group().startswith("!") and reference.group(1):
            undress(source, match.end(), close, out)
            return reference.end()
        out.visible.add(match.start(), match.end())
        undress(source, match.end(), close, out)
        out.visible.add(close, close + 1)
        return close + 1
    if match.group() == "![":
        return target.end()
    out.links.append(html.unescape(target.group(1)))
    undress(source, match.end(), close, out)
    return target.end()


def _brackets(text: str, start: int, end: int, out: Inline) -> None:
    """Pair the brackets of text[start:end] in one pass, unless that was done."""
    if out.paired[0] <= start and end <= out.paired[1]:
        return
    out.paired = (start, end)
    opened: list[int] = []
    for match in _BRACKET.finditer(text, start, end):
        if match.group() == "[":
            opened.append(match.start())
        elif match.group() == "]" and opened:
            out.brackets[opened.pop()] = match.start()


def _math(source: Source, match: re.Match[str], end: int, out: Inline) -> int:
    r"""`$0.0119 \pm 0.0015$`: commands of layout vanish, signs become characters."""
    text = source.text
    close = text.find("$", match.end(), end)
    inner = text[match.end() : close]
    if (
        close <= match.end()
        or inner[0].isspace()
        or inner[-1].isspace()
        or "\n" in inner
        or text[close + 1 : close + 2].isdigit()
    ):
        out.visible.add(match.start(), match.end())
        return match.end()
    math(source, match.end(), close, out.visible)
    return close + 1


def math(source: Source, start: int, end: int, visible: Visible) -> None:
    """Append what simple mathematics in source[start:end] shows."""
    text, i = source.text, start
    while i < end:
        char = text[i]
        if char == "\\":
            command = _MATH_COMMAND.match(text, i, end)
            if command is None:
                return
            visible.put(MATH_SYMBOLS.get(command["name"], " " if len(command["name"]) == 1 else ""), i)
            i = command.end()
        elif char in "{}$":
            i += 1
        else:
            visible.add(i, i + 1)
            i += 1
