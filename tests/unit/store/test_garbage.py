"""Garbage collection: whatever names an object, in the work tree or anywhere in git, keeps it; the rest goes once it is old."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger import project
from ledger.canon import sha256
from ledger.errors import IntegrityError
from ledger.project import Project
from ledger.seal import staging
from ledger.store import garbage
from ledger.store.garbage import sweep
from ledger.store.objects import ObjectStore
from ledger.store.runs import Run
from tests.conftest import commit

Git = Callable[..., str]
MakeRun = Callable[..., Run]
Shell = Callable[..., subprocess.CompletedProcess[str]]

WEIGHTS = b"weights of a run that is elsewhere"
BEST = "checkpoints/best.pt"


def has(found: Project, data: bytes = WEIGHTS) -> bool:
    return ObjectStore(found.objects).has(sha256(data))


def collect(found: Project) -> list[str]:
    """Collect without a grace period; digests of what went."""
    return [path.parent.name + path.name for path in garbage.remove(garbage.look(found, grace=0))]


def test_what_nothing_names_goes(here: Project, make_run: MakeRun) -> None:
    run = make_run(here, files={BEST: b"kept"})
    stray = ObjectStore(here.objects).put_bytes(b"stray")
    assert collect(here) == [stray]
    assert (run.path / BEST).read_bytes() == b"kept"
    assert has(here, b"kept")
    assert collect(here) == []


def test_what_is_young_stays(here: Project) -> None:
    ObjectStore(here.objects).put_bytes(b"stray")
    found = garbage.look(here)
    assert (found.objects, found.young) == ((), 1)


def test_an_object_grows_old_and_is_young_again_when_a_seal_finds_it(
    here: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects = ObjectStore(here.objects)
    digest = objects.put_bytes(b"stray")
    later = sweep.time.time() + garbage.GRACE + 60
    monkeypatch.setattr(sweep.time, "time", lambda: later)
    found = garbage.look(here)
    assert [path.name for path in found.objects] == [digest[2:]]
    os.utime(objects.path(digest), (later, later))  # what `put_bytes` does at that time
    assert garbage.remove(found) == []
    assert objects.has(digest)


def test_finding_an_object_makes_it_young(here: Project) -> None:
    objects = ObjectStore(here.objects)
    digest = objects.put_bytes(b"again")
    os.utime(objects.path(digest), (0, 0))
    objects.put_bytes(b"again")
    assert objects.path(digest).stat().st_mtime > 0


def test_names_that_are_no_digests_are_left_alone(here: Project) -> None:
    folder = here.objects / "ab"
    folder.mkdir(parents=True)
    for name in ("short", ".DS_Store", "c" * 61, "C" * 62, "c" * 63):
        (folder / name).write_bytes(b"x")
    (folder / ("d" * 62)).mkdir()
    assert collect(here) == []
    assert len(list(folder.iterdir())) == 6


@pytest.mark.parametrize(
    "what", ["branch", "tag", "stash", "old stash", "reflog", "index", "detached", "remote", "merge"]
)
def test_git_keeps_what_it_can_bring_back(in_git: Project, git: Git, make_run: MakeRun, what: str) -> None:
    if what not in {"stash", "old stash", "index"}:
        git("switch", "-qc", "side")
    run = make_run(in_git, files={BEST: WEIGHTS})
    git("add", "-A")
    if what in {"stash", "old stash"}:
        git("stash", "-q")
        if what == "old stash":
            (in_git.root / "train.py").write_text("print('changed')\n")
            git("stash", "-q")
            git("stash", "drop", "-q", "stash@{0}")
    elif what != "index":
        git("commit", "-qm", "sealed")
        git("switch", "-q", "main")
    if what == "tag":
        git("tag", "-m", "t", "v1", "side")
    if what == "remote":
        git("update-ref", "refs/remotes/origin/side", "side")
    if what == "detached":
        git("switch", "-q", "--detach", "side")
        git("reset", "-q", "--hard", "main")
    if what == "merge":  # the side's run is left out of what the branch holds
        git("commit", "-q", "--allow-empty", "-m", "other")
        git("merge", "-q", "-s", "ours", "-m", "ours", "side")
    if what in {"tag", "reflog", "detached", "remote", "merge"}:
        git("branch", "-qD", "side")
    if what in {"tag", "remote", "merge"}:
        git("reflog", "expire", "--expire=now", "--all")
    if what == "index":
        shutil.rmtree(run.path, onerror=lambda *_: None)
    assert not (run.path / "run.json").exists()
    shutil.rmtree(run.path, ignore_errors=True)  # git leaves ignored files behind
    assert collect(in_git) == []
    assert has(in_git)


def test_what_git_forgot_goes(in_git: Project, git: Git, make_run: MakeRun) -> None:
    git("switch", "-qc", "side")
    make_run(in_git, files={BEST: WEIGHTS})
    commit(git, "sealed")
    git("switch", "-q", "main")
    git("branch", "-qD", "side")
    git("reflog", "expire", "--expire=now", "--all")
    assert sha256(WEIGHTS) in collect(in_git)


def test_another_work_tree_keeps_its_runs_and_those_in_progress(
    in_git: Project, git: Git, make_run: MakeRun, tmp_path: Path
) -> None:
    git("worktree", "add", "-q", "-b", "side", str(tmp_path / "tree"))
    other = project.at(tmp_path / "tree")
    make_run(other, files={BEST: WEIGHTS})  # never committed
    staged = staging.begin(other, "ours", config={"lr": 2}, seed=1)
    packages = str(staged.start["packages"])
    objects = ObjectStore(in_git.objects)
    objects.put_bytes(WEIGHTS)
    objects.put_bytes(ObjectStore(other.objects).path(packages).read_bytes())
    assert collect(in_git) == []


def test_a_run_in_progress_keeps_its_packages_and_sources(in_git: Project) -> None:
    (in_git.root / "new.py").write_text("print('untracked')\n")
    (in_git.root / "train.py").write_text("print('changed')\n")
    staged = staging.begin(in_git, "ours", config={"lr": 1}, seed=0)
    assert len(list(in_git.objects.glob("??/*"))) == 3
    assert collect(in_git) == []
    assert staging.load(staged.path).run_id == staged.run_id


@pytest.mark.parametrize("damage", ["gone", "a folder"])
def test_nothing_goes_while_a_manifest_cannot_be_read(here: Project, make_run: MakeRun, damage: str) -> None:
    run = make_run(here, files={BEST: WEIGHTS})
    (run.path / "run.json").unlink()
    if damage == "a folder":
        (run.path / "run.json").mkdir()
    with pytest.raises(IntegrityError, match="nobody knows which objects it needs"):
        garbage.look(here, grace=0)


def test_nothing_goes_while_the_log_cannot_be_read(here: Project, make_run: MakeRun) -> None:
    make_run(here, files={BEST: WEIGHTS})
    segment = next(here.log.glob("*.jsonl"))
    segment.write_bytes(segment.read_bytes().replace(b'"seal"', b'"SEAL" '))
    with pytest.raises(IntegrityError):
        garbage.look(here, grace=0)


def test_nothing_goes_while_git_lacks_a_version(in_git: Project, git: Git, make_run: MakeRun) -> None:
    run = make_run(in_git, files={BEST: WEIGHTS})
    commit(git, "sealed")
    blob = git("rev-parse", f"HEAD:results/ours/runs/{run.run_id}/run.json").strip()
    (in_git.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(IntegrityError, match="git lacks the version"):
        garbage.look(in_git, grace=0)


def test_a_damaged_manifest_keeps_what_it_still_names(here: Project, make_run: MakeRun) -> None:
    run = make_run(here, files={BEST: WEIGHTS})
    manifest = run.path / "run.json"
    manifest.chmod(0o644)
    manifest.write_bytes(manifest.read_bytes()[:-20])
    assert collect(here) == []


def test_the_command_prints_first_and_removes_on_the_word(in_git: Project, shell: Shell) -> None:
    digest = ObjectStore(in_git.objects).put_bytes(b"stray")
    assert "kept 1 that nothing names, younger than 14 days" in shell("gc").stderr
    looked = shell("gc", "--grace", "0")
    assert looked.stdout == f"{digest}  5 bytes\n"
    assert "nothing was done: add --yes to remove 1 object (5 bytes)" in looked.stderr
    assert has(in_git, b"stray")
    assert "removed 1 object" in shell("gc", "--grace", "0", "--yes").stderr
    assert not has(in_git, b"stray")
