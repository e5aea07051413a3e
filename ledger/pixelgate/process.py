"""Running one step of a figure in a clean child process, with a time limit, and telling a failure in one line."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import site
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ledger.errors import StoreError

EPOCH = "315532800"  # 1980-01-01, so that no clock enters the rendered bytes
_TAIL = 64 * 1024  # bytes of a step's output that are looked at
_FRAME = re.compile(r'^\s*File "(?P<path>[^"]+)", line (?P<line>\d+)', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a step did not succeed: one clause, and the place in the user's code where known."""

    reason: str
    path: Path
    line: int | None = None


def run_step(script: Path, *, root: Path, name: str, timeout: float, record: Path | None = None) -> Failure | None:
    """Run a script of the figure `name`; None when it succeeded.

    It runs with the interpreter of this process, in the figure's folder, as `python script.py` would; the environment
    says which project and figure it is for. `record` is where to write what matplotlib drew.

    Raises:
        StoreError: no process can be started.

    """
    command = [sys.executable, "-P", "-m", "ledger.pixelgate.runner", str(script)]
    with tempfile.TemporaryFile() as captured:
        try:
            child = subprocess.Popen(
                command, cwd=script.parent, env=environment(root, name, record), stdin=subprocess.DEVNULL,
                stdout=captured, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise StoreError(f"cannot be run ({error.strerror or error})", where=script) from error
        try:
            status = child.wait(timeout)
        except subprocess.TimeoutExpired:
            _kill(child)
            return Failure(f"was still running after {timeout:g} s and was stopped", script)
        except BaseException:
            _kill(child)
            raise
        if status == 0:
            return None
        captured.seek(max(0, captured.seek(0, os.SEEK_END) - _TAIL))
        return explain(captured.read().decode("utf-8", "replace"), status, script)


def environment(root: Path, name: str, record: Path | None) -> Mapping[str, str]:
    """The parent's environment, made deterministic: Agg, fixed dates in metadata, fixed string hashes."""
    env = dict(os.environ)
    env.update(
        MPLBACKEND="Agg", SOURCE_DATE_EPOCH=EPOCH, PYTHONHASHSEED="0", PYTHONIOENCODING="utf-8",
        LEDGER_PROJECT=str(root), LEDGER_FIGURE=name,
    )  # fmt: skip
    env.pop("LEDGER_FIGURE_RECORD", None)
    env.pop("PYTHONSAFEPATH", None)
    if record is not None:
        env["LEDGER_FIGURE_RECORD"] = str(record)
    home = str(Path(__file__).resolve().parents[2])
    if home not in {*site.getsitepackages(), site.getusersitepackages()}:  # run from a checkout
        env["PYTHONPATH"] = os.pathsep.join(part for part in (env.get("PYTHONPATH", ""), home) if part)
    return env


def explain(output: str, status: int, script: Path) -> Failure:
    """The last line of a traceback with the last place in the user's own files; else how the process ended."""
    lines = [line for line in output.strip().splitlines() if line.strip()]
    if status < 0:
        return Failure(f"was ended by {_signal_name(-status)}", script)
    if "Traceback (most recent call last)" not in output and not _FRAME.search(output):
        said = f" ({lines[-1].strip()[:200]})" if lines else ""
        return Failure(f"ended with status {status}{said}", script)
    own = [
        (Path(match["path"]), int(match["line"]))
        for match in _FRAME.finditer(output)
        if Path(match["path"]).is_relative_to(script.parent.parent)
    ]
    path, line = own[-1] if own else (script, None)
    return Failure(f"raised {_exception(output) or lines[-1].strip()[:300]}", path, line)


def _exception(output: str) -> str:
    """The line that names the exception: the first after the last frame that is not indented, as its message may go on."""
    frames = list(_FRAME.finditer(output))
    after = output[frames[-1].end() :].splitlines()[1:] if frames else []
    return next((line.strip()[:300] for line in after if line[:1].strip()), "")


def _kill(child: subprocess.Popen[bytes]) -> None:
    """End the step with everything that it started."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    child.wait()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
