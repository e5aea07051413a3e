"""The one way a file or folder of ours comes into being: written beside its place, fsynced, renamed, parent fsynced.

Every write of the product goes through here, so the fault tests that fail each step cover all of them.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from pathlib import Path

from ledger.errors import StoreError
from ledger.store import space

_MANY = 256  # files; from here on one sync of the file system is cheaper than an fsync each
_durable = ContextVar("durable", default=True)

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)

# Files that a crash may leave behind: `fsck` names them, a seal leaves them out. The rest of the name is `NAME-` and 8 hex
# digits, 12 hex digits, or of a folder or link of ours. Nothing of the user's is called that.
TEMPORARY = ".ledger-tmp-"
_TEMPORARY = re.compile(re.escape(TEMPORARY) + r"(?s:.+-[0-9a-f]{8}|[0-9a-f]{12}|selected)")


def is_temporary(name: str) -> bool:
    """Whether a file of this name is the beginning of a write of ours."""
    return name.startswith(TEMPORARY) and _TEMPORARY.fullmatch(name) is not None


def write_bytes(
    path: Path, data: bytes, *, mode: int | None = None, durable: bool = True, follow: bool = False
) -> None:
    """Put `data` at `path`, whole or not at all; it survives a power cut once this returned. A file that is written anew
    keeps its mode unless another is given.

    `durable=False` leaves the waiting to a later `fsync_trees` over the same file. `follow` writes where a link leads
    instead of in its place: for files of the user's.

    Raises:
        StoreError: the disk refused (permission, space, a folder in the way); the old file is untouched.

    """
    with explained(path, needs=len(data)):
        # text and system calls: records are written by the thousand, and paths as objects cost as much as the file
        place = (
            os.path.realpath(path) if follow else os.fspath(path)
        )  # Path.resolve raises where links lead in a circle
        folder, name = os.path.split(place)
        mode = _mode_of(place) if mode is None else mode
        temporary = f"{folder or '.'}/{TEMPORARY}{name}-{os.urandom(4).hex()}"
        try:
            handle = os.open(temporary, _NEW, 0o666)
        except FileNotFoundError:
            make_folder(Path(folder))
            handle = os.open(temporary, _NEW, 0o666)
        try:
            try:
                rest = memoryview(data)
                while rest:
                    rest = rest[os.write(handle, rest) :]
                if durable:
                    fsync(handle)
            finally:
                os.close(handle)
            if mode is not None:
                set_mode(temporary, mode)
            os.replace(temporary, place)  # noqa: PTH105
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)  # noqa: PTH108
            raise
        if durable:
            fsync_folder(folder or ".")


def _mode_of(place: str) -> int | None:
    """The mode of a regular file that is there, to be kept."""
    try:
        found = os.lstat(place).st_mode
    except OSError:
        return None
    return stat.S_IMODE(found) if stat.S_ISREG(found) else None


def write_if_changed(path: Path, data: bytes) -> bool:
    """`write_bytes` of a file of the user's, unless it already holds exactly `data`; says whether it wrote."""
    with contextlib.suppress(OSError):
        if path.read_bytes() == data:
            return False
    write_bytes(path, data, follow=True)
    return True


def make_folder(path: Path, mode: int = 0o777) -> None:
    """Make a folder (of this mode) and those on its way, unless they are there. What is put into it later can only survive a power cut
    if the names of the new folders do, so those are durable once this returned.

    Raises:
        OSError: the disk refused, or a file is in the way.
    """
    missing = []
    while not path.is_dir():
        missing.append(path)
        if path.parent == path:
            break
        path = path.parent
    for folder in reversed(missing):
        try:
            folder.mkdir(mode if folder == missing[0] else 0o777)
        except FileExistsError:
            if not folder.is_dir():
                raise
        fsync_folder(folder.parent)  # also when another process was faster: it may not have come to this yet


def publish(pairs: Sequence[tuple[Path, Path]]) -> None:
    """Make each staging folder appear as its target in one step, their content already durable.

    Raises:
        StoreError: the disk refused, or a target is there already; that staging folder and those after it are whole.
    """
    try:
        for parent in {target.parent for _, target in pairs}:
            with explained(parent):
                make_folder(parent)
        for staging, target in pairs:
            with explained(target):
                if target.exists():
                    raise StoreError("is there already and is never overwritten", where=target)
                _appear(staging, target)
    finally:
        for folder in {path.parent for pair in pairs for path in pair}:
            if folder.is_dir():
                fsync_folder(folder)


def _appear(staging: Path, target: Path) -> None:
    """Rename; onto another file system (results on a larger disk) a copy beside the target is what is renamed."""
    try:
        staging.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
    else:
        return
    copy = target.parent / f"{TEMPORARY}{target.name}-{os.urandom(4).hex()}"
    files = []
    try:
        copy.mkdir()
        for path in sorted(staging.rglob("*")):
            name = path.relative_to(staging).as_posix()
            if path.is_dir():
                (copy / name).mkdir()
            else:
                shutil.copyfile(path, copy / name)
                set_mode(copy / name, stat.S_IMODE(path.stat().st_mode))
                files.append(name)
        fsync_trees([(copy, files)])
        copy.rename(target)
    except BaseException:
        shutil.rmtree(copy, ignore_errors=True)
        raise
    shutil.rmtree(staging, ignore_errors=True)  # published all the same


def set_mode(path: str | os.PathLike[str], mode: int) -> None:
    """Set a file's mode where that is for us to do: not on file systems without modes, nor on an object that a colleague
    stored. Modes are a courtesy and prove nothing.
    """
    try:
        os.chmod(path, mode)  # noqa: PTH101 (called for thousands of paths kept as text)
    except OSError as error:
        if error.errno not in {errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.ENOSYS}:
            raise


def fsync_trees(trees: Sequence[tuple[Path, Sequence[str]]]) -> None:
    """Make the named files under each root, and every folder on their way, durable."""
    if not _durable.get():
        return
    if sum(len(files) for _, files in trees) > _MANY and all(_sync_disk(root) for root in _one_per_disk(trees)):
        return  # one wait instead of thousands
    for root, files in trees:
        folders = {root}
        for name in files:
            path = root / name
            with path.open("rb") as stream:
                fsync(stream.fileno())
            folders.update(parent for parent in path.parents if parent.is_relative_to(root))
        for folder in sorted(folders, reverse=True):
            fsync_folder(folder)


def _one_per_disk(trees: Sequence[tuple[Path, Sequence[str]]]) -> list[Path]:
    return list({root.stat().st_dev: root for root, _ in trees}.values())


def _sync_disk(root: Path) -> bool:
    """Wait until all of the file system of `root` is on the disk; False where that cannot be asked for. Unlike sync(2),
    syncfs(2) says when something could not be written.
    """
    if sys.platform != "linux":
        return False
    import ctypes

    call = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    if call is None:
        return False
    handle = os.open(root, os.O_RDONLY)
    try:
        if call(handle) == 0:
            return True
        number = ctypes.get_errno()
    finally:
        os.close(handle)
    if number in {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP}:
        return False
    raise OSError(number, os.strerror(number), str(root))


@contextlib.contextmanager
def durability(full: bool) -> Iterator[None]:
    """Within the block, wait for the disk (`full`) or not (for scratch work: a power cut may lose what was sealed)."""
    token = _durable.set(full)
    try:
        yield
    finally:
        _durable.reset(token)


def fsync(handle: int) -> None:
    """Wait until an open file is on the disk, unless `durability` says otherwise."""
    if _durable.get():
        os.fsync(handle)


def fsync_folder(folder: Path | str) -> None:
    """Make the names in a folder durable; a no-op where folders cannot be opened (Windows)."""
    if not _durable.get():
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:
            raise
    finally:
        os.close(handle)


@contextlib.contextmanager
def explained(path: Path, *, needs: int | None = None) -> Iterator[None]:
    """Turn an OSError on the way to `path` into one line that says what to do; of a full disk also which it is, and how
    much of the bytes that it `needs` is free.
    """
    try:
        yield
    except OSError as error:
        advice = {
            errno.ENOSPC: "free some space and try again; nothing was lost",
            errno.EDQUOT: "your quota is used up; free some space and try again",
            errno.EACCES: "make the folder writable for you",
            errno.EPERM: "make the folder writable for you",
            errno.EROFS: "the file system is mounted read-only",
        }.get(error.errno or 0)
        why = error.strerror or str(error)
        if error.errno in space.FULL:
            with contextlib.suppress(OSError):
                why = f"{why}: {space.lack(path, needs)}"
        raise StoreError(f"cannot be written ({why})", where=error.filename or path, fix=advice) from error
