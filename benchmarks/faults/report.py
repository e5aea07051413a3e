"""What came of every injection point, and the table of it: fault, points tried, passed, what happened."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.faults.place import Place

_NOTES = 6  # different things that happened, the most frequent first; the rest is counted
_FAILURES = 5


@dataclass(frozen=True)
class Outcome:
    """What came of one injection point; `passed` is None where it could not be set up, and `note` says why."""

    point: str
    passed: bool | None
    note: str

    @classmethod
    def of(cls, point: str, problems: Sequence[str], note: str) -> Outcome:
        """Passed when there is no problem."""
        return cls(point, not problems, "; ".join(problems) or note)


@dataclass(frozen=True)
class Fault:
    """One kind of fault: its name for `--only`, how the table calls it, and what tries it."""

    name: str
    title: str
    tried: Callable[[Place], Iterator[Outcome]]


@dataclass(frozen=True)
class Row:
    """A fault with all that came of it."""

    fault: Fault
    outcomes: tuple[Outcome, ...] = field(default_factory=tuple)
    seconds: float = 0

    @property
    def tried(self) -> int:
        return sum(outcome.passed is not None for outcome in self.outcomes)

    @property
    def passed(self) -> int:
        return sum(outcome.passed is True for outcome in self.outcomes)

    @property
    def failed(self) -> bool:
        """Whether any point failed. A fault of which nothing is known, not even why, has failed too."""
        return not self.outcomes or self.passed < self.tried

    @property
    def happened(self) -> str:
        """Failures one by one, then what could not be set up, then how often what happened."""
        if not self.outcomes:
            return "FAILED: nothing was tried"
        failures = [f"FAILED at {each.point}: {each.note}" for each in self.outcomes if each.passed is False]
        lines = failures[:_FAILURES]
        if len(failures) > _FAILURES:
            lines.append(f"FAILED at {len(failures) - _FAILURES} more")
        lines += [f"not set up: {each.point}: {each.note}" for each in self.outcomes if each.passed is None]
        notes = Counter(each.note for each in self.outcomes if each.passed)
        for note, count in notes.most_common(_NOTES):
            lines.append(note if len(notes) == 1 else f"{count}x {note}")
        if len(notes) > _NOTES:
            lines.append(f"{sum(count for _, count in notes.most_common()[_NOTES:])}x otherwise")
        return "; ".join(lines)

    def to_json(self) -> dict[str, Any]:
        return {
            "fault": self.fault.name,
            "title": self.fault.title,
            "tried": self.tried,
            "passed": self.passed,
            "failed": self.failed,
            "seconds": round(self.seconds, 1),
            "happened": self.happened,
            "outcomes": [{"point": each.point, "passed": each.passed, "note": each.note} for each in self.outcomes],
        }


def table(rows: Sequence[Row]) -> str:
    """For a terminal: one line for each fault and what happened below it."""
    lines = [f"{'fault':<72}{'tried':>7}{'passed':>8}{'seconds':>9}"]
    for row in rows:
        mark = "  FAILED" if row.failed else ""
        lines.append(f"{row.fault.title:<72}{row.tried:>7}{row.passed:>8}{row.seconds:>9.0f}{mark}")
        lines.append(f"    {row.happened}")
    lines.append(_total(rows))
    return "\n".join(lines)


def markdown(rows: Sequence[Row]) -> str:
    """The same as a table of Markdown."""
    lines = ["| fault | injection points tried | passed | what happened |", "|:--|--:|--:|:--|"]
    lines += [f"| {_cell(row.fault.title)} | {row.tried:,} | {row.passed:,} | {_cell(row.happened)} |" for row in rows]
    return "\n".join([*lines, "", f"{_total(rows)}."])


def _cell(text: str) -> str:
    return html.escape(text, quote=False).replace("|", "\\|").replace("\n", " ").replace("*", "\\*").replace("_", "\\_")


def _total(rows: Sequence[Row]) -> str:
    tried, passed = sum(row.tried for row in rows), sum(row.passed for row in rows)
    missing = sum(outcome.passed is None for row in rows for outcome in row.outcomes)
    rest = f", {missing} could not be set up here" if missing else ""
    return f"{passed:,} of {tried:,} injection points passed{rest}"
