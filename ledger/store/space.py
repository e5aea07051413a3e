"""A full disk in words: which one it is, what was asked of it, what it has left."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from ledger.errors import StoreError

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


def is_full(error: BaseException | None) -> bool:
    """Whether a failure means that the disk, or the user's share of it, is full."""
    cause = error.__cause__ if isinstance(error, StoreError) else error
    return isinstance(cause, OSError) and cause.errno in FULL


def lack(path: str | os.PathLike[str], needs: int | None = None) -> str:
    """`4,000,000 bytes are needed, 1,990,656 are free on /mnt/data` of the disk on which `path` lies or would lie."""
    folder = Path(os.path.abspath(path))  # noqa: PTH100 (what is asked for may be a link that leads in a circle)
    while not folder.is_dir():
        folder = folder.parent
    disk = _mounted_at(folder)
    if not _inodes(folder):
        return f"no file can be made on {disk}, for all its inodes are used"
    free = shutil.disk_usage(folder).free
    return (
        f"{f'{needs:,} bytes are needed, ' if needs else ''}{free:,} {'are' if needs else 'bytes are'} free on {disk}"
    )


def _inodes(folder: Path) -> bool:
    """Whether another file can be made, as far as the file system counts them."""
    if not hasattr(os, "statvfs"):
        return True
    state = os.statvfs(folder)
    return state.f_files == 0 or state.f_favail > 0


def _mounted_at(folder: Path) -> Path:
    """The uppermost folder of the same disk."""
    folder = folder.resolve()
    device = folder.stat().st_dev
    for parent in folder.parents:
        if parent.stat().st_dev != device:
            break
        folder = parent
    return folder
