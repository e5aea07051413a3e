"""What the checks share: how a finding of the store is made, and the record of bytes already hashed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ledger.canon import file_digest
from ledger.model.finding import Finding, Location


def finding(
    rule: str, message: str, path: str, *, severity: Any = "error", fix: str | None = None, **values: Any
) -> Finding:
    """A finding about a path of the store."""
    return Finding(rule, severity, message, Location(path), values=values, fix=fix)


@dataclass
class Counted:
    """How much a check has read; a file with several names (hard links) is hashed once."""

    progress: Callable[[int], None] | None = None  # called with the bytes just hashed
    runs: int = 0
    files: int = 0
    bytes: int = 0
    absent_heavy: int = 0
    _hashed: dict[tuple[int, int], str] = field(default_factory=dict)  # (device, inode) -> digest

    def digest(self, path: Path) -> str:
        """Hex digest of a file, not following a link at `path`. Raises OSError."""
        stat = path.lstat()
        key = (stat.st_dev, stat.st_ino)
        if key not in self._hashed:
            self._hashed[key], size = file_digest(path)
            self.bytes += size
            if self.progress:
                self.progress(size)
        return self._hashed[key]
