"""One sentence: the subjects, metrics and numbers in it, and which number belongs to which.

The order of the sentence decides: `respectively` by position, `42.0 with A`, `A reaches 42.0`, the metric right
behind the number or right before it. Numbers that are differences, hyper-parameters, ranges or part of a name
speak of no claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from ledger.reconcile.names import Hit
from ledger.reconcile.quantity import Quantity
from ledger.reconcile.signals import Sense, Signals, metric_score, sizes
from ledger.reconcile.words import content_tokens, metric_tokens

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
    r"\s?(?:absolute|relative|percentage)?\s?(?:-?\s?points?|pp|%)?\s*(?:(?!(?:and|is|are|was|were|which|but|with|for|than|while|the)\s)\w+\s){0,2}(?:better|worse|higher|lower|more|less|faster|slower|smaller|larger|above|below|improvement"
    r"|gain|gap|drop|increase|decrease|reduction|difference|ahead|behind)(?![\w-])",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_][\w@.\-]*[^\W_]|[^\W_]")
# a metric's name does not run over punctuation, nor over a number that belongs to no word before it
_PHRASE_BREAK = re.compile(r"[,;:()=|]|^\d|\d\s+\D|\s\d+[.\d]*\s")
_REACHES = re.compile(
    r"\b(?:reach(?:es|ed)?|achiev(?:es?|ed)|gets?|got|obtain(?:s|ed)?|attain(?:s|ed)?|scor(?:es?|ed)|yield(?:s|ed)?|comes to|arrives at)\s"
    r"(?:an?\s|only\s|just\s|still\s|about\s)?$",
    re.IGNORECASE,
)
_RANGE_AFTER = re.compile(r"(?:[-–—]|\s?[~∼]\s?|\s[–—]\s)\d")
_RANGE_BEFORE = re.compile(r"\d%?(?:[-–—]|\s?[~∼]\s?|\s[–—]\s)$")
# `with X` behind a number, where X is written like an experiment's name but is none of the claims'
_STRANGER = re.compile(
    r"\W*(?:[\w-]+\s){0,3}?(?:with|for|by|using)\s+[\"`'(]*(?=[\w.+-]*[_\d])(?=[\w.+-]*[A-Za-z])[\w.+-]{4,}"
)
_LINK_TO_NEXT = re.compile(
    r"^\W*(?:\w+[\s-]){0,4}?\(?(?:with|for|by|using|of|from|in)\s+(?:the\s|our\s|an?\s)?\W?$|^\W*\(\W?$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class MetricPhrase:
    """A metric's words in a sentence."""

    start: int
    end: int
    signals: Signals


class Sentence:
    """One sentence: its subjects, metrics and numbers, with offsets in the paragraph."""

    def __init__(self, sense: Sense, text: str, start: int, end: int, quantities: list[Quantity]) -> None:
        self.text, self.start, self.end, self.sense = text, start, end, sense
        hits = [
            replace(hit, start=hit.start + start, end=hit.end + start)
            for hit in sense.index.names.scan(text[start:end])
        ]
        self.all_names = [(hit.start, hit.end) for hit in hits]
        self.subjects: list[Hit[str]] = [hit for hit in hits if sense.partial(text, hit.start, hit.end)]
        self.quantities = [quantity for quantity in quantities if self._may_be_claim(quantity)]

    @cached_property
    def signals(self) -> Signals:
        """What the whole sentence says."""
        return self.sense.of(self.text[self.start : self.end])

    @cached_property
    def metrics(self) -> list[MetricPhrase]:
        """Runs of words that name claims' metrics, outside names; the longest at each place."""
        body = self.text[self.start : self.end]
        for a, b in self.all_names:
            body = body[: a - self.start] + " " * (b - a) + body[b - self.start :]
        words = [(match.start(), match.end()) for match in _WORD.finditer(body)]
        telling = [self.sense.in_metric(body[a:b]) for a, b in words]
        out: list[MetricPhrase] = []
        taken = -1
        for i, (start, _) in enumerate(words):
            if not telling[i] or i <= taken:
                continue
            for last in range(min(i + 3, len(words) - 1), i - 1, -1):
                phrase = body[start : words[last][1]]
                if (telling[last] or last == i + 1) and self._names_metric(phrase):
                    out.append(MetricPhrase(start + self.start, words[last][1] + self.start, self.sense.of(phrase)))
                    taken = last
                    break
        return out

    def _names_metric(self, phrase: str) -> bool:
        """Whether a phrase is the name of a claim's metric or a telling part of it."""
        if _PHRASE_BREAK.search(phrase):
            return False
        words = content_tokens(metric_tokens(phrase))
        if not words or not words <= self.sense.index.metric_words:
            return False
        signals = self.sense.of(phrase)
        return any(metric_score(signals, entry) >= 0.6 for entry in self.sense.named_metric(words))

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
        return quantity.suffix != "pp"

    def assign(
        self, fallback: tuple[frozenset[str], str]
    ) -> Iterator[tuple[Quantity, frozenset[str], list[MetricPhrase], str]]:
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
            return dict.fromkeys(range(len(self.quantities)), self.subjects[0].values)
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

    def _metrics_of(self, quantity: Quantity, i: int) -> list[MetricPhrase] | None:
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
        close = [
            m
            for m in behind
            if len(self.text[quantity.end : m.start].split()) <= 2 and "," not in self.text[quantity.end : m.start]
        ]
        tied = [
            m
            for m in ahead[::-1]
            if re.fullmatch(
                r"[\s=:(*]*(?:(?:of|is|was|at|to|reaches|=|score|scores|value)\s*)*[\s=:(*$]*",
                self.text[m.end : quantity.start],
            )
        ]
        if tied:
            return tied[:1]
        if close:
            return close[:1]
        if ahead or behind:
            nearest = sorted(
                [*ahead, *behind], key=lambda m: min(abs(m.start - quantity.end), abs(quantity.start - m.end))
            )
            return nearest[:1]
        others = {m.signals.full for m in self.metrics}
        return self.metrics[:1] if len(others) == 1 else []

    def terse(self, quantity: Quantity) -> bool:
        """A number right behind its subject, or behind another number of the same list entry."""
        before = [hit for hit in self.subjects if hit.end <= quantity.start]
        if not before:
            return False
        lead = self.text[before[-1].end : quantity.start]
        return not re.search(r"[A-Za-z]{3,}", re.sub(r"[@(].*?(?:,|$)", "", lead))

    def reached(self, quantity: Quantity) -> bool:
        """A number behind a verb of results: `the MLP reaches 96.4%`."""
        return bool(_REACHES.search(self.text, self.start, quantity.start))

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
