"""Which checkpoints of a run are snapshots on the way: numbered ones beside a best one. They are derived, so that
`ledger prune` may take them away; best and last never are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ledger.model.run import RunFile

FOLDER = "checkpoints/"

# epoch_010.pt, step-5000.ckpt, iter=20000/model.bin, checkpoint-1500, epoch=3-step=900.ckpt. A number alone may be a seed or
# a fold, and another word means another thing: 42.pt, fold1.pt, resnet50.pt, ema_epoch_10.pt are no snapshots
_STEP = r"(?:ep|epoch|step|global_step|it|iter|iteration|ckpt|checkpoint|snapshot)[-_=.]?"
_NUMBERED = re.compile(rf"(?i){_STEP}(\d+)(?:[-_]{_STEP}(\d+))?(?:\.\D\w*)*")
_KEPT = re.compile(r"(?i)(best|last)(?![a-z])")


def mark_snapshots(files: Iterable[RunFile]) -> tuple[RunFile, ...]:
    """The files, snapshots among them marked derived.

    Only where one of the checkpoints is the best: without it any of them may be the one that a claim needs. Where none
    is called last, the highest number is what a training resumes from, and it stays too.
    """
    files = tuple(files)
    names = {_name(file) for file in files if file.path.startswith(FOLDER)}
    kept = {match[1].lower() for name in names if (match := _KEPT.match(name))}
    steps = {name: _steps(match) for name in names if (match := _NUMBERED.fullmatch(name))}
    if "best" not in kept or not steps:
        return files
    if "last" not in kept:
        newest = max(steps.values())
        steps = {name: step for name, step in steps.items() if step < newest}
    return tuple(
        replace(file, derived=True) if file.path.startswith(FOLDER) and _name(file) in steps else file for file in files
    )


def _name(file: RunFile) -> str:
    """What a checkpoint is called: a file or a folder directly below."""
    return file.path.removeprefix(FOLDER).partition("/")[0]


def _steps(match: re.Match[str]) -> tuple[int, ...]:
    return tuple(int(number) for number in match.groups() if number)
