"""Files that change while they are sealed, that are huge, empty, sparse or many, and what is no file at all."""

from __future__ import annotations

import os
import resource
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.faults.invariants import Before, errors, said, sealed
from benchmarks.faults.place import PATIENCE, Place, Said
from benchmarks.faults.report import Fault, Outcome
from benchmarks.store.place import allocated
from ledger.store.runs import read_run

_MB = 1 << 20
_PEAK = 200 * _MB  # bytes of memory; a file's size must not matter
_WRITER = """
import os, sys, time
how, path = sys.argv[1:]
block = os.urandom(1 << 16)
while True:
    try:
        if how == "grows":
            with open(path, "ab", buffering=0) as stream:
                stream.write(block)
            if os.path.getsize(path) > 40 << 20:
                os.truncate(path, 20 << 20)
        elif how == "shrinks":
            size = os.path.getsize(path)
            os.truncate(path, size - 4096 if size > 1 << 20 else 20 << 20)
        else:
            os.rename(path, path + ".away")
            time.sleep(0.001)
            os.rename(path + ".away", path)
    except OSError:
        pass
    time.sleep(0.0005)
"""


def changing(place: Place) -> Iterator[Outcome]:
    """A writer never rests while the folder is sealed, again and again."""
    tries = 4 if place.quick else 25
    points = [(how, number) for how in ("grows", "shrinks", "vanishes") for number in range(tries)]
    yield from place.side_by_side(partial(_changing, place), points)  # type: ignore[misc]


def _changing(place: Place, point: tuple[str, int]) -> Outcome:
    how, number = point
    root = place.project()
    source = place.output(root.parent / "out", b"new")
    target = source / "metrics.bin"
    target.write_bytes(os.urandom(_MB) * 20)
    before = Before.of(root)
    writer = subprocess.Popen([sys.executable, "-c", _WRITER, how, str(target)])
    try:
        time.sleep(0.03 + 0.01 * (number % 5))
        ended = place.run("seal", str(source), "--exp", "new", at=root)
    finally:
        writer.kill()
        writer.wait()
    problems = ended.problems + before.altered() + said(errors(root))
    new = before.new()
    if ended.status == 3:
        problems += ["a run is visible although it was refused"] if new else []
        problems += [] if "metrics.bin" in ended.err else [f"does not name the file: {ended.last}"]
    elif ended.status != 0 or not new:
        problems.append(f"exit {ended.status}: {ended.last}")
    if not target.exists():
        target.with_name("metrics.bin.away").rename(target)
    again = place.run("seal", str(source), "--exp", "new", at=root)
    problems += again.problems + ([] if again.status == 0 else [f"the second attempt: {again.last}"])
    problems += said(errors(root)) + before.altered()
    shutil.rmtree(root.parent, ignore_errors=True)
    note = "refused, the file named; sealed when at rest" if ended.status == 3 else "sealed as it was at one moment"
    return Outcome.of(f"{how}, try {number + 1}", problems, note)


def sparse(place: Place) -> Iterator[Outcome]:
    """A file that is one hole stays one."""
    size = (1 if place.quick else 10) << 30
    root = place.project(disk=True)
    source = place.output(root.parent / "out", b"new")
    with (source / "checkpoints/hole.bin").open("wb") as stream:
        stream.truncate(size)
    begun = time.monotonic()
    ended = place.run("seal", str(source), "--exp", "new", at=root)
    took = time.monotonic() - begun
    taken = allocated(root)
    problems = ended.problems + ([] if ended.status == 0 else [ended.last]) + said(errors(root))
    problems += [f"{taken / _MB:.0f} MB on the disk"] if taken > 8 * _MB else []
    shutil.rmtree(root.parent, ignore_errors=True)
    note = f"sealed in {took:.0f} s; the whole project has {taken / _MB:.1f} MB on the disk, fsck clean"
    yield Outcome.of(f"a hole of {size >> 30} GB", problems, note)


def strangers(place: Place) -> Iterator[Outcome]:
    """Links that leave the run, links in a circle, sockets, pipes, devices: left out and said, in every way to seal."""
    for kind in ("link to a file", "link to a folder", "link in a circle", "broken link", "socket", "pipe", "device"):
        for way in ("copy", "move", "link", "run"):
            yield _stranger(place, kind, way)


def _stranger(place: Place, kind: str, way: str) -> Outcome:
    root = place.project()
    source = place.output(root.parent / "out", b"new")
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(b"mine")
    point = f"{kind}, {way}"
    try:
        _put(kind, source / "odd", outside)
    except OSError as error:
        return Outcome(point, None, f"cannot be made here ({error.strerror})")
    if way == "run":
        ended = place.run("run", "new", "--", "sh", "-c", 'cp -a "$1"/. "$LEDGER_RUN_DIR"', "sh", str(source), at=root, patience=60)  # fmt: skip
    else:
        flags = [] if way == "copy" else [f"--{way}"]
        ended = place.run("seal", str(source), "--exp", "new", *flags, at=root, patience=60)
    problems = ended.problems + ([] if ended.status == 0 else [f"exit {ended.status}: {ended.last}"])
    new = [folder for folder in sealed(root) if folder.parent.parent.name == "new"]
    for folder in new:
        skipped = [item["path"] for item in read_run(folder).manifest.skipped]
        problems += [] if skipped == ["odd"] else [f"left out: {skipped}"]
        problems += ["it lies in the run"] if os.path.lexists(folder / "odd") else []
    problems += [] if len(new) == 1 else ["no run"]
    problems += [] if "odd" in ended.err else ["nothing is said of it"]
    problems += [] if (outside / "secret").read_bytes() == b"mine" else ["what is outside was touched"]
    problems += said(errors(root))
    shutil.rmtree(root.parent, ignore_errors=True)
    return Outcome.of(point, problems, "left out and said, the rest sealed")


def _put(kind: str, path: Path, outside: Path) -> None:
    links = {
        "link to a file": outside / "secret", "link to a folder": outside, "link in a circle": path, "broken link": "gone",
    }  # fmt: skip
    if kind in links:
        path.symlink_to(links[kind])
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(path))
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        os.mknod(path, 0o600 | 0o020000, os.makedev(1, 3))


def sizes(place: Place) -> Iterator[Outcome]:
    """No byte at all, and more than fits into memory twice: the peak of memory is of the process that seals."""
    for size in (0, (500 * _MB) if place.quick else 5 << 30):
        root = place.project(disk=True)
        source = place.output(root.parent / "out", b"new")
        block = os.urandom(8 * _MB)
        with (source / "checkpoints/large.pt").open("wb") as stream:
            for begin in range(0, size, len(block)):
                stream.write(block[: size - begin])
        begun = time.monotonic()
        ended, peak = _with_peak(place, "seal", str(source), "--exp", "new", at=root)
        took = time.monotonic() - begun
        checked, check_peak = _with_peak(place, "fsck", at=root)
        problems = [*ended.problems, *checked.problems]
        problems += [f"{one.status}: {one.last}" for one in (ended, checked) if one.status != 0]
        problems += [f"the peak is {peak / _MB:.0f} MB"] if max(peak, check_peak) > _PEAK else []
        shutil.rmtree(root.parent, ignore_errors=True)
        shown = f"{size / 1e9:.1f} GB" if size else "0 bytes"
        peaks = f"peak of memory {peak / _MB:.0f} MB, of fsck {check_peak / _MB:.0f} MB"
        yield Outcome.of(shown, problems, f"{shown} sealed in {took:.0f} s, {peaks}")


def _with_peak(place: Place, *args: str, at: Path) -> tuple[Said, int]:
    """How a command ended, and the most memory that it held, in bytes."""
    with (at.parent / "said").open("w+b") as kept:
        child = subprocess.Popen([place.ledger, *args], cwd=at, env=place.env, stdout=kept, stderr=kept)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        kept.seek(0)
        text = kept.read().decode(errors="replace")
    unit = 1 if sys.platform == "darwin" else 1024
    assert isinstance(used, resource.struct_rusage)
    return Said(child.returncode, "", text), used.ru_maxrss * unit


def many(place: Place) -> Iterator[Outcome]:
    """So many files in one run that nothing may be quadratic."""
    count = 20_000 if place.quick else 200_000
    root = place.project(disk=True)
    source = place.output(root.parent / "out", b"new")
    for number in range(count):
        if number % 1000 == 0:
            folder = source / f"part{number // 1000:03d}"
            folder.mkdir()
        (folder / f"{number:06d}.txt").write_bytes(b"%d" % number)
    times = []
    problems = []
    for command in (("seal", str(source), "--exp", "new", "--move"), ("fsck",), ("runs",), ("show", "@last")):
        begun = time.monotonic()
        ended = place.run(*command, at=root, patience=2 * PATIENCE)
        times.append(f"{command[0]} {time.monotonic() - begun:.0f} s")
        problems += ended.problems + ([] if ended.status == 0 else [f"{command[0]}: {ended.last}"])
    listed = [len(read_run(folder).manifest.files) for folder in sealed(root)]
    problems += [] if max(listed) >= count else [f"{max(listed)} files are listed"]
    shutil.rmtree(root.parent, ignore_errors=True)
    yield Outcome.of(f"{count:,} files", problems, f"{count:,} files handed over: {', '.join(times)}")


FAULTS = (
    Fault("changing", "a file that grows, shrinks or vanishes while it is sealed", changing),
    Fault("sparse", "a sparse file", sparse),
    Fault("strangers", "links that leave the run, sockets, pipes, devices", strangers),
    Fault("sizes", "an empty file, and a huge one", sizes),
    Fault("many", "very many files in one run", many),
)
