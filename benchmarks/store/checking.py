"""fsck beside hashlib over memory maps, and beside the checks of other tools, over the same bytes."""

from __future__ import annotations

from benchmarks.store import peers
from benchmarks.store.measure import Arm, interleave, less, process, ratio
from benchmarks.store.place import LEDGER, Kind, Place, remove
from benchmarks.store.report import Row
from benchmarks.store.sealing import FULL, QUICK, yardstick

SPEEDUPS: dict[str, float] = {"git": 5, "restic": 3, "borg": 2.5}
CPU_GOAL = 1.2


def run(place: Place) -> tuple[list[Row], list[str]]:
    there, skipped = peers.installed()
    checkers = [peer for peer in there if peer.check]
    rows = []
    for number, kind in enumerate(QUICK if place.quick else FULL):
        asked = checkers if not place.quick or kind.files == 100 else []
        rows += _kind(place, kind, asked, SPEEDUPS if number == 0 else {})
    return rows, skipped


def _kind(place: Place, kind: Kind, checkers: list[peers.Peer], speedups: dict[str, float]) -> list[Row]:
    source = place.source(kind)
    project = place.project("checking")
    empty = place.project("checking-empty")
    place.fresh("sealed", source=source)
    folders = [f"../sealed/data/{path.name}" for path in sorted(source.iterdir())]
    process([LEDGER, "seal", "--exp", "bench", "--move", *folders], project, place.env)
    arms = {
        "start": Arm(lambda: yardstick(place, "read")),
        "yardstick": Arm(lambda: yardstick(place, "mmap", project / "results/bench/runs")),
        "ledger start": Arm(lambda: process([LEDGER, "fsck"], empty, place.env)),
        "ledger": Arm(lambda: process([LEDGER, "fsck"], project, place.env)),
    }
    for peer in checkers:
        arms[peer.name] = peers.checking(place, peer, source, 2)
    costs = interleave(arms, place.rounds)
    for name in ("checking", "checking-empty", "sealed", *(f"check-{peer.folder}" for peer in checkers)):
        remove(place.root / name)
    costs["ledger body"] = less(costs["ledger"], costs["ledger start"])
    costs["yardstick body"] = less(costs["yardstick"], costs["start"])
    rows = [
        Row("cpu_ratio", f"fsck {kind.name}, whole process / hashlib over mmap", ratio(costs, "ledger", "yardstick")),
        Row(
            "cpu_ratio", f"fsck {kind.name}, without both starts / hashlib over mmap",
            ratio(costs, "ledger body", "yardstick body"), goal=CPU_GOAL,
        ),
    ]  # fmt: skip
    rows += [
        Row("speedup", f"check {kind.name}: {peer.name} / ledger fsck", ratio(costs, peer.name, "ledger"), "higher", speedups.get(peer.name))
        for peer in checkers
    ]  # fmt: skip
    return rows
