"""Which files of a sealed run a commit may delete: derived ones that `ledger prune` has logged, in the log as it is staged."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ledger.canon import digest, parse
from ledger.errors import LedgerError


def pruned_paths(git: Callable[..., bytes], run: bytes) -> set[bytes]:
    """Paths (from the top of the repository) that may go. `run` is the run's folder, `git` runs a command there."""
    manifest = _json(git("cat-file", "blob", f":0:{os.fsdecode(run)}/run.json", quiet=True))
    if not isinstance(manifest, dict):
        return set()
    address = digest(manifest)
    said: set[str] = set()
    for line in _log(git, run):
        entry = _json(line)
        if isinstance(entry, dict) and entry.get("type") == "prune" and entry.get("address") == address:
            files = entry.get("files")
            said.update(file for file in files or () if isinstance(file, str)) if isinstance(files, list) else None
    files = manifest.get("files")
    derived = {
        str(file.get("path"))
        for file in (files if isinstance(files, list) else ())
        if isinstance(file, dict) and file.get("derived") is True
    }
    return {run + b"/" + path.encode("utf-8", "surrogateescape") for path in said & derived}


def _log(git: Callable[..., bytes], run: bytes) -> list[bytes]:
    """The lines of the staged log that speak of pruning; the project's folder is where `results/` lies."""
    folder = b"/".join([*run.split(b"/")[:-4], b".ledger/log"])  # beside results/EXP/runs/RUN
    up = git("rev-parse", "--show-cdup").rstrip(b"\n")
    names = git("ls-files", "-z", "--cached", "--full-name", "--", os.fsdecode(up + folder)).split(b"\0")
    lines: list[bytes] = []
    for name in names:
        if name.endswith(b".jsonl"):
            staged = git("cat-file", "blob", f":0:{os.fsdecode(name)}", quiet=True)
            lines += [line for line in staged.split(b"\n") if b'"prune"' in line]
    return lines


def _json(data: bytes) -> Any:
    try:
        return parse(data)
    except LedgerError:
        return None
