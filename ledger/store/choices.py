"""Which runs the log says are selected: its last word on every experiment, one run for each seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ledger.errors import LedgerError
from ledger.log.segment import Entry

SeedOf = Callable[[str, str], Any]  # of exp_id and run_id; raises LedgerError when nothing tells it


def choices(entries: Iterable[Entry], seed_of: SeedOf) -> dict[str, list[str]]:
    """Ids of the selected runs of each experiment, in the order in which they were chosen. A later choice stands for an
    earlier one of its seed even where it does not name it: two clones may each have made one.
    """
    chosen: dict[str, dict[str, str]] = {}  # experiment -> id -> seed
    for entry in entries:
        if entry.type != "select":
            continue
        exp_id, run_id = str(entry.body["exp_id"]), str(entry.body["run_id"])
        standing = chosen.setdefault(exp_id, {})
        seed = seed_text(seed_of, exp_id, run_id)
        for other in (run_id, *map(str, entry.body.get("replaced") or ())):
            standing.pop(other, None)
        for other in [other for other, its in standing.items() if its == seed]:
            del standing[other]
        standing[run_id] = seed
    return {exp_id: list(standing) for exp_id, standing in chosen.items()}


def seed_text(seed_of: SeedOf, exp_id: str, run_id: str) -> str:
    """A run's seed as a text that tells seeds apart; its own where nothing tells it, so that its choice stands."""
    try:
        return repr(seed_of(exp_id, run_id))
    except LedgerError:
        return f"of {run_id}"
