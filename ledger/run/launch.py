"""Launch a command as a run: stage, stream its output to the terminal and into log.txt, seal whatever happens."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from ledger.errors import UsageError
from ledger.model.run import Status
from ledger.project import Project
from ledger.run import elsewhere
from ledger.run.ending import end
from ledger.run.output import tee
from ledger.seal import gaps, provenance, staging
from ledger.seal.liveness import FOLDER_VARIABLE
from ledger.seal.publish import Sealed

LOG = "log.txt"
SEED_PLACE = "{seed}"
NOT_STARTED = 127  # as shells have it


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
    _warn_at_once(staged)
    environment = {
        **os.environ,
        "LEDGER_RUN": staged.run_id,
        FOLDER_VARIABLE: str(staged.path),
        "LEDGER_PROJECT": str(project.root),
        "PYTHONUNBUFFERED": os.environ.get("PYTHONUNBUFFERED", "1"),
    }
    if seed is not None:
        environment["LEDGER_SEED"] = str(seed)
    since = elsewhere.now()
    try:
        child = subprocess.Popen(filled, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as error:  # found but not startable: not executable for us, a missing interpreter
        (staged.path / LOG).write_text(f"{filled[0]}: {error.strerror}\n", encoding="utf-8")
        return end(project, staged, "failed", NOT_STARTED), NOT_STARTED
    with child, _forwarding(child) as interrupted:
        missing = tee(child, staged.path / LOG, echo or sys.stdout.buffer)
        code = child.wait()
    exit_status = 128 - code if code < 0 else code
    status: Status = "finished" if code == 0 else ("killed" if code < 0 or interrupted else "failed")
    ended = staging.load(staged.path)  # a nested start may have completed the record
    for gap in (missing, elsewhere.look(staged.path, LOG, since)):
        ended = staging.note(ended, gap) if gap else ended
    return end(project, ended, status, exit_status), exit_status


def _warn_at_once(staged: staging.Staging) -> None:
    """Say before the training what its user may want to mend first: a full disk is seen again when the run is sealed."""
    for gap in staged.provenance.get(gaps.KEY, ()):
        if gap["rule"] == "code-not-stored":
            sys.stderr.write(f"ledger: warning: {gap['message']}; {gap['fix']}\n")


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
