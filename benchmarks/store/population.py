"""Many sealed runs at once: copies of one that the product sealed, each with its own seed and metrics.

Everything a seal leaves is there (folders, manifests that fit their files, one log entry each), so every command works
on them; only the waiting and the six inputs, which the copies share, are left out.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from ledger.canon import listing, pretty, sha256
from ledger.model.run import Manifest
from ledger.project import at
from ledger.store import atomic
from ledger.store.journal import Journal
from ledger.store.recover import seal_entry
from ledger.store.runs import MANIFEST, PROVENANCE, RESULTS, Run, read_run

EXPERIMENT = "many"
METRICS = 20
_AT_ONCE = 10_000


def metric_rows(seed: int) -> list[dict[str, Any]]:
    """Twenty metrics between 0 and 1, the same for the same seed."""
    values = random.Random(seed)
    return [
        {"metric": f"m{number:02d}", "value": values.random(), "split": "test", "n": 100, "direction": "higher_is_better"}
        for number in range(METRICS)
    ]  # fmt: skip


def grow(root: Path, template: Path, begin: int, end: int) -> None:
    """Add the runs `begin` to `end` of the experiment, as copies of the run in `template`."""
    project = at(root)
    like = read_run(template)
    certificate = dict(like.provenance)
    folder = project.results / EXPERIMENT / "runs"
    for first in range(begin, end, _AT_ONCE):
        numbers = range(first, min(end, first + _AT_ONCE))
        entries = [seal_entry(_copy(folder, like, certificate, number)) for number in numbers]
        with atomic.durability(False):
            Journal(project).append_all(entries)


def _copy(folder: Path, like: Run, certificate: dict[str, Any], number: int) -> Run:
    run_id = f"20260101T000000Z-{number:08x}"
    inputs = {**certificate["hash_inputs"], "seed": {"value": number, "determinism_flags": {}}}
    record = {**certificate, "exp_id": EXPERIMENT, "run_id": run_id, "hash_inputs": inputs}
    contents = {PROVENANCE: listing(record), RESULTS: pretty({"metrics": metric_rows(number)})}
    raw = {
        **like.manifest_raw,
        "exp_id": EXPERIMENT,
        "run_id": run_id,
        "files": [
            {"path": name, "size": len(data), "sha256": sha256(data), "tier": "light", "derived": False}
            for name, data in sorted(contents.items())
        ],
    }
    path = folder / run_id
    path.mkdir(parents=True)
    for name, data in {**contents, MANIFEST: listing(raw)}.items():
        (path / name).write_bytes(data)
    return Run(path, Manifest.from_json(raw), raw)
