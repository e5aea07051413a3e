"""Keep the index in step with the log: only entries that were added since are read.

A segment is taken on where it was left off if its bytes so far are still the ones that were indexed (their Merkle
root says so); an offset alone would lie after a checkout. Anything else drops that segment's rows and reads it anew.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ledger.canon import parse
from ledger.errors import LedgerError, StoreError
from ledger.log.merkle import Peaks, leaf_hash
from ledger.log.segment import malformed
from ledger.model.number import finite_number, whole_number
from ledger.project import Project
from ledger.store.runs import is_certificate

VERSION = 1

_SCHEMA = """
create table segments(id text primary key, size int, length int, inode int, mtime int, root text);
create table runs(
  id integer primary key, segment text, exp_id text, run_id text, address text, status text, created text,
  seed, provenance text, grouped text, config text, unique(exp_id, run_id));
create table metrics(key text, value real, run int, split text, dataset text, n int, shown text);
create index metrics_by_value on metrics(key, value, run);
create index metrics_of_run on metrics(run);
create index runs_of_segment on runs(segment);
create table starts(segment text, exp_id text, run_id text, time text);
"""


class Index:
    """The index of one project, opened and brought up to date."""

    def __init__(self, project: Project) -> None:
        """Open the index and read what the log added since.

        Raises:
            StoreError: the cache folder cannot be written.
        """
        self.project = project
        self.path = project.cache / f"index-{VERSION}.sqlite"
        try:
            self.db = self._open()
            self._update()
        except StoreError:
            raise
        except (sqlite3.DatabaseError, LedgerError):
            # damaged, or left in the middle: it holds nothing of its own
            self._discard()
            self.db = self._open()
            self._update()

    def close(self) -> None:
        self.db.close()

    def unsealed(self, exp_id: str | None = None) -> list[tuple[str, str]]:
        """(exp_id, run_id) of starts that the log knows and that never became a run."""
        sql = (
            "select s.exp_id, s.run_id from starts s where (?1 is null or s.exp_id=?1) and not exists"
            "(select 1 from runs r where r.exp_id=s.exp_id and r.run_id=s.run_id) order by s.time"
        )
        return self.db.execute(sql, (exp_id,)).fetchall()

    def unfinished(self, exp_id: str | None = None) -> int:
        """How many sealed runs failed, were killed or abandoned."""
        sql = "select count(*) from runs where status<>'finished' and (?1 is null or exp_id=?1)"
        return int(self.db.execute(sql, (exp_id,)).fetchone()[0])

    def _open(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(self.path, timeout=60, isolation_level=None)
        except (OSError, sqlite3.OperationalError) as error:
            raise StoreError(
                f"the index cannot be kept there ({error})",
                where=self.path,
                fix="set XDG_CACHE_HOME to a folder that you can write",
            ) from error
        db.execute("pragma journal_mode=wal")
        db.execute("pragma synchronous=off")  # losing it costs a rebuild
        if db.execute("pragma user_version").fetchone()[0] != VERSION:
            with _transaction(db):
                if db.execute("pragma user_version").fetchone()[0] != VERSION:
                    for statement in _SCHEMA.split(";"):
                        db.execute(statement)
                    db.execute(f"pragma user_version={VERSION}")
        return db

    def _discard(self) -> None:
        with contextlib.suppress(AttributeError, sqlite3.Error):
            self.db.close()
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    def _update(self) -> None:
        known = {
            row[0]: row[1:] for row in self.db.execute("select id, size, length, inode, mtime, root from segments")
        }
        files = {path.stem: path for path in self.project.log.glob("*.jsonl")}
        stats = {name: path.stat() for name, path in files.items()}
        changed = [
            name
            for name, stat in stats.items()
            if name not in known or known[name][1:4] != (stat.st_size, stat.st_ino, stat.st_mtime_ns)
        ]
        gone = known.keys() - files.keys()
        if not changed and not gone:
            return
        with _transaction(self.db):
            for name in gone:
                self._drop(name)
            for name in sorted(changed):
                self._read(name, files[name], known.get(name))

    def _drop(self, segment: str) -> None:
        self.db.execute("delete from metrics where run in (select id from runs where segment=?)", (segment,))
        for table, column in (("runs", "segment"), ("starts", "segment"), ("segments", "id")):
            self.db.execute(f"delete from {table} where {column}=?", (segment,))

    def _read(self, segment: str, path: Path, known: Any) -> None:
        """Take on a segment where it was left, or from its beginning when its past is another one now."""
        data = path.read_bytes()
        stat = path.stat()
        whole = data[: data.rfind(b"\n") + 1]
        size, length, root = (known[0], known[1], known[4]) if known else (0, 0, "")
        peaks = Peaks()
        start = 0
        if known and length <= len(whole):
            for line in whole[:length].split(b"\n")[:-1]:
                peaks = peaks.append(leaf_hash(line))
            start = length if peaks.size == size and peaks.root().hex() == root else 0
        if not start:
            self._drop(segment)
            peaks = Peaks()
        for line in whole[start:].split(b"\n")[:-1]:
            peaks = peaks.append(leaf_hash(line))
            body = parse(line, path.name)
            if not malformed(body):  # what is, fsck says
                self._take(segment, body)
        row = (segment, peaks.size, len(whole), stat.st_ino, stat.st_mtime_ns, peaks.root().hex())
        self.db.execute("insert or replace into segments values(?,?,?,?,?,?)", row)

    def _take(self, segment: str, body: Any) -> None:
        kind = body.get("type")
        if kind == "start":
            self.db.execute(
                "insert into starts values(?,?,?,?)", (segment, body["exp_id"], body["run_id"], body["time"])
            )
        elif kind == "seal":
            self._take_run(segment, body)

    def _take_run(self, segment: str, body: Any) -> None:
        """One sealed run with its metrics; a run that is not here (another branch's) is not in the index either."""
        folder = self.project.results / body["exp_id"] / "runs" / body["run_id"]
        try:
            provenance = json.loads((folder / "provenance.json").read_bytes())
        except (OSError, ValueError, RecursionError):
            return
        if not isinstance(provenance, dict) or not is_certificate(provenance):
            return
        seed = provenance.get("hash_inputs", {}).get("seed", {}).get("value")
        about = (
            segment, body["exp_id"], body["run_id"], body["address"], body["status"], _text(provenance.get("created")),
            _text(seed) if isinstance(seed, str) else finite_number(seed) if isinstance(seed, float) else _integer(seed),
            _text(provenance.get("provenance_hash")), _text(provenance.get("group_hash")), _config(folder),
        )  # fmt: skip
        columns = "segment, exp_id, run_id, address, status, created, seed, provenance, grouped, config"
        run = self.db.execute(f"insert or replace into runs({columns}) values(?,?,?,?,?,?,?,?,?,?)", about).lastrowid
        self.db.executemany("insert into metrics values(?,?,?,?,?,?,?)", _metrics(folder, run))


def _config(folder: Path) -> str:
    path = folder / "config.resolved.yaml"
    if not path.is_file():
        return "{}"
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return json.dumps(yaml.load(path.read_bytes(), Loader=loader), default=str)  # noqa: S506 (both are safe loaders)
    except (
        yaml.YAMLError,
        OSError,
        ValueError,
        RecursionError,
    ):  # ValueError: the 30th of February, an anchor in itself
        return "{}"


def _metrics(folder: Path, run: int | None) -> Iterator[tuple[Any, ...]]:
    try:
        rows = json.loads((folder / "results.json").read_bytes()).get("metrics", [])
    except (OSError, ValueError, AttributeError, RecursionError):
        return
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, dict):
            continue
        value = row.get("value")
        yield (
            _text(row.get("metric")),
            finite_number(value),
            run,
            _text(row.get("split") or ""),
            _text(row.get("dataset") or ""),
            _integer(row.get("n")),
            _text(str(value)),
        )


def _text(value: Any) -> str | None:
    """A value as text that the database can hold: half of a surrogate pair is none there."""
    return None if value is None else str(value).encode("utf-8", "backslashreplace").decode()


def _integer(value: Any) -> int | None:
    """An integer that the database can hold, else None."""
    whole = whole_number(value)
    return whole if whole is not None and abs(whole) < 2**63 else None


class _transaction:  # noqa: N801 (used as a word: `with _transaction(db)`)
    """begin immediate ... commit, or roll back."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def __enter__(self) -> None:
        self.db.execute("begin immediate")

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.db.execute("rollback" if kind else "commit")
