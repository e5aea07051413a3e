"""A lock among the processes of one clone on one host. There is none across hosts, by design."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from ledger.errors import StoreError
from ledger.store import atomic

_PATIENCE = 60  # seconds; an append takes milliseconds, so a minute means that somebody hangs


@contextlib.contextmanager
def exclusive(folder: Path, name: str) -> Iterator[None]:
    """Hold the lock `name` of `folder`.

    Raises:
        StoreError: the folder cannot be written, or another process held the lock for a minute.

    """
    from filelock import FileLock, Timeout

    with atomic.explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / f"{name}.lock", timeout=_PATIENCE)
    try:
        with atomic.explained(folder):
            lock.acquire()
    except Timeout as error:
        raise StoreError(
            f"another process has held this lock for {_PATIENCE} s", where=lock.lock_file, fix="end it and retry"
        ) from error
    try:
        yield
    finally:
        lock.release()
