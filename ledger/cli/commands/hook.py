"""`ledger hook`: put the pre-commit hook into a plain git repository."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import click

from ledger.cli.common import HELP, say
from ledger.errors import UsageError

_MARK = "# installed by `ledger hook install`"


@click.group(context_settings=HELP)
def hook() -> None:
    """Install the git pre-commit hook."""


@hook.command(
    context_settings=HELP,
    epilog="With the pre-commit framework, list the hooks ledger-append-only and ledger-reconcile instead.",
)
def install() -> int:
    """Write .git/hooks/pre-commit, so that no commit alters a sealed run and drifts are said at commit time."""
    from ledger.store.atomic import write_bytes

    done = subprocess.run(["git", "rev-parse", "--git-path", "hooks"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise UsageError("no git repository here", where=Path.cwd(), fix="`git init` makes one")
    path = Path(done.stdout.strip()).absolute() / "pre-commit"
    if path.exists() and _MARK not in path.read_text(encoding="utf-8", errors="replace"):
        raise UsageError("another hook is installed there", where=path, fix="add the line `ledger-hook all` to it")
    command, call = _call()
    script = (
        f"#!/bin/sh\n{_MARK}\n"
        f'if [ ! -x {command} ]; then echo "ledger-hook is gone: sealed runs are not guarded in this commit" >&2; exit 0; fi\n'
        f"exec {call} all\n"
    )
    write_bytes(path, script.encode(), mode=0o755)
    say(f"wrote {path}")
    return 0


def _call() -> tuple[str, str]:
    """The program that the hook needs, and how it is called; without its script (`--user`) the module is run.

    -P keeps a folder `ledger` of the repository from being taken for ours.
    """
    python = Path(sys.executable)
    script = python.parent / "ledger-hook"
    if script.exists():
        return (shlex.quote(str(script)),) * 2
    return shlex.quote(str(python)), f"{shlex.quote(str(python))} -P -m ledger.hook"
