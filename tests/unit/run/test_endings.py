"""What is said of a run that ended badly, or wrote where nobody looks; and said again by `show`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from ledger.project import Project
from ledger.store.runs import RunStore

Shell = Callable[..., subprocess.CompletedProcess[str]]

KILLED = """
import json, os, signal
f = open(os.path.join(os.environ["LEDGER_RUN_DIR"], "history.jsonl"), "w")
for k in range(41):
    f.write(json.dumps({"step": k, "loss": 1 / (k + 1)}) + "\\n")
f.write('{"step": 41, "loss": 0.02')
f.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


def launch(shell: Shell, script: str, *args: str) -> subprocess.CompletedProcess[str]:
    return shell("run", "exp", "--", sys.executable, "-c", script, *args)


def test_a_run_killed_within_a_line_keeps_its_bytes_and_says_so_ever_after(here: Project, shell: Shell) -> None:
    done = launch(shell, KILLED)
    assert done.returncode == 137
    said = "history.jsonl has 41 whole lines and 1 incomplete one at its end, which is kept as it is [torn-line]"
    assert said in done.stderr
    assert "(killed by SIGKILL, " in done.stderr
    (run,) = RunStore(here).all()
    assert (run.path / "history.jsonl").read_bytes().endswith(b'}\n{"step": 41, "loss": 0.02')
    shown = shell("show", "@last").stdout
    assert "  killed by SIGKILL\n" in shown
    assert f"not captured: {said}" in shown
    assert run.run_id in shell("runs", "--all").stdout
    assert shell("fsck").returncode == 0


@pytest.mark.parametrize(
    ("content", "torn"),
    [
        (b"", False), (b"{}\n", False), (b'{"a": 1}\n{"a": 2}', False), (b"[1, 2", True), (b"\n", False),
        (b'{"a": "' + b"x" * 3_000_000, True), (b"{}\n" * 700_000 + b'{"a', True), (b'{}\n"\xff', True),
    ],
)  # fmt: skip
def test_only_a_last_line_that_is_no_json_is_torn(here: Project, shell: Shell, content: bytes, torn: bool) -> None:
    (here.root / "bytes").write_bytes(content)
    script = "import os, shutil; os.mkdir(os.environ['LEDGER_RUN_DIR'] + '/deep'); shutil.copy('bytes', os.environ['LEDGER_RUN_DIR'] + '/deep/x.jsonl')"
    done = launch(shell, script)
    assert ("deep/x.jsonl has " in done.stderr) is torn
    if torn:
        assert f"deep/x.jsonl has {content.count(b'{}'):,} whole line" in done.stderr


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("raise SystemExit(3)", "failed with exit status 3"),
        ("import os; os.kill(os.getpid(), 15)", "killed by SIGTERM"),
        ("", "finished"),
    ],
)
def test_how_a_run_ended_is_said(here: Project, shell: Shell, script: str, said: str) -> None:
    assert f"({said}, " in launch(shell, script).stderr
    assert shell("show", "@last").stdout.splitlines()[0].endswith(f"  {said}")


def test_files_beside_a_run_without_any_are_named(here: Project, shell: Shell) -> None:
    (here.root / "old.txt").write_text("before")
    done = launch(shell, "import json; json.dump({'acc': 1}, open('results.json', 'w')); open('w.bin', 'w').close()")
    assert (
        "so the run holds no result; results.json, w.bin were written beside it meanwhile [written-elsewhere]"
        in done.stderr
    )
    listed = json.loads(shell("show", "@last", "--format", "json").stdout)["provenance"]["not_captured"]
    assert [item["rule"] for item in listed] == ["written-elsewhere"]


@pytest.mark.parametrize(
    "script",
    [
        "print('nothing is written')",
        "import os; open('w.bin', 'w').close(); open(os.environ['LEDGER_RUN_DIR'] + '/x', 'w').close()",
        "open('w.bin', 'w').close(); import ledger; ledger.start('exp').result('acc', 1, split='test')",
    ],
)
def test_a_run_that_has_files_of_its_own_may_write_anywhere(here: Project, shell: Shell, script: str) -> None:
    assert "written-elsewhere" not in launch(shell, script).stderr
