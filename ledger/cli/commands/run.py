"""`ledger run`: launch a command as a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ledger.cli.common import HELP, find_project, read_mapping, say

if TYPE_CHECKING:
    from ledger.store.runs import Run


def parse_seed(text: str | None) -> Any:
    """Seeds are numbers where they look like one."""
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        return text


conditions = [
    click.option(
        "--config",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="The resolved config (YAML or JSON).",
    ),
    click.option("--seed", help="The seed of this run; `{seed}` in the command stands for it."),
    click.option(
        "--data",
        type=click.Path(path_type=Path),
        help="File or folder that training reads; it is hashed. A .dvc file, dvc.lock:STAGE or dvc.lock:PATH: as DVC recorded it.",
    ),
    click.option("--dataset", help="What the data are called."),
]


durability_option = click.option(
    "--durability",
    type=click.Choice(["full", "fast"]),
    default="full",
    show_default=True,
    help="full: what was sealed survives a power cut; fast: nothing waits for the disk, for scratch work.",
)


def condition_options(command: Any) -> Any:
    for option in reversed(conditions):
        command = option(command)
    return command


@click.command(
    context_settings=HELP,
    epilog="Example: ledger run ours-no-aux --config ours.yaml --seed 1 --data data/ -- python train.py --seed {seed}",
)
@click.argument("exp_id", metavar="EXP")
@condition_options
@durability_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
def run(
    exp_id: str,
    command: tuple[str, ...],
    config: Path | None,
    seed: str | None,
    data: Path | None,
    dataset: str | None,
    durability: str,
) -> int:
    """Run a command as a run of an experiment and seal it.

    The six provenance inputs are captured before COMMAND starts; what it writes into $LEDGER_RUN_DIR becomes the run.
    The run is sealed whatever happens, a failed or killed one with its status. Exits as COMMAND did.
    """
    from ledger.run.launch import launch
    from ledger.store import atomic

    project = find_project()
    given: dict[str, Any] = {"config": read_mapping(config), "seed": parse_seed(seed), "data": data, "dataset": dataset}
    with atomic.durability(durability == "full"):
        sealed, status = launch(project, exp_id, list(command), **given)
    announce(sealed)
    return status


def announce(sealed: Any) -> None:
    """Say what was sealed and what there is to know about it."""
    for finding in sealed.findings:
        say(f"{finding.severity}: {finding.message} [{finding.rule}]")
    manifest = sealed.run.manifest
    size = sum(file.size for file in manifest.files)
    chosen = ", selected for its seed" if sealed.selected else ""
    say(
        f"sealed {manifest.exp_id}/{manifest.run_id} ({ending(sealed.run)}, {len(manifest.files)} files, {size:,} bytes{chosen})"
    )


def ending(run: Run) -> str:
    """How a run ended: `killed by SIGKILL`, `failed with exit status 3`, or its status alone."""
    import signal

    status, code = run.manifest.status, run.provenance.get("exit_status")
    if type(code) is not int or status not in {"failed", "killed"}:
        return status
    if code <= 128:
        return f"{status} with exit status {code}"
    try:
        return f"{status} by {signal.Signals(code - 128).name}"
    except ValueError:
        return f"{status} with exit status {code}"
