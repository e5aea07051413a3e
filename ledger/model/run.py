"""The run's nouns: the manifest that lists its bytes, and what provenance and results say about it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from ledger.model.number import finite_number, whole_number

Tier = Literal["light", "heavy"]
Status = Literal["finished", "failed", "killed", "abandoned"]

MANIFEST_SCHEMA = "evidence-ledger/run/v1"
PROVENANCE_SCHEMA = "evidence-ledger/provenance/v1"
RESULTS_SCHEMA = "evidence-ledger/results/v1"
REQUIRED = ("exp_id", "run_id", "status", "created", "provenance_hash", "group_hash", "files")  # keys of a manifest
SELECTED_SCHEMA = "evidence-ledger/selected/v1"

_DIGEST = re.compile(r"[0-9a-f]{64}")
HASH_INPUTS = ("config", "code", "data", "seed", "env_lock", "hardware")


@dataclass(frozen=True, slots=True)
class RunFile:
    """One file of a run: path within it (forward slashes), size in bytes, SHA-256, tier, derived or not."""

    path: str
    size: int
    sha256: str
    tier: Tier
    derived: bool = False

    def to_json(self) -> dict[str, Any]:
        return {"path": self.path, "size": self.size, "sha256": self.sha256, "tier": self.tier, "derived": self.derived}

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> RunFile:
        path, size, sha256 = raw["path"], raw["size"], raw["sha256"]
        if not isinstance(path, str) or not path or "\0" in path or type(size) is not int or size < 0:
            raise ValueError(f"a file {path!r} of size {size!r}")
        path.encode()  # half of a surrogate pair is no file's name: UnicodeEncodeError is a ValueError
        if not isinstance(sha256, str) or not _DIGEST.fullmatch(sha256):
            raise ValueError(f"{path} has no digest")
        tier: Tier = "heavy" if raw.get("tier") == "heavy" else "light"
        return cls(path, size, sha256, tier, bool(raw.get("derived", False)))


@dataclass(frozen=True, slots=True)
class Manifest:
    """A run's `run.json`. Its canonical SHA-256 is the run address; `skipped` names what was not taken, and why."""

    exp_id: str
    run_id: str
    status: Status
    created: str
    provenance_hash: str
    group_hash: str
    files: tuple[RunFile, ...]
    skipped: tuple[Mapping[str, str], ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": MANIFEST_SCHEMA,
            "exp_id": self.exp_id,
            "run_id": self.run_id,
            "status": self.status,
            "created": self.created,
            "provenance_hash": self.provenance_hash,
            "group_hash": self.group_hash,
            "files": [file.to_json() for file in self.files],
            "skipped": [dict(item) for item in self.skipped],
        }

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Manifest:
        """Raises KeyError, TypeError or ValueError when `raw` is not a manifest."""
        skipped = raw.get("skipped") or ()
        if not all(isinstance(item, Mapping) for item in (*raw["files"], *skipped)):
            raise TypeError("`files` and `skipped` are lists of objects")
        return cls(
            exp_id=str(raw["exp_id"]),
            run_id=str(raw["run_id"]),
            status=cast("Status", str(raw["status"])),
            created=str(raw["created"]),
            provenance_hash=str(raw["provenance_hash"]),
            group_hash=str(raw["group_hash"]),
            files=tuple(RunFile.from_json(file) for file in raw["files"]),
            skipped=tuple({"path": str(item.get("path")), "reason": str(item.get("reason"))} for item in skipped),
        )


@dataclass(frozen=True, slots=True)
class Metric:
    """One row of `results.json`."""

    metric: str
    value: float | str
    split: str
    dataset: str
    n: int | None
    raw: Mapping[str, Any]

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Metric:
        return cls(
            metric=str(raw.get("metric", "")),
            value=raw.get("value", "NaN"),
            split=str(raw.get("split") or ""),
            dataset=str(raw.get("dataset") or ""),
            n=whole_number(raw.get("n")),
            raw=raw,
        )

    @property
    def number(self) -> float | None:
        """The value when it is a finite number, else None."""
        return finite_number(self.value)
