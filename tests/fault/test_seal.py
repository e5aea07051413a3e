"""A seal that is killed, or that the disk refuses, at every step that touches the disk.

Afterwards no run that was sealed before has changed, no partial run is visible, nothing that the training wrote is
lost, and `fsck --repair` or a second attempt leaves a clean store.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger import project
from ledger.project import Project
from ledger.seal import staging
from ledger.seal.publish import seal
from ledger.store import atomic, fsck
from ledger.store.runs import Run, RunStore

Injected = Callable[[Callable[[], Any], int, str], tuple[int, str]]


_mkdir = os.mkdir  # taken before the harness counts it: what the training itself writes is no step of ours


def work(root: Path) -> None:
    """Start a run, write into it as a training does, seal it."""
    found = project.at(root)
    staged = staging.begin(found, "new", config={"lr": 1}, seed=0)
    _mkdir(staged.path / "checkpoints")
    for name, data in (
        (staging.RESULTS_JOURNAL, b'{"metric": "acc", "value": 0.5, "split": "test"}\n'),
        ("checkpoints/best.pt", b"w" * 100),
    ):
        with io.FileIO(staged.path / name, "w") as stream:
            stream.write(data)
    seal(found, staged, "finished", 0)


def tree(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def errors(found: Project) -> list[str]:
    return [f"{f.rule}: {f.message}" for f in fsck.check(found).findings if f.severity == "error"]


def weights(found: Project) -> list[Path]:
    """Checkpoints of the work, in staging or sealed."""
    staged = found.running.glob("*/checkpoints/best.pt")
    return [*staged, *(found.results / "new" / "runs").glob("*/checkpoints/best.pt")]


def settle(found: Project) -> None:
    """What a user does afterwards: repair, and seal what was left behind."""
    fsck.repair(found, fsck.check(found))
    for path in staging.leftovers(found):
        if (path.parent / f"{path.name}.json").is_file():
            seal(found, staging.load(path), "abandoned", None)
    fsck.repair(found, fsck.check(found))


@pytest.mark.parametrize("how", ["kill", "ENOSPC", "EIO"])
def test_every_step_of_a_seal(
    here: Project, make_run: Callable[..., Run], injected: Injected, how: str, tmp_path: Path
) -> None:
    old = make_run(here, "old", files={"checkpoints/best.pt": b"old weights"})
    before = tree(old.path)
    points = 0
    for fail_at in range(1, 500):
        copy = project.at(shutil.copytree(here.root, tmp_path / f"copy {fail_at}"))
        status, said = injected(lambda root=copy.root: work(root), fail_at, how)  # type: ignore[misc]
        if status == 77:
            break
        points += 1
        where = f"{how} at step {fail_at}: {said}"
        assert status == 9 if how == "kill" else status in {0, 3}, where
        assert "\n" not in said, where
        assert tree(copy.root / old.path.relative_to(here.root)) == before, where
        for path in RunStore(copy).folders():
            assert (path / "run.json").is_file(), f"{where}: a partial run is visible"
        # nothing but what a repair is for: a whole run without its log entry, or a choice that is logged and not written
        repaired = ("run-unlogged", "selection-broken: the selection is gone")
        assert all(error.startswith(repaired) for error in errors(copy)), f"{where}: {errors(copy)}"
        written = len(weights(copy))
        with atomic.durability(full=False):  # no power is cut here
            settle(copy)
        assert errors(copy) == [], where
        assert len(weights(copy)) == written, f"{where}: a checkpoint was lost"
        begun = [path for path in (*copy.results.rglob(".*"), *copy.objects.rglob(".*")) if path.name != ".gitignore"]
        young = [path for path in begun if "runs" not in path.parts]  # fsck leaves them alone for an hour
        assert begun == young, f"{where}: a write that was interrupted became a file of a run"
        shutil.rmtree(copy.root)
    else:
        pytest.fail("the work never came to its end")
    assert points > 40, "the harness no longer reaches the steps of a seal"
