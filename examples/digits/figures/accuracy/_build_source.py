"""Write source_data.csv: the test accuracy of every selected run, straight from the sealed results.

EVIDENCE.json says which claims this figure supports and what their methods are called; each number is read from the
results.json of a run. Runs from anywhere: the project is the folder two levels up.
"""

import csv
import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def rows() -> list[tuple[str, str, int, float]]:
    """(method, experiment, seed, accuracy) of each selected run, the last claim first: it is drawn at the bottom."""
    out = []
    for claim in reversed(load(PROJECT / "EVIDENCE.json")["claims"]):
        row = claim["evidence"][0]
        if row.get("figure") != "figures/accuracy":
            continue
        experiment = PROJECT / "results" / row["exp_id"]
        for run_id in load(experiment / "selected.json")["runs"]:
            run = experiment / "runs" / run_id
            seed = load(run / "provenance.json")["hash_inputs"]["seed"]["value"]
            metrics = load(run / "results.json")["metrics"]
            values = [m["value"] for m in metrics if (m["metric"], m["split"]) == (row["metric"], row["split"])]
            out += [(claim["aliases"][0], row["exp_id"], seed, value) for value in values]
    return out


with (HERE / "source_data.csv").open("w", newline="", encoding="utf-8") as file:
    table = csv.writer(file, lineterminator="\n")
    table.writerow(["method", "exp_id", "seed", "accuracy"])
    table.writerows(rows())
