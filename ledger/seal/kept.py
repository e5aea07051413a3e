"""What git does not hold of the surroundings of a run, stored as objects so that the code can be rebuilt."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ledger.project import Project
from ledger.seal import provenance
from ledger.store import atomic
from ledger.store.objects import ObjectStore

LARGEST_SOURCE = 10 * 1024 * 1024  # bytes; an untracked file beyond it is data that nobody ignored, and is not stored


@dataclass(frozen=True)
class Kept:
    """What was stored of the surroundings: untracked sources (path, digest), and the package list's object; `large` were
    not stored.
    """

    untracked: tuple[dict[str, str], ...]
    large: tuple[str, ...]
    packages: str


def keep(project: Project, around: provenance.Surroundings) -> Kept:
    """Store what git does not hold of the source tree, so that the code can be rebuilt, and the package list."""
    objects = ObjectStore(project.objects)
    source = around.source
    if source.diff:
        objects.put_bytes(source.diff)
    untracked, large = [], []
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
            untracked.append({"path": name, "sha256": objects.put_bytes(data)})
    return Kept(
        tuple(untracked), tuple(large), objects.put_bytes("".join(f"{name}\n" for name in around.packages).encode())
    )
