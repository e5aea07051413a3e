"""Disks that are full, have no inodes left, or are mounted read-only, as mounts of their own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from benchmarks.faults import mounts
from benchmarks.faults.invariants import Before, judged, tree
from benchmarks.faults.place import Place, Said, written
from benchmarks.faults.report import Fault, Outcome

_TRAIN = 'cd "$LEDGER_RUN_DIR" && mkdir -p checkpoints && cp "$1"/notes.txt . && cp "$1"/checkpoints/best.pt checkpoints && touch "$2"'  # fmt: skip
_SMALL = b"new"
_ROOM = 128  # KiB, more than a seal of the small output takes


def inodes(place: Place) -> Iterator[Outcome]:
    """A tmpfs with ever more inodes to spare, from none to enough."""
    step = 5 if place.quick else 1
    for verb in ("seal", "run"):
        yield from _with_little(place, verb, "inodes", range(0, 40, step), _inodes)


def full(place: Place) -> Iterator[Outcome]:
    """A tmpfs and an ext4 with ever more room to spare, from none to enough."""
    for verb in ("seal", "run"):
        yield from _with_little(place, verb, "KiB in memory", range(0, _ROOM, 24 if place.quick else 4), _space)
        yield from _with_little(place, verb, "KiB on ext4", range(0, _ROOM, 24 if place.quick else 8), _ext4)


class _inodes:  # noqa: N801 (used as a word)
    """A project on a tmpfs with so many inodes to spare; calling what it yields gives it plenty."""

    def __init__(self, at: Path, spare: int) -> None:
        self.at, self.spare = at, spare
        self.mounted = mounts.memory(at, "size=64m,nr_inodes=5000")

    def __enter__(self) -> Callable[[], None]:
        self.mounted.__enter__()
        return lambda: mounts.remount(self.at, "nr_inodes=5000")

    def fill(self) -> None:
        used = os.statvfs(self.at)
        mounts.remount(self.at, f"nr_inodes={used.f_files - used.f_ffree + self.spare}")

    def __exit__(self, *error: object) -> None:
        self.mounted.__exit__(None, None, None)


class _space:  # noqa: N801
    """The same with so many KiB to spare."""

    def __init__(self, at: Path, spare: int) -> None:
        self.at, self.spare = at, spare
        self.mounted = self._mounted()

    def _mounted(self) -> AbstractContextManager[Path]:
        return mounts.memory(self.at, "size=4m")

    def __enter__(self) -> Callable[[], None]:
        self.mounted.__enter__()
        return lambda: (self.at / "filler").unlink()

    def fill(self) -> None:
        """Until nothing fits any more, then so much less."""
        with (self.at / "filler").open("wb", buffering=0) as stream:
            try:
                while stream.write(bytes(4096)):
                    pass
            except OSError:
                pass
            os.ftruncate(stream.fileno(), max(0, stream.tell() - self.spare * 1024))
            os.fsync(stream.fileno())

    def __exit__(self, *error: object) -> None:
        self.mounted.__exit__(None, None, None)


class _ext4(_space):  # noqa: N801
    def _mounted(self) -> AbstractContextManager[Path]:
        return mounts.image(self.at, 8 << 20, ("mkfs.ext4", "-q", "-m", "0"))


def _with_little(
    place: Place, verb: str, unit: str, spares: range, disk: type[_inodes] | type[_space]
) -> Iterator[Outcome]:
    """Outcomes of a seal, or a run, with so little to spare; the last point has enough."""
    try:
        yield from place.side_by_side(partial(_spare, place, verb, unit, disk), [*spares, 4 * spares.stop])  # type: ignore[misc]
    except mounts.NotHereError as missing:
        yield Outcome(f"{verb} with few {unit}", None, str(missing))


def _spare(place: Place, verb: str, unit: str, disk: type[_inodes] | type[_space], spare: int) -> Outcome:
    folder = place.folder()
    at = folder / "disk"
    at.mkdir()
    source = place.output(folder / "out", _SMALL)
    trained = folder / "trained"
    mounted = disk(at, spare)
    with mounted as enough:
        root = at / "project"
        shutil.copytree(place.project(), root, symlinks=True)
        before = Before.of(root)
        mounted.fill()
        if verb == "run":
            command: tuple[str, ...] = ("run", "new", "--", "sh", "-c", _TRAIN, "sh", str(source), str(trained))
        else:
            command = ("seal", str(source), "--exp", "new")
            trained.touch()
        ended = place.run(*command, at=root)
        problems = [] if verb == "run" or ended.status in {0, 3} else [f"exit {ended.status}: {ended.last}"]
        enough()
        point = f"{verb} with {spare} {unit} to spare"
        # a training that could not write is not ours to save, and says so by its status
        wanted: Mapping[str, bytes] = written(_SMALL) if trained.exists() else {}

        def again() -> Said:
            return place.run(*command, at=root)

        also = [source] if verb == "seal" else []
        outcome = judged(place, before, point, ended, wanted=wanted, again=again, also=also)
    shutil.rmtree(folder, ignore_errors=True)
    return Outcome(point, False, f"{problems[0]}; {outcome.note}") if problems else outcome


READING = (("fsck",), ("runs",), ("show", "@last"), ("log",), ("log", "verify"), ("log", "head"))
WRITING = (("seal", "OUT", "--exp", "new"), ("run", "new", "--", "true"), ("select", "@last"))


def read_only(place: Place) -> Iterator[Outcome]:
    """Every command that reads works, every one that writes says so in one line, with a cache and without."""
    try:
        mounts.check()
    except mounts.NotHereError as missing:
        yield Outcome("a read-only mount", None, str(missing))
        return
    folder = place.folder()
    at = folder / "disk"
    at.mkdir()
    source = place.output(folder / "out", _SMALL)
    with mounts.memory(at, "size=16m"):
        root = at / "project"
        shutil.copytree(place.project(), root, symlinks=True)
        before, all_before = Before.of(root), tree(root)
        mounts.remount(at, "ro")
        for where, env in (("", {}), (", the cache too", {"XDG_CACHE_HOME": str(at / "cache")})):
            for command in (*READING, *WRITING):
                filled = [str(source) if part == "OUT" else part for part in command]
                said = place.run(*filled, at=root, env=env)
                problems = said.problems
                if command in READING and not (env and command[0] in {"runs", "show"}):
                    problems += [] if said.status == 0 else [f"exit {said.status}: {said.last}"]
                    note = "works"
                elif said.status == 0:
                    note = "nothing to write, works"
                else:
                    problems += [] if said.status == 3 else [f"exit {said.status}: {said.last}"]
                    plain = "read-only" in said.last.lower() or "cannot be" in said.last
                    problems += [] if plain else [f"does not say why: {said.last}"]
                    note = "refused in one line"
                yield Outcome.of(f"{' '.join(command)}{where}", problems, note)
        mounts.remount(at, "rw")
        problems = [] if tree(root) == all_before else ["something was written"]
        yield Outcome.of("afterwards", problems, "nothing was written")
        ended = Said(0, "", "")
        yield judged(
            place, before, "writable again", ended, wanted=written(_SMALL), also=[source],
            again=lambda: place.run("seal", str(source), "--exp", "new", at=root),
        )  # fmt: skip


FAULTS = (
    Fault("inodes", "inode exhaustion", inodes),
    Fault("full", "a full disk", full),
    Fault("read-only", "a read-only mount", read_only),
)
