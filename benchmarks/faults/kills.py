"""A `ledger seal` and a `ledger run` that are killed, or whose disk refuses, at every system call that touches a file.

A first try under strace tells which calls there are: the n-th of its kind, by the thread that does the work. Then each of
them is hit in a fresh project.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.faults.invariants import Before, judged
from benchmarks.faults.place import Place, Said, written
from benchmarks.faults.report import Fault, Outcome

CALLS = (
    "open", "openat", "creat", "write", "pwrite64", "writev", "rename", "renameat", "renameat2", "link", "linkat",
    "unlink", "unlinkat", "rmdir", "mkdir", "mkdirat", "fsync", "fdatasync", "sync_file_range", "syncfs", "chmod", "fchmod",
    "fchmodat", "truncate", "ftruncate", "fallocate", "symlink", "symlinkat", "sendfile", "copy_file_range", "ioctl",
    "flock", "utimensat", "fsetxattr",
)  # fmt: skip
REFUSABLE = re.compile(r"open|creat|write|rename|link|mkdir|sync|truncate|sendfile|copy_file_range")

_LINE = re.compile(r"^(?P<pid>\d+)\s+(?P<call>\w+)\((?P<args>.*)$")
_WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC")
_FILE = re.compile(r"^\d+<(/[^>]*)>")
_QUICK = 12  # points of each scenario; every kind of call keeps at least one
TRAIN = (
    'cd "$LEDGER_RUN_DIR" && mkdir -p checkpoints && cp "$1"/notes.txt . && cp "$1"/checkpoints/best.pt checkpoints && '
    'cp "$1"/results.json . && echo trained && touch "$2"'
)


@dataclass(frozen=True)
class Call:
    """The n-th system call of its kind."""

    name: str
    number: int
    of: str  # what it touches, for people

    def __str__(self) -> str:
        return f"{self.name} #{self.number} ({self.of})"


@dataclass(frozen=True)
class Scene:
    """A fresh project, what is to be done in it, and what must not be lost."""

    root: Path
    source: Path
    trained: Path  # exists once the training has written
    command: tuple[str, ...]

    @property
    def wanted(self) -> Mapping[str, bytes]:
        """What the training had written by now."""
        return written(b"new") if self.trained.exists() else {}

    @property
    def also(self) -> list[Path]:
        return [self.source] if self.command[0] == "seal" else []

    def drop(self) -> None:
        shutil.rmtree(self.root.parent, ignore_errors=True)


def scene(place: Place, verb: str) -> Scene:
    """`seal` appends to a segment that this clone begins, `run` to one that it continues; `move` hands the folder over."""
    root = place.project()
    source = place.output(root.parent / "out", b"new")
    trained = root.parent / "trained"
    if verb == "run":
        return Scene(root, source, trained, ("run", "new", "--", "sh", "-c", TRAIN, "sh", str(source), str(trained)))
    trained.touch()
    _own_segment(root)
    move = ("--move",) if verb == "move" else ()
    return Scene(root, source, trained, ("seal", str(source), "--exp", "new", *move))


def _own_segment(root: Path) -> None:
    from ledger import project
    from ledger.store.journal import Journal

    Journal(project.at(root)).append({"type": "disclose", "text": "a segment of this copy's own"})


def calls(place: Place, verb: str) -> list[Call]:
    """Every call of the work that touches a file, in order."""
    warm = scene(place, verb)  # the first time fills caches
    place.run(*warm.command, at=warm.root)
    warm.drop()
    once = scene(place, verb)
    trace = once.root.parent / "trace"
    before = ("strace", "-f", "-y", "-o", str(trace), "-e", f"trace={','.join(CALLS)}")
    done = place.run(*once.command, at=once.root, before=before)
    if done.status != 0:
        raise RuntimeError(f"cannot be traced: {done.err.strip()[-300:]}")
    found = list(_touching(trace.read_text("utf-8", "replace").splitlines(), once.root.parent))
    once.drop()
    return found


def _touching(lines: Sequence[str], below: Path) -> Iterator[Call]:
    """Numbers count per kind in the first process, which does all of the writing; strace counts alike."""
    numbers: Counter[str] = Counter()
    worker = lines[0].split(maxsplit=1)[0] if lines else ""
    for line in lines:
        match = _LINE.match(line)
        if match is None:
            continue
        name, args = match["call"], match["args"]
        if match["pid"] != worker:
            continue
        numbers[name] += 1
        path = _changed(name, args)
        if path is not None and path.startswith(str(below)):
            shown = re.sub(r"\d{8}T\d{6}Z-[0-9a-f]{8}(-[0-9a-f]{6})?", "RUN", Path(path).name)
            yield Call(name, numbers[name], re.sub(r"[0-9a-f]{8,}", "HEX", shown))


def _changed(name: str, args: str) -> str | None:
    """The file or folder that a call changes; None where it changes none."""
    if name in {"open", "openat", "creat"} and not _WRITING.search(args):
        return None
    if name == "ioctl" and "CLONE" not in args:
        return None
    if opened := _FILE.match(args):
        return opened[1]
    quoted = re.findall(r'"((?:[^"\\]|\\.)*)"', args)
    return quoted[-1] if quoted else None


def chosen(place: Place, found: Sequence[Call]) -> list[Call]:
    """All of them; with `--quick` one of each kind and some more, spread over the work."""
    if not place.quick:
        return list(found)
    first = {call.name: call for call in found}
    spread = found[:: max(1, len(found) // _QUICK)]
    return [call for call in found if call in spread or call is first[call.name]]


def hit(place: Place, verb: str, how: str, call: Call) -> Outcome:
    """One point: the call is where the process dies, or what the disk refuses."""
    tried = scene(place, verb)
    before = Before.of(tried.root)
    inject = f"inject={call.name}:{'signal=KILL' if how == 'kill' else f'error={how}'}:when={call.number}"
    log = tried.root.parent / "injected"
    strace = ("strace", "-qq", "-o", str(log), "-e", f"trace={call.name}", "-e", inject)
    ended = place.run(*tried.command, at=tried.root, before=strace)
    point = f"{verb}, {how} at {call}"
    reached = ended.status == -9 if how == "kill" else "(INJECTED)" in log.read_text("utf-8", "replace")
    if not reached:
        tried.drop()
        return Outcome(point, False, f"the call was not reached (exit {ended.status}): {ended.last}")
    if how != "kill" and ended.status not in {0, 3}:
        return Outcome(point, False, f"exit {ended.status}: {ended.last}")
    outcome = judged(
        place, before, point, ended, wanted=tried.wanted, also=tried.also,
        again=lambda: _again(place, tried),
    )  # fmt: skip
    tried.drop()
    return outcome


def _again(place: Place, tried: Scene) -> Said:
    return place.run(*tried.command, at=tried.root)


def _every_call(place: Place, verbs: Sequence[str], hows: Sequence[str]) -> Iterator[Outcome]:
    if shutil.which("strace") is None:
        yield Outcome("every call", None, "strace is not installed")
        return
    for verb in verbs:
        found = chosen(place, calls(place, verb))
        for how in hows:
            points = [call for call in found if how == "kill" or REFUSABLE.search(call.name)]
            yield from place.side_by_side(partial(hit, place, verb, how), points)


def killed(place: Place) -> Iterator[Outcome]:
    yield from _every_call(place, ("seal", "move", "run"), ("kill",))


def refused(place: Place) -> Iterator[Outcome]:
    yield from _every_call(place, ("seal", "move", "run"), ("EIO", "ENOSPC"))


FAULTS = (
    Fault("killed", "kill -9 at every system call of a seal or a run that touches a file", killed),
    Fault("refused", "EIO and ENOSPC at every open, write, rename, link, mkdir and fsync", refused),
)
