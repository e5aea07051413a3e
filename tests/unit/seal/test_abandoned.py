"""What a dead launcher left behind: sealed once, by one process, and only when nobody writes it any more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ledger.errors import UsageError
from ledger.project import Project
from ledger.seal import kept, provenance, staging, start
from ledger.seal.folder import seal_abandoned
from ledger.store import fsck
from ledger.store.runs import RunStore

ROOT = Path(__file__).resolve().parents[3]
SEAL = """
import sys
from pathlib import Path
from ledger import project
from ledger.errors import LedgerError
from ledger.seal.folder import seal_abandoned
try:
    seal_abandoned(project.at(Path(sys.argv[1])), sys.argv[2])
except LedgerError as error:
    sys.exit(str(error))
"""


def left_behind(found: Project) -> staging.Staging:
    """A run whose launcher is no more."""
    staged = staging.begin(found, "exp", config={"lr": 1})
    for number in range(50):
        (staged.path / f"file {number}").write_bytes(b"x" * number)
    record = found.running / f"{staged.run_id}.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "process_started": "another process"}))
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
