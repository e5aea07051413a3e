"""Run a piece of work in a forked child whose n-th durable step fails: it is killed there, or the disk refuses."""

from __future__ import annotations

import builtins
import errno
import io
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

import pytest

# every call that makes, names, moves, removes or flushes something on the disk
STEPS = (
    "fsync",
    "rename",
    "replace",
    "link",
    "mkdir",
    "unlink",
    "chmod",
    "write",
    "symlink",
    "rmdir",
    "sync",
    "ftruncate",
)
REFUSED = 3
UNREACHED = 77


@pytest.fixture
def injected() -> Callable[[Callable[[], Any], int, str], tuple[int, str]]:
    """`injected(work, n, how)` forks, and lets the n-th step of `work` be a kill or fail with the errno named `how`.

    Returns the exit status and what the work said of it: 9 killed, 3 a LedgerError (its text), 0 done although a step
    failed, 77 done before the n-th step.
    """

    def call(work: Callable[[], Any], fail_at: int, how: str) -> tuple[int, str]:
        read_end, write_end = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # other threads of the test runner do not matter here
            child = os.fork()
        if child == 0:
            os.close(read_end)
            _child(work, fail_at, how, write_end)
        os.close(write_end)
        with os.fdopen(read_end, encoding="utf-8") as stream:
            said = stream.read()
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said

    return call


def _child(work: Callable[[], Any], fail_at: int, how: str, report: int) -> None:
    """Never returns."""
    from ledger.errors import LedgerError

    count = 0
    tell = os.write

    def step() -> None:
        nonlocal count
        count += 1
        if count == fail_at:
            if how == "kill":
                os._exit(9)
            number = getattr(errno, how)
            raise OSError(number, os.strerror(number))

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            step()
            return call(*args, **kwargs)

        return wrapped

    real_open = io.open

    def opened(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        if set(mode) & set("wxa+"):
            step()
        return real_open(file, mode, *args, **kwargs)

    real_handle = os.open

    def handle(path: Any, flags: int, *args: Any, **kwargs: Any) -> int:
        if flags & os.O_CREAT:
            step()
        return real_handle(path, flags, *args, **kwargs)

    status = 1
    try:
        for name in STEPS:
            # flushing is counted, not done: the machine stays up, and the disk's time is no part of the test
            real = (lambda *_: None) if name in {"fsync", "sync"} else getattr(os, name)
            setattr(os, name, counted(real))
        io.open = builtins.open = opened  # type: ignore[assignment]
        os.open = handle
        work()
        status = 0 if count >= fail_at else UNREACHED
    except LedgerError as error:
        tell(report, str(error).encode())
        status = REFUSED
    except BaseException as error:
        tell(report, f"{type(error).__name__}: {error}".encode())
    finally:
        sys.stdout.flush()
        os._exit(status)
