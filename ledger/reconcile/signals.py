"""Signals: what one piece of context (a column head, a row label, a caption, a heading) says about its numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from ledger.reconcile.index import Entry, Index
from ledger.reconcile.words import FOREIGN, SPREAD, content_tokens, head_unit, metric_tokens, tokens

# behind a name: it is that subject with something less or more, so another one
_LESS = re.compile(
    r"[\s(,\[`*]*(?:w/o\b|without\b|minus\b|no\s+[A-Za-z]|\+\s*[A-Za-z]|[-−–]\s?[A-Za-z]+\s*$)", re.IGNORECASE
)
_SIZE = re.compile(
    r"(?:@\s?|\bat\s|\bres(?:olution)?\s?(?:of|=|:)?\s?|\bsize\s?(?:of|=|:)?\s?)(?P<a>\d{2,4})(?!\d)(?:\s?[x×]\s?\d+)?|(?<![\d.])(?P<b>\d{2,4})\s?[x×]\s?(?P=b)(?!\d)"
    r"|(?<![\d.])(?P<c>\d{2,4})\s?px\b",
    re.IGNORECASE,
)
_COUNTS = frozenset(("n", "items", "samples", "examples", "images", "test images", "instances", "test size"))
_SEEDS = frozenset(("seeds", "runs", "n seeds", "num seeds", "n_seeds", "number of seeds"))
Facet = Literal["value", "spread", "n", "seeds"]
_SIZE_WORDS = frozenset({"size", "res", "resolution", "img", "image", "input", "eval", "test", "px", "pixels"})


@dataclass(frozen=True)
class Signals:
    """Found in one text: subjects by name, the metric it may name, unit, qualifiers, and words of warning.

    `bare` is the text without subjects, `rest_text` without qualifiers too; what is seldom asked is worked out late.
    """

    text: str = ""
    subjects: Mapping[str, float] = field(default_factory=dict)  # subject -> strength
    qualifiers: Mapping[str, frozenset[str]] = field(default_factory=dict)  # key -> values mentioned
    bare: str = ""
    rest_text: str = ""

    @cached_property
    def full(self) -> frozenset[str]:
        """The content tokens of the whole text but its subjects."""
        return content_tokens(_words(metric_tokens(self.bare)))

    @cached_property
    def rest(self) -> frozenset[str]:
        """The content tokens without subjects and qualifiers."""
        return content_tokens(_words(metric_tokens(self.rest_text)))

    @cached_property
    def unit(self) -> str:
        return head_unit(self.text)[1]

    @cached_property
    def foreign(self) -> frozenset[str]:
        """Words that make the numbers somebody else's, or a spread."""
        words = metric_tokens(self.bare)
        return frozenset() if "±" in self.text or "mean" in words else words & FOREIGN

    @property
    def facet(self) -> Facet:
        """Which number of a row a column with this head holds: its value, or the spread, n or seeds beside it."""
        if self.foreign and self.foreign <= SPREAD and self.full <= SPREAD:
            return "spread"
        bare = self.text.strip(" #").casefold()
        return "n" if bare in _COUNTS else "seeds" if bare in _SEEDS else "value"

    @property
    def says_metric(self) -> bool:
        return bool(self.rest)


EMPTY = Signals()
_NUMERIC = str.maketrans("", "", "0123456789.,+-−±%() ")


class Sense:
    """Reads signals from texts for one index, each text once."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._seen: dict[str, Signals] = {}
        self._words: dict[str, bool] = {}

    def of(self, text: str) -> Signals:
        if not text or text.translate(_NUMERIC) == "":
            return EMPTY
        found = self._seen.get(text)
        if found is None:
            found = self._seen[text] = self._read(text[:600])
        return found

    def _read(self, text: str) -> Signals:
        hits = self.index.names.scan(text)
        if not hits and not self.index.qualifiers.scan(text):
            return Signals(text, bare=text, rest_text=text)
        masked = list(text)
        subjects: dict[str, float] = {}
        for hit in hits:
            strength = 0.9 if hit.whole else self.partial(text, hit.start, hit.end)
            if strength:
                masked[hit.start : hit.end] = " " * (hit.end - hit.start)
                for subject in hit.values:
                    subjects[subject] = max(subjects.get(subject, 0), strength)
        bare = "".join(masked)
        qualifiers: dict[str, set[str]] = {}
        for hit_of in self.index.qualifiers.scan(bare):
            for key, value in hit_of.values:
                qualifiers.setdefault(key, set()).add(value)
            masked[hit_of.start : hit_of.end] = " " * (hit_of.end - hit_of.start)
        values = {key: frozenset(found) for key, found in qualifiers.items()}
        return Signals(text, subjects, values, bare, "".join(masked))

    def in_metric(self, word: str) -> bool:
        """Whether a word belongs to the name of a claim's metric."""
        found = self._words.get(word)
        if found is None:
            found = self._words[word] = bool(content_tokens(metric_tokens(word)) & self.index.metric_words)
        return found

    def named_metric(self, words: frozenset[str]) -> list[Entry]:
        """One entry for each metric that shares a word with `words`."""
        return [found[0] for metric, found in self.index.by_metric.items() if metric & words]

    @staticmethod
    def partial(text: str, start: int, end: int) -> float:
        """How much a name inside a longer text counts; nothing when the rest turns it into another subject."""
        if _LESS.match(text, end) or re.search(r"\b(?:w/o|without|no)\s*$", text[:start], re.IGNORECASE):
            return 0.0
        return 0.8 if len(tokens(text[start:end])) >= 3 else 0.7


def _words(found: frozenset[str]) -> frozenset[str]:
    return frozenset(token for token in found if not token[0].isdigit())


def metric_score(signals: Signals, entry: Entry) -> float:
    """How well a text names the metric of `entry`: 1 by its name, less by a part of it, 0 not at all."""
    if signals.foreign - entry.metric:
        return 0.0
    own = content_tokens(entry.metric) or entry.metric
    best = 0.0
    for found in (signals.full, signals.rest):
        if not found:
            continue
        if found == own or found == entry.metric:
            return 1.0
        if found in entry.metric_aliases:
            best = max(best, 0.95)
        elif found < own:
            best = max(best, 0.7)
        elif {*found, *own} == {"acc", "top1"} and len(found) == len(own) == 1:
            best = max(best, 0.6)
    return best


def sizes(text: str) -> list[tuple[int, str]]:
    """Sizes that a text names (`@ 224`, `at 384x384`, `288px`), with their offsets."""
    return [(match.start(), next(group for group in match.groups() if group)) for match in _SIZE.finditer(text)]


def is_size_key(words: frozenset[str]) -> bool:
    """Whether a condition or column head speaks of an input size."""
    return bool(words) and words <= _SIZE_WORDS and bool(words & {"size", "res", "resolution", "px"})
