"""A lock among the processes of one clone on one host. There is none across hosts, by design."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ledger.errors import StoreError
from ledger.store import atomic

_NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP}
_PATIENCE = 60  # seconds; an append takes milliseconds, so a minute means that somebody hangs
_POLL = 0.001  # seconds between two tries; an append that is waited for takes little longer

Release = Callable[[], object]


@contextlib.contextmanager
def exclusive(folder: Path, name: str) -> Iterator[None]:
    """Hold the lock `name` of `folder`.

    Raises:
        StoreError: the folder cannot be written, or another process held the lock for a minute.

    """
    with atomic.explained(folder):
        atomic.make_folder(folder)
        release = _acquired(folder / name)
    try:
        yield
    finally:
        release()


def _acquired(path: Path) -> Release:
    """The lock of the kernel; where the file system knows none (Lustre and NFS, as they may be mounted), a file that
    exists while it is held.
    """
    try:
        import fcntl  # noqa: F401
    except ImportError:  # Windows
        return _by_library("FileLock", f"{path}.lock")
    try:
        return _by_kernel(f"{path}.lock")
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
    return _by_library("SoftFileLock", f"{path}.held")


def _by_kernel(place: str) -> Release:
    """flock(2) itself: importing the library costs more than all that is done under the lock."""
    import fcntl

    patient_until = time.monotonic() + _PATIENCE
    while True:
        handle = os.open(place, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(handle).st_nlink:  # else it was deleted since it was opened, and guards nothing
                return lambda: os.close(handle)
        except BlockingIOError:
            if time.monotonic() > patient_until:
                os.close(handle)
                raise _hangs(place) from None
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        time.sleep(_POLL)


def _by_library(kind: str, place: str) -> Release:
    import filelock

    lock: filelock.BaseFileLock = getattr(filelock, kind)(place, timeout=_PATIENCE, poll_interval=_POLL)
    try:
        lock.acquire()
    except filelock.Timeout as error:
        raise _hangs(place) from error
    return lock.release


def _hangs(place: str) -> StoreError:
    fix = "end it and retry; when there is none any more, delete this file"
    return StoreError(f"another process has held this lock for {_PATIENCE} s", where=place, fix=fix)
