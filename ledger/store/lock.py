"""A lock among the processes of one clone on one host. There is none across hosts, by design."""

from __future__ import annotations

import contextlib
import errno
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ledger.errors import StoreError
from ledger.store import atomic

if TYPE_CHECKING:
    from filelock import BaseFileLock

_NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP}
_PATIENCE = 60  # seconds; an append takes milliseconds, so a minute means that somebody hangs
_POLL = 0.001  # seconds between two tries; the 50 ms of the library are many times the append that is waited for


@contextlib.contextmanager
def exclusive(folder: Path, name: str) -> Iterator[None]:
    """Hold the lock `name` of `folder`.

    Raises:
        StoreError: the folder cannot be written, or another process held the lock for a minute.

    """
    with atomic.explained(folder):
        atomic.make_folder(folder)
        lock = _acquired(folder / name)
    try:
        yield
    finally:
        lock.release()


def _acquired(path: Path) -> BaseFileLock:
    """The lock of the kernel; where the file system knows none (Lustre and NFS, as they may be mounted), a file that
    exists while it is held.
    """
    from filelock import FileLock, SoftFileLock, Timeout

    try:
        try:
            return _acquire(FileLock(f"{path}.lock", timeout=_PATIENCE, poll_interval=_POLL))
        except NotImplementedError:
            pass
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
        return _acquire(SoftFileLock(f"{path}.held", timeout=_PATIENCE, poll_interval=_POLL))
    except Timeout as error:
        fix = "end it and retry; when there is none any more, delete this file"
        raise StoreError(
            f"another process has held this lock for {_PATIENCE} s", where=error.lock_file, fix=fix
        ) from error


def _acquire(lock: BaseFileLock) -> BaseFileLock:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the library falls back to the second kind by itself
        lock.acquire()
    return lock
