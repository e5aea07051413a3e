"""Entry point: expected failures become one line and a documented exit status; everything else is a bug.

`--version` and `--help` answer before click is imported: they are what scripts, shells and people call most.
"""

from __future__ import annotations

import os
import sys

CUT_OFF = 141  # what a shell says of a program that SIGPIPE ended


def main() -> None:
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever called us: `ledger runs >&-`
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    status = 0
    try:
        status = _answer(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has left: `ledger runs | head`
        _forget_output()
        status = CUT_OFF
    except OSError as error:  # the disk that our output goes to is full
        _forget_output()
        if not status:
            sys.stderr.write(f"ledger: standard output: {error.strerror or error}\n")
            status = 3
    if status:
        sys.exit(status)


def _forget_output() -> None:
    """What is still buffered goes nowhere: Python would complain once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _answer(asked: list[str]) -> int:
    if asked == ["--version"]:
        from ledger import __version__

        sys.stdout.write(f"ledger {__version__}\n")
    elif asked in ([], ["--help"], ["-h"]):
        from ledger.cli.table import help_text

        sys.stdout.write(help_text())
    else:
        return _run()
    return 0


def _run() -> int:
    """Run the command line; returns the exit status (docs/reference/exit-status.md)."""
    import click

    from ledger.cli.lazy import cli
    from ledger.errors import LedgerError, visible

    if hasattr(sys.stdout, "reconfigure"):  # a file name that is no UTF-8, or a terminal without our letters
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return _status(cli.main(prog_name="ledger", standalone_mode=False))
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        sys.stderr.write("ledger: interrupted; nothing was left half-written\n")
        return 130
    except SystemExit:  # click's answer to a closed pipe, and to nothing else
        raise BrokenPipeError from None
    except BrokenPipeError:
        raise
    except OSError as error:  # the disk, a permission, a name too long: nobody's bug
        sys.stderr.write(f"ledger: {visible(str(error.filename or 'the file system'))}: {error.strerror or error}\n")
        return LedgerError.exit_status
    except LedgerError as error:
        sys.stderr.write(f"ledger: {error}\n")
        return error.exit_status
    except RecursionError:
        sys.stderr.write("ledger: a file is nested too deeply to be worked on\n")
        return LedgerError.exit_status


def _status(result: object) -> int:
    """Commands return their exit status, or None for 0."""
    return result if isinstance(result, int) else 0


if __name__ == "__main__":
    main()
