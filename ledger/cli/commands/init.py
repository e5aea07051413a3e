"""`ledger init`: make this folder a project."""

from __future__ import annotations

from pathlib import Path

import click

from ledger.cli.common import HELP, say

# a run's own .gitignore names its heavy files, and is gone on a branch without the run, where git leaves them behind
IGNORED = (".ledger/objects/", ".ledger/running/", ".ledger/local/", "results/*/runs/*/checkpoints/")
ATTRIBUTES = ("results/** -text", ".ledger/log/** -text")


@click.command(context_settings=HELP, epilog="Example: ledger init --project my-paper")
@click.option("--project", "name", help="The project's name (default: the folder's).")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing.")
def init(name: str | None, quiet: bool) -> int:
    """Make this folder a project.

    What is there already stays as it is.
    """
    from ledger.canon import pretty
    from ledger.store import atomic

    root = Path.cwd()
    done = []
    evidence = root / "EVIDENCE.json"
    if not evidence.exists():
        graph = {"schema": "evidence-ledger/evidence/v1", "project": name or root.name, "claims": []}
        atomic.write_bytes(evidence, pretty(graph))
        done.append("EVIDENCE.json")
    for path, lines in ((root / ".gitignore", IGNORED), (root / ".gitattributes", ATTRIBUTES)):
        if _add_lines(path, lines):
            done.append(path.name)
    if quiet:
        return 0
    say(f"wrote {', '.join(done)}" if done else "this is a project already; nothing changed")
    say("next: `ledger run EXP -- python train.py`, then add a claim to EVIDENCE.json and `ledger evidence refresh`")
    return 0


def _add_lines(path: Path, lines: tuple[str, ...]) -> bool:
    """Append the lines that are missing; says whether there were any."""
    from ledger.store import atomic

    old = path.read_bytes() if path.exists() else b""
    present = set(old.decode("utf-8", "replace").splitlines())
    missing = [line for line in lines if line not in present]
    if not missing:
        return False
    gap = b"" if not old or old.endswith(b"\n") else b"\n"
    atomic.write_bytes(path, old + gap + "".join(f"{line}\n" for line in missing).encode(), follow=True)
    return True
