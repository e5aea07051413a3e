"""The objects that nothing names: list them, and remove those of the list that still are what they were."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from ledger.project import Project
from ledger.store import atomic
from ledger.store.garbage.marks import mark

GRACE = 14 * 86400  # seconds; as long as git keeps what nothing names

_NAME = re.compile("[0-9a-f]{62}")
_FOLDER = re.compile("[0-9a-f]{2}")


@dataclass(frozen=True, slots=True)
class Garbage:
    """What a look found: objects that may go, and how many are too young to."""

    objects: tuple[Path, ...]
    size: int  # bytes that the file system gets back
    young: int
    grace: float


def look(project: Project, *, grace: float = GRACE, among: Collection[str] | None = None) -> Garbage:
    """Objects that nothing names and that nobody touched for `grace` seconds; `among` looks at these digests only.

    Raises:
        IntegrityError: what is named is not known.
    """
    marked = mark(project)
    objects, size, young = [], 0, 0
    for path in sorted(project.objects.glob("??/*")):
        name = path.parent.name + path.name
        if not (_FOLDER.fullmatch(path.parent.name) and _NAME.fullmatch(path.name)) or name in marked:
            continue
        if among is not None and name not in among:
            continue
        about = path.lstat()
        if not stat.S_ISREG(about.st_mode):
            continue
        if not _is_old(about, grace):
            young += 1
            continue
        objects.append(path)
        size += about.st_size if about.st_nlink == 1 else 0
    return Garbage(tuple(objects), size, young, grace)


def remove(garbage: Garbage) -> Sequence[Path]:
    """Remove the objects of a look; one that was used since stays. Returns what is gone.

    Raises:
        StoreError: the disk refused.
    """
    gone = []
    for path in garbage.objects:
        with atomic.explained(path):
            try:
                if _is_old(path.lstat(), garbage.grace):  # a seal that finds an object touches it
                    path.unlink()
                    gone.append(path)
            except FileNotFoundError:  # another collection was faster
                continue
    for folder in {path.parent for path in gone}:
        atomic.fsync_folder(folder)
    return gone


def _is_old(about: os.stat_result, grace: float) -> bool:
    """Not its mtime alone: that of an object which was moved here is as old as the training wrote it."""
    return time.time() - max(about.st_mtime, about.st_ctime) >= grace
