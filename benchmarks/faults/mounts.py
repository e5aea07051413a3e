"""Small file systems of one's own: in memory, or in an image behind a loop device. Mounting needs root on Linux."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


class NotHereError(Exception):
    """This cannot be set up on this machine; the text says why."""


def check() -> None:
    """Raises NotHereError where nothing can be mounted."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        raise NotHereError("mounting needs root")
    if shutil.which("mount") is None:
        raise NotHereError("there is no mount command")


@contextmanager
def memory(at: Path, options: str) -> Iterator[Path]:
    """A tmpfs with these options (`size=2m`, `nr_inodes=100`)."""
    check()
    _do("mount", "-t", "tmpfs", "-o", options, "tmpfs", str(at))
    try:
        yield at
    finally:
        _unmount(at)


def remount(at: Path, options: str) -> None:
    _do("mount", "-o", f"remount,{options}", str(at))


@contextmanager
def image(at: Path, size: int, make: Sequence[str], mount: Sequence[str] = ("mount", "-o", "loop")) -> Iterator[Path]:
    """A file system made by `make FILE`, mounted by `mount FILE AT`."""
    check()
    if shutil.which(make[0]) is None:
        raise NotHereError(f"{make[0]} is not installed")
    if shutil.which(mount[0]) is None:
        raise NotHereError(f"{mount[0]} is not installed")
    disk = at.with_name(f"{at.name}.image")
    with disk.open("wb") as stream:
        stream.truncate(size)
    try:
        _do(*make, str(disk))
        if mount[0] == "mount":
            _do(*mount, str(disk), str(at))
        else:  # one of FUSE wants a device
            device = _do("losetup", "--find", "--show", str(disk)).strip()
            try:
                _do(*mount, device, str(at))
            except NotHereError:
                _do("losetup", "--detach", device)
                raise
        try:
            yield at
        finally:
            _unmount(at)
            if mount[0] != "mount":
                _do("losetup", "--detach", device)
    finally:
        disk.unlink()


def _unmount(at: Path) -> None:
    for _ in range(50):  # somebody may still be closing a file
        if subprocess.run(["umount", str(at)], capture_output=True, check=False).returncode == 0:
            return
        time.sleep(0.1)
    _do("umount", "--lazy", str(at))


def _do(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines() or ["no word of it"]
        raise NotHereError(f"{command[0]}: {said[0].rstrip('.').rpartition(': ')[2].partition(',')[0]}")
    return done.stdout
