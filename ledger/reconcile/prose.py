"""Numbers in running text: which evidence row each speaks of, sentence by sentence.

A number speaks of a claim when its sentence names one subject and one metric for it: the metric beside the
number, the subject by the order of the sentence (`respectively`, `from A with ... to B`, the nearest before or
behind). Differences (`a gain of 0.4`), hyper-parameters (`300 epochs`) and other people's numbers are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ledger.model.document import Document, Paragraph, Text
from ledger.reconcile.index import Entry
from ledger.reconcile.matching import Around, Candidate, Level, Match, by_metric, narrow
from ledger.reconcile.names import Hit
from ledger.reconcile.quantity import Quantity, find
from ledger.reconcile.signals import Sense, Signals, metric_score, sizes
from ledger.reconcile.tables import Setting
from ledger.reconcile.units import factors
from ledger.reconcile.words import content_tokens, metric_tokens

_SENTENCE = re.compile(r"(?<=[^\s.][.!?])[)\"'”]?\s+(?=[A-Z`\"“(\[*])|\n+")
_NOT_CLAIM_AFTER = re.compile(
    r"\s?-?\s?(?:epochs?|iterations?|iters?|steps?|gpus?|tpus?|cpus?|layers?|heads?|blocks?|images?|samples?|examples?|items?|tokens?|classes"
    r"|categories|seeds?|runs?|trials?|folds?|workers?|nodes?|hours?|days?|minutes?|warm|shots?|views?|channels?|dimensions?|frames?|videos?"
    r"|words?|sentences?|people|participants|authors|datasets?|tasks?|models?|methods?|times|years?|weeks?|months?|bits?|bytes?|pixels?)\b",
    re.IGNORECASE,
)
_NOT_CLAIM_BEFORE = re.compile(
    r"(?:\b(?:learning rate|lr|batch ?size|weight decay|momentum|dropout|temperature|threshold|seed|epochs?|iterations?|patience|margin|radius"
    r"|width|depth|rank|top-?k|k|n|alpha|beta|gamma|lambda|epsilon|sigma|tau|p|α|β|γ|λ|ε|σ|τ|factor|probability)\s*(?:of|=|:|is|to)?\s*(?:about |≈|~)?)$",
    re.IGNORECASE,
)
_CHANGE_BEFORE = re.compile(
    r"(?:\b(?:by|gains?|gain of|drops?|drop of|improvements?|improvement of|increases?|decreases?|reductions?|differences?|margin|gap|loss of|delta|Δ"
    r"|improved|dropped|rose|fell|decreased|increased|reduced|plus|additional|another)\s*(?:of|by|=|:|is|was)?\s*(?:about |around |only |a |an |up to |almost |roughly |over |\+)?)$",
    re.IGNORECASE,
)
_CHANGE_AFTER = re.compile(
    r"\s?(?:absolute|relative|percentage)?\s?(?:-?\s?points?|pp|%)?\s*(?:\w+\s){0,2}(?:better|worse|higher|lower|more|less|faster|slower|smaller|larger|above|below|improvement"
    r"|gain|gap|drop|increase|decrease|reduction|difference|ahead|behind)(?![\w-])",
    re.IGNORECASE,
)
_GUESSED = "subject guessed"
_PRONOUN = re.compile(r"\s*(?:It|Its|This|The (?:model|method|network|latter|system))\b")
_RANGE_AFTER = re.compile(r"(?:[-–—]|\s?[~∼]\s?|\s[–—]\s)\d")
_RANGE_BEFORE = re.compile(r"\d%?(?:[-–—]|\s?[~∼]\s?|\s[–—]\s)$")
# `with X` behind a number, where X is written like an experiment's name but is none of the claims'
_STRANGER = re.compile(r"\W*(?:[\w-]+\s){0,3}?(?:with|for|by|using)\s+[\"`'(]*(?=[\w.+-]*[_\d])(?=[\w.+-]*[A-Za-z])[\w.+-]{4,}")
_FOREIGN = re.compile(r"\b(?:official(?:ly)?|previously published|as reported (?:in|by)|the original paper|et al\.)", re.IGNORECASE)
_LINK_TO_NEXT = re.compile(r"^\W*(?:\w+[\s-]){0,4}?\(?(?:with|for|by|using|of|from|in)\s+(?:the\s|our\s|an?\s)?\W?$|^\W*\(\W?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Metric:
    """A metric's words in a sentence."""

    start: int
    end: int
    signals: Signals


class ProseReader:
    """Matches the numbers of one paragraph, item or heading."""

    def __init__(self, sense: Sense, document: Document, block: int, setting: Setting) -> None:
        paragraph = document.blocks[block]
        assert isinstance(paragraph, Paragraph)
        self.sense, self.block, self.setting, self.paragraph = sense, block, setting, paragraph
        self.headings = [sense.of(title) for title in reversed(paragraph.headings)]
        self.last: frozenset[str] = frozenset()  # the subject of the sentence before

    def read(self) -> Iterator[tuple[Quantity, Text, Match | None]]:
        """Every number of the paragraph, with its match where it has one."""
        text = self.paragraph.text
        quantities = find(text.text, comma=self.setting.comma)
        if not quantities:
            return
        start = 0
        for end in [*(match.end() for match in _SENTENCE.finditer(text.text)), len(text.text)]:
            inside = [quantity for quantity in quantities if start <= quantity.start < end]
            if start < end:
                yield from self._sentence(start, end, inside)
            start = end

    def _sentence(self, start: int, end: int, quantities: list[Quantity]) -> Iterator[tuple[Quantity, Text, Match | None]]:
        text = self.paragraph.text
        sentence = _Sentence(self.sense, text.text, start, end, quantities)
        matches: dict[int, tuple[Candidate, ...]] = {}
        if quantities and self.paragraph.kind != "heading" and not _FOREIGN.search(text.text, start, end):
            fallback = self._fallback(sentence)
            for quantity, subjects, metrics, why in sentence.assign(fallback):
                matches[id(quantity)] = self._candidates(sentence, quantity, subjects, metrics, why)
        found = sentence.subjects
        self.last = found[0].values if len({hit.values for hit in found}) == 1 else self.last if not found else frozenset()
        for quantity in quantities:
            candidates = matches.get(id(quantity), ())
            weak = bool(candidates) and candidates[0].why[0].startswith(_GUESSED)
            yield quantity, text, Match(quantity, text, candidates, weak=weak, block=self.block) if candidates else None

    def _fallback(self, sentence: _Sentence) -> tuple[frozenset[str], str]:
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
                near = i == 0 and self.headings and (item or 0.9 <= next(iter(signals.subjects.values())))
                return frozenset(signals.subjects), "heading" if near else f"{_GUESSED} by the title"
        everything = self.sense.index.by_subject
        return (frozenset(everything), f"{_GUESSED}: the only one") if len(everything) == 1 else (frozenset(), "")

    def _candidates(
        self, sentence: _Sentence, quantity: Quantity, subjects: frozenset[str], metrics: Sequence[_Metric], why: str
    ) -> tuple[Candidate, ...]:
        entries = [entry for subject in subjects for entry in self.sense.index.by_subject.get(subject, ())]
        scored: list[tuple[Entry, float]] = []
        for metric in metrics:
            scored = by_metric(entries, metric.signals, [other.signals for other in sentence.metrics if other is not metric])
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

    def _unnamed(self, sentence: _Sentence, entries: list[Entry], quantity: Quantity) -> tuple[list[tuple[Entry, float]], str]:
        """`name - 82.6 @ 224`: no metric is named, so the heading's, the only one, or the one the value lies close to."""
        if not sentence.terse(quantity):
            return [], ""
        entries = [entry for entry in entries if entry.unit in ("", "%") or quantity.suffix]
        for signals in self.headings[:1]:
            found = by_metric(entries, signals)
            if found:
                return found, "metric of the heading"
        if len({entry.metric for entry in entries}) == 1:
            return [(entry, 0.6) for entry in entries], "only metric of its subject"
        close = [entry for entry in entries if _near(entry, quantity, 2)]
        if len({entry.metric for entry in close}) != 1:
            return [], ""
        rest = [entry for entry in entries if entry.metric != close[0].metric and _near(entry, quantity, 5)]
        return ([], "") if rest else ([(entry, 0.5) for entry in entries if entry.metric == close[0].metric], "value close to one metric only")

    def _around(self, sentence: _Sentence, quantity: Quantity) -> Around:
        levels = [Level("clause", self.sense.of(sentence.clause(quantity)), veto=True), Level("sentence", sentence.signals, veto=True)]
        levels += [Level("paragraph", self.sense.of(self.paragraph.text.text))]
        levels += [Level("heading", signals, veto=i == 0) for i, signals in enumerate(self.headings)]
        levels += [Level("title", self.setting.title), Level("file name", self.setting.path)]
        return Around(levels, size=sentence.size(quantity))


def _near(entry: Entry, quantity: Quantity, percent: int) -> bool:
    """Whether the printed number lies within `percent` of the value, at any allowed scale."""
    if quantity.value is None:
        return False
    return any(abs(quantity.value - entry.value * f) * 100 <= abs(entry.value * f) * percent for f in factors(entry, quantity))


class _Sentence:
    """One sentence: its subjects, metrics and numbers, with offsets in the paragraph."""

    def __init__(self, sense: Sense, text: str, start: int, end: int, quantities: list[Quantity]) -> None:
        self.text, self.start, self.end = text, start, end
        body = text[start:end]
        self.signals = sense.of(body)
        self.subjects: list[Hit[str]] = [
            Hit(hit.start + start, hit.end + start, hit.values, hit.whole)
            for hit in sense.index.names.scan(body)
            if sense.partial(body, hit.start, hit.end)
        ]
        self.all_names = [(hit.start + start, hit.end + start) for hit in sense.index.names.scan(body)]
        self.metrics = self._find_metrics(sense)
        self.quantities = [quantity for quantity in quantities if self._may_be_claim(quantity)]

    def _find_metrics(self, sense: Sense) -> list[_Metric]:
        """Runs of words that belong to claims' metrics, outside names."""
        out: list[_Metric] = []
        masked = list(self.text[self.start : self.end])
        for a, b in self.all_names:
            masked[a - self.start : b - self.start] = " " * (b - a)
        body = "".join(masked)
        words = list(re.finditer(r"[^\W_][\w@.\-]*[^\W_]|[^\W\d_]", body))
        i = 0
        while i < len(words):
            for length in (4, 3, 2, 1):
                if i + length > len(words):
                    continue
                phrase = body[words[i].start() : words[i + length - 1].end()]
                if re.search(r"[,;:()=]", phrase) or (length > 1 and re.search(r"\d\s|\s\d+\.", phrase) and not re.search(r"[A-Za-z]\s\d+$", phrase)):
                    continue
                tokens = content_tokens(metric_tokens(phrase))
                if tokens and tokens <= sense.index.metric_words and content_tokens(metric_tokens(words[i].group())) and content_tokens(
                    metric_tokens(words[i + length - 1].group())
                ):
                    signals = sense.of(phrase)
                    if any(metric_score(signals, entry) >= 0.6 for entry in sense.named_metric(tokens)):
                        out.append(_Metric(words[i].start() + self.start, words[i + length - 1].end() + self.start, signals))
                        i += length - 1
                        break
            i += 1
        return out

    def _may_be_claim(self, quantity: Quantity) -> bool:
        """Not a difference, not a hyper-parameter, not a bare small integer far from any metric."""
        after = self.text[max(quantity.end, quantity.whole_end) : self.end]
        before = self.text[self.start : quantity.start]
        if _NOT_CLAIM_AFTER.match(after) or _NOT_CLAIM_BEFORE.search(before) or _CHANGE_AFTER.match(after):
            return False
        if _RANGE_AFTER.match(after) or _RANGE_BEFORE.search(before):
            return False
        if any(a <= quantity.start < b for a, b in self.all_names):
            return False
        if _CHANGE_BEFORE.search(before) or quantity.text[0] in "+±":
            return False
        return not (quantity.suffix == "pp")

    def assign(self, fallback: tuple[frozenset[str], str]) -> Iterator[tuple[Quantity, frozenset[str], list[_Metric], str]]:
        """For each number the subject and the metrics that may be meant, the likeliest first."""
        subjects = self._in_order()
        ordered = self._respectively()
        for i, quantity in enumerate(self.quantities):
            metrics = self._metrics_of(quantity, i)
            if metrics is None:
                continue
            if ordered:
                yield quantity, ordered[i], metrics, "order of the sentence"
            elif fallback[0]:
                if metrics:
                    yield quantity, fallback[0], metrics, fallback[1]
            elif subjects.get(i):
                yield quantity, subjects[i], metrics, "name in the sentence"

    def _respectively(self) -> list[frozenset[str]]:
        """Subjects by position when the sentence lists as many numbers as subjects."""
        if len(self.subjects) < 2 or len(self.subjects) != len(self.quantities):
            return []
        said = re.search(r"\brespectively\b|\bresp\.", self.text[self.start : self.end])
        last, first = self.subjects[-1], self.quantities[0]
        lists = last.end <= first.start or self.quantities[-1].end <= self.subjects[0].start
        return [hit.values for hit in self.subjects] if said and lists else []

    def _in_order(self) -> dict[int, frozenset[str]]:
        """The subject of each number: the only one, else the one it is tied to by the words between."""
        out: dict[int, frozenset[str]] = {}
        if len({hit.values for hit in self.subjects}) == 1:
            return {i: self.subjects[0].values for i in range(len(self.quantities))}
        for i, quantity in enumerate(self.quantities):
            low = self.quantities[i - 1].end if i else self.start
            high = self.quantities[i + 1].start if i + 1 < len(self.quantities) else self.end
            before = [hit for hit in self.subjects if low <= hit.start < quantity.start]
            after = [hit for hit in self.subjects if quantity.end <= hit.start < high]
            behind = max(quantity.end, quantity.whole_end)
            tied = after and _LINK_TO_NEXT.match(self.text[behind : after[0].start])
            stranger = _STRANGER.match(self.text, behind, high)
            if stranger and not any(hit.start < stranger.end() and stranger.start() <= hit.start for hit in after):
                continue
            if tied:
                out[i] = after[0].values
            elif before:
                out[i] = before[-1].values
            elif i and i - 1 in out and not after:
                out[i] = out[i - 1]
            elif after:
                out[i] = after[0].values
        return out

    def _metrics_of(self, quantity: Quantity, i: int) -> list[_Metric] | None:
        """Metric phrases by nearness: right behind the number, right before it, the only one; None for a stranger.

        An empty list says that the sentence names no metric at all.
        """
        if not self.metrics:
            return []
        if len(self.metrics) == len(self.quantities) > 1 and (
            self.metrics[-1].end <= self.quantities[0].start or self.quantities[-1].end <= self.metrics[0].start
        ):
            return [self.metrics[i]]
        low = self.quantities[i - 1].end if i else self.start
        high = self.quantities[i + 1].start if i + 1 < len(self.quantities) else self.end
        behind = [m for m in self.metrics if max(quantity.end, quantity.whole_end) <= m.start < high]
        ahead = [m for m in self.metrics if low <= m.start and m.end <= quantity.start]
        close = [m for m in behind if len(self.text[quantity.end : m.start].split()) <= 2 and "," not in self.text[quantity.end : m.start]]
        tied = [m for m in ahead[::-1] if re.fullmatch(r"[\s=:(*]*(?:(?:of|is|was|at|to|reaches|=|score|scores|value)\s*)*[\s=:(*$]*", self.text[m.end : quantity.start])]
        if tied:
            return tied[:1]
        if close:
            return close[:1]
        if ahead or behind:
            nearest = sorted([*ahead, *behind], key=lambda m: min(abs(m.start - quantity.end), abs(quantity.start - m.end)))
            return nearest[:1]
        others = {m.signals.full for m in self.metrics}
        return self.metrics[:1] if len(others) == 1 else []

    def terse(self, quantity: Quantity) -> bool:
        """A number in a list entry: right behind the name, or behind another number of the same entry."""
        if len({hit.values for hit in self.subjects}) != 1:
            return False
        lead = self.text[self.subjects[0].end : quantity.start]
        return not re.search(r"[A-Za-z]{3,}", re.sub(r"[@(].*?(?:,|$)", "", lead))

    def clause(self, quantity: Quantity) -> str:
        """The part of the sentence around a number, between the numbers before and behind it."""
        i = self.quantities.index(quantity)
        low = self.quantities[i - 1].whole_end if i else self.start
        high = self.quantities[i + 1].start if i + 1 < len(self.quantities) else self.end
        return self.text[low:high]

    def size(self, quantity: Quantity) -> str:
        """The size right behind a number (`81.7 @ 224`)."""
        found = sizes(self.text[max(quantity.end, quantity.whole_end) : self.end][:24])
        return found[0][1] if found and found[0][0] < 16 and len(self.quantities) > 1 else ""
