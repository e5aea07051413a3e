"""Whether a segment of today continues what a head pinned."""

from __future__ import annotations

from ledger.log.merkle import Peaks
from ledger.log.segment import Head, Segment


def root_at(segment: Segment, size: int) -> str:
    """The Merkle root over the first `size` entries, or over all if there are fewer."""
    peaks = Peaks()
    for leaf in segment.leaves[:size]:
        peaks = peaks.append(leaf)
    return peaks.root().hex()


def continues(segment: Segment, head: Head) -> bool:
    return len(segment.entries) >= head.size and root_at(segment, head.size) == head.root
