"""What stands in the place of a record and is none is said at once, and never waited for."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.canon import file_digest, read_record
from ledger.canon.regular import LARGEST
from ledger.project import Project
from ledger.store.runs import Run

Shell = Callable[..., subprocess.CompletedProcess[str]]
RECORDS = ("run.json", "provenance.json", "results.json", "notes.txt", "../../selected.json", "../../selected")


def put(path: Path, kind: str) -> None:
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as stream:
            stream.truncate(LARGEST + 1)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
@pytest.mark.parametrize("kind", ["pipe", "device", "endless"])
@pytest.mark.timeout(60)
def test_only_a_regular_file_of_a_record_s_size_is_read(tmp_path: Path, kind: str) -> None:
    put(tmp_path / "record", kind)
    with pytest.raises(OSError, match="no re") as caught:
        read_record(tmp_path / "record")
    assert str(tmp_path / "record") in str(caught.value)
    if kind != "endless":
        with pytest.raises(OSError, match="no regular file"):
            file_digest(tmp_path / "record")
    with pytest.raises(IsADirectoryError):
        read_record(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.timeout(120)
def test_no_command_waits_for_what_is_no_record(
    here: Project, make_run: Callable[..., Run], shell: Shell, name: str, kind: str
) -> None:
    run = make_run(here, files={"notes.txt": b"x"})
    put(run.path / name, kind)
    checked = shell("fsck")
    assert checked.returncode == (0 if name.endswith("selected") else 1)
    for command in (["runs"], ["show", run.run_id], ["select", run.run_id]):
        said = shell(*command)
        assert said.returncode in {0, 1, 2, 3}
        assert "Traceback" not in said.stderr


def test_a_pipe_among_the_segments_is_damage(here: Project, make_run: Callable[..., Run], shell: Shell) -> None:
    make_run(here)
    (here.log / "0123456789abcdef.jsonl").symlink_to("/dev/zero")
    checked = shell("fsck")
    assert checked.returncode == 1
    assert "log-damaged" in checked.stdout


def test_a_manifest_without_an_address_keeps_no_other_from_being_checked(
    here: Project, make_run: Callable[..., Run], shell: Shell
) -> None:
    run, other = make_run(here, "a"), make_run(here, "b", files={"notes.txt": b"x"})
    (run.path / "run.json").chmod(0o644)
    text = (run.path / "run.json").read_text()
    (run.path / "run.json").write_text(text.replace('"skipped": []', f'"skipped": [], "size": {2**63}'))
    (other.path / "notes.txt").chmod(0o644)
    (other.path / "notes.txt").write_bytes(b"y")
    checked = shell("fsck")
    assert checked.returncode == 1
    assert "run-unreadable" in checked.stdout
    assert other.run_id in checked.stdout
