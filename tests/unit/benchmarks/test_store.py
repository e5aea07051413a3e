"""The arithmetic of `benchmarks/store`: a wrong ratio would be believed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.store import measure, place, population
from benchmarks.store.measure import Arm, Cost, Spread
from benchmarks.store.report import Row, table
from ledger.project import Project
from ledger.store.fsck import check
from ledger.store.runs import Run, RunStore

MakeRun = Callable[..., Run]


def test_a_ratio_is_taken_within_each_round() -> None:
    costs = {"ours": [Cost(2, 9), Cost(40, 9), Cost(6, 9)], "limit": [Cost(1, 1), Cost(10, 1), Cost(2, 1)]}
    assert measure.ratio(costs, "ours", "limit") == Spread(3, 2, 4, 3)
    assert measure.ratio(costs, "ours", "limit", of="wall") == Spread(9, 9, 9, 3)


def test_arms_take_turns_and_slow_ones_stop_early() -> None:
    seen = []

    def arm(name: str, rounds: int | None = None) -> Arm:
        return Arm(lambda: seen.append(name) or Cost(1, 1), rounds=rounds)

    costs = measure.interleave({"a": arm("a"), "b": arm("b", 1)}, 2, warm=True)
    assert seen == ["a", "b", "a", "b", "a"]
    assert [len(found) for found in costs.values()] == [2, 1]


def test_growth_is_the_slope_between_logarithms() -> None:
    assert measure.exponent([10, 100, 1000], [5, 5, 5]) == pytest.approx(0)
    assert measure.exponent([10, 100, 1000], [3, 30, 300]) == pytest.approx(1)


def test_the_cpu_of_a_grandchild_counts(tmp_path: Path) -> None:
    spin = "import time\nwhile time.process_time() < 0.2: pass"
    nested = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {spin!r}])"
    assert measure.process([sys.executable, "-c", nested], tmp_path, {}).cpu > 0.2


def test_a_failing_command_ends_the_benchmark(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no such yard"):
        measure.process([sys.executable, "-c", "raise SystemExit('no such yard')"], tmp_path, {})


def test_a_goal_is_met_from_its_own_side() -> None:
    assert Row("cpu_ratio", "x", Spread(1.2, 1, 2, 3), goal=1.3).met
    assert not Row("speedup", "x", Spread(4, 4, 4, 1), "higher", goal=5).met
    shown = table([Row("speedup", "seal", Spread(4, 4, 4, 1), "higher", goal=5)], ["borg: not installed"])
    assert "missed by 1.25x" in shown
    assert "skipped: borg: not installed" in shown
    assert "goals met: 0 of 1" in shown


def test_a_file_with_two_names_takes_its_place_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 100_000)
    once = place.allocated(tmp_path)
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    assert place.allocated(tmp_path) == once


def test_the_yardstick_reads_every_byte() -> None:
    script = Path(place.__file__).with_name("yardstick.py")
    for mode in ("read", "mmap", "stat"):
        subprocess.run([sys.executable, str(script), mode, str(script.parent)], check=True)


def test_a_population_is_whole(here: Project, make_run: MakeRun) -> None:
    template = make_run(here).path
    population.grow(here.root, template, 0, 3)
    population.grow(here.root, template, 3, 5)
    assert len(RunStore(here).all(population.EXPERIMENT)) == 5
    report = check(here)
    assert report.checked["runs"] == 6
    assert [finding for finding in report.findings if finding.severity != "note"] == []
