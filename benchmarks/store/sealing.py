"""Seal beside the yardstick and the peers: one large file, many of 100 kB, thousands of small ones in many runs."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from benchmarks.store import peers
from benchmarks.store.measure import Arm, Cost, Spread, interleave, less, process, ratio
from benchmarks.store.place import LEDGER, Kind, Place, allocated, remove
from benchmarks.store.report import Row

YARDSTICK = str(Path(__file__).with_name("yardstick.py"))

FULL = (
    Kind("1 x 1 GB", 1, 1, 10**9),
    Kind("1,000 x 100 kB", 1, 1000, 100_000),
    Kind("1,000 runs x 10 x 4 kB", 1000, 10, 4096),
)
QUICK = (Kind("1 x 50 MB", 1, 1, 50 * 10**6), Kind("100 x 100 kB", 1, 100, 100_000), Kind("50 runs x 10 x 4 kB", 50, 10, 4096))  # fmt: skip
CPU_GOALS = (1.15, 1.3, 2.5)
AGAIN_GOAL = 3
DISK_GOALS = (1.02, 1.02, 1.15)
SPEEDUPS = (
    {"dvc add": 5, "dvc add (hard links)": 2, "datalad save": 1.4},
    {"dvc add": 8, "cp + sha256sum": 4},
    {"dvc add": 10, "restic": 2.5},
)


def yardstick(place: Place, mode: str, *folders: Path) -> Cost:
    return process([sys.executable, YARDSTICK, mode, *map(str, folders)], place.root, place.env)


def run(place: Place) -> tuple[list[Row], list[str]]:
    rows: list[Row] = []
    there, skipped = peers.installed()
    for kind, cpu_goal, disk_goal, speedups in zip(
        QUICK if place.quick else FULL, CPU_GOALS, DISK_GOALS, SPEEDUPS, strict=True
    ):
        # a peer's start is most of what it costs on little data: in quick one kind shows that all of them run
        asked = there if not place.quick or kind.files == 100 else []
        rows += _kind(place, kind, asked, cpu_goal, disk_goal, speedups)
    return rows + again(place), skipped


def _kind(
    place: Place, kind: Kind, there: list[peers.Peer], cpu_goal: float, disk_goal: float, speedups: dict[str, float]
) -> list[Row]:
    source = place.source(kind)
    project = place.root / "sealing"
    folders = [f"data/{path.name}" for path in sorted(source.iterdir())]
    command = [LEDGER, "seal", "--exp", "bench", "--move"]
    disk = []

    def prepare() -> None:
        place.project("sealing")
        # what is sealed lies beside the project: within it, it would count as code
        place.fresh("sealed", source=source)

    def seal() -> Cost:
        cost = process([*command, *(f"../sealed/{name}" for name in folders)], project, place.env)
        disk.append(allocated(project / "results", project / ".ledger") / allocated(source))
        return cost

    def one_byte() -> None:
        place.project("sealing-one")
        folder = place.fresh("sealed-one") / "data"
        folder.mkdir()
        (folder / "one").write_bytes(b"1")

    arms = {
        "start": Arm(lambda: yardstick(place, "read")),
        "ledger start": Arm(
            lambda: process([*command, "../sealed-one/data"], place.root / "sealing-one", place.env), one_byte
        ),
        # the very files that are sealed next: another copy may lie differently on the disk and in the caches
        "yardstick": Arm(lambda: yardstick(place, "read", place.root / "sealed"), prepare),
        "ledger": Arm(seal),
    }
    for peer in there:
        arms[peer.name] = peers.adding(place, peer, source, 2)
    costs = interleave(arms, place.rounds)
    for name in ("sealing", "sealing-one", "sealed", "sealed-one", *(f"peer-{peer.folder}" for peer in there)):
        remove(place.root / name)
    costs["ledger body"] = less(costs["ledger"], costs["ledger start"])
    costs["yardstick body"] = less(costs["yardstick"], costs["start"])
    rows = [
        Row("cpu_ratio", f"seal {kind.name}, whole process / yardstick", ratio(costs, "ledger", "yardstick")),
        Row("cpu_ratio", f"seal {kind.name}, without both starts / yardstick", ratio(costs, "ledger body", "yardstick body"), goal=cpu_goal),
        Row("disk_ratio", f"disk of {kind.name}, work tree included / source", Spread.of(disk), goal=disk_goal),
    ]  # fmt: skip
    rows += [
        Row("speedup", f"seal {kind.name}: {peer.name} / ledger", ratio(costs, peer.name, "ledger"), "higher", speedups.get(peer.name))
        for peer in there
    ]  # fmt: skip
    return rows


def again(place: Place) -> list[Row]:
    """Sealing a folder once more that has not changed since, beside a walk that asks stat of each of its files."""
    rows = []
    for kind in QUICK[1:] if place.quick else FULL[1:]:
        root = place.project("again")
        source = place.fresh("sealed", source=place.source(kind))
        time.sleep(2.5)  # a file that has just been written is not trusted to stay
        command = [LEDGER, "seal", "--exp", "bench", *(str(path) for path in sorted((source / "data").iterdir()))]
        process(command, root, place.env)
        arms = {
            "yardstick": Arm(lambda source=source: yardstick(place, "stat", source)),  # type: ignore[misc]
            "ledger": Arm(lambda command=command, root=root: process(command, root, place.env)),  # type: ignore[misc]
        }
        costs = interleave(arms, max(place.rounds, 5), warm=True)
        case = f"seal {kind.name} again, unchanged / start-up + stat walk"
        rows.append(Row("cpu_ratio", case, ratio(costs, "ledger", "yardstick"), goal=AGAIN_GOAL))
        remove(root)
        remove(source)
    return rows
