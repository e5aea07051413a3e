"""Files that a command wrote where nobody seals them: into the folder in which it runs, and none into its run."""

from __future__ import annotations

import os
import time
from pathlib import Path

from ledger.seal.gaps import Gap

_CLOCK = 0.05  # seconds by which the clock of files may lag behind ours
_SHOWN = 3


def now() -> float:
    """The time to look back to, as files have it."""
    return time.time() - _CLOCK


def look(run: Path, log: str, since: float) -> Gap | None:
    """What was written beside the run meanwhile, when the run holds nothing but its log. A guess: who wrote it is not known."""
    try:
        if any(name != log for name in os.listdir(run)):  # noqa: PTH208 (names are enough)
            return None
        with os.scandir() as entries:
            written = sorted(
                entry.name
                for entry in entries
                if not entry.name.startswith(".")
                and entry.is_file(follow_symlinks=False)
                and entry.stat().st_mtime >= since
            )
    except OSError:
        return None
    if not written:
        return None
    names = ", ".join(written[:_SHOWN]) + (f" and {len(written) - _SHOWN} more" if len(written) > _SHOWN else "")
    were = "was" if len(written) == 1 else "were"
    message = f"nothing was written into $LEDGER_RUN_DIR, so the run holds no result; {names} {were} written beside it meanwhile"
    return Gap("written-elsewhere", message, "write into $LEDGER_RUN_DIR what belongs to the run")
