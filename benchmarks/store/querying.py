"""A query over many runs beside a bare interpreter, a walk over JSON files and MLflow; its growth; making the index anew."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.store import population
from benchmarks.store.measure import Arm, Spread, exponent, interleave, process, ratio, within
from benchmarks.store.place import LEDGER, Place, remove
from benchmarks.store.report import Row

PEER = str(Path(__file__).with_name("mlflow_peer.py"))
_WALK = """
import json, os, sys
found = []
for folder, _, names in os.walk(sys.argv[1]):
    if "results.json" in names:
        with open(folder + "/results.json") as stream:
            metrics = {row["metric"]: row["value"] for row in json.load(stream)["metrics"]}
        if metrics.get("m07", 0) > 0.9:
            found.append((metrics["m07"], folder))
found.sort(reverse=True)
print(len(found))
"""
_ASK = ["--where", "m07>0.9 and split==test", "--sort", "-m07"]
GOAL, SPEEDUP, GROWTH, REBUILD = 6, 50, 0.2, 1.0


def run(place: Place) -> tuple[list[Row], list[str]]:
    sizes = [20, 60, 100] if place.quick else [1_000, 10_000, 100_000]
    root = place.project("querying")
    first = place.fresh("sealed") / "data"
    first.mkdir()
    (first / "out").write_bytes(b"1")
    process([LEDGER, "seal", "--exp", "first", str(first)], root, place.env)
    template = next((root / "results/first/runs").iterdir())
    rows: list[Row] = []
    top: list[Spread] = []
    rebuilds: list[float] = []
    had = 0
    skipped: list[str] = []
    for number, size in enumerate(sizes):
        population.grow(root, template, had, size)
        had = size
        rebuilt = _rebuild(place, root, size)
        rebuilds.append(rebuilt.value)
        rows.append(Row("cpu_ms_per_run", f"index of {size:,} runs made anew", rebuilt, goal=REBUILD, unit="ms"))
        more, left_out = _whole(place, root, size, with_mlflow=number == 0)
        rows += more
        skipped += left_out
        top.append(within(place, "query", str(root)))
        rows.append(Row("cpu_us", f"top 20 of {size:,} runs, in process", top[-1], unit="us"))
    grown = exponent(sizes, [spread.value for spread in top])
    rows.append(
        Row(
            "growth_exponent",
            "top 20 in process over all sizes",
            Spread(grown, grown, grown, len(sizes)),
            goal=GROWTH,
            unit="",
        )
    )
    linear = exponent(sizes, [value * size for value, size in zip(rebuilds, sizes, strict=True)])
    rows.append(
        Row(
            "growth_exponent",
            "index made anew over all sizes",
            Spread(linear, linear, linear, len(sizes)),
            goal=1.1,
            unit="",
        )
    )
    remove(root)
    return rows, skipped


def _rebuild(place: Place, root: Path, size: int) -> Spread:
    """CPU milliseconds for each run of a first query, less those of a second."""
    ask = [LEDGER, "runs", "--limit", "1"]

    def forget() -> None:
        remove(Path(place.env["XDG_CACHE_HOME"]) / "evidence-ledger")

    rounds = 1 if size > 10_000 else min(place.rounds, 3)
    costs = interleave(
        {"first": Arm(lambda: process(ask, root, place.env), forget), "second": Arm(lambda: process(ask, root, place.env))},
        rounds,
    )  # fmt: skip
    return Spread.of(
        [1000 * (one.cpu - two.cpu) / size for one, two in zip(costs["first"], costs["second"], strict=True)]
    )


def _whole(place: Place, root: Path, size: int, *, with_mlflow: bool) -> tuple[list[Row], list[str]]:
    python = sys.executable
    arms = {
        "pass": Arm(lambda: process([python, "-c", "pass"], root, place.env)),
        "top": Arm(lambda: process([LEDGER, "runs", *_ASK, "--limit", "20"], root, place.env)),
        "all": Arm(lambda: process([LEDGER, "runs", *_ASK], root, place.env)),
        "walk": Arm(
            lambda: process([python, "-c", _WALK, "results"], root, place.env), rounds=2 if size < 100_000 else 1
        ),
    }
    stores, skipped = _mlflow(place, size) if with_mlflow else ({}, [])
    for name, uri in stores.items():
        arms[name] = Arm(lambda uri=uri: process([str(place.mlflow), PEER, "query", uri], root, place.env), rounds=2)  # type: ignore[misc]
    costs = interleave(arms, max(place.rounds, 3), warm=True)
    rows = [
        Row("cpu_ratio", f"top 20 of {size:,} runs, whole process / python -c pass", ratio(costs, "top", "pass"), goal=GOAL if size == 10_000 else None),
        Row("cpu_ratio", f"all hits of {size:,} runs, whole process / python -c pass", ratio(costs, "all", "pass"), goal=GOAL if size == 10_000 else None),
        Row("speedup", f"query {size:,} runs: walk over JSON files / ledger", ratio(costs, "walk", "all"), "higher"),
    ]  # fmt: skip
    rows += [
        Row("speedup", f"query {size:,} runs: {name} / ledger", ratio(costs, name, "all"), "higher", goal=SPEEDUP if size == 1_000 else None)
        for name in stores
    ]  # fmt: skip
    return rows, skipped


def _mlflow(place: Place, size: int) -> tuple[dict[str, str], list[str]]:
    """Stores that MLflow's own client filled with as many runs."""
    if place.mlflow is None:
        return {}, ["MLflow: not asked for (--mlflow-python PATH)"]
    root = place.fresh("mlflow")
    stores = {"MLflow file store": str(root / "mlruns"), "MLflow sqlite store": f"sqlite:///{root}/mlflow.db"}
    for uri in stores.values():
        process([str(place.mlflow), PEER, "record", uri, str(size)], root, place.env)
    return stores, []
