"""One at a time, whoever waits, and whatever becomes of the lock's file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ledger.errors import StoreError
from ledger.store import lock

fcntl = pytest.importorskip("fcntl")
COUNT = """
import sys
from pathlib import Path
from ledger.store.lock import exclusive
folder = Path(sys.argv[1])
for _ in range(50):
    with exclusive(folder, "log"):
        number = int((folder / "count").read_text())
        (folder / "count").write_text(str(number + 1))
"""


def test_no_count_is_lost_among_processes(tmp_path: Path) -> None:
    (tmp_path / "count").write_text("0")
    root = Path(__file__).resolve().parents[3]
    several = [subprocess.Popen([sys.executable, "-c", COUNT, str(tmp_path)], cwd=root) for _ in range(4)]
    assert [each.wait() for each in several] == [0] * 4
    assert (tmp_path / "count").read_text() == "200"


def test_who_waits_too_long_is_told_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "_PATIENCE", 0.05)
    refused = pytest.raises(StoreError, match=r"log\.lock: another process has held this lock")
    with lock.exclusive(tmp_path, "log"), refused, lock.exclusive(tmp_path, "log"):
        pass
    with lock.exclusive(tmp_path, "log"):  # and once it is free, it is to be had
        pass


def test_a_lock_whose_file_was_deleted_guards_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = fcntl.flock
    tries = []

    def deleted_at_first(handle: int, how: int) -> None:
        real(handle, how)
        tries.append(handle)
        if len(tries) == 1:
            (tmp_path / "log.lock").unlink()

    monkeypatch.setattr(fcntl, "flock", deleted_at_first)
    with lock.exclusive(tmp_path, "log"):
        assert len(tries) == 2
        assert (tmp_path / "log.lock").exists()
