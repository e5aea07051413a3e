"""`ledger log verify`, and what the rest of the tool makes of a log that was tampered with."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.errors import IntegrityError
from ledger.evidence.proof import prove_runs
from ledger.log.segment import encode
from ledger.project import Project
from ledger.store import fsck
from ledger.store.journal import Journal
from ledger.store.recover import seal_entry
from ledger.store.runs import Run

Shell = Callable[..., subprocess.CompletedProcess[str]]


def rewrite(path: Path, index: int, **changes: object) -> None:
    """Alter one line of a segment and leave it a log that can be read."""
    lines = path.read_bytes().split(b"\n")
    lines[index] = encode({**json.loads(lines[index]), **changes})
    path.write_bytes(b"\n".join(lines))


@pytest.mark.parametrize("clone", ["of the writer", "of a reader"])
def test_any_altered_line_breaks_the_pinned_history(
    here: Project, make_run: Callable[..., Run], shell: Shell, clone: str
) -> None:
    for seed in range(3):
        make_run(here, seed=seed)
    head = Journal(here).head()
    make_run(here, seed=3)
    assert shell("log", "verify", "--since", head).returncode == 0
    if clone == "of a reader":  # who remembers nothing of the segment
        (here.local / "segment.json").unlink()
    (segment,) = here.log.glob("*.jsonl")
    kept = segment.read_bytes()
    for index in range(1, head.count("@") and 6):
        rewrite(segment, index, time="2020-01-01T00:00:00.000Z")
        done = shell("log", "verify", "--since", head)
        assert done.returncode == 1, index
        assert "does not continue" in done.stdout
        segment.write_bytes(kept)
    assert shell("log", "verify", "--since", head).returncode == 0


def test_a_shorter_log_is_said_and_is_no_verdict(here: Project, make_run: Callable[..., Run], shell: Shell) -> None:
    make_run(here)
    head = Journal(here).head()
    make_run(here, seed=1)
    (segment,) = here.log.glob("*.jsonl")
    segment.write_bytes(b"".join(segment.read_bytes().splitlines(keepends=True)[:4]))
    done = shell("log", "verify", "--since", head)
    assert "log-shorter" in done.stdout
    assert done.returncode == 0, done.stdout


def test_a_run_that_the_log_names_twice_is_nobodys_evidence(
    here: Project, make_run: Callable[..., Run], shell: Shell
) -> None:
    run = make_run(here)
    again = seal_entry(run)
    Journal(here).append(again)  # two clones that each finished a publish agree
    assert not [finding for finding in fsck.check(here).findings if finding.severity == "error"]
    Journal(here).append({**again, "address": "0" * 64})
    (finding,) = [finding for finding in fsck.check(here).findings if finding.severity == "error"]
    assert finding.rule == "sealed-twice"
    assert run.run_id in finding.message
    with pytest.raises(IntegrityError, match="not what the log says"):
        prove_runs(here, [run])


def test_every_command_that_reads_the_log_bears_both_entries(
    here: Project, make_run: Callable[..., Run], shell: Shell
) -> None:
    run = make_run(here)
    claim = {"id": "C1", "statement": "s", "evidence": [{"exp_id": "ours", "metric": "acc", "split": "test"}]}
    here.evidence.write_text(json.dumps({"project": "p", "claims": [claim]}))
    assert shell("evidence", "refresh").returncode == 0
    Journal(here).append({**seal_entry(run), "address": "0" * 64})
    assert "not logged under this address" in shell("gate").stdout
    assert run.run_id in shell("trace", "C1").stdout
    assert shell("prove", "C1").returncode == 3
