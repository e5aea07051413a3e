"""The database of the index: opened, brought up to date, asked.

What reads the log (`update`) is imported only when the log has changed: a question costs little more than SQLite.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from ledger.errors import LedgerError, StoreError
from ledger.project import Project

VERSION = 4

_SCHEMA = """
create table segments(id text primary key, size int, length int, inode int, mtime int, root text, problem text);
create table runs(
  id integer primary key, segment text, exp_id text, run_id text, address text, status text, created text,
  seed, provenance text, grouped text, unique(exp_id, run_id));
create table metrics(key text, value real, run int, split text, dataset text, n int, shown text);
create table config(run int, key text, value real, shown text, primary key(run, key)) without rowid;
create table starts(segment text, exp_id text, run_id text, time text);
create table absent(segment text, entry text);
create index metrics_by_value on metrics(key, value, run);
create index metrics_of_run on metrics(run, key);
create index runs_of_segment on runs(segment);
create index runs_by_time on runs(created, run_id);
create index runs_unfinished on runs(exp_id) where status<>'finished';
"""


_PATIENCE = 2.0  # seconds; reading the log anew takes no longer, and who holds the lock may hang
_LOCKED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_NO_LOCKS = frozenset({sqlite3.SQLITE_IOERR_LOCK, sqlite3.SQLITE_IOERR_RDLOCK, sqlite3.SQLITE_IOERR_UNLOCK})


class Index:
    """The index of one project, opened and brought up to date.

    `alone` means that the file is locked (by a process that hangs, or a network mount that knows no locks), and that the
    log was read into memory instead.
    """

    def __init__(self, project: Project) -> None:
        """Open the index and read what the log added since.

        Raises:
            StoreError: the cache folder cannot be written, or its disk fails.
        """
        self.project = project
        self.path = project.cache / f"index-{VERSION}.sqlite"
        self.alone = False
        self._db: sqlite3.Connection | None = None
        try:
            self._begin()
        except (sqlite3.DatabaseError, LedgerError) as error:
            self._begin_anew(error)

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows that answer a question. Raises StoreError as `distinct`."""
        return self._asked(lambda: self.db.execute(sql, values).fetchall())

    def distinct(self, sql: str, values: Sequence[Any], most: int | None) -> list[tuple[Any, ...]]:
        """The first row of each first value, at most so many; no more is read than they need.

        Raises:
            StoreError: the cache cannot be read. A database that turns out to be damaged is made anew first.
        """

        def ask() -> list[tuple[Any, ...]]:
            found: dict[Any, tuple[Any, ...]] = {}
            for row in self.db.execute(sql, values):
                found.setdefault(row[0], row)
                if len(found) == most:
                    break
            return list(found.values())

        return self._asked(ask)

    def _asked(self, ask: Callable[[], list[tuple[Any, ...]]]) -> list[tuple[Any, ...]]:
        try:
            return ask()
        except sqlite3.DatabaseError as error:
            self._begin_anew(error)
        try:
            return ask()
        except sqlite3.DatabaseError as error:
            raise self._refused(error) from error

    def unsealed(self, exp_id: str | None = None) -> list[tuple[str, str]]:
        """(exp_id, run_id) of starts that the log knows and that never became a run."""
        sql = (
            "select s.exp_id, s.run_id from starts s where (?1 is null or s.exp_id=?1) and not exists"
            "(select 1 from runs r where r.exp_id=s.exp_id and r.run_id=s.run_id) order by s.time"
        )
        return [(exp, run) for exp, run in self.rows(sql, (exp_id,))]

    def unfinished(self, exp_id: str | None = None) -> int:
        """How many sealed runs failed, were killed or abandoned."""
        only, values = ("and exp_id=?", (exp_id,)) if exp_id else ("", ())
        return int(self.rows(f"select count(*) from runs where status<>'finished' {only}", values)[0][0])

    @property
    def db(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = self._open()
        return self._db

    def _begin(self) -> None:
        """Take in what is new in the log. Raises sqlite3.DatabaseError, and StoreError when the disk refuses."""
        known = {row[0]: row[1:] for row in self.db.execute("select id, length, inode, mtime from segments")}
        if known != _on_disk(self.project) or self.db.execute("select 1 from absent limit 1").fetchone():
            from ledger.store.index.update import update

            update(self.db, self.project)

    def _begin_anew(self, cause: Exception) -> None:
        """Go around a database that is locked, drop one that is damaged or was left in the middle: it holds nothing of its
        own.
        """
        with contextlib.suppress(sqlite3.Error):
            self.close()
        self.alone = self.alone or _is_locked(cause)
        try:
            if self.alone:
                return self._begin()
            for suffix in ("", "-wal", "-shm"):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(f"{self.path}{suffix}")  # noqa: PTH108 (a name beside the path)
            return self._begin()
        except (sqlite3.DatabaseError, OSError) as error:
            if not self.alone and _is_locked(error):
                return self._begin_anew(error)
            raise self._refused(error) from error

    def _open(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            place = ":memory:" if self.alone else self.path
            db = sqlite3.connect(place, timeout=_PATIENCE, isolation_level=None)
        except (OSError, sqlite3.OperationalError) as error:
            raise self._refused(error) from error
        db.execute("pragma journal_mode=wal")
        db.execute("pragma synchronous=off")  # losing it costs a rebuild
        if db.execute("pragma user_version").fetchone()[0] != VERSION:
            with transaction(db):
                if db.execute("pragma user_version").fetchone()[0] != VERSION:
                    for statement in _SCHEMA.split(";"):
                        db.execute(statement)
                    db.execute(f"pragma user_version={VERSION}")
        return db

    def _refused(self, error: Exception) -> StoreError:
        fix = "free space there, or set XDG_CACHE_HOME to a folder that you can write"
        return StoreError(f"the index cannot be kept there ({error})", where=self.path, fix=fix)


def _is_locked(error: Exception) -> bool:
    code = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF in _LOCKED or code in _NO_LOCKS


def _on_disk(project: Project) -> dict[str, tuple[int, int, int]]:
    """Length, inode and time of each segment's file."""
    found = {}
    with contextlib.suppress(FileNotFoundError), os.scandir(project.log) as entries:
        for entry in entries:
            if entry.name.endswith(".jsonl"):
                stat = entry.stat()
                found[entry.name.removesuffix(".jsonl")] = (stat.st_size, stat.st_ino, stat.st_mtime_ns)
    return found


class transaction:  # noqa: N801 (used as a word: `with transaction(db)`)
    """begin immediate ... commit, or roll back."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def __enter__(self) -> None:
        self.db.execute("begin immediate")

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.db.execute("rollback" if kind else "commit")
