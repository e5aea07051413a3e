"""Content-addressed objects: a file's bytes under their SHA-256, once, read-only.

An object and a run's own name for it share the same bytes on disk: a reflink where the file system has them, else
a hard link between our own two names, else a copy.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sys
from pathlib import Path

from ledger.canon import file_digest, sha256
from ledger.store import atomic
from ledger.store.copying import copy_file

READ_ONLY = 0o444
_NEVER = {errno.EOPNOTSUPP, errno.ENOTTY, errno.ENOSYS, errno.EXDEV, errno.EINVAL}  # said of file systems, not of files
_without_reflinks: set[tuple[int, int]] = set()
_FICLONE = 0x40049409  # ioctl(2): share the extents of another file (btrfs, xfs, bcachefs)


class ObjectStore:
    """The objects below one folder (`.ledger/objects/sha256`)."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, digest: str) -> Path:
        return self.root / digest[:2] / digest[2:]

    def has(self, digest: str) -> bool:
        return self.path(digest).is_file()

    def put_bytes(self, data: bytes) -> str:
        """Store bytes; returns their digest. Raises StoreError."""
        digest = sha256(data)
        if not self._holds(digest):
            atomic.write_bytes(self.path(digest), data, mode=READ_ONLY)
        return digest

    def adopt(self, file: Path, digest: str) -> None:
        """Make `file`, whose digest is known and which is ours, one with its object.

        When the object exists and is whole, `file` becomes another name of it; else the object becomes another name of
        `file`: a damaged object must never take the place of good bytes.

        Raises:
            StoreError: the disk refused.

        """
        target = self.path(digest)
        with atomic.explained(target):
            if self._holds(digest):
                share(target, file)
            else:
                atomic.make_folder(target.parent)
                share(file, target)
                atomic.fsync_folder(target.parent)
            atomic.set_mode(target, READ_ONLY)

    def _holds(self, digest: str) -> bool:
        """Whether the object is there and is what its name says. It is young again then: somebody is about to need it,
        and garbage collection must not take it before a manifest says so.
        """
        path = self.path(digest)
        try:
            found = file_digest(path)[0] == digest
            if found:
                with contextlib.suppress(OSError):  # that of a colleague; its age is theirs to tell
                    os.utime(path)
        except OSError:
            return False
        return found

    def fetch(self, digest: str, target: Path) -> None:
        """Give the object another name, `target`. Raises StoreError."""
        with atomic.explained(target):
            try:
                share(self.path(digest), target)
            except FileNotFoundError:
                atomic.make_folder(target.parent)
                share(self.path(digest), target)


def share(source: Path, target: Path) -> None:
    """Make `target` hold the bytes of `source` in one step, without a second copy of them where possible."""
    if not _reflinks(source, target):
        try:
            os.link(source, target)
        except OSError:  # there is something already, or no links are to be had
            pass
        else:
            atomic.set_mode(target, READ_ONLY)
            return
    temporary = target.parent / f"{atomic.TEMPORARY}{os.urandom(6).hex()}"
    try:
        if not _reflink(source, temporary):
            try:
                os.link(source, temporary)
            except OSError:
                shutil.copyfile(source, temporary)
                with temporary.open("rb") as stream:
                    atomic.fsync(stream.fileno())
        atomic.set_mode(temporary, READ_ONLY)
        temporary.replace(target)
    finally:
        # renaming a name onto another name of the same file does nothing and leaves both (rename(2))
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()


def clone(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Copy a file that is not ours: a reflink where the file system has them, else its bytes. Never a hard link."""
    if os.path.lexists(target) or not _reflink(Path(source), Path(target)):
        copy_file(source, target)


def _reflink(source: Path, target: Path) -> bool:
    """Make a new file of the extents of another; False, and no file, where that cannot be done."""
    if not _reflinks(source, target):
        return False
    import fcntl

    with source.open("rb") as reader, target.open("xb") as writer:
        try:
            fcntl.ioctl(writer.fileno(), _FICLONE, reader.fileno())
        except OSError as error:
            if error.errno in _NEVER:
                _without_reflinks.add(_disks(source, target))
        else:
            atomic.fsync(writer.fileno())
            return True
    target.unlink()
    return False


def _reflinks(source: Path, target: Path) -> bool:
    """Whether a reflink is worth a try: each costs a file made in vain where the file system has none."""
    return sys.platform == "linux" and _disks(source, target) not in _without_reflinks


def _disks(source: Path, target: Path) -> tuple[int, int]:
    """The file systems on which a file and the folder of another lie."""
    return os.stat(source).st_dev, os.stat(os.path.dirname(target)).st_dev  # noqa: PTH116, PTH120
