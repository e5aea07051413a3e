"""The output of a command: copied to the terminal and into the run's log as it comes, whatever can or cannot be written."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ledger.seal.gaps import Gap
from ledger.store.space import is_full

_CHUNK = 64 * 1024
_QUIET = 0.5  # seconds without output after which it is asked whether the command still runs
_DRAIN = 5.0  # seconds; more than a pipe can hold is of others, once the command has ended
_ROOM = 64 * 1024  # bytes of the log that a full disk gets back: what sealing the run takes


def tee(child: subprocess.Popen[bytes], log: Path, echo: BinaryIO) -> Gap | None:
    """Copy the command's output to the terminal and into the run, and read on when neither can be written: a training
    must not end because its output cannot be kept. Returns what is missing from the log.
    """
    watched = True
    with _Log(log) as kept:
        for chunk in _output(child):
            kept.write(chunk)
            try:
                if watched:
                    echo.write(chunk)
                    echo.flush()
            except OSError:  # whoever watched has left, or the terminal is gone
                watched = False
    return kept.gap()


class _Log:
    """The log of a run. Once the disk has refused it nothing more is written, and lines are only counted."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._refused: OSError | None = None
        self._ends_whole = True
        self._lines = self._kept = self._bytes = 0

    def __enter__(self) -> _Log:
        try:
            # appending: a script that writes the same file overwrites nothing of ours, nor we of its
            self._file = self._path.open("a+b", buffering=0)
        except OSError as error:
            self._refuse(error)
        return self

    def __exit__(self, *_: object) -> None:
        if self._file:
            self._file.close()

    def write(self, chunk: bytes) -> None:
        """Take in what the command wrote. Never raises."""
        self._lines += chunk.count(b"\n")
        self._ends_whole = chunk.endswith(b"\n")
        rest = memoryview(chunk)
        try:
            while rest and self._file and not self._refused:
                written = self._file.write(rest) or 0
                self._kept += bytes(rest[:written]).count(b"\n")
                self._bytes += written
                rest = rest[written:]
        except OSError as error:
            self._refuse(error)
            if is_full(error):
                with contextlib.suppress(OSError):
                    self._make_room()

    def gap(self) -> Gap | None:
        """How much of the output is not in the log, and why."""
        if self._refused is None or (total := self._lines + (not self._ends_whole)) == self._kept:
            return None
        why = self._refused.strerror or str(self._refused)
        message = f"{self._path.name} is incomplete: {self._kept:,} of {total:,} lines of output were kept ({why})"
        return Gap("log-incomplete", message, "free some space before the next run; the run itself was not touched")

    def _refuse(self, error: OSError) -> None:
        self._refused = error
        with contextlib.suppress(OSError):
            sys.stderr.write(f"ledger: from here on output is not kept in {self._path.name}: {error.strerror}\n")

    def _make_room(self) -> None:
        """Give back the end of what was written, whole lines of it, so that the run can still be sealed; not where the
        script writes the same file.
        """
        file = self._file
        if file is None or os.fstat(file.fileno()).st_size != self._bytes:
            return
        start = self._bytes - min(_ROOM, self._bytes // 2)
        file.seek(start)
        end = file.read(self._bytes - start)
        first = end.find(b"\n") + 1  # 0 without a line end: all of it is the beginning of one line
        file.truncate(start + first)
        self._kept -= end.count(b"\n", first)


def _output(child: subprocess.Popen[bytes]) -> Iterator[bytes]:
    """What the command writes, until it has ended; a process that it left in the background may hold its output open
    for ever.
    """
    assert child.stdout is not None
    handle = child.stdout.fileno()
    deadline = None
    while deadline is None or time.monotonic() < deadline:
        if os.name == "posix" and not select.select([handle], [], [], _QUIET)[0]:
            if child.poll() is not None:
                return
            continue
        chunk = os.read(handle, _CHUNK)
        if not chunk:
            return
        yield chunk
        if deadline is None and child.poll() is not None:
            deadline = time.monotonic() + _DRAIN
