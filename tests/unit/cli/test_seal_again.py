"""A folder that has not changed is known by what stat says of it: sealed once, and not a byte is read again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.cli.lazy import cli
from ledger.project import Project
from ledger.seal import unchanged
from ledger.store.runs import Run, RunStore

Seal = Callable[..., str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub/log.txt").write_text("one")
    (folder / "metrics.txt").write_text("two")
    return folder


@pytest.fixture
def seal(here: Project, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Seal:
    """Run `ledger seal` on the folder; returns what it said."""
    monkeypatch.chdir(here.root)
    monkeypatch.setattr(unchanged, "_SETTLED", -1)  # the files are as old as the test

    def call(*more: str, exp: str = "exp") -> str:
        cli.main(["seal", str(folder), "--exp", exp, *more], prog_name="ledger", standalone_mode=False)
        return capsys.readouterr().err

    return call


def runs(here: Project) -> list[Run]:
    return RunStore(here).all()


def test_what_has_not_changed_is_sealed_once_and_read_once(
    here: Project, seal: Seal, monkeypatch: pytest.MonkeyPatch
) -> None:
    seal("--seed", "1")
    first = runs(here)[0]

    def read(*_: object) -> None:
        raise AssertionError("nothing is to be read")

    monkeypatch.setattr("ledger.seal.folder.seal_folders", read)
    monkeypatch.setattr("ledger.seal.collect.handle_digest", read)
    assert f"has not changed since it was sealed as exp/{first.run_id}" in seal("--seed", "1")
    assert len(runs(here)) == 1


def test_a_changed_byte_is_seen_although_size_and_time_are_as_before(here: Project, folder: Path, seal: Seal) -> None:
    seal()
    file = folder / "sub/log.txt"
    before = file.stat()
    file.write_text("eno")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    seal()
    assert sorted((run.path / "sub/log.txt").read_text() for run in runs(here)) == ["eno", "one"]


@pytest.mark.parametrize("change", ["new", "gone", "renamed", "mode"])
def test_any_other_change_is_seen(here: Project, folder: Path, seal: Seal, change: str) -> None:
    seal()
    file = folder / "metrics.txt"
    if change == "new":
        (folder / "more").write_text("")
    elif change == "gone":
        file.unlink()
    elif change == "renamed":
        file.rename(folder / "other.txt")
    else:
        file.chmod(0o755)
    assert "has not changed" not in seal()
    assert len(runs(here)) == 2


def test_another_seed_or_experiment_is_another_run(here: Project, seal: Seal) -> None:
    seal("--seed", "1")
    seal("--seed", "2")
    seal("--seed", "1", exp="other")
    assert len(runs(here)) == 3


def test_a_run_that_is_gone_is_sealed_anew(here: Project, seal: Seal) -> None:
    seal()
    run = runs(here)[0]
    run.path.chmod(0o755)
    shutil.rmtree(run.path)
    seal()
    assert len(runs(here)) == 1


def test_a_file_of_this_very_moment_may_change_within_its_clock_tick(
    here: Project, seal: Seal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unchanged, "_SETTLED", 2.0)
    seal()
    assert "has not changed" not in seal()
    assert len(runs(here)) == 2


def test_a_damaged_or_missing_cache_seals_again(here: Project, seal: Seal) -> None:
    seal()
    for file in (here.cache / "sealed-folders").iterdir():
        file.write_bytes(b"\xff{")
    seal()
    shutil.rmtree(here.cache / "sealed-folders")
    seal()
    assert len(runs(here)) == 3
