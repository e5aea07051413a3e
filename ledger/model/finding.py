"""The finding: what any check returns, and the report that carries findings out.

One type for the store, evidence, reconcile, figures and the gate; docs/reference/finding.md is its contract.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

Severity = Literal["error", "warning", "note"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
REPORT_SCHEMA = "evidence-ledger/report/v1"


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a document, a run or a figure.

    Lines, columns, slides and pages count from 1 in characters; cells, tables, rows, cols and paragraphs
    from 0. Absent parts are None and are left out of the JSON.
    """

    path: str
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    cell: int | None = None
    table: int | None = None
    row: int | None = None
    col: int | None = None
    paragraph: int | None = None
    slide: int | None = None
    page: int | None = None
    box: tuple[float, float, float, float] | None = None

    def to_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for part in fields(self):
            value = getattr(self, part.name)
            if value is not None:
                out[part.name] = list(value) if isinstance(value, tuple) else value
        return out

    def __str__(self) -> str:
        """`path:line:column`, as editors and compilers write it; lines of a notebook count within its cell. Where a
        format has no lines, what a person counts to find the place: `report.docx table 2, row 3, column 4`, from 1.
        """
        if self.line is not None:
            path = self.path if self.cell is None else f"{self.path} (cell {self.cell})"
            return ":".join(str(part) for part in (path, self.line, self.column) if part is not None)
        counted = {
            "page": self.page,
            "slide": self.slide,
            "table": _person(self.table),
            "row": _person(self.row),
            "column": _person(self.col),
            "paragraph": _person(self.paragraph),
        }
        inner = ", ".join(f"{name} {number}" for name, number in counted.items() if number is not None)
        return f"{self.path} {inner}" if inner else self.path


def _person(number: int | None) -> int | None:
    """A number that counts from 0, as people count."""
    return None if number is None else number + 1


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence about one thing that a check saw, with its numbers and its place."""

    rule: str
    severity: Severity
    message: str
    location: Location | None = None
    claim: str | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    fix: str | None = None
    disclosed: str | None = None
    # what makes this finding the same one tomorrow; by default rule, place without line, claim and values
    identity: tuple[str, ...] | None = None

    @property
    def fingerprint(self) -> str:
        """12 hex digits, stable when lines move, different when a value changes (so that a disclosure expires)."""
        return hashlib.sha256("\x1f".join((self.rule, *self._identity)).encode("utf-8", "surrogatepass")).hexdigest()[
            :12
        ]

    @property
    def _identity(self) -> tuple[str, ...]:
        if self.identity is not None:
            return self.identity
        path = self.location.path if self.location else ""
        return (path, self.claim or "", *(f"{key}={self.values[key]}" for key in sorted(self.values)))

    def with_disclosure(self, text: str) -> Finding:
        return replace(self, disclosed=text)

    def touching(self, claims: Sequence[str]) -> Finding:
        """The same finding, fingerprint included, which also names the claims that rest on what it is about."""
        only = claims[0] if len(claims) == 1 else self.claim
        return replace(self, identity=self._identity, claim=only, values={**self.values, "claims": list(claims)})

    def to_json(self) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "severity": self.severity,
            "message": self.message,
            "location": self.location.to_json() if self.location else None,
            "claim": self.claim,
            "values": dict(self.values),
            "fix": self.fix,
            "fingerprint": self.fingerprint,
            "disclosed": self.disclosed,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """Everything one check has to say: what it looked at, what it found, what it could not judge.

    `mentions` has the shape of findings (rule `mention`) and `sections` any further top-level keys of the JSON.
    """

    command: str
    checked: Mapping[str, Any] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    mentions: tuple[Finding, ...] | None = None
    summary: Mapping[str, Any] = field(default_factory=dict)
    sections: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self, version: str) -> dict[str, Any]:
        out: dict[str, Any] = {
            "schema": REPORT_SCHEMA,
            "tool": {"name": "evidence-ledger", "version": version, "command": self.command},
            "checked": dict(self.checked),
            "findings": [finding.to_json() for finding in self.findings],
        }
        if self.mentions is not None:
            out["mentions"] = [mention.to_json() for mention in self.mentions]
        return {**out, **self.sections, "summary": {**count(self.findings), **self.summary}}


def count(findings: Iterable[Finding]) -> dict[str, int]:
    """How many findings of each severity stand, and how many are disclosed."""
    found = list(findings)
    out = {f"{severity}s": sum(f.severity == severity and not f.disclosed for f in found) for severity in SEVERITIES}
    return {**out, "disclosed": sum(bool(f.disclosed) for f in found)}
