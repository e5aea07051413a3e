"""Folders of the user's, as they come: with pipes and links, read-only, named twice, or holding what is sealed already."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger import project
from ledger.errors import StoreError, UsageError
from ledger.project import Project
from ledger.seal import staging
from ledger.seal.folder import seal_folders
from ledger.store import fsck
from ledger.store.runs import Run, RunStore

MakeRun = Callable[..., Run]
PLACEMENTS = ["copy", "move", "link"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "my run"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub/out.txt").write_text("hours of work")
    return folder


def errors(found: Project) -> list[str]:
    return [f.rule for f in fsck.check(found).findings if f.severity == "error"]


def contents(root: Path) -> set[bytes]:
    return {path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_what_has_no_end_is_named_and_not_waited_for(here: Project, folder: Path, placement: str) -> None:
    os.mkfifo(folder / "pipe")
    door = socket.socket(socket.AF_UNIX)
    here_now = Path.cwd()
    os.chdir(folder)  # the name of a socket may have some hundred bytes only
    try:
        door.bind("socket")
    finally:
        os.chdir(here_now)
        door.close()
    sealed = seal_folders(here, [folder], "exp", placement=placement)[0]  # type: ignore[arg-type]
    assert {item["path"] for item in sealed.run.manifest.skipped} == {"pipe", "socket"}
    assert sum(finding.rule == "not-sealed" for finding in sealed.findings) == 2
    assert (sealed.run.path / "sub/out.txt").read_text() == "hours of work"
    assert (folder / "pipe").exists() == (placement != "move")
    assert errors(here) == []


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_read_only_folders_are_sealed_and_stay_as_they_are(here: Project, folder: Path, placement: str) -> None:
    (folder / "sub").chmod(0o555)
    folder.chmod(0o555)
    run = seal_folders(here, [folder], "exp", placement=placement)[0].run  # type: ignore[arg-type]
    assert all(stat.S_IMODE(path.stat().st_mode) & 0o700 == 0o700 for path in [run.path, run.path / "sub"])
    if placement != "move":
        assert stat.S_IMODE((folder / "sub").stat().st_mode) == 0o555
    assert errors(here) == []


def test_a_link_to_a_folder_hands_over_the_folder(here: Project, folder: Path, tmp_path: Path) -> None:
    link = tmp_path / "latest"
    link.symlink_to(folder.name)
    run = seal_folders(here, [link], "exp", placement="move")[0].run
    assert (run.path / "sub/out.txt").read_text() == "hours of work"
    assert not folder.exists()
    assert not link.is_symlink()


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("inner", ["", "ours", "ours/runs", "ours/runs/RUN", "ours/runs/RUN/checkpoints"])
def test_sealed_runs_are_not_sealed_again_nor_moved_away(
    here: Project, make_run: MakeRun, placement: str, inner: str
) -> None:
    run = make_run(here, files={"checkpoints/best.pt": b"w"})
    path = here.results / inner.replace("RUN", run.run_id)
    with pytest.raises(UsageError, match="sealed runs"):
        seal_folders(here, [path], "other", placement=placement)  # type: ignore[arg-type]
    assert [each.run_id for each in RunStore(here).all()] == [run.run_id]
    assert errors(here) == []


def test_sealed_runs_are_known_behind_a_link(here: Project, make_run: MakeRun, tmp_path: Path) -> None:
    """`results` on a larger disk."""
    (tmp_path / "large disk").mkdir()
    here.results.symlink_to(tmp_path / "large disk")
    run = make_run(here)
    for path in (tmp_path / "large disk", tmp_path / "large disk/ours", run.path.resolve(), tmp_path):
        with pytest.raises(UsageError):
            seal_folders(here, [path], "other", placement="move")
    assert errors(here) == []


def test_own_outputs_under_results_can_be_sealed(here: Project, make_run: MakeRun) -> None:
    make_run(here)
    (here.results / "old outputs").mkdir()
    (here.results / "old outputs/out.txt").write_text("x")
    run = seal_folders(here, [here.results / "old outputs"], "old", placement="move")[0].run
    assert (run.path / "out.txt").read_text() == "x"
    assert errors(here) == []


def test_what_is_handed_over_is_named_once(here: Project, folder: Path) -> None:
    for many in ([folder, folder], [folder, folder / "sub"], [folder / "sub", folder / "sub" / ".." / "sub"]):
        with pytest.raises(UsageError, match="handed over with"):
            seal_folders(here, many, "exp", placement="move")
    assert (folder / "sub/out.txt").read_text() == "hours of work"
    assert RunStore(here).all() == []


def test_a_copy_that_fails_leaves_nothing_behind_and_everything_in_place(
    here: Project, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ledger.seal import folder as module

    def refuse(source: str, target: str) -> None:
        raise OSError(28, "No space left on device", target)

    monkeypatch.setattr(module, "clone", refuse)
    with pytest.raises(StoreError) as caught:
        seal_folders(here, [folder], "exp")
    assert "No space left on device" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not list(here.running.iterdir())
    assert (folder / "sub/out.txt").read_text() == "hours of work"


@pytest.mark.parametrize(
    "name", ["漢" * 40, "ends.", "con", "NUL", "com1.txt", "é" * 51, "a\n", "a/..", "\ud800", "a\x00b"]
)
def test_names_that_fail_after_the_training_are_refused_before_it(here: Project, name: str) -> None:
    with pytest.raises(UsageError, match="cannot name an experiment"):
        staging.begin(here, name)
    assert not here.running.exists()


@pytest.mark.parametrize("name", ["漢字", "a.b", "console", "x" * 100, "v1.0-beta+2", "ÅÄÖ"])
def test_other_names_go_all_the_way(here: Project, make_run: MakeRun, name: str) -> None:
    make_run(here, name, seed=0)
    make_run(here, name, seed=1)
    assert errors(here) == []


@pytest.mark.parametrize(("first", "second"), [("Ours", "ours"), ("STRASSE", "straße")])
def test_two_names_for_one_folder_are_refused(here: Project, make_run: MakeRun, first: str, second: str) -> None:
    make_run(here, first)
    with pytest.raises(UsageError, match=f"an experiment '{first}' already"):
        staging.begin(here, second)
    make_run(here, first, seed=1)


def test_data_with_hidden_and_oddly_named_files(here: Project, tmp_path: Path, make_run: MakeRun) -> None:
    from ledger.seal.data import capture
    from ledger.store.digests import Digests

    data = tmp_path / "data"
    (data / ".git").mkdir(parents=True)
    (data / "a").write_text("1")
    (data / os.fsdecode(b"b\xff")).write_text("2")
    before = capture(data, None, Digests()).record["sha256"]
    (data / ".git/index").write_text("fetched")
    (data / ".DS_Store").write_text("seen")
    assert capture(data, None, Digests()).record["sha256"] == before
    (data / os.fsdecode(b"b\xff")).write_text("3")
    assert capture(data, None, Digests()).record["sha256"] != before


def test_a_named_project_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LEDGER_PROJECT", str(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match=r"LEDGER_PROJECT=.*nowhere: there is no such folder"):
        project.find()


@pytest.mark.parametrize("outside", ["/", "/.", "."])
def test_the_folder_that_holds_the_project_is_refused(
    here: Project, monkeypatch: pytest.MonkeyPatch, outside: str
) -> None:
    monkeypatch.chdir(here.root.parent)
    with pytest.raises(UsageError, match="the project itself"):
        seal_folders(here, [Path(outside)], "exp")
