"""What a dead launcher left behind: sealed once, by one process, and only when nobody writes it any more; or discarded
by the user's word.
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.errors import UsageError
from ledger.project import Project
from ledger.seal import abandoned, kept, liveness, provenance, staging, start
from ledger.seal.abandoned import seal_abandoned
from ledger.store import fsck
from ledger.store.journal import Journal
from ledger.store.runs import RunStore

ROOT = Path(__file__).resolve().parents[3]
SEAL = """
import sys
from pathlib import Path
from ledger import project
from ledger.errors import LedgerError
from ledger.seal.abandoned import seal_abandoned
try:
    seal_abandoned(project.at(Path(sys.argv[1])), sys.argv[2])
except LedgerError as error:
    sys.exit(str(error))
"""


Shell = Callable[..., subprocess.CompletedProcess[str]]


def left_behind(found: Project, **said: object) -> staging.Staging:
    """A run whose launcher is no more, or whose start record says something else of it."""
    staged = staging.begin(found, "exp", config={"lr": 1})
    for number in range(50):
        (staged.path / f"file {number}").write_bytes(b"x" * number)
    record = found.running / f"{staged.run_id}.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "process_started": "another process", **said}))
    return staging.load(staged.path)


def errors(found: Project) -> list[str]:
    return [f.message for f in fsck.check(found).findings if f.severity == "error"]


def test_of_several_that_seal_it_at_once_one_does(here: Project) -> None:
    for _ in range(4):
        staged = left_behind(here)
        command = [sys.executable, "-c", SEAL, str(here.root), staged.run_id]
        around = {**os.environ, "PYTHONPATH": str(ROOT)}
        several = [subprocess.Popen(command, env=around, stderr=subprocess.PIPE, text=True) for _ in range(3)]
        said = [each.communicate()[1] for each in several]
        assert sorted(each.returncode for each in several) == [0, 1, 1], said
        assert sum("no run in progress is called that" in text for text in said) == 2, said
    assert len(RunStore(here).all()) == 4
    assert errors(here) == []
    assert not list(here.running.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say what a process was told")
def test_a_training_that_outlives_its_launcher_is_waited_for(here: Project) -> None:
    staged = left_behind(here)
    around = {**os.environ, "LEDGER_RUN_DIR": str(staged.path)}
    with subprocess.Popen(["cat"], env=around, stdin=subprocess.PIPE) as training:
        with pytest.raises(UsageError, match=rf"still runs \(process {training.pid}\)"):
            seal_abandoned(here, staged.run_id)
        assert staged.path.is_dir()
    assert seal_abandoned(here, staged.run_id).run.manifest.status == "abandoned"
    assert errors(here) == []


def test_runs_that_began_together_are_each_sealed_as_themselves(here: Project) -> None:
    """They share one start record; what a later process learns of one of them is not said of the other."""
    around = provenance.surroundings(here, data_path=None, dataset=None, command=())
    born = start.conditions(here, "exp", around, kept.keep(here, around), config=None)
    born["process_started"] = "another process"
    first = staging.stage(here, born)
    second = staging.stage(here, born, beside=first)
    (second.path / "config.resolved.yaml").write_text("lr: 1\n")
    for staged in (second, first):
        (staged.path / "out.txt").write_text(staged.run_id)
        assert staging.load(staged.path) == staged
        run = seal_abandoned(here, staged.run_id).run
        assert (run.run_id, run.provenance["run_id"]) == (staged.run_id, staged.run_id)
        assert (run.path / "out.txt").read_text() == staged.run_id
    runs = RunStore(here).all()
    assert len({run.manifest.provenance_hash for run in runs}) == 2
    assert errors(here) == []
    assert not list(here.running.iterdir())


ELSEWHERE = [{"host": "node-17"}, {"pid_namespace": "pid:[1]"}]


@pytest.mark.parametrize("said", ELSEWHERE)
@pytest.mark.parametrize("runs_here", [True, False])
def test_a_run_of_another_host_is_sealed_by_the_users_word(
    here: Project, shell: Shell, said: dict[str, str], runs_here: bool
) -> None:
    """Its process number is of another table: it says nothing, whether one of that number runs here or not."""
    staged = left_behind(here, **({**liveness.signature(), **said} if runs_here else said))
    refused = shell("seal", staged.run_id)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert ("began on node-17" if "host" in said else "in another container") in refused.stderr
    assert f"`ledger seal {staged.run_id} --yes`" in refused.stderr
    done = shell("seal", staged.run_id, "--yes")
    assert done.returncode == 0, done.stderr
    assert [run.manifest.status for run in RunStore(here).all()] == ["abandoned"]


def test_discarding_deletes_what_it_said_and_nothing_of_the_log(here: Project, shell: Shell) -> None:
    staged = left_behind(here)
    (staged.path / "inner").mkdir()
    (staged.path / "inner/link").symlink_to(here.evidence)
    (staged.path / "inner").chmod(0o555)
    entries = list(Journal(here).entries())
    refused = shell("seal", staged.run_id[:-1], "--discard")
    assert "nothing was done: add --yes" in refused.stderr
    assert f"this deletes .ledger/running/{staged.run_id}: 50 files, 1.2 kB" in refused.stderr
    assert staged.path.is_dir()
    done = shell("seal", staged.run_id[:-1], "--discard", "--yes")
    assert done.returncode == 0, done.stderr
    assert not list(here.running.iterdir())
    assert here.evidence.is_file()
    assert list(Journal(here).entries()) == entries
    assert staged.run_id in shell("runs", "--all").stdout
    gone = shell("seal", staged.run_id, "--discard", "--yes")
    assert (gone.returncode, "no run in progress" in gone.stderr) == (2, True)


@pytest.mark.parametrize("typed", [b"yes\n", b"no\n", b"\n"])
def test_discarding_is_confirmed_by_typing_it(here: Project, typed: bytes) -> None:
    staged = left_behind(here)
    keyboard, terminal = pty.openpty()
    os.write(keyboard, typed)
    command = [sys.executable, "-m", "ledger.cli.main", "seal", staged.run_id, "--discard"]
    around = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=here.root, env=around, stdin=terminal, stderr=terminal, check=False)
    os.close(terminal)
    os.close(keyboard)
    assert done.returncode == 0
    assert staged.path.is_dir() == (typed != b"yes\n")


def test_what_still_runs_here_is_never_discarded(here: Project, shell: Shell) -> None:
    staged = staging.begin(here, "exp")  # by this very process
    refused = shell("seal", staged.run_id, "--discard", "--yes")
    assert (refused.returncode, f"still runs ({os.getpid()})" in refused.stderr) == (2, True)
    far = left_behind(here, host="node-17")
    around = {**os.environ, "LEDGER_RUN_DIR": str(far.path)}
    with subprocess.Popen(["cat"], env=around, stdin=subprocess.PIPE) as training:
        refused = shell("seal", far.run_id, "--discard", "--yes")
        assert (refused.returncode, str(training.pid) in refused.stderr) == (2, sys.platform == "linux")
    done = shell("seal", far.run_id, "--discard", "--yes")
    assert (done.returncode, "began on node-17" in done.stderr) == (0, True)
    assert staged.path.is_dir()


@pytest.mark.parametrize("record", [None, b"{"])
def test_staging_without_a_start_record_can_be_discarded(here: Project, shell: Shell, record: bytes | None) -> None:
    staged = left_behind(here)
    place = Path(start.place(staged.path))
    place.unlink() if record is None else place.write_bytes(record)
    refused = shell("seal", staged.run_id)
    assert (refused.returncode, "--discard" in refused.stderr) == (3, True)
    assert shell("seal", staged.run_id, "--discard", "--yes").returncode == 0
    assert not list(here.running.iterdir())


def test_nothing_but_a_staging_folder_is_discarded(here: Project, shell: Shell) -> None:
    first, second = left_behind(here), left_behind(here)
    (here.root / "mine").mkdir()
    (here.running / "linked").symlink_to(here.root / "mine")
    for name in ("", ".", "..", "../../mine", str(here.root / "mine"), "mine", "linked"):
        assert shell("seal", name, "--discard", "--yes").returncode == 2
    refused = shell("seal", first.run_id[:8], "--discard", "--yes")
    assert (refused.returncode, "fits 2 runs in progress" in refused.stderr) == (2, True)
    assert shell("seal", first.run_id, second.run_id, "--discard", "--yes").returncode == 2
    assert {path.name for path in here.running.iterdir() if path.is_dir()} == {first.run_id, second.run_id, "linked"}
    assert (here.root / "mine").is_dir()


def test_a_launcher_that_ended_and_was_not_waited_for_counts_as_ended(here: Project) -> None:
    if sys.platform != "linux":
        pytest.skip("other systems do not say so")
    ended = subprocess.Popen(["true"])
    stat = Path(f"/proc/{ended.pid}/stat")
    while stat.read_text().rpartition(")")[2].split()[0] != "Z":
        pass
    began = stat.read_text().rpartition(")")[2].split()[19]
    staged = left_behind(here, pid=ended.pid, process_started=began)
    assert abandoned.look_at(here, staged.run_id).files == 50
    ended.wait()
