"""What fsck says of manifests that other systems wrote, of zeros, and of what it did not read."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from ledger.canon import listing
from ledger.project import Project
from ledger.store import fsck
from ledger.store.runs import Run

MakeRun = Callable[..., Run]
Shell = Callable[..., subprocess.CompletedProcess[str]]
FILES = {"scores/test.json": b'{"acc": 0.8125}\n', "deep/er/x.txt": b"x", "checkpoints/best.pt": b"w" * 2_000_000}


def rewritten(run: Run, change: Callable[[list[dict[str, Any]]], object]) -> None:
    """Write the manifest of a run as another tool would have."""
    raw = json.loads((run.path / "run.json").read_text())
    change(raw["files"])
    (run.path / "run.json").chmod(0o644)
    (run.path / "run.json").write_bytes(listing(raw))


def said(found: Project, rule: str | None = None) -> list[str]:
    return [f.message for f in fsck.check(found).findings if f.rule == rule or (rule is None and f.severity != "note")]


def line(files: list[dict[str, Any]], path: str) -> dict[str, Any]:
    return next(file for file in files if file["path"] == path)


@pytest.mark.parametrize("also", [True, False])
def test_backslashes_are_one_finding_that_names_the_run(here: Project, make_run: MakeRun, also: bool) -> None:
    """As a project that is used on Linux and Windows has them: each file twice, or by its backslash alone."""
    run = make_run(here, files=FILES)

    def change(files: list[dict[str, Any]]) -> None:
        for path in list(FILES):
            file = line(files, path)
            files.append({**file, "path": path.replace("/", "\\")})
            if not also:
                files.remove(file)

    rewritten(run, change)
    others = [text for text in said(here) if "was sealed as" not in text]  # the log knows the manifest as it was
    assert len(others) == 1
    assert others[0].startswith(f"the manifest of {run.run_id} writes scores\\test.json, ")
    assert ("more than once" in others[0]) is also
    (run.path / "scores/test.json").chmod(0o644)
    (run.path / "scores/test.json").write_bytes(b"other")
    assert any("scores/test.json of" in text and "has changed" in text for text in said(here, "hash-mismatch"))


def test_a_file_listed_twice_is_read_once_and_two_digests_for_it_are_a_damage(here: Project, make_run: MakeRun) -> None:
    run = make_run(here, files=FILES)
    before = fsck.check(here).checked["files"]
    rewritten(run, lambda files: files.append(dict(line(files, "scores/test.json"))))
    assert said(here, "manifest-paths") == [f"the manifest of {run.run_id} lists scores/test.json more than once"]
    assert fsck.check(here).checked["files"] == before
    rewritten(run, lambda files: files.append({**line(files, "scores/test.json"), "sha256": "0" * 64}))
    assert len(said(here, "hash-mismatch")) == 1


@pytest.mark.skipif(os.name != "posix", reason="a backslash is no letter of a name there")
def test_a_backslash_that_is_part_of_a_name_is_no_finding(here: Project, make_run: MakeRun) -> None:
    make_run(here, files={"a\\b.txt": b"x", "a/b.txt": b"x"})
    assert said(here) == []


def test_a_manifest_that_lacks_something_says_what(here: Project, shell: Shell) -> None:
    folder = here.results / "exp/runs/20260101T000000Z-aaaa"
    folder.mkdir(parents=True)
    (folder / "run.json").write_text('{"exp_id": "exp", "run_id": "20260101T000000Z-aaaa", "files": []}')
    done = shell("fsck")
    assert done.returncode == 1
    assert "not a run manifest (it lacks status, created, provenance_hash, group_hash)" in done.stdout


@pytest.mark.parametrize("name", ["checkpoints/best.pt", "scores/test.json"])
def test_zeros_of_the_same_size_and_time_are_called_that(
    here: Project, make_run: MakeRun, shell: Shell, name: str
) -> None:
    """As a copy-on-write file system returned hundreds of files."""
    run = make_run(here, files=FILES)
    place = run.path / name
    about = place.stat()
    place.chmod(0o644)
    with place.open("r+b") as stream:
        stream.write(b"\0" * about.st_size)
    place.chmod(0o444)
    os.utime(place, ns=(about.st_atime_ns, about.st_mtime_ns))
    quick = shell("fsck", "--quick")
    assert quick.returncode == 0
    assert "contents were not read: sizes were compared; `ledger fsck` without --quick reads every byte" in quick.stderr
    assert json.loads(shell("fsck", "--quick", "--format", "json").stdout)["checked"]["contents"].startswith("not read")
    done = shell("fsck")
    assert done.returncode == 1
    assert f"{name} of {run.run_id} has changed" in done.stdout
    assert "(nothing but zeros)" in done.stdout
    assert "contents" not in done.stderr
    assert shell("fsck", "--repair").returncode == 1


def test_a_sample_says_how_many_were_read(here: Project, make_run: MakeRun, shell: Shell) -> None:
    make_run(here, files=FILES)
    done = shell("fsck", "--sample", "2")
    assert "files, chosen at random; `ledger fsck` without --sample reads every byte" in done.stderr
