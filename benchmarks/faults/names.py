"""File names that are unusual on one system and forbidden on another."""

from __future__ import annotations

import os
import shutil
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.faults import mounts
from benchmarks.faults.invariants import Before, errors, said
from benchmarks.faults.place import Place
from benchmarks.faults.report import Fault, Outcome
from ledger.store.runs import read_run

NAMES: Mapping[str, Sequence[bytes]] = {
    "a line feed": [b"a\nb.txt"],
    "quotes": [b'it\'s "it".txt'],
    "a leading dash": [b"--exp"],
    "only dashes": [b"--"],
    "spaces at the ends": [b" a .txt "],
    "a trailing dot": [b"a."],
    "a backslash": [b"a\\b.txt"],
    "what git's patterns mean": [b"![*?]#.txt"],
    "a dollar and a backquote": [b"$(touch x)`touch y`.txt"],
    "a terminal's escape": [b"\x1b[31mred.txt"],
    "a tab and a return": [b"a\tb\r.txt"],
    "beyond ASCII": ["größe 模型 🎉.txt".encode()],
    "composed and decomposed twins": [unicodedata.normalize(form, "é.txt").encode() for form in ("NFC", "NFD")],
    "case twins": [b"Best.pt", b"best.pt"],
    "no UTF-8": [b"caf\xe9.txt"],
    "no UTF-8, twins when spelled out": [b"caf\xe9.txt", b"caf\\xe9.txt"],
    "half of a character": [b"\xf0\x9f\x8e.txt"],
    "255 bytes": [b"n" * 255],
    "255 bytes beyond ASCII": ["ü".encode() * 127],
    "255 bytes that are no UTF-8": [b"\xff" * 255],
    "a direction mark": ["a\u202etxt.exe".encode()],
    "a device of Windows": [b"CON", b"nul.txt"],
    "like one of ours": [b"run.json", b"provenance.json", b".gitignore", b".ledger-tmp-mine"],
}


def unusual(place: Place) -> Iterator[Outcome]:
    """Each as a light and as a heavy file: sealed, checked, committed, cloned, checked there."""
    yield from place.side_by_side(lambda name: _name(place, name), NAMES)  # type: ignore[misc]


def _name(place: Place, what: str) -> Outcome:
    root = place.project()
    source = place.output(root.parent / "out", b"new")
    contents = []
    for folder in (source, source / "checkpoints"):
        for number, name in enumerate(NAMES[what]):
            data = b"%d of " % number + name + os.fsencode(folder.name)
            Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_bytes(data)
            contents.append(data)
    before = Before.of(root)
    ended = place.run("seal", "--exp", "new", "--", str(source), at=root)
    problems = ended.problems + ([] if ended.status == 0 else [f"exit {ended.status}: {ended.last}"])
    problems += before.altered() + said(errors(root))
    for run in before.new():
        kept = [(run / file.path).read_bytes() for file in read_run(run).manifest.files]
        problems += [
            f"the content {data[:20]!r} is lost" for data in contents if not any(each.startswith(data) for each in kept)
        ]
    place.git("add", "-A", at=root)
    place.git("commit", "-qm", "new", at=root)
    problems += [f"git sees {left.strip()}" for left in place.git("status", "--porcelain", at=root).splitlines()]
    tracked = place.git("ls-files", "-z", "results/new", at=root).split("\0")
    problems += ["git tracks a checkpoint" for path in tracked if "/checkpoints/" in path][:1]
    clone = root.parent / "clone"
    place.git("clone", "-q", str(root), str(clone), at=root.parent)
    problems += said(errors(clone))
    shown = place.run("show", before.new()[0].name if before.new() else "@last", at=root)
    problems += shown.problems + ([] if shown.status == 0 else [f"show: {shown.last}"])
    shutil.rmtree(root.parent, ignore_errors=True)
    return Outcome.of(what, problems, "sealed, cloned by git, fsck clean in both")


DISKS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "vfat": (("mkfs.vfat",), ("mount", "-o", "loop")),
    "ext4 with casefold": (("mkfs.ext4", "-q", "-O", "casefold"), ("mount", "-o", "loop")),
    "exfat by FUSE": (("mkfs.exfat",), ("mount.exfat-fuse",)),
    "XFS with case ignored": (("mkfs.xfs", "-q", "-n", "version=ci"), ("mount", "-o", "loop")),
}
_IMAGE = 320 << 20  # bytes, of which hardly any is written; no smaller XFS can be made


def case_ignored(place: Place) -> Iterator[Outcome]:
    """A project on a file system that takes two names for one: twins are refused and both kept, all else is sealed."""
    for kind, (make, mount) in DISKS.items():
        at = place.folder(disk=True) / "disk"
        at.mkdir()
        try:
            with mounts.image(at, _IMAGE, make, mount):
                if kind == "ext4 with casefold":
                    place.must("chattr", "+F", str(at), at=at)
                (at / "a").touch()
                if not (at / "A").exists():
                    yield Outcome(kind, None, "it tells case here")
                    continue
                yield from _on(place, kind, at)
        except mounts.NotHereError as missing:
            yield Outcome(kind, None, str(missing))


def _on(place: Place, kind: str, at: Path) -> Iterator[Outcome]:
    root = at / "project"
    root.mkdir()
    place.git("init", "-q", at=root)
    place.must(place.ledger, "init", at=root)
    source = place.output(at.parent / "out", b"new")
    ended = place.run("seal", str(source), "--exp", "new", at=root)
    launched = place.run("run", "other", "--", "sh", "-c", 'echo x > "$LEDGER_RUN_DIR"/Notes.txt', at=root)
    problems = ended.problems + launched.problems + said(errors(root))
    problems += [f"exit {each.status}: {each.last}" for each in (ended, launched) if each.status != 0]
    yield Outcome.of(f"{kind}, a seal and a run", problems, "sealed, fsck clean")
    before = Before.of(root)
    twins = place.output(at.parent / "twins", b"twins")
    for name in ("Log.txt", "log.txt"):
        (twins / name).write_text(name, encoding="utf-8")
    ended = place.run("seal", str(twins), "--exp", "new", at=root)
    problems = ended.problems + before.altered() + said(errors(root))
    problems += [] if ended.status == 3 and "another file" in ended.err else [f"exit {ended.status}: {ended.last}"]
    problems += ["a run is visible"] if before.new() else []
    problems += [] if {(twins / name).read_text() for name in ("Log.txt", "log.txt")} == {"Log.txt", "log.txt"} else ["lost"]  # fmt: skip
    yield Outcome.of(f"{kind}, case twins in a run", problems, "refused, both kept")
    ended = place.run("seal", str(source), "--exp", "NEW", at=root)
    problems = ended.problems + before.altered() + said(errors(root))
    problems += [] if ended.status == 2 else [f"exit {ended.status}: {ended.last}"]
    yield Outcome.of(f"{kind}, an experiment's twin", problems, "refused, both kept")
    shutil.rmtree(twins)
    shutil.rmtree(source)


FAULTS = (
    Fault("names", "unusual names: line feeds, quotes, dashes, twins, no UTF-8, 255 bytes", unusual),
    Fault("case", "a file system that ignores case", case_ignored),
)
