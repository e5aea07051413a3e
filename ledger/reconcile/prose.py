"""Numbers in running text: which evidence row each speaks of, sentence by sentence.

A number speaks of a claim when its sentence names one subject and one metric for it (`sentence` says which). A
subject that is only guessed, because it was spoken of before, may make a number agree but never a drift.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ledger.model.document import Document, Paragraph, Text
from ledger.reconcile.index import Entry
from ledger.reconcile.matching import Around, Candidate, Level, Match, by_metric, narrow
from ledger.reconcile.quantity import Quantity, find
from ledger.reconcile.sentence import MetricPhrase, Sentence
from ledger.reconcile.signals import EMPTY, Sense
from ledger.reconcile.tables import Setting
from ledger.reconcile.units import factors

_SENTENCE = re.compile(r"(?<=[^\s.][.!?])[)\"'”]?\s+(?=[A-Z`\"“(\[*])|\n+")
_GUESSED = "subject guessed"
_PRONOUN = re.compile(r"\s*(?:It|Its|This|The (?:model|method|network|latter|system))\b")
_FOREIGN = re.compile(
    r"\b(?:official(?:ly)?|previously published|as reported (?:in|by)|the original paper|et al\.)", re.IGNORECASE
)


class ProseReader:
    """Matches the numbers of one paragraph, item or heading."""

    def __init__(self, sense: Sense, document: Document, block: int, setting: Setting) -> None:
        paragraph = document.blocks[block]
        assert isinstance(paragraph, Paragraph)
        self.sense, self.block, self.setting, self.paragraph = sense, block, setting, paragraph
        self.headings = [sense.of(title) for title in reversed(paragraph.headings)]
        self.last: frozenset[str] = frozenset()  # the subject of the sentence before
        self.spoken = EMPTY  # the metric of the sentence before, when it has one

    def read(self) -> Iterator[tuple[Quantity, Text, Match | None]]:
        """Every number of the paragraph, with its match where it has one."""
        text = self.paragraph.text
        quantities = find(text.text, comma=self.setting.comma)
        if not quantities:
            return
        if not self._spoken_of():
            yield from ((quantity, text, None) for quantity in quantities)
            return
        start = 0
        for end in [*(match.end() for match in _SENTENCE.finditer(text.text)), len(text.text)]:
            inside = [quantity for quantity in quantities if start <= quantity.start < end]
            if start < end:
                yield from self._sentence(start, end, inside)
            start = end

    def _spoken_of(self) -> bool:
        """Whether any number here can have a subject: named here, by a link, above, or the only one there is."""
        index = self.sense.index
        return bool(
            len(index.by_subject) == 1
            or any(signals.subjects for signals in (*self.headings, self.setting.title))
            or index.names.scan(self.paragraph.text.text)
            or any(map(index.linked, self.paragraph.links))
        )

    def _sentence(
        self, start: int, end: int, quantities: list[Quantity]
    ) -> Iterator[tuple[Quantity, Text, Match | None]]:
        text = self.paragraph.text
        sentence = Sentence(self.sense, text.text, start, end, quantities)
        matches: dict[int, tuple[Candidate, ...]] = {}
        if quantities and self.paragraph.kind != "heading" and not _FOREIGN.search(text.text, start, end):
            fallback = self._fallback(sentence)
            for quantity, subjects, metrics, why in sentence.assign(fallback):
                matches[id(quantity)] = self._candidates(sentence, quantity, subjects, metrics, why)
        found = sentence.subjects
        self.last = (
            found[0].values if len({hit.values for hit in found}) == 1 else self.last if not found else frozenset()
        )
        if quantities and len({metric.signals.full for metric in sentence.metrics}) == 1:
            self.spoken = sentence.metrics[0].signals
        for quantity in quantities:
            candidates = matches.get(id(quantity), ())
            weak = bool(candidates) and candidates[0].why[0].startswith(_GUESSED)
            yield quantity, text, Match(quantity, text, candidates, weak=weak, block=self.block) if candidates else None

    def _fallback(self, sentence: Sentence) -> tuple[frozenset[str], str]:
        """The subject of a sentence that names none: a link's, a heading's, or, guessed, what was spoken of before.

        A guessed subject can make a number agree, but never makes it a drift.
        """
        if sentence.subjects or sentence.all_names:
            return frozenset(), ""
        item = self.paragraph.kind == "item"
        linked = [self.sense.index.linked(link) for link in self.paragraph.links]
        named = {found for found in linked if found}
        if len(named) == 1:
            return next(iter(named)), "link in the item" if item else f"{_GUESSED} by a link"
        if self.last:
            pronoun = _PRONOUN.match(self.paragraph.text.text, sentence.start)
            return self.last, "subject of the sentence before" if pronoun else f"{_GUESSED} from the sentence before"
        for i, signals in enumerate((*self.headings, self.setting.title)):
            if len(signals.subjects) == 1:
                near = i == 0 and self.headings and (item or next(iter(signals.subjects.values())) >= 0.9)
                return frozenset(signals.subjects), "heading" if near else f"{_GUESSED} by the title"
        everything = self.sense.index.by_subject
        return (frozenset(everything), f"{_GUESSED}: the only one") if len(everything) == 1 else (frozenset(), "")

    def _candidates(
        self,
        sentence: Sentence,
        quantity: Quantity,
        subjects: frozenset[str],
        metrics: Sequence[MetricPhrase],
        why: str,
    ) -> tuple[Candidate, ...]:
        entries = [entry for subject in subjects for entry in self.sense.index.by_subject.get(subject, ())]
        scored: list[tuple[Entry, float]] = []
        for metric in metrics:
            scored = by_metric(
                entries, metric.signals, [other.signals for other in sentence.metrics if other is not metric]
            )
            if scored:
                break
        reason = "metric beside the number"
        if not metrics:
            scored, reason = self._unnamed(sentence, entries, quantity)
        if not scored:
            return ()
        kept, reasons = narrow([entry for entry, _ in scored], self._around(sentence, quantity))
        scores = {id(entry): score for entry, score in scored}
        out = []
        for entry in kept:
            allowed = factors(entry, quantity)
            if allowed and not (quantity.suffix == "x" and entry.unit not in ("x", "×")):
                out.append(Candidate(entry, allowed, 0.8 * scores[id(entry)], (why, reason, *reasons)))
        return tuple(out)

    def _unnamed(
        self, sentence: Sentence, entries: list[Entry], quantity: Quantity
    ) -> tuple[list[tuple[Entry, float]], str]:
        """`name - 82.6 @ 224`, `the MLP reaches 96.4%`: no metric is named in the sentence.

        Then it is the heading's, that of the sentence before, the subject's only one, or, in a list, the only one
        that the number lies close to.
        """
        terse = sentence.terse(quantity)
        if not terse and not sentence.reached(quantity):
            return [], ""
        entries = [entry for entry in entries if entry.unit in ("", "%") or quantity.suffix]
        for signals, name in (
            (self.headings[0] if self.headings else EMPTY, "heading"),
            (self.spoken, "sentence before"),
        ):
            found = by_metric(entries, signals)
            if found:
                return found, f"metric of the {name}"
        if len({entry.metric for entry in entries}) == 1:
            return [(entry, 0.6) for entry in entries], "only metric of its subject"
        close = [entry for entry in entries if terse and _near(entry, quantity, 2)]
        if len({entry.metric for entry in close}) != 1:
            return [], ""
        if any(entry.metric != close[0].metric and _near(entry, quantity, 5) for entry in entries):
            return [], ""
        return [(entry, 0.5) for entry in entries if entry.metric == close[0].metric], "value close to one metric only"

    def _around(self, sentence: Sentence, quantity: Quantity) -> Around:
        levels = [
            Level("clause", self.sense.of(sentence.clause(quantity)), veto=True),
            Level("sentence", sentence.signals, veto=True),
        ]
        levels += [Level("paragraph", self.sense.of(self.paragraph.text.text))]
        levels += [Level("heading", signals, veto=i == 0) for i, signals in enumerate(self.headings)]
        levels += [Level("title", self.setting.title), Level("file name", self.setting.path)]
        return Around(levels, size=sentence.size(quantity))


def _near(entry: Entry, quantity: Quantity, percent: int) -> bool:
    """Whether the printed number lies within `percent` of the value, at any allowed scale."""
    if quantity.value is None:
        return False
    return any(
        abs(quantity.value - entry.value * f) * 100 <= abs(entry.value * f) * percent for f in factors(entry, quantity)
    )
