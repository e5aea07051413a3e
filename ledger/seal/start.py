"""The start record `<run_id>.json`, made before the training begins: the six inputs, and which process began it.

It is what lets a later process seal what a killed one left behind. Runs that are sealed together share one file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ledger.canon import finite, listing, parse
from ledger.errors import InputError
from ledger.model.run import HASH_INPUTS
from ledger.project import Project
from ledger.seal import gaps, liveness, provenance
from ledger.seal.experiment import is_name
from ledger.seal.kept import Kept
from ledger.store import atomic
from ledger.store.journal import now
from ledger.store.runs import is_certificate


def conditions(
    project: Project,
    exp_id: str,
    around: provenance.Surroundings,
    kept: Kept,
    *,
    config: Mapping[str, Any] | None,
    otherwise: Mapping[str, Any] | None = None,
    seed: Any = None,
    command: Sequence[str] = (),
) -> dict[str, Any]:
    """The start record of any run that begins now under these conditions; its id is still open."""
    declared = bool(config)
    config = finite(dict(config or otherwise or {}))
    seed = provenance.seed_of(config, project.config.seed_keys) if seed is None else seed
    record = provenance.certificate(project, around, config=config, seed=seed, command=command)
    record.update(exp_id=exp_id, started=now(), untracked=list(kept.untracked))
    if kept.large:
        record["not_stored"] = list(kept.large)
    if kept.gap:
        record[gaps.KEY] = [*record.get(gaps.KEY, ()), kept.gap.to_json()]
    return {
        "exp_id": exp_id,
        "run_id": None,
        "config": config,
        "config_declared": declared,
        "provenance": record,
        "packages": kept.packages,
        **liveness.signature(),
    }


def place(folder: Path) -> str:
    """Where the start record of the staging in `folder` lies."""
    return f"{folder}.json"


def write(folder: Path, born: Mapping[str, Any], *, beside: Path | None = None, durable: bool = True) -> None:
    """Write a start record: another name for that of the staging `beside`, which began under the same conditions."""
    record = place(folder)
    if beside is None or not _linked(place(beside), record):
        atomic.write_bytes(Path(record), listing(dict(born)), durable=durable)


def _linked(source: str, target: str) -> bool:
    try:
        os.link(source, target)
    except OSError:  # a file system without links, or a file with as many names as it may have
        return False
    return True


def read(folder: Path) -> dict[str, Any]:
    """The start record of the staging in `folder`. Raises InputError when it is gone or damaged."""
    record = Path(place(folder))
    fix = f"look into the folder; `ledger seal {folder.name} --discard` deletes it"
    try:
        raw = parse(record.read_bytes(), record)
    except OSError as error:
        raise InputError("staging without a start record", where=folder, fix=fix) from error
    except InputError as error:
        raise InputError(error.message, where=error.where, fix=fix) from error
    if not isinstance(raw, dict) or not _is_start(raw, folder.name):
        raise InputError("not a start record", where=record, fix=fix)
    return named(raw, folder.name)


def named(born: Mapping[str, Any], run_id: str) -> dict[str, Any]:
    """The start record of this run: runs that are sealed together share one, and the file's name says the id."""
    return {**born, "run_id": run_id, "provenance": {**born["provenance"], "run_id": run_id}}


def _is_start(raw: Mapping[str, Any], run_id: str) -> bool:
    """Whether everything that sealing relies on is there."""
    record = raw.get("provenance")
    return (
        raw.get("run_id") in {None, run_id}
        and is_name(str(raw.get("exp_id")))
        and isinstance(raw.get("config"), dict)
        and type(raw.get("pid")) is int
        and re.fullmatch("[0-9a-f]{64}", str(raw.get("packages"))) is not None
        and isinstance(record, dict)
        and is_certificate(record)
        and isinstance(record.get("untracked"), list)
        and set(HASH_INPUTS) <= record.get("hash_inputs", {}).keys()
    )
