"""The log head: one short string that pins the whole history, fit for a footnote.

    3f9a1c@41.b07e22@9:4d2f...  (32 hex digits)

Before the colon stand the segments (a unique prefix of each id, and how many entries it had), after it half of the
SHA-256 over the canonical JSON of their full ids, sizes and Merkle roots. So a head can be checked later, when the
segments have grown and others have joined them: the roots are recomputed at the sizes of then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from ledger.canon import digest
from ledger.errors import UsageError
from ledger.log.hashes import NodeHashes
from ledger.log.segment import Head, Segment

_SHORT = 6  # hex digits of a segment's id; more where two would look alike
_DIGITS = 32
_FORM = re.compile(r"(?:[0-9a-f]+@\d+(?:\.[0-9a-f]+@\d+)*)?:[0-9a-f]{32}")

EMPTY = ":" + digest([])[:_DIGITS]


@dataclass(frozen=True, slots=True)
class Pinned:
    """A parsed log head: (prefix of a segment's id, size) pairs, and the digest."""

    parts: tuple[tuple[str, int], ...]
    digest: str

    @property
    def size(self) -> int:
        """Entries in all."""
        return sum(size for _, size in self.parts)


def log_head(heads: Iterable[Head]) -> str:
    """The string for these segment heads."""
    ordered = sorted(heads, key=lambda head: head.segment)
    ids = [head.segment for head in ordered]
    length = next((n for n in range(_SHORT, 64) if len({i[:n] for i in ids}) == len(ids)), 64)
    parts = ".".join(f"{head.segment[:length]}@{head.size}" for head in ordered)
    return f"{parts}:{_digest(ordered)}"


def parse_head(text: str) -> Pinned:
    """Read a log head. Raises UsageError when it is none."""
    text = text.strip()
    if not _FORM.fullmatch(text):
        raise UsageError("is no log head", where=text[:80] or "''", fix="`ledger log head` prints one")
    parts, _, pinned = text.partition(":")
    pairs = (part.partition("@") for part in parts.split(".") if part)
    return Pinned(tuple((segment, int(size)) for segment, _, size in pairs), pinned)


def continues(segments: Iterable[Segment], pinned: Pinned) -> bool:
    """Whether these segments, cut to the sizes of then, are what `pinned` names."""
    hashes = {segment.id: NodeHashes(segment.leaves) for segment in segments}
    choices = []
    for prefix, size in pinned.parts:
        fits = [
            Head(name, size, nodes.root(size).hex())
            for name, nodes in hashes.items()
            if name.startswith(prefix) and size <= nodes.size
        ]
        if not fits:
            return False
        choices.append(fits)
    return any(_digest(combination) == pinned.digest for combination in product(*choices))


def _digest(heads: Iterable[Head]) -> str:
    ordered = sorted(heads, key=lambda head: head.segment)
    return digest([head.to_json() for head in ordered])[:_DIGITS]
