"""DrawingML: the text of shapes and the cells of tables in slides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from ledger_adapters.readers.docx_runs import Runs
from ledger_adapters.readers.flow import Flow
from ledger_adapters.readers.ooxml import Relation, child, local, reference
from ledger_adapters.readers.source import word_set

# text that the program fills in: it moves with the slide and is no statement
_FILLED_IN = word_set("slidenum footer header")


@dataclass(slots=True)
class Frame:
    """Shows the paragraphs of a text body."""

    relations: Mapping[str, Relation]
    _raised: str = ""

    def show(self, paragraph: Element, flow: Flow) -> None:
        """One paragraph."""
        for each in paragraph:
            name = local(each)
            if name == "r":
                self._run(each, flow)
            elif name == "br":
                flow.add("\n")
            elif name == "fld":
                kind = each.get("type", "")
                if kind not in _FILLED_IN and not kind.startswith("datetime"):
                    self._run(each, flow)
            elif name == "AlternateContent":
                chosen = child(each, "Choice")
                if chosen is not None:
                    self.show(chosen, flow)
            elif name == "m":
                Runs(flow, self.relations).walk(each)

    def body(self, body: Element | None, flow: Flow) -> None:
        """All paragraphs of a body as one text."""
        for i, paragraph in enumerate(e for e in (body if body is not None else ()) if local(e) == "p"):
            if i:
                flow.add("\n")
            self.show(paragraph, flow)

    def _run(self, run: Element, flow: Flow) -> None:
        properties = child(run, "rPr")
        text = "".join(each.text or "" for each in run if local(each) == "t")
        given = properties.attrib if properties is not None else {}
        if given.get("strike", "noStrike") != "noStrike":
            flow.skip(len(text))
            return
        raised = given.get("baseline", "0").rstrip("%")
        mark = "" if raised == "0" else "_" if raised.startswith("-") else "^"
        if mark and mark != self._raised:
            flow.mark(mark)
        self._raised = mark
        link = child(properties, "hlinkClick")
        relation = self.relations.get(reference(link) or "") if link is not None else None
        if relation is not None and relation.external:
            flow.links.append(relation.target)
        flow.add(text, bold=given.get("b") in ("1", "true"))
