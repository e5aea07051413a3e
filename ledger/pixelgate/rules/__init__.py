"""The rules, each a pure function over what was drawn (and its pixels) that yields findings.

A rule never reads a disk. Whether a finding is disclosed is decided afterwards, in `judge`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ledger.model.finding import Finding
from ledger.pixelgate.rules import (
    blank,
    clipped,
    contrast,
    covered,
    files,
    mismatch,
    overlap,
    scales,
    shapes,
    spread,
    tofu,
    truncated,
)
from ledger.pixelgate.scene import Scene

Rule = Callable[[Scene], Iterator[Finding]]

RULES: tuple[Rule, ...] = (
    blank.check, tofu.check, clipped.check, overlap.check, covered.legend, covered.clipped, truncated.check,
    scales.check, shapes.monotonic, shapes.widths, spread.check, mismatch.check, contrast.check, contrast.distinct,
    files.resolution, files.type3,
)  # fmt: skip
