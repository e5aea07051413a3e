"""What the styles of a Word document say about its paragraphs: headings, captions, list items."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from ledger_adapters.readers.ooxml import attribute, child, local, value


class Styles:
    """Paragraph styles by id; the names of built-in styles are English in every language of Word."""

    def __init__(self, tree: Element | None) -> None:
        self.names: dict[str, str] = {}
        self.bases: dict[str, str] = {}
        self.levels: dict[str, int] = {}
        self.listed: set[str] = set()
        for style in tree if tree is not None else ():
            key = attribute(style, "styleId")
            if local(style) != "style" or not key:
                continue
            self.names[key] = (value(style, "name") or "").lower()
            self.bases[key] = value(style, "basedOn") or ""
            if (level := value(style, "pPr", "outlineLvl")) and level.isdecimal():
                self.levels[key] = int(level)
            if child(style, "pPr", "numPr") is not None:
                self.listed.add(key)

    def kind(self, properties: Element | None) -> tuple[str, int]:
        """The kind of a paragraph as in `Paragraph.kind`, and its level where it is a heading (a title has level 0)."""
        own = value(properties, "outlineLvl")
        if own and own.isdecimal() and int(own) < 9:
            return "heading", int(own) + 1
        listed = child(properties, "numPr") is not None
        style = value(properties, "pStyle") or ""
        seen: set[str] = set()
        while style and style not in seen:
            seen.add(style)
            name = self.names.get(style, style.lower())
            if name == "caption":
                return "caption", 0
            if name == "title":
                return "heading", 0
            if name.startswith("heading ") and name[8:].isdecimal():
                return "heading", int(name[8:])
            if self.levels.get(style, 9) < 9:
                return "heading", self.levels[style] + 1
            listed = listed or style in self.listed or name.startswith("list ")
            style = self.bases.get(style, "")
        return ("item" if listed else "text"), 0
