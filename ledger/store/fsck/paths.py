"""How a manifest spells its paths: with `/`, each file once. Other tools, and other systems, do not always."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from ledger.model.finding import Finding
from ledger.model.run import RunFile
from ledger.project import Project
from ledger.store.fsck.counted import finding
from ledger.store.runs import MANIFEST, Run

_SHOWN = 3


def files_once(run: Run) -> list[RunFile]:
    """Each file of the run once, by its path with `/`. Two lines that disagree about one file both stay."""
    return list(dict.fromkeys(_spelled(run, file) for file in run.manifest.files))


def check_paths(project: Project, run: Run) -> Iterator[Finding]:
    """One finding for a manifest that writes paths with a backslash, or lists a file more than once."""
    odd = [file.path for file in run.manifest.files if _spelled(run, file) is not file]
    paths = [_spelled(run, file).path for file in run.manifest.files]
    twice = list(dict.fromkeys(path for path in paths if paths.count(path) > 1)) if len(set(paths)) < len(paths) else []
    said = [
        f"writes {_some(odd)} with a backslash" if odd else "",
        f"lists {_some(twice)} more than once" if twice else "",
    ]
    if odd or twice:
        message = f"the manifest of {run.run_id} {' and '.join(filter(None, said))}"
        fix = (
            "paths are written with `/`, each once; its files were checked by that, and whatever wrote it needs mending"
        )
        shown = f"{project.shown(run.path)}/{MANIFEST}"
        yield finding("manifest-paths", message, shown, severity="warning", fix=fix, address=run.address)


def _spelled(run: Run, file: RunFile) -> RunFile:
    """The file by its path with `/`, unless a backslash is a letter of its name here."""
    if "\\" not in file.path or os.path.lexists(f"{run.path}/{file.path}"):
        return file
    return replace(file, path=file.path.replace("\\", "/"))


def _some(paths: list[str]) -> str:
    return ", ".join(paths[:_SHOWN]) + (f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else "")
