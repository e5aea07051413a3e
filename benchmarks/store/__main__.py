"""The run store beside its limits and its peers, as ratios of CPU seconds in one process run.

    python -m benchmarks.store [--quick] [--only NAME] [--rounds N] [--mlflow-python PATH] [--output results.json]

The yardstick is one pass of read + hashlib sha256 over the same bytes, as a process of its own. Peers that are not
installed are left out and said. `--quick` takes small sizes and few rounds: whether everything runs, not how fast.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from benchmarks.store.place import Place, remove
from benchmarks.store.report import Row, table

PARTS = ("sealing", "growing", "checking", "querying", "appending", "writing")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.store", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--mlflow-python", type=Path, metavar="PATH", help="an interpreter that has MLflow")
    parser.add_argument("--work", type=Path, help="scratch folder, on the disk to measure (default: a temporary one)")
    parser.add_argument("--output", type=Path, help="write the figures there, in the form of results.json")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="bench-store-", dir=options.work))
    rows: list[Row] = []
    skipped: list[str] = []
    try:
        rounds = options.rounds or (1 if options.quick else 5)
        place = Place.at(work, quick=options.quick, rounds=rounds, mlflow=options.mlflow_python)
        for name in options.only or PARTS:
            begun = time.perf_counter()
            more, left_out = import_module(f"benchmarks.store.{name}").run(place)
            rows += more
            skipped += [reason for reason in left_out if reason not in skipped]
            print(f"{name}: {time.perf_counter() - begun:.0f} s", flush=True)
    finally:
        remove(work)
    if options.quick:  # the goals are for the full sizes
        rows = [replace(row, goal=None) for row in rows]
    print(table(rows, skipped))
    if options.output:
        options.output.write_text(json.dumps({"metrics": [row.to_json() for row in rows]}, indent=1) + "\n")


if __name__ == "__main__":
    main()
