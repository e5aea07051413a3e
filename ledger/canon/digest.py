"""SHA-256 over bytes and files. It is what RFC 9162, in-toto, OCI and `sha256sum` speak."""

from __future__ import annotations

import hashlib
import os

from ledger.canon.regular import open_regular

DIGEST_BYTES = 32
# 256 KiB is the fastest buffer for hashlib over the page cache; memory maps die with the process when a writer
# truncates the file, so they are no option for files that somebody may still be writing
_BUFFER = 256 * 1024


def sha256(data: bytes) -> str:
    """Hex digest of bytes."""
    return hashlib.sha256(data).hexdigest()


def file_digest(path: str | os.PathLike[str]) -> tuple[str, int]:
    """Hex digest and size in bytes of a regular file, read once.

    Raises:
        OSError: it cannot be read, or is no regular file.
    """
    handle = open_regular(path)
    try:
        return handle_digest(handle, os.fstat(handle).st_size)
    finally:
        os.close(handle)


def handle_digest(handle: int, expected: int) -> tuple[str, int]:
    """Hex digest and size of what an open file holds from here on. `expected` bytes choose how to read it, and of a file
    that turns out to be longer no more than a part is read: what grows as fast as we read would keep us for ever.
    """
    data = os.read(handle, expected + 1) if expected <= _BUFFER else b""
    hasher = hashlib.sha256(data)
    size = len(data)
    if size == expected:  # one byte more was asked for, and there was none
        return hasher.hexdigest(), size
    buffer = bytearray(_BUFFER)
    view = memoryview(buffer)
    with open(handle, "rb", buffering=0, closefd=False) as stream:
        while size <= expected and (count := stream.readinto(buffer)):
            hasher.update(view[:count])
            size += count
    return hasher.hexdigest(), size
