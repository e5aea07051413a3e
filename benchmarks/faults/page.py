"""Puts the table into the page that the documentation has of it, with the machine that it was made on."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.faults.report import Row, markdown

BEGIN, END = "<!-- table: begin, made by `make faults` -->", "<!-- table: end -->"


def renew(page: Path, rows: Sequence[Row], *, quick: bool, disk: str) -> None:
    """Put the table between its two marks. Raises ValueError where the page has none."""
    text = page.read_text(encoding="utf-8")
    before, begun, rest = text.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not begun or not ended:
        raise ValueError(f"{page} has no place for the table")
    made = f"{before}{BEGIN}\n\n{machine(disk)}{' Small sizes and few points (`--quick`).' if quick else ''}\n\n{markdown(rows)}\n\n{END}{after}"
    page.write_text(made, encoding="utf-8")


def machine(disk: str) -> str:
    """On what it was made, without what names anybody's machine."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    who = "as root" if os.geteuid() == 0 else "not as root, so without mounts"
    tools = [name for name in ("strace", "faketime", "mkfs.vfat", "mkfs.exfat") if shutil.which(name)]
    return (
        f"Made on {datetime.now(UTC):%Y-%m-%d} on {platform.system()} {platform.release().split('-')[0]} ({platform.machine()}), "
        f"{os.cpu_count()} cores, {memory:.0f} GB of memory, {disk} as the disk and tmpfs beside it, "
        f"Python {platform.python_version()}, {who}, with {', '.join(tools) or 'no further tools'}."
    )


def kind_of(folder: Path) -> str:
    """The file system that a folder lies on."""
    found = ("/", "a file system")
    for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines():
        _, at, kind, *_ = line.split()
        if folder.is_relative_to(at) and len(at) >= len(found[0]):
            found = (at, kind)
    return found[1]
