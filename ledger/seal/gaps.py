"""What could not be captured of a run's inputs. A start is never refused for it, and it is never passed over: the birth
certificate lists it, and sealing says it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from ledger.errors import visible
from ledger.model.finding import Finding, Location

_ABSOLUTE = re.compile(r"""(?<=['"])/[^'"]+(?=['"])|(?<![\w./'"])/[^\s'":;,()]+""")
KEY = "not_captured"  # in provenance.json


class Gap(NamedTuple):
    """One thing that is missing from an input: the rule that it falls under, what it is, and what to do about it."""

    rule: str
    message: str
    fix: str

    def to_json(self) -> dict[str, str]:
        return {key: visible(_ABSOLUTE.sub(_last, text)) for key, text in self._asdict().items()}


def _last(path: re.Match[str]) -> str:
    """Where things lie on this machine is nobody's business: of a path, its last part."""
    return path[0].rstrip("/").rpartition("/")[2]


def findings(listed: Iterable[object], shown: str) -> list[Finding]:
    """What a birth certificate lists, as findings about the run `shown`."""
    out = []
    for item in listed:
        if isinstance(item, dict) and isinstance(rule := item.get("rule"), str):
            message, fix = str(item.get("message", "")), item.get("fix")
            where = Location(shown)
            out.append(Finding(rule, "warning", message, where, fix=fix, identity=(shown, message)))
    return out
