"""Staging: the folder `.ledger/running/<run_id>/` in which a run in progress is written.

Beside it lies `<run_id>.json`, its start record.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ledger.canon import finite
from ledger.errors import StoreError, UsageError
from ledger.project import Project
from ledger.seal import data, gaps, kept, outcome, provenance, start
from ledger.seal.experiment import check_exp_id
from ledger.store import atomic
from ledger.store.digests import Digests
from ledger.store.journal import Journal

# what `run.log` and `run.result` append to; hidden names, since a training has its own results.jsonl
HISTORY_JOURNAL = ".ledger-history.jsonl"
RESULTS_JOURNAL = ".ledger-results.jsonl"
PACKAGES = "packages.txt"


@dataclass(frozen=True, slots=True)
class Staging:
    """A run in progress: its folder and its start record."""

    path: Path
    start: Mapping[str, Any]

    @property
    def run_id(self) -> str:
        return str(self.start["run_id"])

    @property
    def exp_id(self) -> str:
        return str(self.start["exp_id"])

    @property
    def provenance(self) -> Mapping[str, Any]:
        return self.start["provenance"]  # type: ignore[no-any-return]

    @property
    def config(self) -> Mapping[str, Any]:
        return self.start["config"]  # type: ignore[no-any-return]


def begin(
    project: Project,
    exp_id: str,
    *,
    config: Mapping[str, Any] | None = None,
    otherwise: Mapping[str, Any] | None = None,
    seed: Any = None,
    data: Path | None = None,
    dataset: str | None = None,
    command: Sequence[str] = (),
) -> Staging:
    """Capture the six inputs, make the staging folder, log the start.

    `otherwise` is the config as long as nobody, not even a nested start, declares one.

    Raises:
        UsageError: `exp_id` or `data` make no sense.
        StoreError: the disk refused.
    """
    check_exp_id(project, exp_id)
    around = provenance.surroundings(project, data_path=data, dataset=dataset, command=command)
    stored = kept.keep(project, around)
    born = start.conditions(
        project, exp_id, around, stored, config=config, otherwise=otherwise, seed=seed, command=command
    )  # fmt: skip
    staged = stage(project, born)
    outcome.reserve(staged.path)
    log_starts(project, [staged])
    return staged


def stage(project: Project, born: Mapping[str, Any], *, beside: Staging | None = None, durable: bool = True) -> Staging:
    """Make the staging folder of a run, and its start record: another name for that of `beside`, which began under the
    same conditions.
    """
    path = _claim_folder(project, str(born["provenance"]["provenance_hash"]))
    start.write(path, born, beside=beside.path if beside else None, durable=durable)
    return Staging(path, start.named(born, path.name))


def log_starts(project: Project, many: Sequence[Staging]) -> None:
    """Log that these runs began, so that abandoned ones stay countable."""
    Journal(project).append_all(
        [
            {
                "type": "start",
                "exp_id": staged.exp_id,
                "run_id": staged.run_id,
                "provenance_hash": staged.provenance["provenance_hash"],
            }
            for staged in many
        ]
    )


def load(path: Path) -> Staging:
    """The staging in `path`. Raises InputError when its start record is gone or damaged."""
    return Staging(path, start.read(path))


def amend(
    project: Project,
    staging: Staging,
    *,
    config: Mapping[str, Any] | None,
    seed: Any,
    data_path: Path | None = None,
    dataset: str | None = None,
) -> Staging:
    """Complete what the launcher left open: a nested start that knows the config, the seed or the data says so here.

    What was declared at launch stays; the id keeps the prefix that it was born with.
    """
    born = dict(staging.start)
    record = dict(staging.provenance)
    inputs = {key: dict(value) for key, value in record["hash_inputs"].items()}
    if config and not born["config_declared"]:
        born["config"] = finite(dict(config))
        born["config_declared"] = True
        inputs["config"] = provenance.config_input(born["config"], project.config.seed_keys)
        seed = provenance.seed_of(born["config"], project.config.seed_keys) if seed is None else seed
    if inputs["seed"]["value"] is None:
        inputs["seed"]["value"] = finite(seed)
    if inputs["data"]["sha256"] is None and data_path is not None:
        with Digests(project.cache) as digests:
            read = data.capture(data_path, dataset or inputs["data"]["dataset"], digests)
        inputs["data"] = read.record
        if read.gaps:
            record[gaps.KEY] = [*record.get(gaps.KEY, ()), *(gap.to_json() for gap in read.gaps)]
    elif inputs["data"]["dataset"] is None:
        inputs["data"]["dataset"] = dataset
    record["hash_inputs"] = inputs
    record["provenance_hash"], record["group_hash"] = provenance.hashes(inputs)
    born["provenance"] = record
    start.write(staging.path, born)
    return Staging(staging.path, born)


def noted(staging: Staging, many: Sequence[gaps.Gap]) -> Staging:
    """The run with more of what could not be captured."""
    listed = [*staging.provenance.get(gaps.KEY, ()), *(gap.to_json() for gap in many)]
    return Staging(staging.path, {**staging.start, "provenance": {**staging.provenance, gaps.KEY: listed}})


def note(staging: Staging, gap: gaps.Gap) -> Staging:
    """The same, and written; on a full disk only what is sealed now will have it."""
    staging = noted(staging, [gap])
    with contextlib.suppress(StoreError):
        start.write(staging.path, staging.start)
    return staging


def leftovers(project: Project) -> list[Path]:
    """Folders of runs in progress, dead or alive."""
    return sorted(path for path in project.running.glob("*") if path.is_dir())


def _claim_folder(project: Project, provenance_hash: str) -> Path:
    """A staging folder of a new id; making the folder is what claims the id, so two starts in one second differ."""
    base = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{provenance_hash[:8]}"
    running, results = os.fspath(project.running), os.fspath(project.results)
    with atomic.explained(project.running):
        atomic.make_folder(project.running)
        experiments = os.listdir(results) if project.results.is_dir() else []  # noqa: PTH208 (names are enough)
        name = base
        for _ in range(1000):
            if not any(os.path.lexists(f"{results}/{exp_id}/runs/{name}") for exp_id in experiments):
                try:
                    os.mkdir(f"{running}/{name}")  # noqa: PTH102 (as text: runs are sealed by the thousand)
                except FileExistsError:
                    pass
                else:
                    return project.running / name
            name = f"{base}-{os.urandom(3).hex()}"
    raise UsageError("no free run id was found", where=project.running, fix="try again in a second")


def flush(project: Project, many: Sequence[Staging]) -> None:
    """Make start records durable that were written without. Raises StoreError."""
    with atomic.explained(project.running):
        atomic.fsync_trees([(project.running, [start.place(Path(staged.path.name)) for staged in many])])


def forget(staged: Staging) -> None:
    """Remove the start record of a run that is sealed now."""
    with atomic.explained(staged.path), contextlib.suppress(FileNotFoundError):
        os.unlink(start.place(staged.path))  # noqa: PTH108
    outcome.forget(staged.path)
