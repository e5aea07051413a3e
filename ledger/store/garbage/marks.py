"""Which objects something names: every digest that a record states, wherever a record of ours lies.

A record is not understood but searched: 64 hex digits in a birth certificate of tomorrow keep an object too. Only of a
manifest more is known, since a file that was pruned keeps nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ledger.canon import digest, parse
from ledger.errors import InputError, IntegrityError
from ledger.log.seals import seals
from ledger.project import Project
from ledger.store import git
from ledger.store.journal import Journal
from ledger.store.prune import Pruned, pruned
from ledger.store.runs import MANIFEST, PROVENANCE

_DIGEST = re.compile(rb"(?<![0-9a-fA-F])[0-9a-f]{64}(?![0-9a-fA-F])")
_RECORDS = (MANIFEST, PROVENANCE)
_SPEC = [f":(top,glob)**/runs/*/{name}" for name in _RECORDS]
_CHANGES = (
    "diff-tree",
    "--stdin",
    "-r",
    "-m",
    "--root",
    "--raw",
    "--no-abbrev",
    "--no-renames",
    "--no-commit-id",
    "-z",
)


def mark(project: Project) -> frozenset[str]:
    """Digests that must stay.

    Raises:
        IntegrityError: a record or the log cannot be read, so that nobody knows what it names.
    """
    said = pruned(Journal(project).entries())
    marked: set[str] = set()
    for where, data in _records(project):
        marked |= _named(where, data, said)
    return frozenset(marked)


def _named(where: str, data: bytes, said: Pruned) -> set[str]:
    """The digests in one record; of a manifest, without those of files that were pruned."""
    found = {match[0].decode() for match in _DIGEST.finditer(data)}
    if not said or not where.endswith(f"/{MANIFEST}"):
        return found
    try:
        raw = parse(data, where)
        gone = said.get(digest(raw), frozenset())
        files = [file for file in raw["files"] if gone]
        free = {file["sha256"] for file in files if file["path"] in gone and file.get("derived") is True}
        return found - (free - {file["sha256"] for file in files if file["path"] not in gone})
    except (InputError, KeyError, TypeError):
        return found  # no manifest that we wrote: whatever it states stays


def _records(project: Project) -> Iterator[tuple[str, bytes]]:
    """(place, bytes) of every record: in this work tree and the others of its repository, and in git's history."""
    roots = [project.root]
    done = _ask(project, "rev-parse", "--show-prefix")
    if done is not None:
        inside = done.decode("utf-8", "surrogateescape").rstrip("\n")
        trees = list(_work_trees(project))
        roots += [tree / inside for tree in trees]
        yield from _history(project, trees)
    for root in dict.fromkeys(root.resolve() for root in roots):
        yield from _on_disk(root)


def _on_disk(root: Path) -> Iterator[tuple[str, bytes]]:
    """Records of sealed runs and of runs in progress. After a branch switch git leaves heavy files behind in folders without
    a manifest: there it is missing only if the log of this work tree speaks of the run.
    """
    logged = seals(Journal(Project(root)).entries())
    for run in root.glob("results/*/runs/*"):
        names = [name for name in _RECORDS if os.path.lexists(run / name)]
        if MANIFEST not in names and (run.parent.parent.name, run.name) in logged:
            names.append(MANIFEST)
        yield from (_read(run / name) for name in names)
    for path in root.glob(".ledger/running/*"):
        if path.suffix == ".json" and path.is_file():
            yield _read(path)
        elif path.is_dir():
            yield from (_read(path / name) for name in _RECORDS if (path / name).is_file())


def _read(path: Path) -> tuple[str, bytes]:
    try:
        return path.as_posix(), path.read_bytes()
    except OSError as error:
        raise _unknown(f"cannot be read ({error.strerror})", path) from error


def _work_trees(project: Project) -> Iterator[Path]:
    """The other work trees of the repository that are on this machine."""
    listed = _ask(project, "worktree", "list", "--porcelain") or b""
    for line in listed.split(b"\n"):
        if line.startswith(b"worktree "):
            tree = Path(line.removeprefix(b"worktree ").decode("utf-8", "surrogateescape"))
            if tree.is_dir():
                yield tree


def _history(project: Project, trees: list[Path]) -> Iterator[tuple[str, bytes]]:
    """Every version of a record that a ref, a stash, a reflog or an index holds. By path, commit for commit: a list of
    objects would name each blob by one of its paths only.
    """
    versions: dict[str, str] = {}  # blob -> a path of it
    commits = _must(project, "rev-list", "--all", "--reflog")
    fields = iter(_must(project, *_CHANGES, "--diff-filter=d", "--", *_SPEC, said=commits).split(b"\0"))
    for about in fields:
        if about:
            versions.setdefault(about.split(b" ")[3].decode(), next(fields).decode("utf-8", "surrogateescape"))
    for tree in trees:
        done = git.ask(tree, "ls-files", "-s", "-z", "--", *_SPEC)
        if done.returncode:
            raise _unknown(git.complaint(done), tree)
        for row in done.stdout.split(b"\0")[:-1]:
            about, _, path = row.partition(b"\t")
            versions.setdefault(about.split(b" ")[1].decode(), path.decode("utf-8", "surrogateescape"))
    yield from _blobs(project, versions)


def _blobs(project: Project, versions: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    asked = "".join(f"{version}\n" for version in versions).encode()
    rest = memoryview(_must(project, "cat-file", "--batch", said=asked)) if versions else memoryview(b"")
    for version, path in versions.items():
        header, _, _ = bytes(rest[:200]).partition(b"\n")
        words = header.split(b" ")
        if len(words) != 3:
            raise _unknown(f"git lacks the version {version[:12]}", path)
        start, size = len(header) + 1, int(words[2])
        yield path, bytes(rest[start : start + size])
        rest = rest[start + size + 1 :]


def _ask(project: Project, *args: str) -> bytes | None:
    """What git says; None when it says no, is not installed, or there is no repository."""
    try:
        done = git.ask(project.root, *args)
    except FileNotFoundError:
        return None
    return None if done.returncode else done.stdout


def _must(project: Project, *args: str, said: bytes = b"") -> bytes:
    done = git.ask(project.root, *args, said=said)
    if done.returncode:
        raise _unknown(git.complaint(done), project.root)
    return done.stdout


def _unknown(problem: str, where: object) -> IntegrityError:
    fix = "`ledger fsck` says more; nothing was removed"
    return IntegrityError(f"{problem}, so nobody knows which objects it needs", where=where, fix=fix)
