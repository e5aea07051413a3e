"""Costs of whole processes, taken in interleaved rounds, and their ratios.

Arms go A B C, A B C, ..., so that a busy machine hits all alike. A ratio is taken within each round; its median is
reported with the least and the largest. CPU is user + system of the process and all that it waited for.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.store.place import Place


@dataclass(frozen=True)
class Cost:
    """CPU and wall seconds of one execution."""

    cpu: float
    wall: float


@dataclass(frozen=True)
class Arm:
    """Something to measure; `prepare` is never measured. `rounds` limits a slow one to the first few."""

    run: Callable[[], Cost]
    prepare: Callable[[], object] = lambda: None
    rounds: int | None = None


@dataclass(frozen=True)
class Spread:
    """A median with its least and largest value over `n` rounds."""

    value: float
    low: float
    high: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        return cls(statistics.median(values), min(values), max(values), len(values))


Costs = Mapping[str, Sequence[Cost]]


def process(command: Sequence[str], cwd: Path, env: Mapping[str, str], allowed: Sequence[int] = (0,)) -> Cost:
    """Run a command to its end. Ends the benchmark with its output when it fails."""
    with tempfile.TemporaryFile() as output:
        begun = time.perf_counter()
        child = subprocess.Popen(
            list(command), cwd=cwd, env=dict(env), stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - begun
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in allowed:
            output.seek(0)
            said = output.read().decode("utf-8", "replace")[-2000:]
            raise SystemExit(f"{' '.join(command)[:200]} exited with {child.returncode}:\n{said}")
    return Cost(used.ru_utime + used.ru_stime, wall)


def inside(work: Callable[[], object]) -> Cost:
    """The cost of a function within this process."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Cost(time.process_time() - cpu, time.perf_counter() - wall)


def interleave(arms: Mapping[str, Arm], rounds: int, *, warm: bool = False) -> dict[str, list[Cost]]:
    """Every arm once a round; a first round that only warms caches is not counted."""
    costs: dict[str, list[Cost]] = {name: [] for name in arms}
    for turn in range(-1 if warm else 0, rounds):
        for name, arm in arms.items():
            if turn >= (arm.rounds or rounds):
                continue
            arm.prepare()
            cost = arm.run()
            if turn >= 0:
                costs[name].append(cost)
        if sys.stderr.isatty():
            sys.stderr.write(".")
            sys.stderr.flush()
    return costs


def ratio(costs: Costs, arm: str, base: str, *, of: str = "cpu") -> Spread:
    """`arm` over `base` within each round."""
    return Spread.of(
        [getattr(ours, of) / getattr(theirs, of) for ours, theirs in zip(costs[arm], costs[base], strict=False)]
    )


def less(costs: Sequence[Cost], starts: Sequence[Cost]) -> list[Cost]:
    """What remains of each round's cost without the start measured beside it."""
    return [Cost(cost.cpu - start.cpu, cost.wall - start.wall) for cost, start in zip(costs, starts, strict=True)]


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The slope of log(value) over log(size): 0 does not grow, 1 grows in proportion."""
    xs, ys = [math.log(size) for size in sizes], [math.log(value) for value in values]
    return statistics.linear_regression(xs, ys).slope


def within(place: Place, what: str, argument: str) -> Spread:
    """CPU microseconds that `within.py` measures in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.store.within", what, argument]
    env = {**place.env, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(command, cwd=place.root, env=env, check=True, capture_output=True)
    return Spread.of(json.loads(done.stdout))
