"""Running text of Word documents: from the runs of a paragraph to what the page shows, changes accepted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from ledger_adapters.readers.flow import Flow
from ledger_adapters.readers.ooxml import Relation, attribute, child, local
from ledger_adapters.readers.source import word_set

# what is not part of the accepted, shown text; `t` of anything else is
_LEFT_OUT = word_set("del moveFrom pPr rPr sdtPr sdtEndPr rPrChange instrText delText delInstrText rubyPr rt ctrlPr "
    "commentReference annotationRef separator continuationSeparator object sectPr")  # fmt: skip
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": "\t"}
_RAISED = {"superscript": "^", "subscript": "_", "sup": "^", "sub": "_"}
# signs of the Symbol font that stand beside numbers, by their code there
_SYMBOL = {0xB1: "±", 0xB4: "×", 0x2D: "−", 0x6D: "µ", 0xA3: "≤", 0xB3: "≥", 0xBB: "≈", 0xAD: "↑", 0xAF: "↓", 0xD7: "·", 0x44: "Δ", 0x73: "σ"}  # fmt: skip


def on(properties: Element | None, name: str) -> bool:
    """Whether a toggle property is set (`<w:b/>`, not `<w:b w:val="0"/>`)."""
    found = child(properties, name)
    return found is not None and (attribute(found, "val") or "1") not in ("0", "false", "off", "none")


def symbol(code: str) -> str:
    """The sign of a character of the Symbol font, given in hexadecimal; `?` for one that stands for no number's sign."""
    try:
        return _SYMBOL.get(int(code, 16) & 0xFF, "?")
    except ValueError:
        return "?"


@dataclass(slots=True)
class Runs:
    """Walks one paragraph; what lies beside its text is collected for later."""

    flow: Flow
    relations: Mapping[str, Relation]
    boxes: list[Element] = field(default_factory=list)  # text boxes anchored here
    notes: list[tuple[str, str]] = field(default_factory=list)  # (kind, id) of footnotes and endnotes
    charts: list[str] = field(default_factory=list)  # relation ids
    _raised: str = ""

    def walk(self, element: Element) -> None:
        """Show everything in `element`."""
        for each in element:
            name = local(each)
            if name in _LEFT_OUT:
                continue
            if name == "r":
                self._run(each)
            elif name == "hyperlink":
                self._link(each)
            elif name == "AlternateContent":
                self._chosen(each)
            elif name in ("sup", "sub", "num", "den"):
                self._math(name, each)
            else:
                self._piece(name, each, bold=False)

    def _run(self, run: Element) -> None:
        properties = child(run, "rPr")
        if on(properties, "vanish") or on(properties, "strike") or on(properties, "dstrike"):
            self.flow.skip(sum(len(each.text or "") for each in run if local(each) == "t"))
            return
        raised = child(properties, "vertAlign")
        mark = _RAISED.get(attribute(raised, "val") or "", "") if raised is not None else ""
        if mark != self._raised and mark:
            self.flow.mark(mark)
        self._raised = mark
        bold = on(properties, "b")
        for each in run:
            name = local(each)
            if name == "AlternateContent":
                self._chosen(each)
            elif name not in _LEFT_OUT:
                self._piece(name, each, bold=bold)

    def _piece(self, name: str, each: Element, *, bold: bool) -> None:
        if name == "t":
            self.flow.add(each.text or "", bold=bold)
        elif name in _SIGNS:
            self.flow.add(_SIGNS[name])
        elif name == "sym":
            self.flow.add(symbol(attribute(each, "char") or ""))
        elif name == "txbxContent":
            self.boxes.append(each)
        elif name in ("footnoteReference", "endnoteReference"):
            self.notes.append((name.removesuffix("Reference"), attribute(each, "id") or ""))
        elif name == "chart":
            self.charts.append(attribute(each, "id") or "")
        else:
            self.walk(each)

    def _link(self, link: Element) -> None:
        relation = self.relations.get(attribute(link, "id") or "")
        if relation is not None and relation.external:
            self.flow.links.append(relation.target)
        self.walk(link)

    def _chosen(self, alternate: Element) -> None:
        """Of alternatives that show the same thing only the first."""
        chosen = child(alternate, "Choice")
        chosen = child(alternate, "Fallback") if chosen is None or not len(chosen) else chosen
        if chosen is not None:
            self.walk(chosen)

    def _math(self, name: str, part: Element) -> None:
        """Powers, indices and fractions of an equation in one line."""
        if name == "den":
            self.flow.mark("/")
        elif name != "num" and len(part):
            self.flow.mark(_RAISED[name])
        self.walk(part)
