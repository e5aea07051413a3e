"""`ledger run` and `ledger.start` as processes of their own: what is recorded, and that the training's fate is passed on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger.project import Project
from ledger.run.recorder import begin
from ledger.seal import liveness, staging
from ledger.store import fsck
from ledger.store.journal import Journal
from ledger.store.runs import Run, RunStore

Shell = Callable[..., subprocess.CompletedProcess[str]]
ROOT = Path(__file__).resolve().parents[3]


def only(found: Project) -> Run:
    (run,) = RunStore(found).all()
    return run


def clean(found: Project) -> bool:
    return [f.rule for f in fsck.check(found).findings if f.severity == "error"] == []


def test_output_goes_to_the_screen_and_into_the_run(here: Project, shell: Shell) -> None:
    done = shell(
        "run", "exp", "--seed", "7", "--", "sh", "-c", "echo out {seed}; echo err >&2; echo 1 > $LEDGER_RUN_DIR/x.txt"
    )
    assert done.returncode == 0
    assert "out 7" in done.stdout
    run = only(here)
    assert sorted((run.path / "log.txt").read_text().split()) == ["7", "err", "out"]
    assert (run.path / "x.txt").read_text() == "1\n"
    assert run.seed == 7
    assert run.provenance["command"][:2] == ["sh", "-c"]
    assert clean(here)


@pytest.mark.parametrize(
    ("script", "status", "code"), [("exit 3", "failed", 3), ("kill -TERM $$", "killed", 143), ("true", "finished", 0)]
)
def test_it_exits_as_the_command_did(here: Project, shell: Shell, script: str, status: str, code: int) -> None:
    assert shell("run", "exp", "--", "sh", "-c", script).returncode == code
    run = only(here)
    assert run.manifest.status == status
    assert run.provenance["exit_status"] == code


def test_seeds_share_their_config_through_the_template(here: Project, shell: Shell) -> None:
    for seed in ("0", "1"):
        shell("run", "exp", "--seed", seed, "--", "echo", "{seed}")
    zero, one = RunStore(here).all()
    assert zero.manifest.group_hash == one.manifest.group_hash
    assert zero.manifest.provenance_hash != one.manifest.provenance_hash


def test_a_command_that_is_not_there_starts_nothing(here: Project, shell: Shell) -> None:
    done = shell("run", "exp", "--", "no-such-command-anywhere")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert RunStore(here).all() == []
    assert not here.running.exists()


def test_a_command_that_cannot_be_started_is_sealed_as_failed(here: Project, shell: Shell) -> None:
    script = here.root / "broken"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    assert shell("run", "exp", "--", str(script)).returncode == 127
    assert only(here).manifest.status == "failed"


def waiting(found: Project, *command: str) -> tuple[subprocess.Popen[str], Path]:
    """`ledger run` with a command that has begun, and its staging folder."""
    around = {**os.environ, "PYTHONPATH": str(ROOT)}
    child = subprocess.Popen(
        [sys.executable, "-m", "ledger.cli.main", "run", "exp", "--", *command],
        cwd=found.root,
        env=around,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(600):
        begun = list(found.running.glob("*/begun"))
        if begun:
            return child, begun[0].parent
        time.sleep(0.05)
    child.kill()
    raise AssertionError(child.communicate())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_reaches_the_command_and_the_run_is_sealed_as_killed(here: Project, number: signal.Signals) -> None:
    child, _ = waiting(here, "sh", "-c", "echo > $LEDGER_RUN_DIR/begun; exec sleep 60")
    child.send_signal(number)
    child.communicate(timeout=30)
    assert child.returncode == 128 + number
    assert only(here).manifest.status == "killed"
    assert clean(here)


def test_what_a_killed_launcher_leaves_can_be_sealed_as_abandoned(here: Project, shell: Shell) -> None:
    gate = here.root / "gate"
    os.mkfifo(gate)
    child, staged = waiting(here, "sh", "-c", f"echo > $LEDGER_RUN_DIR/begun; cat '{gate}'")
    refused = shell("seal", staged.name)
    assert (refused.returncode, "its process still runs" in refused.stderr) == (2, True)
    child.kill()
    child.communicate(timeout=30)
    if sys.platform == "linux":  # the training itself goes on
        refused = shell("seal", staged.name)
        assert (refused.returncode, "its command still runs" in refused.stderr) == (2, True)
    gate.write_text("the end of the training")
    for _ in range(600):
        if not liveness.writers(staged):
            break
        time.sleep(0.05)
    assert "unsealed" in shell("runs", "--all").stdout
    done = shell("seal", staged.name)
    assert done.returncode == 0, done.stderr
    assert only(here).manifest.status == "abandoned"
    assert (only(here).path / "begun").exists()
    assert shell("seal", staged.name).returncode == 2
    assert clean(here)


def python(found: Project, code: str, **env: str) -> subprocess.CompletedProcess[str]:
    around = {**os.environ, "PYTHONPATH": str(ROOT), **env}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=found.root, env=around, capture_output=True, text=True, check=False
    )


SCRIPT = """
import ledger
with ledger.start("exp", config={"lr": 0.1, "deep": {"a": [1]}}, seed=3, dataset="toy") as run:
    for step in range(3):
        run.log(step=step, loss=1 / (step + 1))
    run.result("acc", 0.9, split="test", n=10, direction="higher_is_better")
    run.predictions({"id": [1, 2], "score": [0.5, 1.0]})
    (run.path / "own.txt").write_text("mine")
    %s
"""


def test_three_lines_of_python(here: Project) -> None:
    done = python(here, SCRIPT % "pass")
    assert done.returncode == 0, done.stderr
    run = only(here)
    assert run.manifest.status == "finished"
    assert (run.path / "history.csv").read_text().splitlines() == [
        "step,loss",
        "0,1.0",
        "1,0.5",
        "2,0.3333333333333333",
    ]
    assert (run.path / "predictions.csv").read_text() == "id,score\n1,0.5\n2,1.0\n"
    assert [(m.metric, m.value, m.n) for m in run.metrics] == [("acc", 0.9, 10)]
    assert run.provenance["hash_inputs"]["data"]["dataset"] == "toy"
    assert [entry.type for entry in Journal(here).entries()] == ["open", "start", "seal", "select"]


@pytest.mark.parametrize(
    ("line", "status", "code"), [("1 / 0", "failed", 1), ("raise KeyboardInterrupt", "killed", -2)]
)
def test_an_exception_seals_the_run_and_goes_on(here: Project, line: str, status: str, code: int) -> None:
    done = python(here, SCRIPT % line)
    assert done.returncode in {code, 1, 130}
    assert "Traceback" in done.stderr
    assert only(here).manifest.status == status
    assert only(here).metrics[0].value == 0.9


def test_a_nested_start_joins_and_completes_what_the_launcher_left_open(here: Project, shell: Shell) -> None:
    (here.root / "train.py").write_text(SCRIPT % "print('inside', run.id)")
    done = shell("run", "exp", "--", sys.executable, "train.py")
    assert done.returncode == 0, done.stderr
    run = only(here)
    assert f"inside {run.run_id}" in done.stdout
    assert run.seed == 3
    assert "lr: 0.1" in (run.path / "config.resolved.yaml").read_text()
    assert run.metrics[0].value == 0.9
    inside = SCRIPT.replace('{"lr": 0.1, "deep": {"a": [1]}}, seed=3', '{"lr": 0.1, "deep": {"a": [1]}, "seed": 3}')
    (here.root / "train.py").write_text(inside % "pass")
    assert shell("run", "inside", "--", sys.executable, "train.py").returncode == 0
    assert RunStore(here).all("inside")[0].seed == 3
    (here.root / "train.py").write_text(SCRIPT % "print('inside', run.id)")
    direct = python(here, SCRIPT % "pass")
    assert direct.returncode == 0
    other = next(each for each in RunStore(here).all("exp") if each.run_id != run.run_id)
    assert other.manifest.provenance_hash == run.manifest.provenance_hash


def test_ranks_other_than_zero_write_nothing(here: Project, shell: Shell) -> None:
    script = SCRIPT.replace('(run.path / "own.txt").write_text("mine")', 'run.checkpoint("best", "no such file")')
    done = python(here, script % "pass", RANK="1")
    assert done.returncode == 0, done.stderr
    assert RunStore(here).all() == []
    assert not list(here.running.glob("*"))


class TestRecorder:
    """In this process: recording must never be what ends a training."""

    def start(self, found: Project) -> Any:
        return begin(found, "exp", config={"lr": 1}, seed=0, data=None, dataset=None)

    def test_logging_never_raises(self, here: Project, capsys: pytest.CaptureFixture[str]) -> None:
        run = self.start(here)
        run.log(step=1, loss=object())
        run.log(step=2, loss=object())
        run.result("acc", object(), split="test")
        (run.path / staging.HISTORY_JOURNAL).mkdir()
        run.log(step=3, loss=1.0)
        said = capsys.readouterr().err
        assert said.count("cannot record") == 1

    def test_values_of_numpy_and_beyond_json_are_kept(self, here: Project) -> None:
        import numpy

        run = self.start(here)
        run.log(step=numpy.int64(1), loss=numpy.float32(0.5), big=2**60, bad=float("nan"))
        run.finish()
        assert (only(here).path / "history.csv").read_text().splitlines()[1] == "1,0.5,1152921504606846976,NaN"

    def test_checkpoints_are_files_or_what_torch_saves(self, here: Project, tmp_path: Path) -> None:
        import torch

        (tmp_path / "weights.bin").write_bytes(b"w")
        run = self.start(here)
        run.checkpoint("last", tmp_path / "weights.bin")
        run.checkpoint("best", {"w": torch.ones(2)}, metric="val_acc", step=3)
        run.finish()
        kept = only(here).path / "checkpoints"
        assert (kept / "last.bin").read_bytes() == b"w"
        assert torch.load(kept / "best.pt", weights_only=True)["w"].tolist() == [1.0, 1.0]
        assert json.loads((kept / "best.json").read_text()) == {"metric": "val_acc", "step": 3}

    def test_a_checkpoint_saved_where_it_belongs_stays_there(self, here: Project) -> None:
        run = self.start(here)
        (run.path / "checkpoints").mkdir()
        own = run.path / "checkpoints" / "best.pt"
        own.write_bytes(b"w")
        assert run.checkpoint("best", own, step=1) == own
        assert sorted(path.name for path in own.parent.iterdir()) == ["best.json", "best.pt"]
        assert own.read_bytes() == b"w"

    def test_a_folder_is_a_checkpoint_too_and_is_replaced_as_a_whole(self, here: Project, tmp_path: Path) -> None:
        run = self.start(here)
        for step, names in enumerate((["a", "b"], ["c"])):
            source = tmp_path / f"model-v1.{step}"
            source.mkdir()
            for name in names:
                (source / name).write_text(name)
            run.checkpoint("last", source, step=step)
        assert sorted(path.name for path in (run.path / "checkpoints").iterdir()) == ["last", "last.json"]
        assert [path.name for path in (run.path / "checkpoints/last").iterdir()] == ["c"]

    def test_saving_that_fails_leaves_the_checkpoint_before(self, here: Project, tmp_path: Path) -> None:
        run = self.start(here)
        (tmp_path / "w.pt").write_bytes(b"first")
        run.checkpoint("last", tmp_path / "w.pt")
        with pytest.raises(FileNotFoundError):
            run.checkpoint("last", tmp_path / "gone.pt")
        with pytest.raises(Exception, match="pickle"):
            run.checkpoint("last", lambda: None)
        assert (run.path / "checkpoints/last.pt").read_bytes() == b"first"
        run.finish()
        assert {f.path for f in only(here).manifest.files if f.tier == "heavy"} == {"checkpoints/last.pt"}

    @pytest.mark.parametrize("config", [3, "lr=1", [("lr", 1)], object()])
    def test_a_config_that_is_no_mapping_is_refused_before_the_start(self, here: Project, config: Any) -> None:
        from ledger.errors import UsageError

        with pytest.raises(UsageError, match="config must be a mapping"):
            begin(here, "exp", config=config, seed=0, data=None, dataset=None)
        assert not here.running.exists()

    def test_finishing_twice_seals_once(self, here: Project) -> None:
        run = self.start(here)
        assert run.finish() is run.finish()
        assert len(RunStore(here).all()) == 1

    @pytest.mark.parametrize("rows", [{"a": [1], "b": [1, 2]}, 3, [1, 2], "text"])
    def test_predictions_of_no_table_are_refused(self, here: Project, rows: object) -> None:
        from ledger.errors import UsageError

        with pytest.raises(UsageError):
            self.start(here).predictions(rows)

    def test_a_data_frame_is_written_as_it_is(self, here: Project) -> None:
        import pandas as pd

        run = self.start(here)
        assert run.predictions(pd.DataFrame({"id": [1], "ok": [True]})).read_text() == "id,ok\n1,True\n"


def test_runs_come_back_as_a_data_frame(
    here: Project, make_run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    import ledger

    make_run(here, value=0.5, seed=0)
    make_run(here, value=0.7, seed=0)
    monkeypatch.chdir(here.root)
    frame = ledger.runs("ours")
    assert frame["value"].tolist() == [0.5, 0.7]
    assert frame["selected"].tolist() == [True, False]
    assert frame["value"].dtype == "float64"
    assert ledger.runs("absent").empty
