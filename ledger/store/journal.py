"""The log on disk: segments under `.ledger/log/`, appended under a local lock, fsynced line by line.

A segment is continued only by the clone and host that wrote its last line, and only while it still is the very
file of that moment (size, inode). After a checkout, a copy of the folder or a reset a new segment begins, so git
never sees two versions of one segment and merges are unions of files.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ledger.canon import listing, parse, read_record
from ledger.errors import IntegrityError, LedgerError, NewerVersionError, StoreError
from ledger.log.head import log_head
from ledger.log.merkle import Peaks, leaf_hash
from ledger.log.segment import SCHEMA, Entry, Head, Segment, encode, in_order, opening, read
from ledger.project import Project
from ledger.store import atomic
from ledger.store.lock import exclusive

_OPENED = f'"schema":"{SCHEMA}"'.encode()  # in the first line of every segment that this version writes


def now() -> str:
    """The time as every file of ours writes it: UTC, RFC 3339, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def host() -> str:
    """The name of this machine."""
    if hasattr(os, "uname"):
        return os.uname().nodename
    import socket

    return socket.gethostname()


@dataclass(frozen=True, slots=True)
class _Tail:
    """What this clone remembers of the segment it writes; private and untracked."""

    segment: str
    peaks: Peaks
    length: int  # bytes
    inode: int
    host: str
    last: bytes  # the last line, without its newline

    def to_json(self) -> dict[str, Any]:
        return {
            "segment": self.segment,
            "size": self.peaks.size,
            "peaks": [peak.hex() for peak in self.peaks.hashes],
            "length": self.length,
            "inode": self.inode,
            "host": self.host,
            "last": self.last.decode(),
        }

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> _Tail:
        peaks = Peaks(int(raw["size"]), tuple(bytes.fromhex(peak) for peak in raw["peaks"]))
        where = (int(raw["length"]), int(raw["inode"]), str(raw["host"]))
        return cls(str(raw["segment"]), peaks, *where, str(raw["last"]).encode())

    def is_of(self, path: Path) -> bool:
        """Whether the file is the very one that we left, with our last line where it was; more may follow. One that a
        newer version opened, before this clone went back to this one, is not continued.
        """
        start = self.length - len(self.last) - 1
        try:
            with path.open("rb") as stream:
                stat = os.fstat(stream.fileno())
                if self.host != host() or stat.st_ino != self.inode or stat.st_size < self.length:
                    return False
                if _OPENED not in stream.readline():
                    return False
                stream.seek(max(start, 0))
                return start >= 0 and stream.read(len(self.last) + 1) == self.last + b"\n"
        except OSError:
            return False


class Journal:
    """The log of one project."""

    def __init__(self, project: Project) -> None:
        self.folder = project.log
        self.local = project.local

    def append(self, body: Mapping[str, Any]) -> Head:
        """Add one entry (its `time` is set here); durable once this returned. Returns the segment's new head.

        Raises:
            StoreError: the disk refused.
        """
        return self.append_all([body])

    def append_all(self, bodies: Sequence[Mapping[str, Any]]) -> Head:
        """Add entries in one write and one wait for the disk. Raises StoreError, and then adds none of them."""
        with exclusive(self.local, "log"), atomic.explained(self.folder):
            atomic.make_folder(self.folder)
            tail = self._own_tail() or self._open_segment()
            time = now()
            tail = self._write(tail, [encode({**body, "time": time}) for body in bodies])
            with contextlib.suppress(
                StoreError
            ):  # the entries are safe; the next append finds them behind the old tail
                atomic.write_bytes(self._tail_file, listing(tail.to_json()))
            return Head(tail.segment, tail.peaks.size, tail.peaks.root().hex())

    def settle(self) -> bool:
        """Cut off what a crash left of an entry of ours; says whether there was any. Raises StoreError."""
        with exclusive(self.local, "log"), atomic.explained(self.folder):
            tail = self._tail()
            path = self.folder / f"{tail.segment}.jsonl" if tail else None
            before = path.stat().st_size if path and path.exists() else 0
            own = self._own_tail()
            return own is not None and own.length < before

    def segments(self) -> list[Segment]:
        """Every segment, parsed and sorted by id.

        Raises:
            IntegrityError: one is damaged.
            NewerVersionError: a newer version of this tool wrote one.

        """
        return [read(path.stem, self.whole(path)[0]) for path in self.files()]

    def whole(self, path: Path) -> tuple[bytes, bool]:
        """What a segment holds, and whether the beginning of an entry that a crash left there is not in it: only one of
        ours, since we never counted it.

        Raises:
            IntegrityError: it cannot be read.
        """
        try:
            data = read_record(path)
        except OSError as error:
            fix = "restore it from git"
            raise IntegrityError(f"cannot be read ({error.strerror})", where=path, fix=fix) from error
        if not data or data.endswith(b"\n"):
            return data, False
        with contextlib.suppress(StoreError), exclusive(self.local, "log"):  # another process may just be writing it
            data = read_record(path)
        tail = self._tail()
        if data.endswith(b"\n") or tail is None or tail.segment != path.stem or not tail.is_of(path):
            return data, False
        return data[: data.rfind(b"\n") + 1], True

    def files(self) -> list[Path]:
        return sorted(self.folder.glob("*.jsonl"))

    def entries(self) -> Iterator[Entry]:
        """All entries, in the order of their times (entries of one segment keep their order).

        Raises:
            IntegrityError: a segment is damaged.

        """
        yield from in_order(self.segments())

    def head(self) -> str:
        """The log head. Raises IntegrityError as `segments` does."""
        return log_head(segment.head for segment in self.segments())

    def remembered(self) -> Head | None:
        """The head of the segment that this clone wrote last, from private state; None when there is none."""
        tail = self._tail()
        return Head(tail.segment, tail.peaks.size, tail.peaks.root().hex()) if tail else None

    @property
    def _tail_file(self) -> Path:
        return self.local / "segment.json"

    def _tail(self) -> _Tail | None:
        try:
            return _Tail.from_json(parse(self._tail_file.read_bytes(), self._tail_file))
        except (OSError, LedgerError, KeyError, TypeError, ValueError):
            return None

    def _own_tail(self) -> _Tail | None:
        """The remembered tail, if the segment on disk still is exactly what this clone left; a torn line of a
        crash is our own and is cut off.
        """
        tail = self._tail()
        path = self.folder / f"{tail.segment}.jsonl" if tail else self.folder
        if tail is None or not tail.is_of(path):
            return None
        return self._recover(tail, path) if path.stat().st_size > tail.length else tail

    def _recover(self, tail: _Tail, path: Path) -> _Tail | None:
        """After a crash between the line and the private state: whole lines are taken in, a torn one is cut."""
        data = read_record(path)
        rest = data[tail.length :]
        whole = rest[: rest.rfind(b"\n") + 1]
        peaks = tail.peaks
        for line in whole.split(b"\n")[:-1]:
            peaks = peaks.append(leaf_hash(line))
        size = tail.length + len(whole)
        if size < len(data):
            with path.open("rb+") as stream:
                stream.truncate(size)
                os.fsync(stream.fileno())
        try:
            found = read(tail.segment, data[:size])
        except (IntegrityError, NewerVersionError):
            return None
        return (
            _Tail(tail.segment, peaks, size, tail.inode, tail.host, found.last_line) if found.peaks == peaks else None
        )

    def _open_segment(self) -> _Tail:
        segment = os.urandom(8).hex()
        known = []
        for path in self.files():
            with contextlib.suppress(IntegrityError, NewerVersionError):
                known.append(read(path.stem, read_record(path)).head)
        path = self.folder / f"{segment}.jsonl"
        line = encode(opening(segment, known, now()))
        atomic.write_bytes(path, line + b"\n")
        peaks = Peaks().append(leaf_hash(line))
        tail = _Tail(segment, peaks, len(line) + 1, path.stat().st_ino, host(), line)
        # before its first entry: what a crash leaves of that one is known for ours
        atomic.write_bytes(self._tail_file, listing(tail.to_json()))
        return tail

    def _write(self, tail: _Tail, lines: list[bytes]) -> _Tail:
        path = self.folder / f"{tail.segment}.jsonl"
        data = b"".join(line + b"\n" for line in lines)
        handle = os.open(path, os.O_WRONLY | os.O_APPEND)
        try:
            written = os.write(handle, data)
            if written != len(data):
                fix = "free some space and try again"
                raise StoreError("the log entry could not be written whole", where=path, fix=fix)
            atomic.fsync(handle)
        except (OSError, StoreError):
            with contextlib.suppress(OSError):
                os.ftruncate(handle, tail.length)
            raise
        finally:
            os.close(handle)
        peaks = tail.peaks
        for line in lines:
            peaks = peaks.append(leaf_hash(line))
        return _Tail(tail.segment, peaks, tail.length + len(data), tail.inode, tail.host, lines[-1])
