"""Bytes of the store that somebody or something changed afterwards: each must be detected, and named as what it is."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.faults.invariants import sealed
from benchmarks.faults.place import Place
from benchmarks.faults.report import Fault, Outcome
from ledger import project
from ledger.errors import LedgerError
from ledger.model.finding import Finding
from ledger.project import Project
from ledger.store import fsck
from ledger.store.journal import Journal

_OF_THE_LOG = {"log-damaged", "log-shorter", "log-rewritten", "run-unlogged"}
_OFFSETS = 40  # random ones in each file, beside the first and the last byte


def flipped(place: Place) -> Iterator[Outcome]:
    """One byte of each file of the store in turn, its size and its times as before."""
    root = _store(place)
    found = project.at(root)
    seed = random.Random(1)
    for path in _files(root):
        size = path.stat().st_size
        offsets = {0, size - 1, *(seed.randrange(size) for _ in range(4 if place.quick else _OFFSETS))}
        owners = _owners(found, path)
        for offset in sorted(offsets):
            with _written(path, _flip(path.read_bytes(), offset, 1 << seed.randrange(8))):
                said = _errors(found)
            problems = [] if said else ["not detected"]
            problems += [f"{owner} is not named" for owner in owners if not _names(said, owner)]
            point = f"{_shown(path, root)}, byte {offset}"
            yield Outcome.of(point, problems, "detected, with the run named" if owners else "detected")
    yield _whole(place, root)


def log_flipped(place: Place) -> Iterator[Outcome]:
    """Every byte of a short segment: in the clone that wrote it, and in a fresh one that is told what the log was."""
    root = _store(place)
    fresh = root.parent / "fresh"
    place.git("clone", "-q", str(root), str(fresh), at=root.parent)
    for at, against in ((root, None), (fresh, "HEAD")):
        found = project.at(at)
        where = "a fresh clone, --against HEAD" if against else "the clone that wrote it"
        for path in Journal(found).files():
            data = path.read_bytes()
            for offset in range(0, len(data), 29 if place.quick else 1):
                with _written(path, _flip(data, offset, 1 << offset % 8)):
                    said = _errors(found, against)
                point = f"byte {offset} of {len(data)}, {where}"
                yield Outcome.of(point, [] if said else ["not detected"], "detected")
        yield _whole(place, at)


def log_truncated(place: Place) -> Iterator[Outcome]:
    """The segment cut at every length: never taken for whole, and an error where it is told what the log was."""
    root = _store(place)
    found = project.at(root)
    head = Journal(found).head()
    for path in Journal(found).files():
        data = path.read_bytes()
        for length in range(0, len(data), 29 if place.quick else 1):
            with _written(path, data[:length]):
                rules = {each.rule for each in fsck.check(found).findings}
                told = _errors(found, "HEAD")
            problems = [] if rules & _OF_THE_LOG else ["not detected"]
            problems += [] if told else ["no error with --against HEAD"]
            yield Outcome.of(f"{path.name} cut to {length} of {len(data)} bytes", problems, "detected")
        for length in (len(data) // 3, len(data) // 2, data.rfind(b"\n", 0, -1) + 1):
            with _written(path, data[:length]):
                said = place.run("log", "verify", "--since", head, at=root)
            problems = said.problems + ([] if said.status in {1, 3} else [f"`ledger log verify` exits {said.status}"])
            yield Outcome.of(f"log verify, {path.name} cut to {length} bytes", problems, "detected")
    yield _whole(place, root)


def index_lost(place: Place) -> Iterator[Outcome]:
    """The query index: what `ledger runs` says is the same whatever befell it."""
    root = _store(place)
    own = {"XDG_CACHE_HOME": str(root.parent / "cache")}
    right = place.run("runs", "--all", "--format", "json", at=root, env=own).out
    (path,) = Path(own["XDG_CACHE_HOME"]).rglob("index-*.sqlite")
    before = path.read_bytes()
    seed = random.Random(2)
    cases: dict[str, bytes | None] = {"deleted": None, "empty": b"", "text": b"not a database\n" * 99}
    cases["garbage of its size"] = seed.randbytes(len(before))
    cases |= {f"cut to {size} bytes": before[:size] for size in _spread(1, len(before), 4 if place.quick else 24)}
    for start in _spread(0, len(before), 4 if place.quick else 24):
        cases[f"garbage at {start}"] = before[:start] + seed.randbytes(4096) + before[start + 4096 :]
    cases["of a newer version"] = _newer(path)
    for name, data in cases.items():
        for extra in ("-wal", "-shm"):
            path.with_name(path.name + extra).unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        if data is not None:
            path.write_bytes(data)
        said = place.run("runs", "--all", "--format", "json", at=root, env=own)
        problems = said.problems + ([] if said.status == 0 else [f"exit {said.status}: {said.last}"])
        problems += [] if said.out == right else ["it lists something else"]
        yield Outcome.of(name, problems, "made anew, the same runs listed")
    shutil.rmtree(path.parent)
    path.parent.write_text("a file where the cache must be", encoding="utf-8")
    said = place.run("runs", at=root, env=own)
    path.parent.unlink()
    problems = said.problems + ([] if said.status == 3 else [f"exit {said.status}"])
    yield Outcome.of("a file in place of the folder", problems, "refused in one line")
    yield _whole(place, root)


def _newer(path: Path) -> bytes:
    import sqlite3

    copy = path.with_name("newer.sqlite")
    shutil.copy(path, copy)
    with sqlite3.connect(copy) as db:
        db.execute("pragma journal_mode=delete")
        db.execute("pragma user_version=999")
    db.close()
    data = copy.read_bytes()
    copy.unlink()
    return data


def linked(place: Place) -> Iterator[Outcome]:
    """A later write in place to a file that was sealed with --link."""
    for name in ("notes.txt", "checkpoints/best.pt"):
        root = place.project()
        source = place.output(root.parent / "out", b"new")
        warned = place.run("seal", str(source), "--exp", "new", "--link", at=root)
        (run,) = (folder for folder in sealed(root) if folder.parent.parent.name == "new")
        with (source / name).open("r+b") as stream:
            stream.write(b"NEW")
        said = place.run("fsck", at=root)
        problems = warned.problems + said.problems
        problems += [] if "warning" in warned.err else ["no warning at the seal"]
        problems += [] if said.status == 1 else [f"fsck exits {said.status}"]
        problems += [] if run.name in said.out + said.err else ["fsck does not name the run"]
        yield Outcome.of(name, problems, "fsck exits 1 and names the run")


def _store(place: Place) -> Path:
    """A project with two runs: one of a clean tree, one with a difference and an untracked source, committed afterwards."""
    root = place.project()
    (root / "train.py").write_text("print('changed')\n", encoding="utf-8")
    (root / "extra.py").write_text("print('new')\n", encoding="utf-8")
    (root / "lr.yaml").write_text("lr: 0.1\n", encoding="utf-8")
    source = place.output(root.parent / "out", b"new")
    place.must(place.ledger, "seal", str(source), "--exp", "new", "--config", "lr.yaml", "--seed", "1", at=root)
    place.git("add", "-A", at=root)
    place.git("commit", "-qm", "another run", at=root)
    return root


def _files(root: Path) -> list[Path]:
    """Every file of the sealed runs, every segment, every object that is not just another name of one of them."""
    below = [path for run in sealed(root) for path in sorted(run.rglob("*"))]
    below += sorted((root / ".ledger/log").iterdir()) + sorted((root / ".ledger/objects").rglob("*"))
    unique = {path.stat().st_ino: path for path in reversed(below) if path.is_file() and path.stat().st_size}
    return list(reversed(unique.values()))


def _owners(found: Project, path: Path) -> list[str]:
    """The runs that rest on a file of the store."""
    if path.is_relative_to(found.results):
        return [path.relative_to(found.results).parts[2]]
    if not path.is_relative_to(found.objects):
        return []
    sha = path.parent.name + path.name
    return [run.name for run in sealed(found.root) if any(sha in _text(run / name) for name in ("run.json", "provenance.json"))]  # fmt: skip


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _flip(data: bytes, offset: int, bit: int) -> bytes:
    return data[:offset] + bytes([data[offset] ^ bit]) + data[offset + 1 :]


@contextmanager
def _written(path: Path, data: bytes) -> Iterator[None]:
    """Other bytes in a file, its inode and times kept; afterwards as before."""
    about, before = path.stat(), path.read_bytes()
    path.chmod(0o644)

    def put(content: bytes) -> None:
        with path.open("r+b") as stream:
            stream.write(content)
            stream.truncate()
        os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))

    put(data)
    try:
        yield
    finally:
        put(before)
        path.chmod(about.st_mode)


def _errors(found: Project, against: str | None = None) -> list[Finding]:
    try:
        report = fsck.check(found, against=against)
    except LedgerError as error:  # it cannot even be read: said in one line
        return [Finding("unreadable", "error", str(error))]
    return [each for each in report.findings if each.severity == "error"]


def _names(findings: Iterable[Finding], run_id: str) -> bool:
    return any(run_id in each.message or run_id in str(each.location) for each in findings)


def _shown(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _whole(place: Place, root: Path) -> Outcome:
    """That it was the change that was found: undone, `ledger fsck` finds nothing."""
    said = place.run("fsck", at=root)
    problems = said.problems + ([] if said.status == 0 else [f"fsck exits {said.status}: {said.out[-300:]}"])
    return Outcome.of("undone", problems, "fsck clean when undone")


def _spread(start: int, end: int, count: int) -> Sequence[int]:
    return range(start, end, max(1, (end - start) // count))


FAULTS = (
    Fault("flipped", "one flipped byte in every file of the store in turn", flipped),
    Fault("log-flipped", "a bit-flipped log line: every byte of a segment", log_flipped),
    Fault("log-truncated", "a truncated log: cut at every length", log_truncated),
    Fault("index", "the index deleted, corrupted, or of a newer version", index_lost),
    Fault("linked", "a later write in place to a file sealed with --link", linked),
)
