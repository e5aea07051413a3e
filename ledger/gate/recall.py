"""Remember the findings of the last checks, so that `ledger disclose FINGERPRINT` knows what is meant.

Kept in the user's cache; losing it costs one more run of the check.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ledger.canon import parse, pretty
from ledger.errors import LedgerError, UsageError
from ledger.model.finding import Finding, Location
from ledger.project import Project
from ledger.store import atomic

_KEPT = 2000


def remember(project: Project, findings: Iterable[Finding]) -> None:
    """Add these findings to the memory. A cache that cannot be written is no reason to fail."""
    new = {finding.fingerprint: finding.to_json() for finding in findings}
    known = {key: raw for key, raw in _read(project).items() if key not in new} | new  # the latest stand last
    latest = dict(list(known.items())[-_KEPT:])
    try:
        atomic.write_bytes(project.cache / "findings.json", pretty(latest))
    except (LedgerError, ValueError, TypeError):
        return


def recall(project: Project, prefix: str) -> Finding:
    """The remembered finding whose fingerprint starts with `prefix`.

    Raises:
        UsageError: none or several fit.

    """
    remembered = _read(project).items() if prefix else ()
    fits = [found for key, raw in remembered if key.startswith(prefix) and (found := _finding(raw))]
    if len(fits) > 1:
        raise UsageError(f"{prefix!r} fits {len(fits)} findings", fix="type more of the fingerprint")
    if not fits:
        raise UsageError(
            f"{prefix!r} is neither a claim nor a finding of the last checks",
            fix="run the check again, and copy the fingerprint that it prints in brackets",
        )
    return fits[0]


def _finding(raw: Any) -> Finding | None:
    """A remembered finding; None when the cache holds something else, or what another version wrote."""
    try:
        place = raw["location"]
        return Finding(
            rule=raw["rule"],
            severity=raw["severity"],
            message=raw["message"],
            location=Location(**{**place, "box": tuple(place["box"]) if place.get("box") else None}) if place else None,
            claim=raw["claim"],
            values=raw["values"],
            fix=raw["fix"],
            identity=("recalled", raw["fingerprint"]),
        )
    except (KeyError, TypeError, AttributeError):
        return None


def _read(project: Project) -> dict[str, Any]:
    path = project.cache / "findings.json"
    try:
        raw = parse(path.read_bytes(), path)
    except (OSError, LedgerError):
        return {}
    return raw if isinstance(raw, dict) else {}
