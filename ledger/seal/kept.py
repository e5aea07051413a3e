"""What git does not hold of the surroundings of a run, stored as objects so that the code can be rebuilt."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from ledger.errors import StoreError
from ledger.project import Project
from ledger.seal import gaps, provenance
from ledger.store import atomic, space
from ledger.store.objects import ObjectStore

LARGEST_SOURCE = 10 * 1024 * 1024  # bytes; an untracked file beyond it is data that nobody ignored, and is not stored


@dataclass(frozen=True)
class Kept:
    """What was stored of the surroundings: untracked sources (path, digest), and the package list's object; `large` were
    not stored, nor were those of `gap`, for which there was no room.
    """

    untracked: tuple[dict[str, str], ...]
    large: tuple[str, ...]
    packages: str
    gap: gaps.Gap | None = None


def keep(project: Project, around: provenance.Surroundings) -> Kept:
    """Store what git does not hold of the source tree, so that the code can be rebuilt, and the package list. Untracked
    files that are too large, or for which the disk has no room, are named instead.

    Raises:
        StoreError: the disk refused.
    """
    objects = ObjectStore(project.objects)
    packages = objects.put_bytes("".join(f"{name}\n" for name in around.packages).encode())
    source = around.source
    if source.diff:
        objects.put_bytes(source.diff)
    untracked: list[dict[str, str]] = []
    large: list[str] = []
    crowded: list[tuple[str, int]] = []  # what did not fit, and its size
    for name in source.untracked:
        file = project.root / name
        if file.is_symlink() or not file.is_file():
            continue
        with atomic.explained(file):
            with file.open("rb") as stream:
                size = os.fstat(stream.fileno()).st_size
                if size > LARGEST_SOURCE:
                    large.append(name)
                    continue
                data = stream.read(size)  # and no more, of a log that somebody still writes
            try:
                untracked.append({"path": name, "sha256": objects.put_bytes(data)})
            except StoreError as error:
                if not space.is_full(error):
                    raise
                crowded.append((name, size))
    return Kept(tuple(untracked), tuple(large), packages, _no_room(project, crowded))


def _no_room(project: Project, crowded: Sequence[tuple[str, int]]) -> gaps.Gap | None:
    """What is said of sources that the disk had no room for."""
    if not crowded:
        return None
    names = ", ".join(name for name, _ in crowded[:3]) + (", ..." if len(crowded) > 3 else "")
    lack = space.lack(project.objects, sum(size for _, size in crowded))
    many = "files are" if len(crowded) > 1 else "file is"
    message = f"{len(crowded)} untracked {many} not stored ({names}): the disk is full, {lack}"
    fix = "free some space, or add data to .gitignore; commit sources before you train"
    return gaps.Gap("code-not-stored", message, fix)
