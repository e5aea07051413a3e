"""What git does around the store: other line ends, other branches; and a clock that goes back."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from benchmarks.faults.invariants import Before, errors, said, sealed
from benchmarks.faults.place import Place
from benchmarks.faults.report import Fault, Outcome
from ledger import project
from ledger.store.journal import Journal


def line_ends(place: Place) -> Iterator[Outcome]:
    """A clone, and a checkout of another branch, with every setting that converts line ends."""
    root = place.project()
    source = place.output(root.parent / "out", b"new")
    (source / "windows.csv").write_bytes(b"a,b\r\n1,2\r\n")
    (source / "mixed.txt").write_bytes(b"a\r\nb\nc\r")
    place.must(place.ledger, "seal", str(source), "--exp", "new", at=root)
    place.git("add", "-A", at=root)
    place.git("commit", "-qm", "new", at=root)
    for number, settings in enumerate(
        (("core.autocrlf=true",), ("core.autocrlf=input",), ("core.autocrlf=true", "core.eol=crlf"))
    ):
        clone = root.parent / f"clone{number}"
        options = [part for setting in settings for part in ("-c", setting)]
        place.git("clone", "-q", *options, str(root), str(clone), at=root.parent)
        converted = b"\r\n" in (clone / "train.py").read_bytes()
        ended = place.run("fsck", at=clone)
        problems = ended.problems + said(errors(clone)) + ([] if ended.status == 0 else [f"fsck exits {ended.status}"])
        place.git("add", "-A", at=clone)
        changed = place.git("status", "--porcelain", "--", "results", ".ledger", at=clone)
        problems += [f"git sees {changed.strip()}"] if changed else []
        note = "fsck clean (sources converted, evidence not)" if converted else "fsck clean"
        yield Outcome.of(", ".join(settings), problems, note)


SWITCHES = {
    "to another branch": ("git checkout -q other", "other"),
    "to another branch and back": ("git checkout -q other && git checkout -q main", "main"),
    "to one without any run": ("git checkout -q bare", "bare"),
    "to a commit of before": ("git checkout -q HEAD~1", ""),
    "to a new branch, with a commit": ("git checkout -qb fresh && git commit -qm x --allow-empty", "fresh"),
    "a hard reset": ("git reset -q --hard HEAD~1", "main"),
    "a stash of everything": ("git stash -qu", "main"),
}


def switched(place: Place) -> Iterator[Outcome]:
    """A branch switch while a run is in progress: the run is whole on the branch where it ends, and nowhere damaged."""
    for what, (command, branch) in SWITCHES.items():
        root = place.project()
        first = place.git("rev-list", "--max-parents=0", "HEAD", at=root).strip()
        place.git("branch", "bare", first, at=root)
        place.git("checkout", "-qb", "other", at=root)
        source = place.output(root.parent / "out", b"other")
        place.must(place.ledger, "seal", str(source), "--exp", "elsewhere", at=root)
        place.git("add", "-A", at=root)
        place.git("commit", "-qm", "a run of another branch", at=root)
        place.git("checkout", "-q", "main", at=root)
        before = Before.of(root)
        script = f'{{ {command}; }} >&2 && echo done > "$LEDGER_RUN_DIR"/notes.txt'
        ended = place.run("run", "new", "--", "sh", "-c", script, at=root)
        problems = ended.problems + ([] if ended.status == 0 else [f"exit {ended.status}: {ended.last}"])
        problems += said(errors(root))
        kept = [run for run in sealed(root) if run.parent.parent.name == "new"]
        problems += (
            [] if [(run / "notes.txt").read_bytes() for run in kept] == [b"done\n"] else ["the run is not there"]
        )
        problems += _committed(place, root, branch or None)
        place.git("checkout", "-q", "main", at=root)
        problems += [f"on main: {each}" for each in said(errors(root))]
        if what != "a hard reset":  # which the user wanted gone
            problems += before.altered()
        shutil.rmtree(root.parent, ignore_errors=True)
        yield Outcome.of(what, problems, "sealed whole where it ended, both branches clean")


def _committed(place: Place, root: Path, branch: str | None) -> list[str]:
    """The branch where the run ended, committed and cloned, is clean."""
    if branch is None:
        branch = "detached"
        place.git("checkout", "-qb", branch, at=root)
    place.git("add", "-A", at=root)
    place.git("commit", "-qm", "the new run", at=root)
    clone = root.parent / "clone"
    place.git("clone", "-q", "--branch", branch, str(root), str(clone), at=root.parent)
    return [f"in a clone: {each}" for each in said(errors(clone))]


def clock(place: Place) -> Iterator[Outcome]:
    """Runs are sealed while the clock jumps about."""
    if shutil.which("faketime") is None:
        yield Outcome("a clock that goes back", None, "faketime is not installed")
        return
    root = place.project()
    before = Before.of(root)
    head = Journal(project.at(root)).head()
    for number, at in enumerate(
        ("2030-01-01 00:00:00", "2001-01-01 00:00:00", "1970-01-02 00:00:00", "2026-01-01 00:00:00", "-10d")
    ):
        source = place.output(root.parent / f"out{number}", b"run %d" % number)
        moved = ("faketime", "-f", at if at.startswith("-") else f"@{at}")
        for verb in ("seal", "run"):
            rest = ("launched", "--seed", str(number), "--", "true") if verb == "run" else (str(source), "--exp", "new", "--seed", str(number))  # fmt: skip
            ended = place.run(verb, *rest, at=root, before=moved)
            problems = ended.problems + ([] if ended.status == 0 else [f"exit {ended.status}: {ended.last}"])
            problems += before.altered() + said(errors(root))
            yield Outcome.of(f"{verb} at {at}", problems, "sealed, fsck clean")
    listed = place.run("runs", "--format", "json", at=root)
    verified = place.run("log", "verify", "--since", head, at=root)
    again = place.run("select", "@last", at=root)
    problems = [*listed.problems, *verified.problems, *again.problems]
    problems += [f"{one.status}: {one.last}" for one in (listed, verified, again) if one.status != 0]
    count = listed.out.count('"run_id"')
    problems += [] if count == len(sealed(root)) == 11 else [f"{count} runs are listed"]
    problems += said(errors(root))
    yield Outcome.of("all of them, at the right time", problems, "all listed, log verified")


FAULTS = (
    Fault("line-ends", "core.autocrlf on a clone", line_ends),
    Fault("switched", "a branch switch while a run is in progress", switched),
    Fault("clock", "the clock set back between runs", clock),
)
