"""Eight writers at once: sealed runs a second beside the raw rate of write, fsync, rename, fsync of the folder."""

from __future__ import annotations

import multiprocessing
import os
import time
from pathlib import Path

from benchmarks.store.measure import Arm, Cost, interleave, ratio
from benchmarks.store.place import Place, remove
from benchmarks.store.report import Row

WRITERS = 8
GOAL = 0.8
FILES = 3  # of 1 kB in each run


def run(place: Place) -> tuple[list[Row], list[str]]:
    each = 3 if place.quick else 25
    root = place.root / "writing"
    arms = {
        "raw": Arm(lambda: _all(_raw, root, each), lambda: _prepare(place)),
        "log": Arm(lambda: _all(_append, root, each), lambda: _prepare(place)),
        "ledger": Arm(lambda: _all(_seal, root, each), lambda: _prepare(place)),
    }
    costs = interleave(arms, max(place.rounds, 3))
    remove(root)
    shown = f"{WRITERS} writers x {each}"
    return [
        Row("rate_ratio", f"{shown}: log entries a second / raw files", ratio(costs, "raw", "log", of="wall"), "higher"),
        Row("rate_ratio", f"{shown}: sealed runs a second / raw files", ratio(costs, "raw", "ledger", of="wall"), "higher", GOAL),
    ], []  # fmt: skip


def _prepare(place: Place) -> None:
    root = place.project("writing")
    (root / "raw").mkdir()
    os.environ["XDG_CACHE_HOME"] = place.env["XDG_CACHE_HOME"]
    os.sync()


def _all(work: object, root: Path, each: int) -> Cost:
    """Wall time of all writers from their start to the end of the last."""
    context = multiprocessing.get_context("fork")
    ready = context.Barrier(WRITERS + 1)
    writers = [context.Process(target=_one, args=(work, root, each, number, ready)) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    ready.wait()
    begun = time.perf_counter()
    for writer in writers:
        writer.join()
    wall = time.perf_counter() - begun
    if any(writer.exitcode for writer in writers):
        raise SystemExit("a writer failed")
    return Cost(float("nan"), wall)


def _one(work, root: Path, each: int, number: int, ready) -> None:  # type: ignore[no-untyped-def]
    steps = work(root, number)
    ready.wait()
    for turn in range(each):
        steps(turn)


def _raw(root: Path, number: int):  # type: ignore[no-untyped-def]
    folder = root / "raw"

    def step(turn: int) -> None:
        name = folder / f"{number}-{turn}"
        handle = os.open(f"{name}.tmp", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        os.write(handle, b"x" * 3000)
        os.fsync(handle)
        os.close(handle)
        Path(f"{name}.tmp").rename(name)
        handle = os.open(folder, os.O_RDONLY)
        os.fsync(handle)
        os.close(handle)

    return step


def _append(root: Path, number: int):  # type: ignore[no-untyped-def]
    from ledger.project import at
    from ledger.store.journal import Journal

    log = Journal(at(root))
    return lambda turn: log.append({"type": "start", "exp_id": f"writer{number}", "run_id": str(turn)})


def _seal(root: Path, number: int):  # type: ignore[no-untyped-def]
    """Staged already, as `ledger run` leaves it: what is measured is the seal alone."""
    from ledger.project import at
    from ledger.seal import kept, provenance, staging, start
    from ledger.seal.publish import seal

    project = at(root)
    os.chdir(root)
    around = provenance.surroundings(project, data_path=None, dataset=None, command=())
    stored = kept.keep(project, around)

    def step(turn: int) -> None:
        staged = staging.stage(
            project, start.conditions(project, f"writer{number}", around, stored, config={}, seed=turn)
        )
        for file in range(FILES):
            (staged.path / f"f{file}").write_bytes(b"x" * 1000)
        seal(project, staged, "finished", 0)

    return step
