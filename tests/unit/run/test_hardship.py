"""A training goes on, and is sealed, although its output, its terminal or its disk fails."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import UsageError
from ledger.project import Project
from ledger.run.launch import launch
from ledger.run.output import tee
from ledger.run.recorder import ActiveRun, begin
from ledger.seal import staging
from ledger.store import fsck
from ledger.store.runs import Run, RunStore

ROOT = Path(__file__).resolve().parents[3]
SLOW = "echo one; sleep 0.1; echo two; sleep 0.1; echo three"


def only(found: Project) -> Run:
    (run,) = RunStore(found).all()
    return run


def spoken(script: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_full_disk_costs_the_log_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    echo = io.BytesIO()
    with spoken(SLOW) as child:
        tee(child, Path("/dev/full"), echo)
        assert child.wait() == 0
    assert echo.getvalue() == b"one\ntwo\nthree\n"
    assert capsys.readouterr().err.count("output is not kept in full: No space left on device") == 1


def test_a_log_that_cannot_be_opened_costs_no_training(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "log.txt").mkdir()
    with spoken(SLOW) as child:
        tee(child, tmp_path / "log.txt", io.BytesIO())
        assert child.wait() == 0
    assert "not kept in log.txt: Is a directory" in capsys.readouterr().err


@pytest.mark.parametrize("number", [errno.EPIPE, errno.EIO, errno.ENOSPC])
def test_a_terminal_that_is_gone_costs_nothing(tmp_path: Path, number: int) -> None:
    class Gone(io.BytesIO):
        def write(self, _: Any) -> int:
            raise OSError(number, os.strerror(number))

    with spoken(SLOW) as child:
        tee(child, tmp_path / "log.txt", Gone())
        assert child.wait() == 0
    assert (tmp_path / "log.txt").read_bytes() == b"one\ntwo\nthree\n"


@pytest.mark.parametrize("left", ["sleep 300", "while :; do echo noise; sleep 0.05; done"])
def test_what_a_command_leaves_in_the_background_is_not_waited_for(
    here: Project, left: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As TensorBoard, which inherits the output of the script that started it."""
    from ledger.run import output as module

    monkeypatch.setattr(module, "_QUIET", 0.1)
    monkeypatch.setattr(module, "_DRAIN", 0.5)
    pid = here.root / "pid"
    script = f"({left}) & echo $! > '{pid}'; echo the last word"
    try:
        sealed, status = launch(here, "exp", ["sh", "-c", script], echo=io.BytesIO())
    finally:
        with contextlib.suppress(ProcessLookupError):  # nobody reads it any more, so it may have ended
            os.kill(int(pid.read_text()), signal.SIGTERM)
    assert status == 0
    assert b"the last word\n" in (sealed.run.path / "log.txt").read_bytes()
    assert [f.rule for f in fsck.check(here).findings if f.severity == "error"] == []


def test_all_of_a_long_output_is_kept(here: Project) -> None:
    script = "import sys; sys.stdout.write('x' * 3_000_000); sys.stdout.flush()"
    echo = io.BytesIO()
    sealed, _ = launch(here, "exp", [sys.executable, "-c", script], echo=echo)
    assert (sealed.run.path / "log.txt").read_bytes() == echo.getvalue() == b"x" * 3_000_000


def test_a_script_that_takes_its_own_folder_away_is_sealed_all_the_same(here: Project) -> None:
    sealed, status = launch(here, "exp", ["sh", "-c", 'rm -rf "$LEDGER_RUN_DIR"'], echo=io.BytesIO())
    assert (sealed.run.manifest.status, status) == ("finished", 0)
    assert [f.rule for f in fsck.check(here).findings if f.severity == "error"] == []


class Hostile:
    """A tensor whose device has failed."""

    def __init__(self, error: type[Exception]) -> None:
        self.error = error

    def tolist(self) -> object:
        raise self.error("device-side assert triggered")


@pytest.fixture
def run(here: Project) -> ActiveRun:
    return begin(here, "exp", config={"lr": 1}, seed=0, data=None, dataset=None)


@pytest.mark.parametrize("error", [RuntimeError, NotImplementedError, KeyError, MemoryError, AttributeError])
def test_no_value_raises_into_the_training(
    run: ActiveRun, error: type[Exception], capsys: pytest.CaptureFixture[str]
) -> None:
    run.log(step=1, loss=Hostile(error))
    run.result("acc", Hostile(error), split="test")
    assert capsys.readouterr().err.count("cannot record") == 1


def test_no_closed_screen_raises_into_the_training(run: ActiveRun, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    closed.close()
    for stream in (closed, None):
        monkeypatch.setattr(sys, "stderr", stream)
        run._complained = False
        run.log(step=1, loss=object())
    run.finish()


def test_a_line_that_was_cut_off_takes_no_other_with_it(
    here: Project, run: ActiveRun, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write = os.write
    for step, room in enumerate([1000, 5, 1000, 15, 3, 0, 1000]):

        def scarce(handle: int, data: bytes, room: int = room) -> int:
            if not room:
                raise OSError(errno.ENOSPC, "No space left on device")
            return write(handle, data[:room])

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", scarce)
            run.log(step=step, loss=0.5)
    assert capsys.readouterr().err.count("No space left on device") == 1
    sealed = run.finish()
    assert sealed
    assert (sealed.run.path / "history.csv").read_text() == "step,loss\n0,0.5\n2,0.5\n6,0.5\n"
    assert "torn-line" in {finding.rule for finding in sealed.findings}


def test_nothing_is_added_to_a_sealed_run(
    here: Project, run: ActiveRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "w.pt").write_bytes(b"w")
    run.finish()
    for late in (
        lambda: run.checkpoint("best", tmp_path / "w.pt"),
        lambda: run.predictions([{"id": 1}]),
    ):
        with pytest.raises(UsageError, match="is sealed, nothing is added"):
            late()
    run.log(step=1, loss=1)
    assert "cannot record" in capsys.readouterr().err
    assert not list(here.running.iterdir())
    assert not list(only(here).path.glob("checkpoints"))


def test_ranks_of_one_node_share_a_run_and_only_the_first_writes(here: Project, shell: Callable[..., Any]) -> None:
    """As torchrun starts them: the launcher's environment, and a rank each."""
    (here.root / "train.py").write_text(
        "import os, ledger\n"
        "with ledger.start('exp', config={'lr': 1}, seed=4) as run:\n"
        "    run.log(step=1, rank=int(os.environ['RANK']))\n"
        "    run.result('acc', int(os.environ['RANK']), split='test')\n"
        "    run.predictions([{'rank': os.environ['RANK']}])\n"
    )
    ranks = "for rank in 1 2 0 3; do RANK=$rank " + f"'{sys.executable}' train.py & done; wait"
    done = shell("run", "exp", "--", "sh", "-c", ranks)
    assert done.returncode == 0, done.stderr
    run = only(here)
    assert run.seed == 4
    assert [row.value for row in run.metrics] == [0]
    assert (run.path / "history.csv").read_text() == "step,rank\n1,0\n"
    assert (run.path / "predictions.csv").read_text() == "rank\n0\n"
    assert not list(run.path.glob(staging.HISTORY_JOURNAL))
