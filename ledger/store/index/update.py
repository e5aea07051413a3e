"""Keep the index in step with the log: only entries that were added since are read.

A segment is taken on where it was left off if its bytes so far are still the ones that were indexed (their Merkle
root says so); an offset alone would lie after a checkout. Anything else drops that segment's rows and reads it anew.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ledger.canon import parse, read_record
from ledger.errors import LedgerError, NewerVersionError
from ledger.log.merkle import Peaks, leaf_hash
from ledger.log.segment import SCHEMA, malformed
from ledger.model.number import finite_number, whole_number
from ledger.model.run import PROVENANCE_SCHEMA, RESULTS_SCHEMA
from ledger.model.version import newer, refuse_newer
from ledger.project import Project
from ledger.store.config import flatten, read_config
from ledger.store.index.database import transaction
from ledger.store.runs import CONFIG, PROVENANCE, RESULTS, is_certificate


def update(db: sqlite3.Connection, project: Project) -> None:
    """Take in what the log says now.

    Raises:
        OSError: a segment cannot be read.
        LedgerError: a line of it is none.
    """
    with transaction(db):
        known = {row[0]: row[1:] for row in db.execute("select id, size, length, inode, mtime, root from segments")}
        files = {path.stem: path for path in project.log.glob("*.jsonl")}
        for name in known.keys() - files.keys():
            _drop(db, name)
        for name, path in sorted(files.items()):
            stat = path.stat()
            if name not in known or known[name][1:4] != (stat.st_size, stat.st_ino, stat.st_mtime_ns):
                _read(db, project, path, known.get(name))
        _retry_absent(db, project)


def _drop(db: sqlite3.Connection, segment: str) -> None:
    for table in ("metrics", "config"):
        db.execute(f"delete from {table} where run in (select id from runs where segment=?)", (segment,))
    for table, column in (("runs", "segment"), ("starts", "segment"), ("absent", "segment"), ("segments", "id")):
        db.execute(f"delete from {table} where {column}=?", (segment,))


def _read(db: sqlite3.Connection, project: Project, path: Path, known: Any) -> None:
    """Take on a segment where it was left, or from its beginning when its past is another one now."""
    stat = path.stat()  # before the bytes: what is appended in between is seen again next time
    data = read_record(path)
    whole = data[: data.rfind(b"\n") + 1]
    size, length, root = (known[0], known[1], known[4]) if known else (0, 0, "")
    peaks, start = Peaks(), 0
    if known and length <= len(whole):
        for line in whole[:length].split(b"\n")[:-1]:
            peaks = peaks.append(leaf_hash(line))
        start = length if peaks.size == size and peaks.root().hex() == root else 0
    if not start:
        _drop(db, path.stem)
        peaks = Peaks()
    problem = None
    for line in whole[start:].split(b"\n")[:-1]:
        peaks = peaks.append(leaf_hash(line))
        body = parse(line, path.name)
        if problem := _newer(body, project.shown(path)):
            peaks, whole = Peaks(), b""  # nothing of it is taken in
            break
        if not malformed(body):  # what is, fsck says
            _take(db, project, path.stem, body)
    length = stat.st_size if problem else len(whole)
    row = (path.stem, peaks.size, length, stat.st_ino, stat.st_mtime_ns, peaks.root().hex(), problem)
    db.execute("insert or replace into segments values(?,?,?,?,?,?,?)", row)


def _newer(body: Any, shown: str) -> str | None:
    """What there is to say of a segment that a newer version of this tool opened; None of any other entry."""
    if isinstance(body, dict) and body.get("type") == "open":
        try:
            refuse_newer(body, SCHEMA, shown)
        except NewerVersionError as error:
            return str(error)
    return None


def _take(db: sqlite3.Connection, project: Project, segment: str, body: Any) -> None:
    kind = body.get("type")
    if kind == "start":
        db.execute("insert into starts values(?,?,?,?)", (segment, body["exp_id"], body["run_id"], body["time"]))
    elif kind == "seal" and not _take_run(db, project, segment, body):
        db.execute("insert into absent values(?,?)", (segment, json.dumps(body)))


def _retry_absent(db: sqlite3.Connection, project: Project) -> None:
    """A run may come later than its log entry: a checkout writes one file after the other."""
    for rowid, segment, entry in db.execute("select rowid, segment, entry from absent").fetchall():
        if _take_run(db, project, segment, json.loads(entry)):
            db.execute("delete from absent where rowid=?", (rowid,))


def _take_run(db: sqlite3.Connection, project: Project, segment: str, body: Any) -> bool:
    """Take in one sealed run with its metrics and config; False when it is not here, or cannot be read."""
    folder = project.results / body["exp_id"] / "runs" / body["run_id"]
    try:
        provenance = json.loads(read_record(folder / PROVENANCE))
    except (OSError, ValueError, RecursionError):
        return False
    if not isinstance(provenance, dict) or newer(provenance, PROVENANCE_SCHEMA) or not is_certificate(provenance):
        return False
    results = _results(folder)
    if newer(results, RESULTS_SCHEMA):
        return False
    about = (
        segment, body["exp_id"], body["run_id"], body["address"], body["status"], _text(provenance.get("created")),
        _seed(provenance.get("hash_inputs", {}).get("seed", {}).get("value")),
        _text(provenance.get("provenance_hash")), _text(provenance.get("group_hash")),
    )  # fmt: skip
    columns = "segment, exp_id, run_id, address, status, created, seed, provenance, grouped"
    run = db.execute(f"insert or replace into runs({columns}) values(?,?,?,?,?,?,?,?,?)", about).lastrowid
    db.executemany("insert into metrics values(?,?,?,?,?,?,?)", _metrics(results, run))
    db.executemany("insert or replace into config values(?,?,?,?)", _config(folder, run))
    return True


def _config(folder: Path, run: int | None) -> Iterator[tuple[Any, ...]]:
    """Each key with its number, where its value is one or is written as one (YAML 1.1 takes 3e-4 for a text)."""
    try:
        config = read_config(folder / CONFIG)
    except LedgerError:  # fsck says what is wrong with it
        return
    for key, value in flatten(config):
        number = finite_number(value)
        if isinstance(value, str):
            try:
                number = finite_number(float(value))
            except ValueError:
                number = None
        yield run, _text(key), number, _text(value if isinstance(value, str) else json.dumps(value, default=str))


def _results(folder: Path) -> dict[str, Any]:
    """What results.json holds; nothing when it cannot be read, which fsck says."""
    try:
        results = json.loads(read_record(folder / RESULTS))
    except (OSError, ValueError, RecursionError):
        return {}
    return results if isinstance(results, dict) else {}


def _metrics(results: dict[str, Any], run: int | None) -> Iterator[tuple[Any, ...]]:
    rows = results.get("metrics", [])
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


def _seed(value: Any) -> Any:
    if isinstance(value, str):
        return _text(value)
    return finite_number(value) if isinstance(value, float) else _integer(value)


def _text(value: Any) -> str | None:
    """A value as text that the database can hold: half of a surrogate pair is none there."""
    return None if value is None else str(value).encode("utf-8", "backslashreplace").decode()


def _integer(value: Any) -> int | None:
    """An integer that the database can hold, else None."""
    whole = whole_number(value)
    return whole if whole is not None and abs(whole) < 2**63 else None
