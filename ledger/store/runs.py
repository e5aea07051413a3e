"""Sealed runs on disk: find them, and read what they say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ledger.canon import digest, parse, read_record
from ledger.errors import InputError, LedgerError
from ledger.model.run import MANIFEST_SCHEMA, PROVENANCE_SCHEMA, REQUIRED, RESULTS_SCHEMA, Manifest, Metric
from ledger.model.version import refuse_newer
from ledger.project import Project

MANIFEST = "run.json"
PROVENANCE = "provenance.json"
RESULTS = "results.json"
CONFIG = "config.resolved.yaml"


@dataclass(frozen=True)
class Run:
    """One sealed run: its folder and what its manifest says. Everything else is read when asked for."""

    path: Path
    manifest: Manifest
    manifest_raw: Mapping[str, Any]

    @property
    def exp_id(self) -> str:
        return self.manifest.exp_id

    @property
    def run_id(self) -> str:
        return self.manifest.run_id

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from every other run: ids are made unique, but two clones may make the same one."""
        return self.exp_id, self.run_id

    @cached_property
    def address(self) -> str:
        """SHA-256 of the canonical manifest: names exactly these bytes."""
        return digest(self.manifest_raw)

    @cached_property
    def provenance(self) -> Mapping[str, Any]:
        """The birth certificate; empty when the run has none. Raises InputError when it cannot be read, or is none."""
        return _certificate(self.path)

    @cached_property
    def metrics(self) -> tuple[Metric, ...]:
        """The rows of results.json; empty when the run has none. Raises InputError when it cannot be read."""
        rows = _mapping(self.path / RESULTS, RESULTS_SCHEMA).get("metrics", [])
        if not isinstance(rows, list):
            raise InputError("`metrics` is no list", where=self.path / RESULTS, fix="restore it from git")
        return tuple(Metric.from_json(row) for row in rows if isinstance(row, Mapping))

    @property
    def seed(self) -> Any:
        """The seed's value, or None when the run declared none."""
        return _seed(self.provenance)

    def find_metrics(self, metric: str, split: str = "", dataset: str = "") -> list[Metric]:
        """The rows that fit; an empty split or dataset fits all."""
        return [
            row
            for row in self.metrics
            if row.metric == metric and (not split or row.split == split) and (not dataset or row.dataset == dataset)
        ]


class RunStore:
    """All sealed runs of a project."""

    def __init__(self, project: Project) -> None:
        self.project = project

    def folder(self, exp_id: str) -> Path:
        return self.project.results / exp_id / "runs"

    def experiments(self) -> list[str]:
        return sorted(path.parent.name for path in self.project.results.glob("*/runs") if path.is_dir())

    def folders(self, exp_id: str | None = None) -> Iterator[Path]:
        """Folders of runs in the order of their ids (which start with the time); broken ones included."""
        for experiment in [exp_id] if exp_id else self.experiments():
            folder = self.folder(experiment)
            if folder.is_dir():
                yield from sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))

    def all(self, exp_id: str | None = None) -> list[Run]:
        """Every readable run; damaged ones are left to `fsck`."""
        runs = []
        for folder in self.folders(exp_id):
            try:
                runs.append(read_run(folder))
            except LedgerError:
                continue
        return runs

    def get(self, exp_id: str, run_id: str) -> Run | None:
        """The run of exactly this id, or None. Raises InputError when its manifest cannot be read."""
        folder = self.folder(exp_id) / run_id
        return read_run(folder) if folder.is_dir() else None

    def resolve(self, name: str) -> Run:
        """The run that `name` means, in any form that people type. Raises as `ledger.store.reference.resolve` does."""
        from ledger.store import reference

        return reference.resolve(self, name)


def read_run(folder: Path) -> Run:
    """The run in `folder`.

    Raises:
        InputError: its manifest is absent or cannot be read.

    """
    path = folder / MANIFEST
    raw = _mapping(path, MANIFEST_SCHEMA)
    if not raw:
        raise InputError("a run without a manifest", where=path, fix="`ledger fsck` says what is left of it")
    try:
        return Run(folder, Manifest.from_json(raw), raw)
    except (KeyError, TypeError, ValueError) as error:
        lacking = [key for key in REQUIRED if key not in raw]
        why = f"it lacks {', '.join(lacking)}" if lacking else str(error)
        raise InputError(f"not a run manifest ({why})", where=path, fix="`ledger fsck` says what is left") from error


def just_sealed(folder: Path, manifest: Manifest, certificate: Mapping[str, Any]) -> Run:
    """The run that was published in `folder` a moment ago: what is known of it is not read back."""
    run = Run(folder, manifest, manifest.to_json())
    run.__dict__["provenance"] = certificate  # where a cached property keeps its value
    return run


def seed_of(folder: Path) -> Any:
    """The seed of the run in `folder`, whose manifest may be damaged. Raises InputError when nothing tells it."""
    record = _certificate(folder)
    if not record:
        raise InputError("a run without a birth certificate", where=folder / PROVENANCE, fix="restore it from git")
    return _seed(record)


def _certificate(folder: Path) -> Mapping[str, Any]:
    record = _mapping(folder / PROVENANCE, PROVENANCE_SCHEMA)
    if not is_certificate(record):
        raise InputError("not a birth certificate", where=folder / PROVENANCE, fix="restore it from git")
    return record


def _seed(record: Mapping[str, Any]) -> Any:
    inputs = record.get("hash_inputs", {})
    return inputs.get("seed", {}).get("value") if isinstance(inputs, Mapping) else None


def is_certificate(record: Mapping[str, Any]) -> bool:
    """Whether what readers rely on has the types that they expect; a certificate of another tool may say less."""
    inputs = record.get("hash_inputs", {})
    if not isinstance(inputs, dict) or not all(isinstance(part, dict) for part in inputs.values()):
        return False
    code = inputs.get("code", {})
    texts = (code.get("commit"), code.get("tree_sha256"), code.get("diff_sha256"), record.get("provenance_hash"))
    lists = {key: record.get(key) or [] for key in ("command", "untracked")}
    return (
        all(text is None or isinstance(text, str) for text in texts)
        and all(isinstance(items, list) for items in lists.values())
        and all(isinstance(part, str) for part in lists["command"])
        and all(isinstance(item, dict) and isinstance(item.get("sha256"), str) for item in lists["untracked"])
    )


def _mapping(path: Path, schema: str) -> Mapping[str, Any]:
    try:
        raw = parse(read_record(path), path)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=path) from error
    if not isinstance(raw, dict):
        raise InputError("expected a JSON object", where=path)
    refuse_newer(raw, schema, path)
    return raw
