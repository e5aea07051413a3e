"""What a crash leaves is named, harms no reader, and `fsck --repair` takes it away: never more than that."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.errors import IntegrityError
from ledger.project import Project
from ledger.store import fsck
from ledger.store.fsck import leftovers
from ledger.store.journal import Journal
from ledger.store.objects import ObjectStore
from ledger.store.runs import Run
from ledger.store.selection import Selection

MakeRun = Callable[..., Run]


def errors(found: Project) -> list[str]:
    return [f.rule for f in fsck.check(found).findings if f.severity == "error"]


def left(found: Project) -> list[str]:
    return [f.location.path for f in fsck.check(found).findings if f.rule == "leftover" and f.location]


def tear(path: Path, line: bytes) -> bytes:
    """What a power cut leaves of an append; returns the bytes before it."""
    whole = path.read_bytes()
    with path.open("ab") as stream:
        stream.write(line)
    return whole


@pytest.mark.parametrize("line", [b"{", b'{"address":"0123', b'{"type":"start"}', b"\0" * 200])
def test_the_beginning_of_an_entry_of_ours_was_never_counted(here: Project, make_run: MakeRun, line: bytes) -> None:
    make_run(here)
    (path,) = Journal(here).files()
    whole = tear(path, line)
    assert [entry.type for entry in Journal(here).entries()] == ["open", "start", "seal", "select"]
    assert Journal(here).whole(path) == (whole, True)
    assert errors(here) == []
    assert left(here) == [path.relative_to(here.root).as_posix()]
    assert path.read_bytes() == whole + line  # reading and checking change nothing
    fsck.repair(here, fsck.check(here))
    assert path.read_bytes() == whole
    assert left(here) == []
    make_run(here, seed=1)
    assert Journal(here).files() == [path]


def test_the_very_first_entry_may_be_the_one_that_was_cut_off(
    here: Project, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write

    def dies(handle: int, data: bytes) -> int:
        if b'"disclose"' in bytes(data):
            raise KeyboardInterrupt
        return real(handle, data)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", dies)
        with pytest.raises(KeyboardInterrupt):
            Journal(here).append({"type": "disclose", "text": "x"})
    (path,) = Journal(here).files()
    tear(path, b'{"text')
    assert errors(here) == []
    make_run(here)
    assert Journal(here).files() == [path]
    assert errors(here) == []


def test_a_torn_line_of_somebody_elses_is_damage(here: Project, make_run: MakeRun) -> None:
    make_run(here)
    (path,) = Journal(here).files()
    (here.local / "segment.json").unlink()
    data = tear(path, b"{") + b"{"
    assert errors(here) == ["log-damaged"]
    with pytest.raises(IntegrityError, match="torn"):
        list(Journal(here).entries())
    fsck.repair(here, fsck.check(here))
    assert path.read_bytes() == data


PLACES = ("results/ours", "results/ours/runs", ".ledger/log", ".ledger/local", ".ledger/running")
NAMES = (".ledger-tmp-selected.json-0123abcd", ".ledger-tmp-0123456789ab", ".ledger-tmp-x\ny-00000000")


@pytest.mark.parametrize("place", PLACES)
def test_temporary_files_are_removed_wherever_we_write(
    here: Project, make_run: MakeRun, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_run(here)
    for name in (*NAMES, ".ledger-tmp-of-the-users", ".ledger-tmp-", "tmp-00000000"):
        (here.root / place / name).write_text("x")
    assert left(here) == []  # a process may still be writing them
    monkeypatch.setattr(leftovers, "GRACE", 0)
    assert left(here) == sorted(f"{place}/{name}" for name in NAMES)
    fsck.repair(here, fsck.check(here))
    assert left(here) == []
    kept = {path.name for path in (here.root / place).iterdir()}
    assert {".ledger-tmp-of-the-users", ".ledger-tmp-", "tmp-00000000"} <= kept
    assert errors(here) == []


def test_a_link_that_was_not_put_in_its_place(
    here: Project, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(here)
    (here.results / "ours/.ledger-tmp-selected").symlink_to(f"runs/{run.run_id}")
    monkeypatch.setattr(leftovers, "GRACE", 0)
    assert left(here) == ["results/ours/.ledger-tmp-selected"]
    fsck.repair(here, fsck.check(here))
    assert left(here) == []
    assert run.path.is_dir()


def test_one_run_that_cannot_be_logged_keeps_no_other_from_it(here: Project, make_run: MakeRun) -> None:
    damaged, whole = make_run(here, "a", files={"notes.txt": b"x"}), make_run(here, "b")
    for path in Journal(here).files():
        path.unlink()
    (damaged.path / "notes.txt").chmod(0o644)
    (damaged.path / "notes.txt").write_bytes(b"y")
    with pytest.raises(IntegrityError, match=r"notes\.txt"):
        fsck.repair(here, fsck.check(here))
    assert [entry.body["run_id"] for entry in Journal(here).entries() if entry.type == "seal"] == [whole.run_id]


def test_what_is_no_object_is_passed_over_and_one_that_cannot_be_read_is_said(here: Project, make_run: MakeRun) -> None:
    run = make_run(here, files={"checkpoints/best.pt": b"weights"})
    (here.objects / "ab").mkdir(exist_ok=True)
    (here.objects / "ab/.DS_Store").write_text("of a file manager")
    (here.objects / "ab/folder").mkdir()
    assert errors(here) == []
    sha256 = next(file.sha256 for file in run.manifest.files if file.tier == "heavy")
    ObjectStore(here.objects).path(sha256).unlink()
    ObjectStore(here.objects).path(sha256).mkdir()
    (said,) = [f.message for f in fsck.check(here).findings if f.severity == "error"]
    assert run.run_id in said
    assert "cannot be read (Is a directory)" in said


def test_a_clock_that_was_set_back_reorders_no_choice(
    here: Project, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ledger.store import journal

    first, second = make_run(here), make_run(here)
    with monkeypatch.context() as patch:
        patch.setattr(journal, "now", lambda: "2001-01-01T00:00:00.000Z")
        assert Selection(here).select(second) == [first.run_id]
    assert [entry.index for entry in Journal(here).entries()] == list(range(7))
    Selection(here).path("ours").write_text("lost")
    make_run(here, seed=1)
    assert Selection(here).select(second) == []
    assert Selection(here).ids("ours") == [second.run_id]


def test_a_seal_leaves_out_what_a_killed_one_began_and_nothing_of_the_users(here: Project, make_run: MakeRun) -> None:
    ours = (".ledger-tmp-run.json-0123abcd", "checkpoints/.ledger-tmp-0123456789ab")
    theirs = (
        ".ledger-tmp-",
        ".ledger-tmp-notes",
        ".tmp-0123456789ab",
        ".tmp-run.json-0123abcd",
        "checkpoints/.tmp-last.pt",
    )
    run = make_run(here, files=dict.fromkeys((*ours, *theirs), b"x"))
    assert {file.path for file in run.manifest.files} >= set(theirs)
    assert not any((run.path / name).exists() for name in ours)
    assert errors(here) == []
