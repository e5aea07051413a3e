"""Pruning: derived files go, the log says it first, and nothing else is ever taken."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ledger.canon import listing, parse, sha256
from ledger.errors import IntegrityError
from ledger.model.run import RunFile
from ledger.project import Project
from ledger.store import fsck, prune
from ledger.store.journal import Journal
from ledger.store.objects import ObjectStore
from ledger.store.runs import Run, RunStore, read_run

MakeRun = Callable[..., Run]
Shell = Callable[..., subprocess.CompletedProcess[str]]

IMAGE, SNAPSHOT = "qualitative/t/d/pred/1.png", "checkpoints/epoch_1.pt"
FILES = {"checkpoints/best.pt": b"best", "checkpoints/last.pt": b"last", SNAPSHOT: b"early", IMAGE: b"image"}


@pytest.fixture
def run(here: Project, make_run: MakeRun) -> Run:
    return make_run(here, files=FILES)


def do(found: Project, *runs: Run) -> list[prune.Plan]:
    plans = prune.plan(found, runs)
    prune.carry_out(found, plans)
    return plans


def rules(found: Project) -> list[str]:
    return sorted(item.rule for item in fsck.check(found).findings)


def said(found: Project) -> list[list[str]]:
    return [entry.body["files"] for entry in Journal(found).entries() if entry.type == "prune"]


def test_derived_files_go_and_fsck_calls_them_pruned(here: Project, run: Run) -> None:
    plans = do(here, run)
    assert [file.path for item in plans for file in item.files] == [SNAPSHOT, IMAGE]
    assert plans[0].size == len(b"early" + b"image")
    assert said(here) == [[SNAPSHOT, IMAGE]]
    assert not (run.path / IMAGE).exists()
    assert not (run.path / "qualitative").exists()
    assert (run.path / "checkpoints" / "best.pt").read_bytes() == b"best"
    report = fsck.check(here)
    assert sorted((item.rule, item.severity) for item in report.findings) == [
        ("object-unowned", "note"),
        ("pruned", "note"),
    ]
    assert report.checked["files_pruned"] == 2
    assert read_run(run.path).address == run.address
    assert prune.plan(here, [run]) == []


def test_a_file_that_is_only_gone_is_not_pruned(here: Project, run: Run) -> None:
    (run.path / IMAGE).unlink()
    (run.path / SNAPSHOT).unlink()
    assert rules(here) == ["file-missing", "heavy-absent"]


def test_a_crash_between_log_and_removal_is_finished_later(
    here: Project, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(self: Path, **_: object) -> None:
        raise KeyboardInterrupt

    plans = prune.plan(here, [run])
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", killed)
        with pytest.raises(KeyboardInterrupt):
            prune.carry_out(here, plans)
    assert said(here) == [[SNAPSHOT, IMAGE]]
    assert (run.path / IMAGE).read_bytes() == b"image"
    assert rules(here) == ["object-unowned"]
    do(here, run)
    assert not (run.path / IMAGE).exists()
    assert not (run.path / SNAPSHOT).exists()


def test_what_has_changed_since_it_was_sealed_stays(here: Project, run: Run) -> None:
    path = run.path / IMAGE
    path.chmod(0o644)
    path.write_bytes(b"IMAGE")
    plans = do(here, run)
    assert plans[0].left == ((IMAGE, "it has changed since it was sealed"),)
    assert path.read_bytes() == b"IMAGE"
    assert "hash-mismatch" in rules(here)


def test_a_link_in_place_of_a_file_or_folder_stays(here: Project, run: Run, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "1.png").write_bytes(b"image")
    folder = (run.path / IMAGE).parent
    (folder / "1.png").unlink()
    folder.rmdir()
    folder.symlink_to(outside)
    plans = do(here, run)
    assert plans[0].left == ((IMAGE, "it is a link or no file"),)
    assert (outside / "1.png").read_bytes() == b"image"


@pytest.mark.parametrize("path", ["../../../../EVIDENCE.json", "/etc/hostname", "results.json"])
def test_a_hostile_manifest_prunes_nothing(here: Project, run: Run, path: str) -> None:
    manifest = run.path / "run.json"
    raw = parse(manifest.read_bytes())
    target = run.path / path
    data = target.read_bytes()
    raw["files"].append({"path": path, "size": len(data), "sha256": sha256(data), "tier": "light", "derived": True})
    manifest.chmod(0o644)
    manifest.write_bytes(listing(raw))
    with pytest.raises(IntegrityError, match="not the run that the log says"):
        prune.plan(here, [read_run(run.path)])
    assert target.read_bytes() == data


@pytest.mark.parametrize("path", ["../../../../EVIDENCE.json", "/etc/hostname"])
def test_a_name_that_leads_out_of_the_run_stays_whatever_the_log_says(here: Project, run: Run, path: str) -> None:
    data = (run.path / path).read_bytes()
    listed = RunFile(path, len(data), sha256(data), "light", derived=True)
    hostile = Run(run.path, replace(run.manifest, files=(listed,)), run.manifest_raw)
    plans = do(here, hostile)
    assert plans[0].left == ((path, "its name leads out of the run"),)
    assert (run.path / path).read_bytes() == data


def test_what_the_log_says_of_files_that_are_not_derived_excuses_nothing(here: Project, run: Run) -> None:
    entry = {"type": "prune", "exp_id": run.exp_id, "run_id": run.run_id, "address": run.address}
    Journal(here).append({**entry, "files": ["results.json"]})
    (run.path / "results.json").unlink()
    assert "file-missing" in rules(here)


def test_the_command_says_what_goes_and_spares_selected_runs(
    here: Project, make_run: MakeRun, shell: Shell, run: Run
) -> None:
    other = make_run(here, seed=0, value=0.1, files={**FILES, IMAGE: b"other image", SNAPSHOT: b"other"})
    looked = shell("prune")
    assert looked.returncode == 0
    assert looked.stdout == f"ours/{other.run_id}  2 files  16 bytes\n"
    assert "left out 1 selected run; --all prunes them too" in looked.stderr
    assert "nothing was done: add --yes" in looked.stderr
    assert (other.path / IMAGE).exists()
    done = shell("prune", "--yes")
    assert "pruned 2 files and 1 object of theirs" in done.stderr
    assert not (other.path / IMAGE).exists()
    assert (run.path / IMAGE).exists()
    objects = ObjectStore(here.objects)
    assert objects.has(sha256(b"early"))
    assert not objects.has(sha256(b"other"))
    assert rules(here) == ["pruned"]
    shown = shell("show", other.run_id)
    assert "light, derived, pruned" in shown.stdout
    assert f"2 derived files of {other.run_id} were pruned (16 bytes)" in shell("fsck").stdout


def test_an_object_that_another_run_names_stays(here: Project, make_run: MakeRun, shell: Shell) -> None:
    first, second = make_run(here, seed=0, files=FILES), make_run(here, seed=1, files=FILES)
    assert "pruned 2 files and 0 objects of theirs" in shell("prune", first.run_id, "--yes").stderr
    assert ObjectStore(here.objects).has(sha256(b"early"))
    assert (second.path / SNAPSHOT).read_bytes() == b"early"
    assert "pruned 2 files and 1 object of theirs" in shell("prune", second.run_id, "--yes").stderr
    assert not ObjectStore(here.objects).has(sha256(b"early"))
    assert len(RunStore(here).all()) == 2
    assert os.path.lexists(first.path / "checkpoints" / "best.pt")
