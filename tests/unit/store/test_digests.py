"""The cache of digests: an unchanged file is read once, a changed one is read again, whatever its times say."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.canon import sha256
from ledger.store import digests
from ledger.store.digests import Digests

SECOND = 10**9


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time goes on: what was written just now was written long ago."""
    real = digests.time.time_ns
    monkeypatch.setattr(digests.time, "time_ns", lambda: real() + 60 * SECOND)


def ask(folder: Path, *files: Path) -> tuple[list[str], int]:
    """Digests of the files, and how many of these were read."""
    with Digests(folder) as opened:
        return [opened.of(file) for file in files], opened.read


@pytest.mark.usefixtures("later")
def test_an_unchanged_file_is_read_once_whatever_it_is_called(tmp_path: Path) -> None:
    file, cache = tmp_path / "a", tmp_path / "cache"
    file.write_bytes(b"x" * 300_000)
    expected = [sha256(b"x" * 300_000)]
    assert ask(cache, file) == (expected, 1)
    assert ask(cache, file) == (expected, 0)
    (tmp_path / "link").symlink_to(file)
    assert ask(cache, tmp_path / "link") == (expected, 0)
    file.rename(tmp_path / "b")
    assert ask(cache, tmp_path / "b")[0] == expected


@pytest.mark.usefixtures("later")
def test_a_file_that_was_written_again_is_read_again_though_its_size_and_time_are_set_back(tmp_path: Path) -> None:
    file, cache = tmp_path / "a", tmp_path / "cache"
    file.write_bytes(b"one")
    ask(cache, file)
    before = file.stat()
    file.write_bytes(b"two")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert ask(cache, file) == ([sha256(b"two")], 1)


def test_a_file_of_this_moment_is_not_trusted(tmp_path: Path) -> None:
    """It may be written again within the same tick of the file system's clock, and no time would show it."""
    file, cache = tmp_path / "a", tmp_path / "cache"
    file.write_bytes(b"one")
    assert ask(cache, file)[1] == 1
    assert ask(cache, file)[1] == 1
    os.utime(file, ns=(0, 0))  # its content looks old, its record is of now
    assert ask(cache, file)[1] == 1
    assert ask(cache, file)[1] == 1


@pytest.mark.usefixtures("later")
def test_a_file_of_the_future_is_not_trusted(tmp_path: Path) -> None:
    file, cache = tmp_path / "a", tmp_path / "cache"
    file.write_bytes(b"one")
    stamp = digests.time.time_ns() + SECOND
    os.utime(file, ns=(stamp, stamp))
    assert [ask(cache, file)[1] for _ in range(2)] == [1, 1]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["write", "touch", "replace", "truncate"]), st.binary(max_size=4)), max_size=6)
)
def test_whatever_is_done_to_a_file_its_digest_is_that_of_its_bytes(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, bytes]]
) -> None:
    root = tmp_path_factory.mktemp("steps")
    file = root / "a"
    file.write_bytes(b"start")
    os.utime(file, ns=(0, 0))
    for what, content in steps:
        if what == "write":
            file.write_bytes(content)
        elif what == "replace":
            (root / "new").write_bytes(content)
            (root / "new").replace(file)
        elif what == "truncate":
            os.truncate(file, len(content))
        os.utime(file, ns=(0, 0))
        for _ in range(2):
            assert ask(root / "cache", file)[0] == [sha256(file.read_bytes())]


def no_database(cache: Path) -> None:
    next(cache.glob("*.sqlite")).write_bytes(b"no database" * 500)


def other_table(cache: Path) -> None:
    path = next(cache.glob("*.sqlite"))
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("create table files(something)")


def flipped(cache: Path) -> None:
    path = next(cache.glob("*.sqlite"))
    data = path.read_bytes()
    shown = sha256(b"one").encode()
    assert shown in data
    path.write_bytes(data.replace(shown, shown[:-1] + (b"0" if shown[-1:] != b"0" else b"1")))


def locked(cache: Path) -> None:
    db = sqlite3.connect(next(cache.glob("*.sqlite")), isolation_level=None)
    db.execute("begin exclusive")
    HELD.append(db)


def a_folder(cache: Path) -> None:
    path = next(cache.glob("*.sqlite"))
    path.unlink()
    path.mkdir()


def a_file(cache: Path) -> None:
    next(cache.glob("*.sqlite")).unlink()
    cache.rmdir()
    cache.write_text("no folder")


HELD: list[sqlite3.Connection] = []


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("harm", [no_database, other_table, flipped, locked, a_folder, a_file])
def test_a_cache_that_cannot_be_used_costs_reading_and_nothing_else(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    files, cache = [tmp_path / "a", tmp_path / "b"], tmp_path / "cache"
    for file in files:
        file.write_bytes(b"one")
    ask(cache, *files)
    harm(cache)
    assert ask(cache, *files)[0] == [sha256(b"one")] * 2
    while HELD:
        HELD.pop().close()


@pytest.mark.usefixtures("later")
def test_a_cache_that_has_grown_too_large_begins_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digests, "_MOST", 3)
    for name in "abcdef":
        (tmp_path / name).write_text(name)
        ask(tmp_path / "cache", tmp_path / name)
    with sqlite3.connect(next((tmp_path / "cache").glob("*.sqlite"))) as db:
        assert db.execute("select count(*) from files").fetchone()[0] <= 4
