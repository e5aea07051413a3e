"""Whether a run in progress may still be written: by the process that began it, or by one that was told to.

Processes are looked up in the table of this host only. The number of a process of another host, or of a container with
processes of its own, means nothing here.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ledger.store.journal import host

FOLDER_VARIABLE = "LEDGER_RUN_DIR"  # tells a training where it writes


def signature() -> dict[str, Any]:
    """What a start record says of the process that makes it."""
    own = os.getpid()
    return {"host": host(), "pid": own, "process_started": _process_started(own), "pid_namespace": _namespace()}


def elsewhere(start: Mapping[str, Any]) -> str | None:
    """Where a run began, when its processes are not to be seen from here: what became of them cannot be known."""
    began = str(start.get("host"))
    if began != host():
        return f"on {began}"
    apart = start.get("pid_namespace") not in (None, _namespace())
    return f"in another container of {began}" if apart else None


def beginner(start: Mapping[str, Any]) -> int | None:
    """The process that began a run on this host, while it still runs."""
    if elsewhere(start):
        return None
    pid = int(start["pid"])
    return pid if _process_started(pid) == start.get("process_started") else None


def writers(folder: Path) -> list[int]:
    """Processes of this host that were told to write into `folder` and still run: a training outlives a launcher that
    was killed. Known on Linux only, and of one's own processes.
    """
    told = FOLDER_VARIABLE.encode() + b"=" + os.fsencode(folder)
    found = []
    for around in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if told in around.read_bytes().split(b"\0"):
                found.append(int(around.parent.name))
    return sorted(set(found) - {os.getpid()})


def _namespace() -> str | None:
    """Which table of processes this one stands in: containers have their own, and may share the name of their host."""
    try:
        return os.readlink("/proc/self/ns/pid")  # noqa: PTH115 (it is no path)
    except OSError:
        return None


def _process_started(pid: int) -> str | None:
    """When a process began, in the kernel's ticks, so that a reused pid is not taken for it; None when it is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except FileNotFoundError:
        if Path("/proc/self/stat").exists():
            return None
    except OSError:
        return None
    else:
        state, *rest = stat.rpartition(")")[2].split()
        return None if state in {"Z", "X"} else rest[18]  # one that ended and was not yet waited for writes nothing
    try:  # no /proc: the pid alone has to do
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return "alive"
