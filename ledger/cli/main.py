"""Entry point: expected failures become one line and a documented exit status; everything else is a bug.

`--version` and `--help` answer before click is imported: they are what scripts, shells and people call most.
"""

from __future__ import annotations

import sys


def main() -> None:
    asked = sys.argv[1:]
    if asked == ["--version"]:
        from ledger import __version__

        sys.stdout.write(f"ledger {__version__}\n")
    elif asked in ([], ["--help"], ["-h"]):
        from ledger.cli.table import help_text

        sys.stdout.write(help_text())
    else:
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
    except OSError as error:  # the disk, a permission, a name too long: nobody's bug
        sys.stderr.write(f"ledger: {error.filename or 'the file system'}: {error.strerror or error}\n")
        return LedgerError.exit_status
    except LedgerError as error:
        sys.stderr.write(f"ledger: {error}\n")
        return error.exit_status


def _status(result: object) -> int:
    """Commands return their exit status, or None for 0."""
    return result if isinstance(result, int) else 0


if __name__ == "__main__":
    main()
