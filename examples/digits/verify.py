"""Ask the stored artifacts of every selected run whether they agree with each other; no model is run again.

Checked: no item and no image stands in two splits; each run's predictions cover exactly the test list; its reported
accuracy is the share of correct rows; its checkpoint is the epoch of best validation accuracy. The answers go to
reports/verify.json; a contradiction ends with exit status 1.
"""

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

SPLITS = ("train", "val", "test")
REPORT = Path("reports/verify.json")


def check_splits(data: Path) -> Iterator[str]:
    """Problems of the split lists themselves."""
    lists = {name: (data / f"{name}.ids").read_text(encoding="utf-8").split() for name in SPLITS}
    images = np.load(data / "images.npy")
    seen_item: dict[str, str] = {}
    seen_image: dict[bytes, tuple[str, str]] = {}
    for name, items in lists.items():
        for item in items:
            if item in seen_item:
                yield f"{item} stands in {seen_item[item]} and in {name}"
            seen_item[item] = name
            pixels = images[int(item.removeprefix("digit-"))].tobytes()
            twin, where = seen_image.setdefault(pixels, (item, name))
            if where != name:
                yield f"{item} in {name} shows the same pixels as {twin} in {where}"
    if len(seen_item) != len(images):
        yield f"the splits hold {len(seen_item)} items, the data {len(images)}"


def check_run(run: Path, test_items: set[str]) -> Iterator[str]:
    """Problems of one sealed run."""
    metrics = {m["metric"]: m for m in json.loads((run / "results.json").read_text(encoding="utf-8"))["metrics"]}
    with (run / "predictions.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if {row["item_id"] for row in rows} != test_items or len(rows) != len(test_items):
        yield f"{run}: predictions.csv does not cover the test list once each"
    wrong = [row["item_id"] for row in rows if (row["label"] == row["prediction"]) != (row["correct"] == "1")]
    if wrong:
        yield f"{run}: {len(wrong)} rows of predictions.csv are marked against their own label, first {wrong[0]}"
    accuracy = sum(row["label"] == row["prediction"] for row in rows) / len(rows)
    if accuracy != metrics["accuracy"]["value"] or metrics["accuracy"]["n"] != len(rows):
        yield f"{run}: results.json says accuracy {metrics['accuracy']['value']}, predictions.csv says {accuracy}"
    with (run / "history.csv").open(encoding="utf-8", newline="") as file:
        curve = {int(row["step"]): float(row["val_accuracy"]) for row in csv.DictReader(file)}
    best = json.loads((run / "checkpoints" / "best.json").read_text(encoding="utf-8"))["step"]
    if curve[best] != max(curve.values()):
        yield f"{run}: the checkpoint is of epoch {best}, but validation accuracy was higher in another"


def main() -> int:
    test_items = set(Path("data/test.ids").read_text(encoding="utf-8").split())
    problems = list(check_splits(Path("data")))
    checked = []
    for choice in sorted(Path("results").glob("*/selected.json")):
        for run_id in json.loads(choice.read_text(encoding="utf-8"))["runs"]:
            run = choice.parent / "runs" / run_id
            problems += check_run(run, test_items)
            checked.append(run.as_posix())
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(json.dumps({"checked": checked, "problems": problems}, indent=2) + "\n", encoding="utf-8")
    print(f"{len(checked)} runs checked, {len(problems)} contradictions")
    for problem in problems:
        print(f"  {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
