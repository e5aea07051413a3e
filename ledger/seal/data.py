"""The data input: one digest over a file or folder, and the split manifest that lies in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ledger.canon import digest, file_digest, spelled
from ledger.errors import UsageError

SPLIT_MANIFEST = "split_manifest.json"
NONE: dict[str, Any] = {"dataset": None, "sha256": None, "split_manifest": None}


def capture(path: Path | None, dataset: str | None = None) -> dict[str, Any]:
    """Name, digest and split manifest digest of the data at `path`.

    Raises:
        UsageError: there is nothing at `path`.

    """
    if path is None:
        return {**NONE, "dataset": dataset}
    if not path.exists():
        raise UsageError("the data are not there", where=path, fix="name the file or folder that training reads")
    if path.is_file():
        return {"dataset": dataset or path.stem, "sha256": file_digest(path)[0], "split_manifest": None}
    listed = [[spelled(name), file_digest(path / name)[0]] for name in _files(path)]
    manifest = path / SPLIT_MANIFEST
    return {
        "dataset": dataset or path.resolve().name,
        "sha256": digest(listed),
        "split_manifest": file_digest(manifest)[0] if manifest.is_file() else None,
    }


def _files(folder: Path) -> list[str]:
    """Files below, sorted; hidden ones, and whatever lies in hidden folders (.git, .cache), are no data."""
    names = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(name.as_posix() for name in names if not any(part.startswith(".") for part in name.parts))
