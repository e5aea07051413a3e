"""What one more run of ten small files costs when N runs are sealed already."""

from __future__ import annotations

import subprocess
from pathlib import Path

from benchmarks.store import population
from benchmarks.store.measure import Arm, Cost, Spread, exponent, interleave, process, ratio
from benchmarks.store.place import BIN, LEDGER, Kind, Place, remove
from benchmarks.store.report import Row

ONE = Kind("one run", 1, 10, 4096)
GOAL = 1.2


def run(place: Place) -> tuple[list[Row], list[str]]:
    sizes = [0, 10, 50] if place.quick else [0, 100, 1_000, 10_000]
    source = place.source(ONE) / "run00000"
    for size in sizes:
        _project(place, size)
    costs = interleave({str(size): _arm(place, source, size) for size in sizes}, place.rounds, warm=True)
    rows = []
    for size in sizes[1:]:
        goal = GOAL if size == 10_000 else None
        rows.append(
            Row("cpu_ratio", f"one new run with {size:,} sealed / with none", ratio(costs, str(size), "0"), goal=goal)
        )
    medians = [Spread.of([cost.cpu for cost in costs[str(size)]]).value for size in sizes[1:]]
    grown = exponent(sizes[1:], medians)
    rows.append(
        Row(
            "growth_exponent",
            "one new run, from the first to the last N",
            Spread(grown, grown, grown, len(costs["0"])),
            unit="",
        )
    )
    for size in sizes:
        remove(place.root / f"growing-{size}")
    dvc = BIN / "dvc"
    return rows + (_dvc(place, source, str(dvc), sizes) if dvc.exists() else []), [] if dvc.exists() else [
        "dvc add of one run: dvc not installed"
    ]


def _project(place: Place, size: int) -> Path:
    """A project with `size` runs of one experiment, all in git."""
    root = place.project(f"growing-{size}")
    first = place.fresh("sealed") / "data"
    first.mkdir()
    (first / "out").write_bytes(b"1")
    process([LEDGER, "seal", "--exp", "first", str(first)], root, place.env)
    template = next((root / "results/first/runs").iterdir())
    population.grow(root, template, 0, size)
    for command in (["git", "add", "-A"], ["git", "commit", "-qm", "runs"]):
        subprocess.run(command, cwd=root, env=place.env, check=True)
    return root


def _arm(place: Place, source: Path, size: int) -> Arm:
    root = place.root / f"growing-{size}"

    def seal() -> Cost:
        return process([LEDGER, "seal", "--exp", population.EXPERIMENT, "--move", "../sealed/data"], root, place.env)

    return Arm(seal, lambda: place.fresh("sealed", source=source))


def _dvc(place: Place, source: Path, dvc: str, sizes: list[int]) -> list[Row]:
    """The same with DVC, one `.dvc` file a run; 10,000 of them take it minutes, so the largest N is left out."""
    sizes = [size for size in sizes if size <= 1_000]
    init = (["git", "init", "-q"], [dvc, "init", "-q"], [dvc, "config", "core.analytics", "false"])
    for size in sizes:
        root = place.fresh(f"dvc-{size}", init=init, source=source)
        process([dvc, "add", "-q", "data"], root, place.env)
        pointer = (root / "data.dvc").read_text()
        for number in range(size):
            folder = root / f"runs/{number // 100:03d}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"run{number}.dvc").write_text(pointer.replace("path: data", f"path: run{number}"))
    turns = {str(size): 0 for size in sizes}

    def arm(size: int) -> Arm:
        root = place.root / f"dvc-{size}"

        def prepare() -> None:
            turns[str(size)] += 1
            folder = root / f"new{turns[str(size)]}"
            folder.mkdir()
            for file in source.iterdir():
                (folder / file.name).write_bytes(file.read_bytes() + bytes([turns[str(size)]]))

        return Arm(lambda: process([dvc, "add", "-q", f"new{turns[str(size)]}"], root, place.env), prepare)

    costs = interleave({str(size): arm(size) for size in sizes}, min(place.rounds, 3))
    for size in sizes:
        remove(place.root / f"dvc-{size}")
    return [
        Row("cpu_ratio", f"dvc add of one run with {size:,} tracked / with none", ratio(costs, str(size), str(sizes[0])))
        for size in sizes[1:]
    ]  # fmt: skip
