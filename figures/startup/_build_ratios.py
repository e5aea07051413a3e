"""Selected runs of `bench-startup` -> source_data.csv: one row for each command and repeat."""

import csv
import json
import os
from pathlib import Path

ROOT = Path(os.environ["LEDGER_PROJECT"])
HERE = Path(__file__).resolve().parent
COMMANDS = {
    "version": "ledger --version",
    "hook": "pre-commit hook",
    "import_click": "import click",
    "help": "ledger --help",
    "dvc_version": "dvc --version",
}

runs = ROOT / "results" / "bench-startup"
rows = []
for repeat, run in enumerate(json.loads((runs / "selected.json").read_text())["runs"]):
    metrics = json.loads((runs / "runs" / run / "results.json").read_text())["metrics"]
    values = {row["metric"]: row["value"] for row in metrics}
    rows += [(label, repeat, values[f"cpu_ratio_{name}"]) for name, label in COMMANDS.items()]

with (HERE / "source_data.csv").open("w", newline="") as stream:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["command", "repeat", "cpu_ratio"])
    writer.writerows(rows)
