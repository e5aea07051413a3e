"""What a training script holds: the run in progress, with its few verbs.

Recording is a local append and never raises into training: what cannot be written is said once on standard error.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from ledger.canon import finite
from ledger.errors import LedgerError, UsageError
from ledger.project import Project
from ledger.run.ending import end
from ledger.seal import staging
from ledger.seal.liveness import FOLDER_VARIABLE
from ledger.seal.publish import Sealed
from ledger.store.atomic import write_bytes

Direction = Literal["higher_is_better", "lower_is_better"]

_BESIDE = ".tmp-"  # a checkpoint while it takes the place of another; after a crash it may be the whole one of the two


class ActiveRun:
    """A run in progress. Use it as a context manager: leaving the block seals the run, an exception seals it as failed.

    `path` is the run's folder (a `pathlib.Path`); files written there become part of the run. `joined` means that
    `ledger run` launched this process and will do the sealing.
    """

    def __init__(self, project: Project, staged: staging.Staging, *, joined: bool = False, writes: bool = True) -> None:
        self.path = staged.path
        self.id = staged.run_id
        self.exp_id = staged.exp_id
        self.sealed: Sealed | None = None
        self._project = project
        self._staged = staged
        self._joined = joined
        self._writes = writes
        self._complained = False
        self._torn = False

    def log(self, step: int | None = None, **metrics: Any) -> None:
        """Record curve values at a step (an epoch, an iteration). Never raises."""
        row = {"step": step, **metrics} if step is not None else metrics
        self._append(staging.HISTORY_JOURNAL, row)

    def result(
        self,
        metric: str,
        value: Any,
        *,
        split: str,
        n: int | None = None,
        dataset: str | None = None,
        direction: Direction | None = None,
        unit: str | None = None,
        variance: Mapping[str, Any] | None = None,
        protocol: str | None = None,
    ) -> None:
        """Record a final number: which metric, on which split, over how many items. Never raises.

        Stating the same metric of the same split and dataset again replaces it.
        """
        row = {
            "metric": metric, "value": value, "split": split, "dataset": dataset, "n": n, "direction": direction,
            "unit": unit, "variance": variance, "protocol": protocol,
        }  # fmt: skip
        self._append(staging.RESULTS_JOURNAL, row)

    def predictions(self, rows: Any, name: str = "predictions") -> Path:
        """Write per-item scores: a list of dicts, a dict of columns, or a pandas DataFrame. Returns the file.

        Raises:
            UsageError: `rows` is none of these, its columns differ in length, or the run is sealed.

        """
        self._check_open()
        target = self.path / f"{name}.csv"
        if self._writes:
            _write_table(rows, target)
        return target

    def checkpoint(self, name: Literal["best", "last"] | str, content: Any, **about: Any) -> Path:
        """Keep a checkpoint: a file or folder that exists, or anything that `torch.save` writes. Returns its path in the run.

        `best` is the one chosen on the validation split, `last` the anchor to resume from. `about` (metric, step...)
        is kept beside it as JSON.

        Raises:
            UsageError: the run is sealed.
        """
        self._check_open()
        source = Path(content) if isinstance(content, str | os.PathLike) else None
        suffix = ".pt" if source is None else "" if source.is_dir() else source.suffix
        target = self.path / "checkpoints" / f"{name}{suffix}"
        if not self._writes:
            return target
        target.parent.mkdir(parents=True, exist_ok=True)  # made durable when the run is sealed
        if source is None or not (target.exists() and source.samefile(target)):
            # beside its place first: a process that is killed here leaves the checkpoint before this one whole
            fresh = target.with_name(f"{_BESIDE}{target.name}")
            _store(content if source is None else source, fresh)
            _replace(fresh, target)
        if about:
            text = json.dumps(finite(about), ensure_ascii=False, allow_nan=False)
            beside = target.with_name(f"{target.name.removesuffix(suffix)}.json")
            write_bytes(beside, f"{text}\n".encode("utf-8", "backslashreplace"), durable=False)
        return target

    def finish(self, status: Literal["finished", "failed", "killed"] = "finished") -> Sealed | None:
        """Seal the run; a joined run is sealed by `ledger run` when the command ends, and this returns None.

        Raises:
            StoreError: the disk refused; nothing is lost, `ledger seal RUN` tries again.

        """
        if self._joined or not self._writes or self.sealed is not None:
            return self.sealed
        self.sealed = end(self._project, self._staged, status, 0 if status == "finished" else 1)
        for finding in self.sealed.findings:
            _say(f"{finding.severity}: {finding.message} [{finding.rule}]")
        chosen = ", selected for its seed" if self.sealed.selected else ""
        _say(f"sealed {self.exp_id}/{self.id} ({status}{chosen})")
        return self.sealed

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.finish()
            return
        status: Literal["failed", "killed"] = "killed" if issubclass(kind, KeyboardInterrupt) else "failed"
        try:
            self.finish(status)
        except LedgerError as problem:  # the training's own error is the news; ours must not hide it
            _say(f"not sealed: {problem}")

    def _check_open(self) -> None:
        if self.sealed is not None:
            fix = "do it before `run.finish()`, or within the `with` block"
            raise UsageError("the run is sealed, nothing is added to it", where=f"{self.exp_id}/{self.id}", fix=fix)

    def _append(self, journal: str, row: Mapping[str, Any]) -> None:
        if not self._writes:
            return
        try:
            line = json.dumps(finite(dict(row)), ensure_ascii=False, allow_nan=False).encode() + b"\n"
            # one write to a file opened for appending: lines of several processes do not mix
            handle = os.open(self.path / journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                # a line that a full disk cut off must not take the next one with it
                line = b"\n" + line if self._torn else line
                self._torn = os.write(handle, line) < len(line)
            finally:
                os.close(handle)
            if self._torn:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except Exception as problem:  # noqa: BLE001 (a tensor may raise anything when it is asked for its value)
            if not self._complained:
                self._complained = True
                _say(f"cannot record {', '.join(map(str, row))}: {problem} (said once)")


def begin(
    project: Project,
    exp_id: str,
    *,
    config: Mapping[str, Any] | None,
    seed: Any,
    data: str | os.PathLike[str] | None,
    dataset: str | None,
) -> ActiveRun:
    """Start a run, or join the one that `ledger run` started around this process.

    Of several ranks (`RANK`, `SLURM_PROCID`) only rank 0 writes.
    """
    if config is not None and not isinstance(config, Mapping):
        fix = "pass vars(args) of an argparse namespace, dataclasses.asdict(config) of a dataclass"
        raise UsageError(f"config must be a mapping, found a {type(config).__name__}", where="ledger.start", fix=fix)
    rank = os.environ.get("RANK") or os.environ.get("SLURM_PROCID") or "0"
    path = Path(data) if data is not None else None
    launched = os.environ.get(FOLDER_VARIABLE)
    if launched:
        staged = staging.load(Path(launched))
        if staged.exp_id != exp_id:
            _say(f"joined the run of {staged.exp_id}; the name {exp_id} in ledger.start is not used")
        if rank == "0":
            staged = staging.amend(project, staged, config=config, seed=seed, data_path=path, dataset=dataset)
        return ActiveRun(project, staged, joined=True, writes=rank == "0")
    if rank != "0":
        return _passive(project, exp_id)
    command = [sys.executable, *sys.argv]
    staged = staging.begin(project, exp_id, config=config, seed=seed, data=path, dataset=dataset, command=command)
    return ActiveRun(project, staged)


def _passive(project: Project, exp_id: str) -> ActiveRun:
    """What a rank other than 0 holds: the same verbs, writing nothing."""
    start = {"exp_id": exp_id, "run_id": "passive", "config": {}, "provenance": {}}
    return ActiveRun(project, staging.Staging(project.running / "passive", start), writes=False)


def _store(content: Any, target: Path) -> None:
    """Write a checkpoint as the file or folder `target`, instead of what a killed process left there; nothing of it
    stays when that fails.
    """
    _discard(target)
    try:
        if not isinstance(content, Path):
            import torch

            torch.save(content, target)
        elif content.is_dir():
            shutil.copytree(content, target)
        else:
            shutil.copyfile(content, target)
    except BaseException:
        _discard(target)
        raise


def _discard(path: Path) -> None:
    """Remove a file or folder that is ours, if it is there."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _replace(fresh: Path, target: Path) -> None:
    """Put `fresh` in the place of `target`; at every moment one of the two is whole."""
    old = target.with_name(f"{_BESIDE}old-{target.name}")
    if target.is_dir():
        _discard(old)  # of a process that was killed at this place
        target.rename(old)
    fresh.replace(target)
    _discard(old)


def _write_table(rows: Any, target: Path) -> None:
    import csv

    if hasattr(rows, "to_csv"):  # a DataFrame, whichever library made it
        rows.to_csv(target, index=False)
        return
    if isinstance(rows, Mapping):
        lengths = {key: len(column) for key, column in rows.items()}
        if len(set(lengths.values())) > 1:
            raise UsageError(f"columns of different lengths: {lengths}", where=target.name)
        names: Sequence[str] = list(rows)
        records: Any = zip(*rows.values(), strict=True)
    elif isinstance(rows, Sequence) and all(isinstance(row, Mapping) for row in rows):
        names = list(dict.fromkeys(key for row in rows for key in row))
        records = ([row.get(name, "") for name in names] for row in rows)
    else:
        raise UsageError("predictions are a list of dicts, a dict of columns or a DataFrame", where=target.name)
    with target.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([_plain(value) for value in record] for record in records)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _say(text: str) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, or none at all
        sys.stderr.write(f"ledger: {text}\n")
