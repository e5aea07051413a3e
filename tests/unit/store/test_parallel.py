"""Large files are hashed side by side, and what comes of it is as if they had not been."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.project import Project
from ledger.seal.collect import collect
from ledger.store import fsck, parallel
from ledger.store.runs import Run

MakeRun = Callable[..., Run]


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_cores", lambda: 4)


@pytest.mark.usefixtures("cores")
def test_the_largest_begin_first_and_results_keep_their_order() -> None:
    together = threading.Barrier(3, timeout=20)
    begun: list[str] = []

    def work(name: str) -> str:
        begun.append(name)
        together.wait()  # none ends before all three have begun
        return name.upper()

    assert parallel.largest_first(work, [(1, "a"), (9, "b"), (5, "c")]) == ["A", "B", "C"]
    assert begun == ["b", "c", "a"]


@pytest.mark.usefixtures("cores")
def test_what_one_raises_is_raised() -> None:
    def work(item: int) -> int:
        if item == 2:
            raise OSError("two")
        return item

    with pytest.raises(OSError, match="two"):
        parallel.largest_first(work, [(1, item) for item in range(50)])
    assert parallel.largest_first(work, []) == []


def test_one_file_or_one_core_needs_no_threads() -> None:
    code = (
        "import sys; from ledger.store import parallel\n"
        "assert parallel.largest_first(str, [(5, 1)]) == ['1']\n"
        "parallel._cores = lambda: 1\n"
        "assert parallel.largest_first(str, [(5, 1), (6, 2)]) == ['1', '2']\n"
        "assert 'concurrent.futures' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).resolve().parents[3])


@pytest.mark.usefixtures("cores")
def test_many_large_files_are_sealed_and_checked_as_few_are(
    here: Project, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for number in range(5):
        (tmp_path / f"{number}.bin").write_bytes(os.urandom(parallel.LARGE + number))
    (tmp_path / "small").write_bytes(b"x")
    together = collect(tmp_path)
    monkeypatch.setattr(parallel, "_cores", lambda: 1)
    assert collect(tmp_path) == together
    contents = {file.path: (tmp_path / file.path).read_bytes() for file in together.files}
    run = make_run(here, files=contents)
    monkeypatch.setattr(parallel, "_cores", lambda: 4)
    report = fsck.check(here)
    assert [finding for finding in report.findings if finding.severity == "error"] == []
    assert report.checked["bytes"] >= sum(map(len, contents.values()))
    assert fsck.check(here, quick=True).checked["hashed"] == 0
    damaged = run.path / "3.bin"
    damaged.chmod(0o644)
    with damaged.open("r+b") as stream:
        stream.write(b"damage")
    found = {finding.rule for finding in fsck.check(here).findings}
    assert {"hash-mismatch", "object-damaged"} <= found
