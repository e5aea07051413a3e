"""Write the data folder: the images, their labels, and three fixed lists of ids.

Which item belongs to which list follows from the item's own id: within each class the items are ordered by a
hash of their id, and that order is cut 60 : 20 : 20. No random generator is involved, so the lists are the same
on every machine and under every library version, and no later step can move an item across.
"""

import argparse
import csv
import hashlib
import json
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

SALT = "digits-split-1"
SHARES = {"train": 0.6, "val": 0.2, "test": 0.2}


def split(labels: dict[str, int]) -> dict[str, list[str]]:
    """Stratified lists of ids: each class is cut by the same shares."""
    lists: dict[str, list[str]] = {name: [] for name in SHARES}
    for label in sorted(set(labels.values())):
        members = sorted((item for item in labels if labels[item] == label), key=position)
        first = round(SHARES["train"] * len(members))
        second = first + round(SHARES["val"] * len(members))
        lists["train"] += members[:first]
        lists["val"] += members[first:second]
        lists["test"] += members[second:]
    return {name: sorted(items) for name, items in lists.items()}


def position(item: str) -> str:
    return hashlib.sha256(f"{SALT}/{item}".encode()).hexdigest()


def write(folder: Path) -> dict[str, int]:
    """Write everything into `folder`; returns the size of each split."""
    digits = load_digits()
    images = digits.images.astype(np.uint8)  # grey levels 0 to 16
    labels = {f"digit-{i:04d}": int(label) for i, label in enumerate(digits.target)}
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "images.npy", images)
    with (folder / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["item_id", "label"])
        rows.writerows(labels.items())

    manifest: dict[str, dict[str, object]] = {}
    for name, items in split(labels).items():
        data = "".join(f"{item}\n" for item in items).encode()
        (folder / f"{name}.ids").write_bytes(data)
        manifest[name] = {"file": f"{name}.ids", "n": len(items), "sha256": hashlib.sha256(data).hexdigest()}
    text = json.dumps({"dataset": "digits", "salt": SALT, "splits": manifest}, indent=2)
    (folder / "split_manifest.json").write_text(text + "\n", encoding="utf-8")
    return {name: int(entry["n"]) for name, entry in manifest.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("data"))
    sizes = write(parser.parse_args().out)
    print("items:", ", ".join(f"{n} {name}" for name, n in sizes.items()))
