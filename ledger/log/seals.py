"""Which runs the log says were sealed, and as what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ledger.errors import IntegrityError, UsageError
from ledger.log.segment import Entry

RunKey = tuple[str, str]  # exp_id, run_id


def seals(entries: Iterable[Entry]) -> dict[RunKey, list[Entry]]:
    """The seal entries of every run. Usually one; several when two clones each logged a run that a crash had left
    unlogged, and then they agree on its address.
    """
    found: dict[RunKey, list[Entry]] = {}
    for entry in entries:
        if entry.type == "seal":
            found.setdefault((str(entry.body["exp_id"]), str(entry.body["run_id"])), []).append(entry)
    return found


def addresses(sealed: Sequence[Entry]) -> list[str]:
    """The different addresses under which a run was sealed. More than one means that the log contradicts itself."""
    return list(dict.fromkeys(str(entry.body["address"]) for entry in sealed))


def entry_of(key: RunKey, address: str, logged: Mapping[RunKey, Sequence[Entry]]) -> Entry:
    """The entry that sealed a run as `address`.

    Raises:
        UsageError: the run is not in the log.
        IntegrityError: the log speaks of other bytes.
    """
    sealed = logged.get(key)
    if sealed is None:
        raise UsageError("is not in the log", where=key[1], fix="`ledger fsck --repair` logs a whole run")
    if addresses(sealed) != [address]:
        raise IntegrityError("is not what the log says of it", where=key[1], fix="`ledger fsck` says more")
    return sealed[0]
