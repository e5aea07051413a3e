"""SHA-256 over bytes and files. It is what RFC 9162, in-toto, OCI and `sha256sum` speak."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

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
        OSError: it cannot be read.

    """
    hasher = hashlib.sha256()
    size = 0
    with Path(path).open("rb", buffering=0) as stream:
        if os.fstat(stream.fileno()).st_size <= _BUFFER:
            data = stream.readall()
            return hashlib.sha256(data).hexdigest(), len(data)
        buffer = bytearray(_BUFFER)
        view = memoryview(buffer)
        while count := stream.readinto(buffer):
            hasher.update(view[:count])
            size += count
    return hasher.hexdigest(), size
