"""Which sentence discloses which finding: the sidecar's, the script's, or one that stands in the picture itself.

A disclosed finding is marked, never removed. A sentence settles only rules that it speaks of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ledger.model.finding import Finding

# words by which a sentence speaks of a rule's subject; the rule's own id always does
_TOPICS = {
    "truncated-axis": r"\baxis\b|\bzero\b|baseline|truncat|\bcut\b|\bstarts?\b|\branges?\b|\blog",
    "undisclosed-log-axis": r"\blog|symlog|power.law|\bdecades?\b|\bscale\b",
    "missing-error-bars": r"error.?bar|\bseeds?\b|\bspread\b|\bsingle\b|replicate|variance|\bone run\b|\bruns?\b|\bmean\b",
    "clipped-marks": r"zoom|clip|\bcut\b|outside|limit|range|axis|beyond|crop|not shown",
    "non-monotonic-x": r"trajector|follows? time|independent|\bloop\b|\bpath\b|hystere|order",
    "unequal-bar-width": r"width|\bbins?\b",
    "blank-panel": r"empty|blank|no data|intentional|on purpose",
    "low-contrast": r"contrast|faint|pale|light",
    "legend-covers-data": r"legend",
    "overlapping-text": r"overlap",
    "indistinct-colors": r"colou?r",
    "low-resolution": r"resolution|dpi|ppi|raster",
    "clipped-text": r"clip|\bcut\b|crop",
}

# of a data-mismatch only two kinds are choices that a sentence can settle: a stated change of scale, and a stated part
_SCALED = r"percent|×|\bx ?10|scal|normali[sz]|relative|convert|\bunit|transform|factor|offset|shift"
_PART = (
    r"\btop[-\s]?(\d+|three|five|ten)\b|\bevery\s+\d+|\bsubset|subsampl|\bfirst\s+\d+|\blast\s+\d+|\bselected\b|\bexclud|"
    r"\bomit|\bonly\b|\bdropped\b|\bleft out\b|\bseed\s+\d+"
)

# what a picture itself may say, in a label, a title or a note
_IN_PICTURE = {
    "truncated-axis": r"(axis|scale|bars?)\s+(is\s+|are\s+)?(starts?|begins?|from|cut|truncated|broken)|truncated|"
    r"(starts?|begins?)\s+at\s+-?\d|non-?zero|not\s+(start\w*\s+)?(at|from)\s+(zero|0)|\bbroken axis\b|axis break",
    "clipped-marks": r"\bzoom|\bclipped|\bcropped|beyond|off.scale|not shown|\binset\b|truncated|\bcut at\b",
}


_PICTURE = "the picture says"


def settle(findings: Iterable[Finding], said: tuple[str, ...], words: str) -> list[Finding]:
    """The same findings, those that a sentence speaks of marked as disclosed by it."""
    out = []
    for finding in findings:
        text = _speaks(finding, said)
        if not text and (pattern := _PART if "rows" in finding.values else _IN_PICTURE.get(finding.rule)):
            match = re.search(pattern, words, re.IGNORECASE)
            text = f"{_PICTURE} “{words[max(0, match.start() - 30) : match.end() + 30].strip()}”" if match else None
        out.append(finding.with_disclosure(text) if text else finding)
    return out


def again(findings: Iterable[Finding], said: tuple[str, ...]) -> list[Finding]:
    """Findings of an earlier build, settled by the sentences of today; what the picture itself says still holds."""
    return [
        finding
        if (finding.disclosed or "").startswith(_PICTURE)
        else settle([replace(finding, disclosed=None)], said, "")[0]
        for finding in findings
    ]


def _speaks(finding: Finding, said: tuple[str, ...]) -> str | None:
    topic = _TOPICS.get(finding.rule)
    if finding.rule == "data-mismatch":
        topic = _PART if "rows" in finding.values else _SCALED if "factor" in finding.values else None
    for sentence in said:
        if finding.rule in sentence or (topic and re.search(topic, sentence, re.IGNORECASE)):
            return sentence
    return None
