"""Walk a staged run: digest every file once, sort light from heavy, leave out what is no file of the run."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ledger.canon import handle_digest, sha256, spelled
from ledger.errors import InputError, visible
from ledger.model.run import RunFile, Tier
from ledger.store.atomic import is_temporary
from ledger.store.parallel import LARGE, largest_first

HEAVY_FROM = 1024 * 1024  # bytes; larger files are heavy wherever they lie
HEAVY_FOLDER = "checkpoints/"
_LONGEST_NAME = 255  # bytes
DERIVED_FOLDER = "qualitative/"  # may be pruned: it can be made again from the checkpoint


@dataclass(frozen=True, slots=True)
class Collected:
    """What a run consists of; `skipped` says what was left out and why, `unfinished` are writes of ours that a crash
    interrupted.
    """

    files: tuple[RunFile, ...]
    skipped: tuple[dict[str, str], ...]
    unfinished: tuple[str, ...] = ()


def tier_of(path: str, size: int) -> Tier:
    return "heavy" if path.startswith(HEAVY_FOLDER) or size > HEAVY_FROM else "light"


def collect(root: Path, *, leave: frozenset[str] = frozenset()) -> Collected:
    """Every file under `root` but those named in `leave`, each read once, sorted by path.

    Links that stay inside are followed and count as files; links that lead outside, sockets, pipes and devices are
    skipped and said.

    Raises:
        InputError: a file changed while it was read.
        OSError: a file cannot be read.
    """
    files: list[RunFile] = []
    large: list[tuple[int, tuple[str, str]]] = []
    skipped: list[dict[str, str]] = []
    unfinished: list[str] = []
    for name, found in _walk(os.fspath(root), ""):
        if name in leave:
            continue
        if is_temporary(found.name):
            unfinished.append(name)
            continue
        reason = None if found.is_file(follow_symlinks=False) else _not_taken(Path(found.path), root)
        if reason:
            skipped.append({"path": name, "reason": reason})
        elif (size := found.stat().st_size) >= LARGE:
            large.append((size, (found.path, name)))
        else:
            files.append(entry(found.path, name))
    files += largest_first(lambda item: entry(*item), large)
    return Collected(
        tuple(sorted(files, key=lambda file: file.path)),
        tuple(sorted(skipped, key=lambda item: item["path"])),
        tuple(unfinished),
    )


def respell(root: Path) -> None:
    r"""Give every file and folder below whose name is no UTF-8 one that a manifest can hold: a wrong byte as `\xff`."""
    for folder, folders, names in os.walk(root, topdown=False):
        for name in (*names, *folders):
            new = spelled(name)
            if new != name:
                new = _fitting(new)
                while os.path.lexists(os.path.join(folder, new)):  # noqa: PTH118 (pathlib offers no topdown=False in 3.11)
                    new += "_"
                os.rename(os.path.join(folder, name), os.path.join(folder, new))  # noqa: PTH104, PTH118


def _fitting(name: str) -> str:
    """A name cut to what file systems take: each wrong byte became four. Its digest keeps it apart from others."""
    data = name.encode()
    return name if len(data) <= _LONGEST_NAME else f"{data[:200].decode(errors='ignore')}-{sha256(data)[:16]}"


def entry(path: str | Path, name: str) -> RunFile:
    """One file as the manifest lists it.

    Raises:
        InputError: it changed while it was read.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        before = os.fstat(handle)
        sha256, size = handle_digest(handle, before.st_size)
        after = os.fstat(handle)
    finally:
        os.close(handle)
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns) or size != after.st_size:
        fix = "end the process that writes it and seal again"
        raise InputError("changed while it was sealed", where=path, fix=fix)
    return RunFile(name, size, sha256, tier_of(name, size), name.startswith(DERIVED_FOLDER))


def _not_taken(path: Path, root: Path) -> str | None:
    """Why this entry, which is no regular file, is no file of the run; None for a link to a file of the run."""
    if not stat.S_ISLNK(path.lstat().st_mode):
        return "neither a file nor a folder"
    written = visible(os.readlink(path))  # noqa: PTH115 (kept as written)
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        if isinstance(error, FileNotFoundError):
            return f"a link that leads nowhere ({written} is not there)"
        if isinstance(error, RuntimeError) or error.errno == errno.ELOOP:  # which of the two depends on the Python
            return f"a link that leads back to itself ({written})"
        return f"a link that cannot be followed ({written}: {error.strerror})"
    if not target.is_relative_to(root.resolve()):
        return f"a link that leaves the run ({written})"
    return None if target.is_file() else f"a link to a folder ({written})"


def _walk(folder: str, prefix: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Path within the run and entry of everything below; folders are entered but not yielded, links to folders not."""
    with os.scandir(folder) as entries:
        for found in entries:
            if found.is_dir(follow_symlinks=False):
                yield from _walk(found.path, f"{prefix}{found.name}/")
            else:
                yield prefix + found.name, found
