"""How a run ended, when it could not be sealed at once: kept beside its staging in bytes that were taken when it began, for
a disk that is full has no others.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import cast, get_args

from ledger.errors import LedgerError
from ledger.model.run import Status
from ledger.store import atomic

_ROOM = 128  # bytes


def reserve(staging: Path) -> None:
    """Take the room; where there is none, a run that cannot be sealed at once is sealed as abandoned."""
    with contextlib.suppress(LedgerError):
        atomic.write_bytes(Path(_place(staging)), b" " * _ROOM, durable=False)


def keep(staging: Path, status: Status, exit_status: int | None) -> None:
    """Note how the run in `staging` ended. Never raises."""
    text = json.dumps({"status": status, "exit_status": exit_status}).ljust(_ROOM)
    with contextlib.suppress(OSError), open(_place(staging), "r+b", buffering=0) as file:  # noqa: PTH123 (kept as text)
        file.write(text.encode("ascii"))
        os.fsync(file.fileno())


def read(staging: Path) -> tuple[Status, int | None] | None:
    """How it ended; None when nobody noted it, as of a process that was killed."""
    try:
        noted = json.loads(Path(_place(staging)).read_bytes())
        status, code = noted["status"], noted["exit_status"]
    except (OSError, ValueError, TypeError, KeyError):
        return None
    if status not in get_args(Status) or not (code is None or type(code) is int):
        return None
    return cast("Status", status), code


def forget(staging: Path) -> None:
    """Remove the note. Raises OSError."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(_place(staging))  # noqa: PTH108


def _place(staging: Path) -> str:
    return f"{staging}.end"
