"""Copy a file that is not ours, as it is at one moment: holes stay holes, and what changes meanwhile is refused."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

from ledger.errors import InputError, StoreError

_AT_ONCE = 1 << 30  # bytes for one call of sendfile(2)
_BUFFER = 1 << 20
_NO_SENDFILE = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.ENOTSOCK}


def copy_file(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Copy a regular file into a new one.

    Raises:
        InputError: somebody wrote into it meanwhile.
        StoreError: there is a file of this name already; also where the file system takes two names for one.
        OSError: one of them cannot be read or written.
    """
    with open(source, "rb", buffering=0) as reader:  # noqa: PTH123 (called for thousands of paths kept as text)
        try:
            writer = open(target, "xb", buffering=0)  # noqa: PTH123, SIM115
        except FileExistsError as error:
            fix = "rename one of the two; their names may differ in case or accents only"
            raise StoreError("would take the place of another file of the run", where=source, fix=fix) from error
        with writer:
            before = os.fstat(reader.fileno())
            end = 0
            for start, end in _data(reader.fileno(), before):
                _copy_range(reader.fileno(), writer.fileno(), start, end)
            if end < before.st_size:
                os.ftruncate(writer.fileno(), before.st_size)
            after = os.fstat(reader.fileno())
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        fix = "end the process that writes it and seal again"
        raise InputError("changed while it was copied", where=source, fix=fix)


def _data(handle: int, state: os.stat_result) -> Iterator[tuple[int, int]]:
    """Where a file holds bytes, from and to; what lies between is a hole."""
    if getattr(state, "st_blocks", state.st_size) * 512 >= state.st_size or not hasattr(os, "SEEK_DATA"):
        if state.st_size:
            yield 0, state.st_size
        return
    end = 0
    while end < state.st_size:
        try:
            start = os.lseek(handle, end, os.SEEK_DATA)
            end = min(os.lseek(handle, start, os.SEEK_HOLE), state.st_size)
        except OSError as error:
            if error.errno == errno.ENXIO:  # no more data
                return
            yield end, state.st_size  # a file system that does not tell
            return
        if start < end:
            yield start, end


def _copy_range(reader: int, writer: int, start: int, end: int) -> None:
    """Copy bytes to the same place in another file; no more than there are."""
    os.lseek(writer, start, os.SEEK_SET)
    while start < end:
        count = _send(reader, writer, start, min(end - start, _AT_ONCE))
        if count == 0:
            return
        start += count


def _send(reader: int, writer: int, start: int, count: int) -> int:
    if hasattr(os, "sendfile"):
        try:
            return os.sendfile(writer, reader, start, count)
        except OSError as error:
            if error.errno not in _NO_SENDFILE:
                raise
    os.lseek(reader, start, os.SEEK_SET)
    data = os.read(reader, min(count, _BUFFER))
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(writer, rest) :]
    return len(data)
