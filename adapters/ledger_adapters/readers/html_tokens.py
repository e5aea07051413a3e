"""HTML as a stream of tags, comments, entities and text, each with its offset.

An own tokenizer and not `html.parser`: that one starts again at every unclosed comment or tag of a broken file
(quadratic time), and says lines and columns of tags only. This follows the tokenizer of the HTML standard as far
as what is shown depends on it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

_MARKUP = re.compile(
    r"<!--(?P<comment>.*?)(?:--!?>|\Z)"
    r"|<(?P<close>/?)(?P<tag>[A-Za-z][^\s/>]*+)"
    r"(?P<attributes>(?:[^>=]++|=\s*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|))*+)(?:>|\Z)"
    r"|<[!?/][^>]*+(?:>|\Z)"
    r"|(?P<entity>&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});?)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"([^\s/>=]++)\s*+(?:=\s*+(?:\"([^\"]*)\"?|'([^']*)'?|([^\s>]*)))?")
# elements whose content is no markup
_RAW = frozenset(("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"))


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of HTML: `kind` is "text", "entity", "comment", "open" or "close"."""

    kind: str
    start: int
    end: int
    name: str = ""  # of a tag, in lower case; of an entity, what it stands for; of a comment, its inner text
    attributes: str = ""

    def get(self, name: str) -> str | None:
        """The value of an attribute, or None; an attribute without value has an empty one."""
        if name not in self.attributes.lower():
            return None
        for match in _ATTRIBUTE.finditer(self.attributes):
            if match.group(1).lower() == name:
                return html.unescape(match.group(2) or match.group(3) or match.group(4) or "")
        return None


def pieces(text: str, start: int, end: int) -> Iterator[Piece]:
    """The pieces of text[start:end], in order; time grows with the length, whatever is unclosed."""
    position = start
    while match := _MARKUP.search(text, position, end):
        if position < match.start():
            yield Piece("text", position, match.start())
        position = match.end()
        kind = match.lastgroup
        if kind == "comment":
            yield Piece("comment", match.start(), position, match["comment"])
        elif kind == "entity":
            yield Piece("entity", match.start(), position, html.unescape(match["entity"]))
        elif match["tag"]:
            name = match["tag"].lower()
            yield Piece("close" if match["close"] else "open", match.start(), position, name, match["attributes"])
            if name in _RAW and not match["close"]:
                close = re.compile(rf"</{name}(?=[\s/>]|\Z)", re.IGNORECASE).search(text, position, end)
                if position < (until := close.start() if close else end):
                    yield Piece("text", position, until)
                position = until
    if position < end:
        yield Piece("text", position, end)
