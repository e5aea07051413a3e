"""Files of ours are regular files. What stands in the place of one, a pipe or a link to a device, may come with a pull and
would keep its reader for ever; so would a record without end.
"""

from __future__ import annotations

import errno
import os
import stat

LARGEST = 512 * 1024 * 1024  # bytes; a manifest of a million files has half of it
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer: at once


def open_regular(path: str | os.PathLike[str]) -> int:
    """A handle to read a regular file by. Raises OSError, also where it is none."""
    try:
        handle = os.open(path, _FLAGS)
    except ValueError as error:  # a NUL
        raise FileNotFoundError(errno.ENOENT, "no file can have this name", os.fspath(path)) from error
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return handle
    os.close(handle)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    raise OSError(errno.EINVAL, "no regular file", os.fspath(path))


def read_record(path: str | os.PathLike[str]) -> bytes:
    """All of a record of ours. Raises OSError, also where it is no regular file or larger than any record."""
    with open(open_regular(path), "rb", buffering=0) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size > LARGEST:
            raise OSError(errno.EFBIG, f"{size:,} bytes are no record", os.fspath(path))
        return stream.read()
