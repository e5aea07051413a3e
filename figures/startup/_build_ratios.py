"""Selected runs of `bench-startup` -> source_data.csv: one row for each command and repeat."""

import csv
import json
import os
from pathlib import Path

ROOT = Path(os.environ["LEDGER_PROJECT"])
HERE = Path(__file__).resolve().parent
COMMANDS = ["ledger --version", "ledger --help", "pre-commit hook", "import click", "dvc --version"]

runs = ROOT / "results" / "bench-startup"
rows = []
for repeat, run in enumerate(json.loads((runs / "selected.json").read_text())["runs"]):
    metrics = json.loads((runs / "runs" / run / "results.json").read_text())["metrics"]
    values = {row["dataset"]: row["value"] for row in metrics if row["metric"] == "cpu_ratio"}
    rows += [(command, repeat, values[command]) for command in COMMANDS]

with (HERE / "source_data.csv").open("w", newline="") as stream:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["command", "repeat", "cpu_ratio"])
    writer.writerows(rows)
