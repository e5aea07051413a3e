"""Copies of files that are not ours: the same bytes, the same holes, nothing torn, nothing in the place of another."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import InputError, StoreError
from ledger.store import copying
from ledger.store.copying import copy_file

MB = 1 << 20


@pytest.fixture(params=["sendfile", "read and write", "no sendfile"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(errno.EINVAL, "Invalid argument")

    if request.param == "read and write":
        monkeypatch.setattr(os, "sendfile", refuse, raising=False)
    elif request.param == "no sendfile":
        monkeypatch.delattr(os, "sendfile", raising=False)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    ("pieces", "size"),
    [
        ({}, 0),
        ({0: b"x"}, 1),
        ({0: b"a" * (3 * MB + 1)}, 3 * MB + 1),
        ({}, 64 * MB),
        ({0: b"begin"}, 64 * MB),
        ({64 * MB - 3: b"end"}, 64 * MB),
        ({5 * MB: b"in the middle", 40 * MB + 7: b"y" * MB}, 64 * MB),
    ],
)
def test_the_bytes_are_the_same_and_holes_stay_holes(tmp_path: Path, pieces: dict[int, bytes], size: int) -> None:
    with (tmp_path / "from").open("wb") as stream:
        for place, data in pieces.items():
            stream.seek(place)
            stream.write(data)
        stream.truncate(size)
    copy_file(tmp_path / "from", tmp_path / "to")
    assert (tmp_path / "to").read_bytes() == (tmp_path / "from").read_bytes()
    if (tmp_path / "from").stat().st_blocks * 512 < size // 2:  # the file system has holes
        assert (tmp_path / "to").stat().st_blocks * 512 < size // 2


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENXIO])
def test_a_file_system_that_tells_nothing_of_holes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    with (tmp_path / "from").open("wb") as stream:
        stream.truncate(9 * MB)
    real = os.lseek

    def refuse(handle: int, place: int, how: int) -> int:
        if how not in {os.SEEK_SET, os.SEEK_CUR, os.SEEK_END}:
            raise OSError(number, os.strerror(number))
        return real(handle, place, how)

    monkeypatch.setattr(os, "lseek", refuse)
    copy_file(tmp_path / "from", tmp_path / "to")
    assert (tmp_path / "to").read_bytes() == bytes(9 * MB)


@pytest.mark.parametrize("change", ["grows", "shrinks", "is written anew"])
def test_what_changes_while_it_is_copied_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    path = tmp_path / "from"
    path.write_bytes(b"a" * 3 * MB)
    real = copying._send

    def disturbed(*args: Any) -> int:
        count = real(*args)
        if change == "grows":
            with path.open("ab") as stream:
                stream.write(b"more")
        elif change == "shrinks":
            os.truncate(path, 5)
        else:
            path.write_bytes(b"b" * 3 * MB)
        return count

    monkeypatch.setattr(copying, "_send", disturbed)
    with pytest.raises(InputError, match="changed while it was copied"):
        copy_file(path, tmp_path / "to")
    assert (tmp_path / "to").stat().st_size <= 3 * MB  # not for as long as somebody writes


def test_nothing_is_put_in_the_place_of_another_file(tmp_path: Path) -> None:
    """As twins in case would be, where the file system takes their names for one."""
    (tmp_path / "from").write_bytes(b"one")
    (tmp_path / "to").write_bytes(b"two")
    with pytest.raises(StoreError, match="place of another file"):
        copy_file(tmp_path / "from", tmp_path / "to")
    assert (tmp_path / "to").read_bytes() == b"two"
