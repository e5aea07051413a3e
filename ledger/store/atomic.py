"""The one way a file or folder of ours comes into being: written beside its place, fsynced, renamed, parent fsynced.

Every write of the product goes through here, so the fault tests that fail each step cover all of them.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ledger.errors import StoreError

TEMPORARY = ".tmp-"  # prefix of files that a crash may leave behind; `fsck` names them


def write_bytes(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Put `data` at `path`, whole or not at all; it survives a power cut once this returned.

    Raises:
        StoreError: the disk refused (permission, space, a folder in the way); the old file is untouched.

    """
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.parent / f"{TEMPORARY}{path.name}-{os.urandom(4).hex()}"
        try:
            with temporary.open("xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            if mode is not None:
                temporary.chmod(mode)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        fsync_folder(path.parent)


def write_if_changed(path: Path, data: bytes) -> bool:
    """`write_bytes`, unless the file already holds exactly `data`; says whether it wrote."""
    with contextlib.suppress(OSError):
        if path.read_bytes() == data:
            return False
    write_bytes(path, data)
    return True


def publish(staging: Path, target: Path) -> None:
    """Make the folder `staging` appear as `target` in one step, its content already durable.

    Raises:
        StoreError: the disk refused, or `target` is there already; `staging` is still whole then.

    """
    with explained(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            raise StoreError("is there already and is never overwritten", where=target)
        staging.rename(target)
        fsync_folder(target.parent)
        fsync_folder(staging.parent)


def fsync_tree(root: Path, files: Iterable[str]) -> None:
    """Make the named files under `root`, and every folder on their way, durable."""
    folders = {root}
    for name in files:
        path = root / name
        with path.open("rb") as stream:
            os.fsync(stream.fileno())
        folders.update(parent for parent in path.parents if parent.is_relative_to(root))
    for folder in sorted(folders, reverse=True):
        fsync_folder(folder)


def fsync_folder(folder: Path) -> None:
    """Make the names in a folder durable; a no-op where folders cannot be opened (Windows)."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:
            raise
    finally:
        os.close(handle)


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn an OSError on the way to `path` into one line that says what to do."""
    try:
        yield
    except OSError as error:
        advice = {
            errno.ENOSPC: "free some space and try again; nothing was lost",
            errno.EDQUOT: "your quota is used up; free some space and try again",
            errno.EACCES: "make the folder writable for you",
            errno.EPERM: "make the folder writable for you",
            errno.EROFS: "the file system is mounted read-only",
        }.get(error.errno or 0)
        raise StoreError(
            f"cannot be written ({error.strerror or error})", where=error.filename or path, fix=advice
        ) from error
