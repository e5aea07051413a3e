"""Digests of files that are read again and again, kept so that an unchanged file is read once.

Like git's index: a file whose size, inode and times (of its content and of its record) are as they were has the
content that it had. That holds only if it was not written at the moment that it was read, within what its clock can
tell: such a file is read again. Kept in the user's cache; may be deleted at any time, and whatever is wrong with it
costs nothing but reading.
"""

from __future__ import annotations

import contextlib
import os
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from ledger.canon import handle_digest

if TYPE_CHECKING:
    import sqlite3

# ns; the coarsest clock of a file system in use (FAT) ticks every two seconds
RACY = 2_000_000_000
_MOST = 2_000_000  # files; beyond it the cache begins anew
_VERSION = 1
_TABLE = """create table if not exists files(
  file text primary key, size int, mtime int, ctime int, sha256 text, checked int) without rowid"""


class Digests:
    """The digests kept in one cache folder; use it as a context manager, leaving the block keeps what was read.

    `changed` lists files that were written while they were read, so that their digest is of no moment in time.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.path = folder / f"digests-{_VERSION}.sqlite" if folder else None
        self.changed: list[str] = []
        self.read = 0  # files
        self._db: sqlite3.Connection | None = None
        self._new: dict[str, tuple[int, int, int, str]] = {}

    def __enter__(self) -> Digests:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def of(self, path: str | os.PathLike[str]) -> str:
        """SHA-256 of a regular file, as hex.

        Raises:
            OSError: it cannot be read.
        """
        known = self._known(os.stat(path)) if self.path else None  # noqa: PTH116 (called for every file of the data)
        if known:
            return known
        before_reading = time.time_ns()
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        try:
            before = os.fstat(handle)
            sha256, size = handle_digest(handle, before.st_size)
            after = os.fstat(handle)
        finally:
            os.close(handle)
        self.read += 1
        if _state(before) != _state(after) or size != after.st_size:
            self.changed.append(os.fspath(path))
        elif max(after.st_mtime_ns, after.st_ctime_ns) + RACY < before_reading:
            self._new[_name(after)] = (*_state(after), sha256)
        return sha256

    def close(self) -> None:
        """Keep what was read; what cannot be kept is read again next time."""
        import sqlite3

        with contextlib.suppress(sqlite3.Error, OSError, OverflowError):
            if self._new and (db := self._open()):
                rows = [(name, *state, _check(name, state)) for name, state in self._new.items()]
                with db:
                    if db.execute("select count(*) from files").fetchone()[0] > _MOST:
                        db.execute("delete from files")
                    db.executemany("insert or replace into files values(?,?,?,?,?,?)", rows)
        self._new = {}
        if self._db is not None:
            self._db.close()
            self._db = None

    def _known(self, stat: os.stat_result) -> str | None:
        name = _name(stat)
        if name in self._new:
            state: tuple[int, int, int, str] | None = self._new[name]
        else:
            state = self._kept(name)
        return state[3] if state and state[:3] == _state(stat) else None

    def _kept(self, name: str) -> tuple[int, int, int, str] | None:
        import sqlite3

        try:
            db = self._open()
            row = (
                db.execute("select size, mtime, ctime, sha256, checked from files where file=?", (name,)).fetchone()
                if db
                else None
            )
        except (sqlite3.Error, OSError, OverflowError):
            self._give_up()
            return None
        return row[:4] if row and row[4] == _check(name, row[:4]) else None

    def _open(self) -> sqlite3.Connection | None:
        if self._db is None and self.path:
            import sqlite3

            self.path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._db = _connect(self.path)
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):  # locked, full, not to be written
                    raise
                self.path.unlink()  # no database at all
                self._db = _connect(self.path)
        return self._db

    def _give_up(self) -> None:
        """Read everything, from here on: once is enough to be told that the cache cannot be used."""
        import sqlite3

        if self._db is not None:
            with contextlib.suppress(sqlite3.Error):
                self._db.close()
        self._db = self.path = None


def _connect(path: Path) -> sqlite3.Connection:
    import sqlite3

    db = sqlite3.connect(path, timeout=2)
    try:
        db.execute("pragma synchronous=off")  # losing it costs reading
        db.execute(_TABLE)
    except BaseException:
        db.close()
        raise
    return db


def _name(stat: os.stat_result) -> str:
    return f"{stat.st_dev}:{stat.st_ino}"


def _state(stat: os.stat_result) -> tuple[int, int, int]:
    return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


def _check(name: str, state: tuple[int, int, int, str]) -> int:
    """A flipped bit of the cache must not become a digest in a birth certificate."""
    return zlib.crc32(f"{name} {state}".encode())
