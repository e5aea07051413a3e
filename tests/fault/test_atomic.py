"""The one write: old or new, never half, and one line that says what to do."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import StoreError
from ledger.store import atomic

CODES = {"ENOSPC": "free some space", "EACCES": "writable", "EROFS": "read-only", "EIO": None, "EDQUOT": "quota"}


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("step", ["fsync", "replace", "open", "write"])
def test_a_refused_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, step: str
) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")
    number = getattr(errno, code)

    def refuse(*_: Any, **__: Any) -> Any:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, step, refuse)
    with pytest.raises(StoreError) as caught:
        atomic.write_bytes(target, b"new")
    monkeypatch.undo()
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]
    assert "\n" not in str(caught.value)
    assert CODES[code] is None or CODES[code] in str(caught.value)  # type: ignore[operator]


def test_a_folder_that_cannot_be_flushed_still_has_the_whole_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync
    calls: list[int] = []

    def second_refused(handle: int) -> None:
        calls.append(handle)
        if len(calls) == 2:
            raise OSError(errno.EIO, "Input/output error")
        real(handle)

    monkeypatch.setattr(os, "fsync", second_refused)
    with pytest.raises(StoreError):
        atomic.write_bytes(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"


def test_a_file_that_stands_where_a_folder_must(tmp_path: Path) -> None:
    (tmp_path / "way").write_text("in the way")
    with pytest.raises(StoreError, match="way"):
        atomic.write_bytes(tmp_path / "way" / "file", b"x")
    assert (tmp_path / "way").read_text() == "in the way"


def test_nothing_is_written_when_nothing_changed(tmp_path: Path) -> None:
    target = tmp_path / "file"
    assert atomic.write_if_changed(target, b"x")
    stamp = target.stat().st_mtime_ns, target.stat().st_ino
    assert not atomic.write_if_changed(target, b"x")
    assert (target.stat().st_mtime_ns, target.stat().st_ino) == stamp
    assert atomic.write_if_changed(target, b"y")


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o444])
def test_who_may_read_a_file_stays_as_it_was(tmp_path: Path, mode: int) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "file").chmod(mode)
    atomic.write_bytes(tmp_path / "file", b"new")
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == mode
    atomic.write_bytes(tmp_path / "file", b"newer", mode=0o755)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o755


def test_a_link_of_the_users_stays_and_one_in_our_place_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    for name, leads in (("link", "real"), ("chain", "link"), ("broken", "not yet/there")):
        (tmp_path / name).symlink_to(leads)
    assert atomic.write_if_changed(tmp_path / "chain", b"new")
    assert not atomic.write_if_changed(tmp_path / "link", b"new")
    assert (tmp_path / "real").read_bytes() == b"new"
    atomic.write_bytes(tmp_path / "broken", b"x", follow=True)
    assert (tmp_path / "not yet/there").read_bytes() == b"x"
    assert all((tmp_path / name).is_symlink() for name in ("link", "chain", "broken"))
    atomic.write_bytes(tmp_path / "link", b"ours")
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_durability_can_be_given_up_for_a_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    monkeypatch.setattr(os, "fsync", calls.append)
    with atomic.durability(full=False):
        atomic.write_bytes(tmp_path / "fast", b"x")
    assert calls == []
    atomic.write_bytes(tmp_path / "safe", b"x")
    assert len(calls) == 2  # the file, then its folder


def test_a_new_file_has_the_mode_that_the_user_gives_new_files(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        atomic.write_bytes(tmp_path / "new", b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
