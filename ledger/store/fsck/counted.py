"""What the checks share: how a finding of the store is made, and the record of bytes already hashed."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ledger.canon import file_digest
from ledger.errors import LedgerError, NewerVersionError
from ledger.model.finding import Finding, Location
from ledger.store.parallel import LARGE, largest_first


def finding(
    rule: str, message: str, path: str, *, severity: Any = "error", fix: str | None = None, **values: Any
) -> Finding:
    """A finding about a path of the store. `values` are what a disclosure of it is bound to: digests, addresses, ids."""
    return Finding(rule, severity, message, Location(path), values=values, fix=fix)


def unread(error: LedgerError, rule: str, message: str, path: str, *, fix: str | None = None, **values: Any) -> Finding:
    """The finding for what could not be read: `rule`, or else that only a newer version of this tool reads it."""
    if isinstance(error, NewerVersionError):
        return finding("newer-version", f"{error.message}; nothing of it was checked", path, fix=error.fix, **values)
    return finding(rule, message, path, fix=fix, **values)


def state(path: str | os.PathLike[str]) -> str | None:
    """What stands at a path that is not as it should be: its digest, where a link leads, None when nothing can tell."""
    try:
        return f"-> {os.readlink(path)}" if os.path.islink(path) else file_digest(path)[0]  # noqa: PTH114, PTH115
    except OSError:
        return None


def _is_zeros(path: str | os.PathLike[str]) -> bool:
    """Whether a file is as some file systems leave it after a crash, or a failed copy: as long as it was, and empty."""
    with open(path, "rb") as stream:  # noqa: PTH123 (paths are kept as text)
        some = False
        while data := stream.read(1 << 20):
            if data.strip(b"\0"):
                return False
            some = True
    return some


@dataclass
class Counted:
    """How much a check has read; a file with several names (hard links) is hashed once."""

    progress: Callable[[int], None] | None = None  # called with the bytes just hashed
    chosen: Collection[str] | None = None  # digests to verify; None means all
    runs: int = 0
    files: int = 0
    bytes: int = 0
    absent_heavy: int = 0
    pruned: int = 0
    _hashed: dict[tuple[int, int], str] = field(default_factory=dict)  # (device, inode) -> digest

    @property
    def hashed(self) -> int:
        """How many files were read."""
        return len(self._hashed)

    def ahead(self, objects: Path) -> None:
        """Hash the large objects side by side: runs have other names of the same bytes. What cannot be read is said when
        it is asked for by its name.
        """
        large: list[tuple[int, tuple[Path, tuple[int, int]]]] = []
        for path in objects.glob("??/*"):
            if self.chosen is not None and path.parent.name + path.name not in self.chosen:
                continue
            with contextlib.suppress(OSError):
                about = path.lstat()
                if about.st_size >= LARGE and stat.S_ISREG(about.st_mode):
                    large.append((about.st_size, (path, (about.st_dev, about.st_ino))))
        if len(large) > 1:
            largest_first(self._try, large)

    def _try(self, item: tuple[Path, tuple[int, int]]) -> None:
        with contextlib.suppress(OSError):
            self._digest(*item)

    def mismatch(self, path: str | os.PathLike[str], expected: str, size: int | None = None) -> str | None:
        """What a file is now, if it is not what it should be: its digest, or its size where no digest is asked for.

        Raises:
            OSError: it cannot be read.
        """
        about = os.lstat(path)
        if size is not None and about.st_size != size:
            return f"{about.st_size:,} bytes"
        if self.chosen is not None and expected not in self.chosen:
            return None
        found = self._digest(path, (about.st_dev, about.st_ino))
        if found == expected:
            return None
        return f"{found[:12]} (nothing but zeros)" if _is_zeros(path) else found[:12]

    def _digest(self, path: str | os.PathLike[str], key: tuple[int, int]) -> str:
        if key not in self._hashed:
            self._hashed[key], size = file_digest(path)
            self.bytes += size
            if self.progress:
                self.progress(size)
        return self._hashed[key]
