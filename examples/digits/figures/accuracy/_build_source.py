"""Write source_data.csv: the test accuracy of every selected run, straight from the sealed results.

Run from anywhere; the project is the folder two levels up.
"""

import csv
import json
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
ORDER = ("linear", "mlp", "cnn-no-aug", "cnn")


def rows() -> list[tuple[str, int, float]]:
    """(method, seed, accuracy) of each selected run."""
    out = []
    for method in ORDER:
        folder = PROJECT / "results" / method
        for run_id in json.loads((folder / "selected.json").read_text(encoding="utf-8"))["runs"]:
            run = folder / "runs" / run_id
            seed = json.loads((run / "provenance.json").read_text(encoding="utf-8"))["hash_inputs"]["seed"]["value"]
            metrics = json.loads((run / "results.json").read_text(encoding="utf-8"))["metrics"]
            out += [(method, seed, m["value"]) for m in metrics if (m["metric"], m["split"]) == ("accuracy", "test")]
    return out


with (HERE / "source_data.csv").open("w", newline="", encoding="utf-8") as file:
    table = csv.writer(file, lineterminator="\n")
    table.writerow(["method", "seed", "accuracy"])
    table.writerows(rows())
