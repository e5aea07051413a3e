"""A disk that is really full: a small one in memory, filled by the tools that a user has."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
Shell = Callable[..., subprocess.CompletedProcess[str]]

PRELUDE = f"""
set -u
ledger() {{ {sys.executable} -P -m ledger.cli.main "$@"; }}
mount -t tmpfs -o size=$SIZE tmpfs disk && cd disk || exit 99
git init -q . && ledger init -q
"""


@pytest.fixture
def on_disk(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a shell script in a project on a file system of so many kilobytes, which is gone afterwards."""

    def call(size: str, script: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "disk").mkdir(exist_ok=True)
        path = os.pathsep.join([str(ROOT), str(ROOT / "adapters")])
        around = {**os.environ, "PYTHONPATH": path, "SIZE": size}
        command = ["unshare", "-rm", "sh", "-c", PRELUDE + script]
        return subprocess.run(
            command, cwd=tmp_path, env=around, capture_output=True, text=True, check=False, timeout=120
        )

    if not shutil.which("unshare") or call("1m", "exit 0").returncode:
        pytest.skip("no file system can be mounted here (needs Linux, and root or user namespaces)")
    return call


@pytest.mark.parametrize("how", ["", "--move"])
def test_folders_that_do_not_fit_are_as_they_were_and_the_lack_is_a_number(
    on_disk: Shell, tmp_path: Path, how: str
) -> None:
    for name, size in {"one": 2_000_000, "two": 3_000_000}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "w.bin").write_bytes(os.urandom(size))
    before = {path: path.read_bytes() for path in tmp_path.glob("*/w.bin")}
    done = on_disk(
        "4m", f"ledger seal ../one ../two --exp e {how}; echo exit=$?; ls .ledger/running; ledger runs --all"
    )
    assert "exit=3" in done.stdout
    line = done.stderr.splitlines()[0]
    found = re.search(r"No space left on device: ([\d,]+) bytes are needed, ([\d,]+) are free on (\S+)\);", line)
    assert found, line
    needed, free = (int(number.replace(",", "")) for number in found.groups()[:2])
    assert needed > free
    assert found[3] == str(tmp_path / "disk")
    if how:  # what fitted was handed over, and is kept for `ledger seal RUN`
        assert needed == 3_000_000
        assert {path: path.read_bytes() for path in tmp_path.glob("*/w.bin")}.items() < before.items()
        assert re.search(r"^\d{8}T\d{6}Z-[0-9a-f]{8}$", done.stdout, re.MULTILINE)
    else:
        assert {path: path.read_bytes() for path in before} == before
        assert done.stdout.splitlines()[1:] == []
        assert needed == 5_000_000
        assert 3_500_000 < free < 4 * 1024 * 1024
    assert "no runs yet" in done.stderr


def test_a_full_disk_costs_a_training_the_end_of_its_log_and_the_lines_are_counted(on_disk: Shell) -> None:
    script = """
echo 'for k in range(40000): print("step", k, "loss", 1 / (k + 1))
print("done")' > train.py
echo filler > .gitignore; head -c 900000 /dev/zero > filler
timeout 60 %s -P -m ledger.cli.main run d -- python3 train.py > /dev/null; echo exit=$?
rm filler; ledger runs; wc -l results/d/runs/*/log.txt; tail -n 1 results/d/runs/*/log.txt; ledger show @last
ledger fsck; echo fsck=$?
ledger run d -- echo later; echo later=$?
"""
    done = on_disk("1500k", script % sys.executable)
    assert "exit=0" in done.stdout, done.stderr
    assert "fsck=0" in done.stdout
    assert "later=0" in done.stdout
    kept = re.search(
        r"log.txt is incomplete: ([\d,]+) of 40,001 lines .*No space left.*\[log-incomplete\]", done.stderr
    )
    assert kept, done.stderr
    lines = re.search(r"^(\d+) results/d/runs/\S+/log.txt$", done.stdout, re.MULTILINE)
    assert lines
    assert int(lines[1]) == int(kept[1].replace(",", "")) > 1000
    assert re.search(rf"^step {int(lines[1]) - 1} loss [\d.e-]+$", done.stdout, re.MULTILINE)
    assert "log.txt is incomplete" in done.stdout  # `show` says it of the run ever after


def test_sources_without_room_are_named_before_the_training_which_goes_on(on_disk: Shell) -> None:
    script = """
head -c 4000000 /dev/urandom > big.bin; sha256sum big.bin > ../sum
ledger run demo -- sh -c 'echo the training starts >&2'; echo exit=$?
sha256sum -c ../sum; ledger fsck; echo fsck=$?
"""
    done = on_disk("6m", script)
    assert "exit=0" in done.stdout, done.stderr
    assert "big.bin: OK" in done.stdout
    assert "fsck=0" in done.stdout
    first = done.stderr.splitlines()[0]
    assert re.search(r"1 untracked file is not stored \(big.bin\): the disk is full, 4,000,000 bytes are needed", first)
    assert "code-not-stored" in done.stderr
    assert "can still be rebuilt" not in done.stderr


@pytest.mark.parametrize(("ends", "status"), [("exit 0", "finished"), ("exit 4", "failed"), ("kill -9 $$", "killed")])
def test_a_run_that_cannot_be_sealed_is_sealed_later_as_what_it_was(on_disk: Shell, ends: str, status: str) -> None:
    script = f"""
ledger run demo -- sh -c 'echo weights > $LEDGER_RUN_DIR/w.txt; cat /dev/zero > filler 2> /dev/null; {ends}'; echo exit=$?
ledger runs --all; ledger fsck
rm filler; ledger seal $(basename .ledger/running/*.json .json); ledger runs --all; ledger fsck; ls .ledger/running
cat results/demo/runs/*/w.txt
"""
    done = on_disk("3m", script)
    assert "exit=3" in done.stdout, done.stderr
    line = done.stderr.splitlines()[0]
    run_id = re.search(r"\d{8}T\d{6}Z-[0-9a-f]{8}", line)
    assert run_id, line
    assert re.search(r"No space left on device: [\d,]+ bytes are needed, [\d,]+ are free on", line)
    assert line.endswith(f"`ledger seal {run_id[0]}` tries again")
    assert re.search(rf"demo +{run_id[0]} +- +{status}", done.stdout)
    assert done.stdout.count("unsealed") == 1
    assert done.stdout.endswith("weights\n")
