"""Entry point: expected failures become one line and a documented exit status; everything else is a bug.

`--version` answers before click is imported: it is what scripts and shells call most.
"""

from __future__ import annotations

import sys


def main() -> None:
    if sys.argv[1:] == ["--version"]:
        from ledger import __version__

        sys.stdout.write(f"ledger {__version__}\n")
        return
    sys.exit(_run())


def _run() -> int:
    """Run the command line; returns the exit status (docs/reference/exit-status.md)."""
    import click

    from ledger.cli.lazy import cli
    from ledger.errors import LedgerError

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
    except BrokenPipeError:  # the reader of our output has left: `ledger runs | head`
        sys.stderr.close()
        return 0
    except LedgerError as error:
        sys.stderr.write(f"ledger: {error}\n")
        return error.exit_status


def _status(result: object) -> int:
    """Commands return their exit status, or None for 0."""
    return result if isinstance(result, int) else 0


if __name__ == "__main__":
    main()
