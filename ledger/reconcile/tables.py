"""Numbers in tables: which evidence row each cell speaks of, by row, column, caption and headings.

The subject comes from the row (a link, a label), else from the column (a transposed table), else, in a table
that names no subject at all, from its caption, heading, title or file. The metric comes from the column's head,
else from the row's label, else from the caption. A head that names another metric is never overruled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ledger.model.document import Cell, Table, Text
from ledger.reconcile.index import Entry
from ledger.reconcile.matching import Around, Candidate, Level, Match, by_metric, facet_value, narrow
from ledger.reconcile.quantity import Quantity, find
from ledger.reconcile.signals import EMPTY, Sense, Signals
from ledger.reconcile.units import factors
from ledger.reconcile.words import METRICS, tokens

# a column that says what a model was made from, not what it is
_ORIGIN = re.compile(
    r"pre-?train|\binit(?:iali[sz]ation|ial)?\b|\bteacher\b|\bfine-?tuned from\b|\bbase(?:d on| model)\b", re.IGNORECASE
)
_STRONG_CAPTION = re.compile(r"^\s*(?:table|tab\.)\s*\w{1,6}\s*[.:]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Setting:
    """What surrounds a whole table or paragraph: title and path of the document, and its number style."""

    title: Signals
    path: Signals
    comma: bool = False


class TableReader:
    """Matches the cells of one table."""

    def __init__(self, sense: Sense, table: Table, setting: Setting, block: int) -> None:
        self.sense, self.table, self.setting, self.block = sense, table, setting, block
        heads, body = table.rows[: table.header_rows], list(enumerate(table.rows))[table.header_rows :]
        while len(body) > 1 and table.header_rows and self._is_head(body[0][1]):
            heads = (*heads, body.pop(0)[1])
        self.body = body
        width = len(table.rows[0])
        self.heads = [[row[c].text.text for row in heads] for c in range(width)]
        self.origins = {c for c, texts in enumerate(self.heads) if _ORIGIN.search(" ".join(texts))}
        self.columns = [sense.of(texts[-1]) if texts else EMPTY for texts in self.heads]
        self.upper = [[sense.of(text) for text in texts[:-1][::-1]] for texts in self.heads]
        self.caption = sense.of(table.caption.text) if table.caption else EMPTY
        self.headings = [sense.of(title) for title in reversed(table.headings)]
        self.section = EMPTY
        self.own = {r: self._row_subjects(row) for r, row in body}
        self.by_column = any(signals.subjects for signals in self.columns)
        self.named = self.by_column or any(self.own.values())

    def _is_head(self, row: Sequence[Cell]) -> bool:
        """A second row of heads: text in it, but no number, no link and no subject."""
        texts = [cell.text.text for cell in row if cell.text.text]
        return (
            len(texts) > 1
            and not any(cell.links for cell in row)
            and not any(find(text, cell=True) or self.sense.of(text).subjects for text in texts)
            and any(not self.table.rows[0][c].text.text for c in range(len(row)))
        )

    def read(self) -> Iterator[tuple[Quantity, Text, Match | None]]:
        """Every number of the table, with its match where it has one."""
        for r, row in self.body:
            filled = [cell for cell in row if cell.text.text]
            quantities = [self._numbers(cell) for cell in row]
            if len(filled) == 1 and not any(quantities):
                self.section = self.sense.of(filled[0].text.text)
                continue
            yield from self._row(r, row, quantities)

    def _numbers(self, cell: Cell) -> list[Quantity]:
        return find(cell.text.text, comma=self.setting.comma, cell=True) if cell.text.text else []

    def _row(
        self, r: int, row: Sequence[Cell], quantities: list[list[Quantity]]
    ) -> Iterator[tuple[Quantity, Text, Match | None]]:
        subjects = self.own[r]
        if not subjects and not self.by_column and (self.named or not self._spoken_of()):
            for cell, found in zip(row, quantities, strict=True):
                yield from ((quantity, cell.text, None) for quantity in found)
            return
        labels = [c for c, cell in enumerate(row) if self._is_label(cell.text.text, quantities[c])]
        label = self.sense.of(" | ".join(row[c].text.text for c in labels))
        for c, cell in enumerate(row):
            if cell.origin is not None and cell.origin != (r, c):
                continue
            pairs = self._pairs(c, cell, quantities[c]) if c not in labels else []
            matched = {id(quantity): signals for quantity, signals in pairs}
            for quantity in quantities[c]:
                head = matched.get(id(quantity))
                candidates = self._candidates(c, row, subjects, label, head, quantity) if head is not None else ()
                match = Match(quantity, cell.text, candidates, table=(self.table.index, r, c), block=self.block)
                yield quantity, cell.text, match if candidates else None

    def _is_label(self, text: str, found: list[Quantity]) -> bool:
        """A cell that names something: no number in it, or words before its number (`Top 1`), or a subject."""
        return bool(text) and (not found or text[0].isalpha() or bool(self.sense.of(text).subjects))

    def _pairs(self, c: int, cell: Cell, found: list[Quantity]) -> list[tuple[Quantity, Signals]]:
        """Which numbers of a cell may be claims, each with the head that speaks for it."""
        text = cell.text.text
        if not found:
            return []
        head = self.columns[c]
        if "/" in text and len(found) > 1:
            parts = [part.strip() for part in (self.heads[c][-1].split("/") if self.heads[c] else [])]
            if len(parts) == len(found):
                return list(zip(found, map(self.sense.of, parts), strict=True))
            return []
        if len(found) > 1 and re.search(r"→|->|\bto\b|<br|;", text):
            return []
        outside = re.sub(
            r"\([^()]*\)|\[[^\[\]]*\]", "", text[: found[0].start] + " " + text[max(found[0].whole_end, found[0].end) :]
        )
        letters = sum(char.isalpha() for char in outside)
        return [(found[0], head)] if letters <= 3 else []

    def _row_subjects(self, row: Sequence[Cell]) -> dict[str, tuple[float, str]]:
        """Subjects that links and labels of a row name; links decide where both do."""
        votes: dict[str, int] = {}
        named: dict[str, tuple[float, str]] = {}
        for c, cell in enumerate(row):
            if c in self.origins:
                continue
            for link in dict.fromkeys(cell.links):
                for subject in self.sense.index.linked(link):
                    votes[subject] = votes.get(subject, 0) + 1
            for subject, strength in self.sense.of(cell.text.text).subjects.items():
                if strength > named.get(subject, (0.0, ""))[0]:
                    named[subject] = (strength, "label of the row" if strength >= 0.9 else "name in the row's label")
        if votes:
            both = {subject: count for subject, count in votes.items() if subject in named} or votes
            most = max(both.values())
            return {subject: (1.0, "link in the row") for subject, count in both.items() if count == most}
        best = max((strength for strength, _ in named.values()), default=0.0)
        return {subject: found for subject, found in named.items() if found[0] == best}

    def _spoken_of(self) -> bool:
        """Whether what surrounds a table that names no subject names one."""
        around = (*(s for upper in self.upper for s in upper), self.section, self.caption, *self.headings)
        return any(signals.subjects for signals in (*around, self.setting.title, self.setting.path))

    def _subjects(self, c: int, own: dict[str, tuple[float, str]]) -> dict[str, tuple[float, str]]:
        if own:
            return own
        for signals in (self.columns[c], *self.upper[c]):
            if signals.subjects:
                return {subject: (strength, "column head") for subject, strength in signals.subjects.items()}
        if self.named:
            return {}
        circles = [("section row", self.section), ("caption", self.caption), *(("heading", s) for s in self.headings)]
        for name, signals in (*circles, ("title", self.setting.title), ("file name", self.setting.path)):
            if signals.subjects:
                return dict.fromkeys(signals.subjects, (0.5, name))
        return {}

    def _candidates(
        self,
        c: int,
        row: Sequence[Cell],
        own: dict[str, tuple[float, str]],
        label: Signals,
        head: Signals,
        quantity: Quantity,
    ) -> tuple[Candidate, ...]:
        subjects = self._subjects(c, own)
        if not subjects:
            return ()
        entries = [entry for subject in subjects for entry in self.sense.index.by_subject[subject]]
        facet = head.facet
        if facet == "value":
            scored, source = self._by_metric(c, entries, head, label)
        else:
            scored, source = self._beside(c, entries), f"column of the {facet}"
        if not scored:
            return ()
        kept, reasons = narrow([entry for entry, _ in scored], self._around(c, row, label, head))
        scores = {id(entry): score for entry, score in scored}
        unit = head.unit or next((signals.unit for signals in self.upper[c] if signals.unit), "")
        out = []
        for entry in kept:
            allowed = factors(entry, quantity, unit) if facet in ("value", "spread") else (Decimal(1),)
            if allowed and facet_value(entry, facet) is not None:
                strength, why = subjects[entry.subject]
                reason = (why, f"metric by the {source}", *reasons)
                out.append(Candidate(entry, allowed, strength * scores[id(entry)], reason, facet))
        return tuple(out)

    def _beside(self, c: int, entries: list[Entry]) -> list[tuple[Entry, float]]:
        """For a column of spreads or counts: the metric of the nearest column to its left, or the only one."""
        for i in range(c - 1, -1, -1):
            if self.columns[i].facet == "value":
                found = by_metric(entries, self.columns[i])
                if found:
                    return found
        return [(entry, 0.6) for entry in entries] if len({entry.metric for entry in entries}) == 1 else []

    def _by_metric(
        self, c: int, entries: list[Entry], head: Signals, label: Signals
    ) -> tuple[list[tuple[Entry, float]], str]:
        """Entries whose metric the nearest text that names one names, and which text that was."""
        others = [signals for i, signals in enumerate(self.columns) if i != c]
        if head.foreign and not any(head.foreign <= entry.metric for entry in entries):
            return [], ""
        found = by_metric(entries, head, others)
        if found or head.says_metric:
            return found, "column head"
        circles = [("upper head", signals) for signals in self.upper[c]]
        circles += [("row label", label), ("section row", self.section), ("caption", self.caption)]
        circles += [("heading", signals) for signals in self.headings[:1]]
        for name, signals in circles:
            found = self._loosely(entries, signals)
            if found:
                return found, name
            if name == "upper head" and signals.rest & (METRICS | self.sense.index.metric_words):
                return [], ""
        if len({entry.metric for entry in entries}) == 1 and not head.says_metric:
            return [(entry, 0.6) for entry in entries], "only metric of its subject"
        return [], ""

    @staticmethod
    def _loosely(entries: list[Entry], signals: Signals) -> list[tuple[Entry, float]]:
        """Entries whose metric stands among the words of a longer text; the most words win."""
        found = by_metric(entries, signals)
        if found:
            return found
        inside = [(entry, len(entry.metric)) for entry in entries if entry.metric and entry.metric <= signals.full]
        most = max((size for _, size in inside), default=0)
        kept = [entry for entry, size in inside if size == most]
        return [(entry, 0.6) for entry in kept] if len({entry.metric for entry in kept}) == 1 else []

    def _around(self, c: int, row: Sequence[Cell], label: Signals, head: Signals) -> Around:
        stated = {
            frozenset(tokens(texts[-1])): row[i].text.text for i, texts in enumerate(self.heads) if texts and i != c
        }
        strong = self.table.caption is not None and (
            self.table.caption_is_own or bool(_STRONG_CAPTION.match(self.table.caption.text))
        )
        levels = [Level("column head", head, veto=True)]
        levels += [Level("upper head", signals, veto=True) for signals in self.upper[c]]
        levels += [
            Level("row", label),
            Level("section row", self.section, veto=True),
            Level("caption", self.caption, veto=strong),
        ]
        levels += [Level("heading", signals, veto=i == 0) for i, signals in enumerate(self.headings)]
        levels += [Level("title", self.setting.title), Level("file name", self.setting.path)]
        return Around(levels, stated)
