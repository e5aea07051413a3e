"""Launch a command as a run: stage, stream its output to the terminal and into log.txt, seal whatever happens."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from ledger.errors import UsageError
from ledger.model.run import Status
from ledger.project import Project
from ledger.seal import provenance, staging
from ledger.seal.liveness import FOLDER_VARIABLE
from ledger.seal.publish import Sealed, seal

LOG = "log.txt"
SEED_PLACE = "{seed}"
NOT_STARTED = 127  # as shells have it
_CHUNK = 64 * 1024
_QUIET = 0.5  # seconds without output after which it is asked whether the command still runs
_DRAIN = 5.0  # seconds; more than a pipe can hold is of others, once the command has ended


def launch(
    project: Project,
    exp_id: str,
    command: Sequence[str],
    *,
    config: Mapping[str, Any] | None = None,
    seed: Any = None,
    data: Path | None = None,
    dataset: str | None = None,
    echo: BinaryIO | None = None,
) -> tuple[Sealed, int]:
    """Run `command` as a run of `exp_id` and seal it; returns the sealed run and the command's exit status.

    `{seed}` in the command stands for the seed, so that the seeds of one experiment share their config. Without a
    config the command itself is the config. A command ended by signal N has status 128 + N.

    Raises:
        UsageError: there is no such command (nothing is sealed then).
        StoreError: the disk refused.

    """
    template = list(command)
    filled = [part.replace(SEED_PLACE, str(seed)) for part in template] if seed is not None else template
    if shutil.which(filled[0]) is None:
        raise UsageError("there is no such command", where=filled[0], fix="nothing was started")
    staged = staging.begin(
        project,
        exp_id,
        config=config,
        otherwise={"command": provenance.scrub(provenance.relative(project, template))},
        seed=seed,
        data=data,
        dataset=dataset,
        command=filled,
    )
    environment = {
        **os.environ,
        "LEDGER_RUN": staged.run_id,
        FOLDER_VARIABLE: str(staged.path),
        "LEDGER_PROJECT": str(project.root),
        "PYTHONUNBUFFERED": os.environ.get("PYTHONUNBUFFERED", "1"),
    }
    if seed is not None:
        environment["LEDGER_SEED"] = str(seed)
    try:
        child = subprocess.Popen(filled, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as error:  # found but not startable: not executable for us, a missing interpreter
        (staged.path / LOG).write_text(f"{filled[0]}: {error.strerror}\n", encoding="utf-8")
        return seal(project, staged, "failed", NOT_STARTED), NOT_STARTED
    with child, _forwarding(child) as interrupted:
        _tee(child, staged.path / LOG, echo or sys.stdout.buffer)
        code = child.wait()
    exit_status = 128 - code if code < 0 else code
    status: Status = "finished" if code == 0 else ("killed" if code < 0 or interrupted else "failed")
    # a nested start may have completed the record
    return seal(project, staging.load(staged.path), status, exit_status), exit_status


def _tee(child: subprocess.Popen[bytes], log: Path, echo: BinaryIO) -> None:
    """Copy the command's output to the terminal and into the run as it comes, and read on when neither can be written:
    a training must not end because its output cannot be kept.
    """
    refused = watched = True
    with contextlib.ExitStack() as held:
        try:
            # appending: a script that writes the same file overwrites nothing of ours, nor we of its
            kept = held.enter_context(log.open("ab", buffering=0))
            refused = False
        except OSError as error:
            _say_once(log, error)
        for chunk in _output(child):
            try:
                rest = memoryview(b"" if refused else chunk)
                while rest:
                    rest = rest[kept.write(rest) :]
            except OSError as error:
                refused = True
                _say_once(log, error)
            try:
                if watched:
                    echo.write(chunk)
                    echo.flush()
            except OSError:  # whoever watched has left, or the terminal is gone
                watched = False


def _output(child: subprocess.Popen[bytes]) -> Iterator[bytes]:
    """What the command writes, until it has ended; a process that it left in the background may hold its output open
    for ever.
    """
    assert child.stdout is not None
    handle = child.stdout.fileno()
    deadline = None
    while deadline is None or time.monotonic() < deadline:
        if os.name == "posix" and not select.select([handle], [], [], _QUIET)[0]:
            if child.poll() is not None:
                return
            continue
        chunk = os.read(handle, _CHUNK)
        if not chunk:
            return
        yield chunk
        if deadline is None and child.poll() is not None:
            deadline = time.monotonic() + _DRAIN


def _say_once(log: Path, error: OSError) -> None:
    with contextlib.suppress(OSError):
        sys.stderr.write(f"ledger: from here on output is not kept in {log.name}: {error.strerror}\n")


@contextmanager
def _forwarding(child: subprocess.Popen[bytes]) -> Iterator[list[int]]:
    """Hand signals on to the command and go on recording; yields the list of signals seen."""
    seen: list[int] = []

    def forward(number: int, _frame: object) -> None:
        seen.append(number)
        # a terminal sends Ctrl-C to the whole foreground group, so the command has it already
        if number != signal.SIGINT or not sys.stdin.isatty():
            child.send_signal(number)

    names = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    previous = {number: signal.signal(number, forward) for number in names}
    try:
        yield seen
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
