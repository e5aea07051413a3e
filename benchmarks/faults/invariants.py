"""What must hold after every fault, whichever it was.

Every run sealed before is byte-identical and `fsck` has no error about it; no partial run is visible; what the training
wrote is in staging, sealed, or still the user's; and a repair with a second attempt leaves a clean store.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.faults.place import OLD, Place, Said
from benchmarks.faults.report import Outcome
from ledger import project
from ledger.errors import LedgerError
from ledger.model.finding import Finding
from ledger.seal import liveness, staging
from ledger.store import atomic, fsck
from ledger.store.runs import RunStore


def digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def tree(folder: Path) -> dict[str, str]:
    """Digest of every file below, by path."""
    return {str(path.relative_to(folder)): digest(path) for path in folder.rglob("*") if path.is_file()}


def errors(root: Path) -> list[Finding]:
    """The errors that `fsck` finds."""
    return [found for found in fsck.check(project.at(root)).findings if found.severity == "error"]


def said(findings: Iterable[Finding]) -> list[str]:
    return [f"fsck: {found.message} [{found.rule}]"[:200] for found in findings]


@dataclass(frozen=True)
class Before:
    """A project as it was before the fault: the bytes of each sealed run."""

    root: Path
    runs: Mapping[Path, Mapping[str, str]]

    @classmethod
    def of(cls, root: Path) -> Before:
        return cls(root, {folder: tree(folder) for folder in sealed(root)})

    def altered(self) -> list[str]:
        """Sealed runs that are no longer what they were."""
        return [
            f"{folder.name}, sealed before, is not what it was"
            for folder, files in self.runs.items()
            if not folder.is_dir() or tree(folder) != files
        ]

    def new(self) -> list[Path]:
        """Runs that came since."""
        return [folder for folder in sealed(self.root) if folder not in self.runs]


def sealed(root: Path) -> list[Path]:
    return list(RunStore(project.at(root)).folders())


def broken(before: Before, wanted: Mapping[str, bytes], also: Iterable[Path] = ()) -> list[str]:
    """What does not hold right after the fault. `also` are folders of the user's that may hold what was wanted."""
    problems = before.altered()
    problems += said(found for found in errors(before.root) if not _for_a_repair(found))
    problems += lost(before, wanted, also)
    return problems


def _for_a_repair(found: Finding) -> bool:
    """What may be wrong until a repair: a whole run lacks its log entry, or a choice is logged and not yet written."""
    place = found.location.path if found.location else ""
    return found.rule == "run-unlogged" or (found.rule == "selection-broken" and f"results/{OLD}/" not in place)


def lost(before: Before, wanted: Mapping[str, bytes], also: Iterable[Path] = ()) -> list[str]:
    """What the training wrote and is nowhere any more."""
    places = [*before.new(), *(before.root / ".ledger/running").glob("*"), *also]
    return [f"{name} is lost" for name in _nowhere(wanted, places)]


def _unsealed(before: Before, wanted: Mapping[str, bytes]) -> list[str]:
    return _nowhere(wanted, before.new())


def _nowhere(wanted: Mapping[str, bytes], places: Iterable[Path]) -> list[str]:
    """Names of files that no folder holds with these bytes."""
    places = list(places)

    def held(name: str, data: bytes) -> bool:
        return any((place / name).is_file() and (place / name).read_bytes() == data for place in places)

    return [name for name, data in wanted.items() if not held(name, data)]


def settled(place: Place, root: Path, patience: float = 10) -> list[str]:
    """What a user does afterwards: repair, and seal what was left behind. What went wrong with that."""
    problems = []
    found = project.at(root)
    with atomic.durability(full=False):
        try:
            fsck.repair(found, fsck.check(found))
        except LedgerError as error:
            problems.append(f"repair: {error}")
    for path in staging.leftovers(found):
        if not path.with_name(f"{path.name}.json").is_file():
            if any(path.iterdir()):
                problems.append(f"{path.name} holds files and has no start record")
            continue
        with suppress(LedgerError):
            _wait_for(staging.load(path), patience)
        done = place.run("seal", path.name, at=root)
        problems += done.problems
        if done.status != 0:
            problems.append(f"`ledger seal {path.name}`: {done.last}")
    return problems


def _wait_for(staged: staging.Staging, patience: float) -> None:
    """A training outlives the launcher that was killed, by as long as it takes."""
    import time

    until = time.monotonic() + patience
    while liveness.writers(staged.path) and time.monotonic() < until:
        time.sleep(0.02)


def clean(before: Before, wanted: Mapping[str, bytes]) -> list[str]:
    """What does not hold at the end: nothing may be wrong, and what was wanted must be sealed."""
    problems = before.altered() + said(errors(before.root))
    return problems + [f"{name} is in no sealed run" for name in _unsealed(before, wanted)]


def judged(
    place: Place,
    before: Before,
    point: str,
    ended: Said,
    *,
    wanted: Mapping[str, bytes],
    again: Callable[[], Said],
    also: Iterable[Path] = (),
) -> Outcome:
    """All of it for one point whose command ended so; `again` is the second attempt."""
    also = list(also)
    problems = ended.problems + broken(before, wanted, also)
    state = _state(before)
    problems += settled(place, before.root)
    if not before.new() or _unsealed(before, wanted):
        second = again()  # also where what was sealed is the beginning of a copy, as `abandoned`
        problems += second.problems
        if second.status != 0:
            problems.append(f"the second attempt exited with {second.status}: {second.last}")
        state += ", sealed by the second attempt"
    problems += clean(before, wanted)
    return Outcome.of(point, problems, state)


def _state(before: Before) -> str:
    """What is there right after the fault."""
    if before.new():
        unlogged = any(found.rule == "run-unlogged" for found in errors(before.root))
        return "whole run, log entry added by the repair" if unlogged else "whole run"
    return "no run, staging kept" if list(_staged(before.root)) else "no run"


def _staged(root: Path) -> Iterator[Path]:
    return (path for path in (root / ".ledger/running").glob("*/") if any(path.iterdir()))
