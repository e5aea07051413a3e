"""Every single step of the other ways onto the disk fails, or is the last one: writes, folders of the user's, choices,
checkpoints, repairs.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest

from ledger import project
from ledger.errors import StoreError
from ledger.project import Project
from ledger.run.recorder import begin
from ledger.seal import staging
from ledger.seal.folder import seal_folders
from ledger.seal.publish import seal
from ledger.store import atomic, fsck
from ledger.store.journal import Journal
from ledger.store.runs import Run, RunStore
from ledger.store.selection import Selection

Injected = Callable[[Callable[[], Any], int, str], tuple[int, str]]
HOW = ["kill", "ENOSPC", "EIO", "EACCES"]
ADVICE = {"ENOSPC": "free some space", "EACCES": "writable", "EIO": "Input/output error"}


def errors(found: Project) -> list[str]:
    return [f"{f.rule}: {f.message}" for f in fsck.check(found).findings if f.severity == "error"]


def contents(*roots: Path) -> set[bytes]:
    return {path.read_bytes() for root in roots for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("mode", [None, 0o444])
def test_a_file_is_old_or_new_whichever_step_fails(
    tmp_path: Path, injected: Injected, how: str, mode: int | None
) -> None:
    for fail_at in range(1, 50):
        folder = tmp_path / str(fail_at)
        folder.mkdir()
        target = folder / "file"
        target.write_bytes(b"old" * 9)
        status, said = injected(lambda target=target: atomic.write_bytes(target, b"new", mode=mode), fail_at, how)  # type: ignore[misc]
        if status == 77:
            assert fail_at > 5
            break
        assert target.read_bytes() in {b"old" * 9, b"new"}, fail_at
        if how == "kill":
            assert status == 9
            assert all(path == target or path.name.startswith(atomic.TEMPORARY) for path in folder.iterdir())
        else:
            assert list(folder.iterdir()) == [target], fail_at
            assert status in {0, 3}, said  # a mode that cannot be set is no failure
            assert status == 0 or (ADVICE[how] in said and "\n" not in said)
    else:
        pytest.fail("the write never came to its end")


@pytest.mark.parametrize(("how", "placement"), [("kill", "move"), ("ENOSPC", "copy")])
def test_a_folder_of_the_users_loses_nothing_whichever_step_fails(
    here: Project, tmp_path: Path, injected: Injected, how: str, placement: Literal["copy", "move", "link"]
) -> None:
    def work(root: Path) -> None:
        seal_folders(project.at(root / "project"), [root / "out"], "exp", placement=placement)

    mine = {b"weights", b"notes", b'{"metrics": []}'}
    for fail_at in range(1, 300):
        root = tmp_path / f"try {fail_at}"
        found = project.at(shutil.copytree(here.root, root / "project"))
        (root / "out/checkpoints").mkdir(parents=True)
        for name, data in (
            ("checkpoints/best.pt", b"weights"),
            ("a.txt", b"notes"),
            ("results.json", b'{"metrics": []}'),
        ):
            (root / "out" / name).write_bytes(data)
        status, said = injected(lambda root=root: work(root), fail_at, how)  # type: ignore[misc]
        if status == 77:
            break
        where = f"{how} at step {fail_at}: {said}"
        assert status == 9 if how == "kill" else status in {0, 3}, where
        assert "\n" not in said, where
        if placement != "move":
            assert contents(root / "out") == mine, where
        with atomic.durability(full=False):
            fsck.repair(found, fsck.check(found))
            for path in staging.leftovers(found):
                if (path.parent / f"{path.name}.json").is_file():
                    seal(found, staging.load(path), "abandoned", None)
            if (root / "out").is_dir() and any((root / "out").iterdir()):
                seal_folders(found, [root / "out"], "exp", placement=placement)
        assert {b"weights", b"notes"} <= contents(found.results, found.running), where
        assert errors(found) == [], where
        shutil.rmtree(root)
    else:
        pytest.fail("the work never came to its end")
    assert fail_at > 30


@pytest.mark.parametrize("how", ["kill", "ENOSPC"])
def test_a_choice_is_the_old_or_the_new_one(
    here: Project, make_run: Callable[..., Run], tmp_path: Path, injected: Injected, how: str
) -> None:
    first, second = make_run(here), make_run(here)
    for fail_at in range(1, 100):
        found = project.at(shutil.copytree(here.root, tmp_path / f"try {fail_at}", symlinks=True))
        Journal(found).append({"type": "disclose", "text": "a segment of this copy's own"})

        def choose(found: Project = found) -> None:
            Selection(found).select(RunStore(found).get("ours", second.run_id))  # type: ignore[arg-type]

        status, said = injected(choose, fail_at, how)
        if status == 77:
            break
        assert Selection(found).ids("ours") in ([first.run_id], [second.run_id]), said
        assert errors(found) == []
        stale = Selection(found).leads_to("ours") != Selection(found).ids("ours")[0]
        assert stale == ("selection-broken" in {f.rule for f in fsck.check(found).findings})
        choose()
        assert Selection(found).ids("ours") == [second.run_id]
        assert Selection(found).leads_to("ours") == second.run_id
        shutil.rmtree(found.root)
    else:
        pytest.fail("the work never came to its end")
    assert fail_at > 8


@pytest.mark.parametrize("how", ["kill", "ENOSPC"])
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_one_of_two_checkpoints_is_whole_at_every_moment(
    here: Project, tmp_path: Path, injected: Injected, how: str, kind: str
) -> None:
    new = tmp_path / "new"
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        for part in ("a", "b"):
            (tmp_path / name / part).write_text(f"{name} {part}")
    source = {"file": ("old/a", "new/a"), "folder": ("old", "new")}[kind]
    for fail_at in range(1, 100):
        run = begin(here, "exp", config={"try": fail_at}, seed=0, data=None, dataset=None)
        run.checkpoint("last", tmp_path / source[0])
        status, _ = injected(lambda run=run: run.checkpoint("last", tmp_path / source[1]), fail_at, how)  # type: ignore[misc]
        if status == 77:
            break
        kept = run.path / "checkpoints"
        whole = [path for path in (kept.iterdir() if kind == "folder" else [kept]) if path.is_dir()]
        sets = [contents(path) for path in whole]
        for name in ("old", "new"):
            parts = {f"{name} a".encode()} | ({f"{name} b".encode()} if kind == "folder" else set())
            if any(parts <= each for each in sets):
                break
        else:
            pytest.fail(f"neither is whole after step {fail_at}: {sets}")
        run.checkpoint("last", tmp_path / source[1])
        assert {path.name for path in kept.iterdir()} == {"last"}
        assert contents(kept) == (contents(new) if kind == "folder" else {b"new a"})
    else:
        pytest.fail("the work never came to its end")
    assert fail_at > 2


@pytest.mark.parametrize("place", [".ledger", ".ledger/running", ".ledger/objects", ".ledger/log", ".ledger/local"])
def test_a_file_where_a_folder_must_be_is_said_before_the_training(here: Project, place: str) -> None:
    path = here.root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("in the way")
    with pytest.raises(StoreError) as caught:
        staging.begin(here, "exp")
    assert "\n" not in str(caught.value)
    assert path.read_text() == "in the way"
