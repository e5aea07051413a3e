"""`ledger disclose FINDING` settles a finding of every check, for as long as what it was said of stays as it is."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger.project import Project
from ledger.store.runs import Run
from ledger.store.selection import Selection

Shell = Callable[..., subprocess.CompletedProcess[str]]
MakeRun = Callable[..., Run]


def standing(shell: Shell, *command: str) -> list[dict[str, Any]]:
    done = shell(*command, "--format", "json")
    assert done.returncode in (0, 1), done.stderr
    found = [item for item in json.loads(done.stdout)["findings"] if not item["disclosed"]]
    if command[0] == "fsck":
        assert done.returncode == any(item["severity"] == "error" for item in found)
    return found


def disclose(shell: Shell, findings: list[dict[str, Any]]) -> None:
    for item in findings:
        done = shell("disclose", item["fingerprint"], "--text", f"known: {item['rule']}")
        assert done.returncode == 0, done.stderr


def altered(path: Path, data: bytes) -> None:
    path.parent.chmod(0o755)
    path.unlink(missing_ok=True)
    path.write_bytes(data)


def all_objects(run: Path, data: bytes) -> None:
    for path in run.parents[3].glob(".ledger/objects/sha256/*/*"):
        altered(path, data)


DAMAGES: dict[str, tuple[Callable[[Path], None], Callable[[Path], None]]] = {
    "hash-mismatch": (lambda run: altered(run / "a.txt", b"abc"), lambda run: altered(run / "a.txt", b"xyz")),
    "hash-mismatch of another size": (lambda run: altered(run / "a.txt", b"a"), lambda run: altered(run / "a.txt", b"b")),
    "unlisted-file": (lambda run: altered(run / "new", b"abc"), lambda run: altered(run / "new", b"xyz")),
    "manifest-altered": (
        lambda run: altered(run / "run.json", (run / "run.json").read_bytes() + b"\n"),
        lambda run: altered(run / "run.json", (run / "run.json").read_bytes() + b" "),
    ),
    "run-unreadable": (lambda run: altered(run / "run.json", b"{"), lambda run: altered(run / "run.json", b"[")),
    "provenance.json": (
        lambda run: altered(run / "provenance.json", b"{"), lambda run: altered(run / "provenance.json", b"["),
    ),
    "file-missing": (lambda run: (run / "a.txt").unlink(), lambda run: altered(run / "a.txt", b"xyz")),
    "run-missing": (lambda run: shutil.rmtree(run), lambda run: (run.mkdir(), altered(run / "run.json", b"{"))[0]),
    "selection-broken": (
        lambda run: altered(run.parent.parent / "selected.json", b"{"),
        lambda run: altered(run.parent.parent / "selected.json", b"["),
    ),
    "object-damaged": (
        lambda run: all_objects(run, b"abc"),
        lambda run: all_objects(run, b"xyz"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_disclosed_damage_is_quiet_until_it_is_another(
    here: Project, make_run: MakeRun, shell: Shell, damage: str
) -> None:
    run = make_run(here, files={"a.txt": b"123", "checkpoints/best.pt": b"weights"})
    before, after = DAMAGES[damage]
    before(run.path)
    disclose(shell, standing(shell, "fsck"))
    assert standing(shell, "fsck") == []
    assert "disclosed" in shell("fsck").stdout
    after(run.path)
    assert standing(shell, "fsck") != []


@pytest.mark.parametrize("command", [("gate",), ("evidence", "check")])
@pytest.mark.parametrize("value", [0.9, 0.8])
def test_a_disclosed_answer_is_asked_for_again_when_the_value_or_the_run_is_another(
    here: Project, make_run: MakeRun, shell: Shell, command: tuple[str, ...], value: float
) -> None:
    make_run(here)
    claim = {"id": "C1", "evidence": [{"exp_id": "ours", "metric": "acc"}]}
    here.evidence.write_text(json.dumps({"project": "p", "claims": [claim]}))
    shell("evidence", "refresh")
    disclose(shell, standing(shell, *command))
    assert standing(shell, *command) == []
    if command == ("gate",):
        assert " NO" not in shell("gate").stdout
        assert shell("gate", "--policy", "require-disclosure").returncode == 0
    Selection(here).select(make_run(here, value=value))
    shell("evidence", "refresh")
    assert standing(shell, *command) != []


def test_a_damaged_log_is_said_and_stops_no_report(here: Project, make_run: MakeRun, shell: Shell) -> None:
    make_run(here)
    segment = next(here.log.glob("*.jsonl"))
    segment.write_bytes(segment.read_bytes()[1:])
    done = shell("fsck")
    assert done.returncode == 1
    assert "[log-damaged " in done.stdout
    assert done.stderr.count("warning: what was disclosed is not known") == 1
