"""`ledger seal`: make a folder, or an abandoned staging, a sealed run."""

from __future__ import annotations

from pathlib import Path

import click

from ledger.cli.commands.run import announce, condition_options, durability_option, parse_seed
from ledger.cli.common import HELP, find_project, read_mapping, say
from ledger.errors import UsageError

_ANNOUNCED = 5


@click.command(
    context_settings=HELP,
    epilog="Example: ledger seal outputs/run7 --exp baseline --config outputs/run7/config.yaml --seed 7",
)
@click.argument("what", nargs=-1, required=True, metavar="FOLDER...|RUN")
@click.option("--exp", "exp_id", help="The experiment that the folder is a run of.")
@condition_options
@click.option(
    "--move", "placement", flag_value="move", help="Hand the folder over: nothing is copied, and it is gone afterwards."
)
@click.option(
    "--link",
    "placement",
    flag_value="link",
    help="Hard-link your files: no copy, but writing to them later damages the run.",
)
@durability_option
def seal(
    what: tuple[str, ...],
    exp_id: str | None,
    config: Path | None,
    seed: str | None,
    data: Path | None,
    dataset: str | None,
    placement: str | None,
    durability: str,
) -> int:
    """Seal a folder, or what a killed run left behind.

    Folders become runs of --exp. A folder is yours: its bytes are copied (shared where the file system can), and nothing in it changes.
    """
    from ledger.seal.folder import seal_abandoned, seal_folders
    from ledger.store import atomic

    project = find_project()
    if len(what) == 1 and not Path(what[0]).exists() and (project.running / what[0]).is_dir():
        with atomic.durability(durability == "full"):
            announce(seal_abandoned(project, what[0]))
        return 0
    if exp_id is None:
        raise UsageError("which experiment is this a run of?", where=what[0], fix="add --exp EXP")
    if placement == "link":
        say("warning: --link shares the bytes with your files; writing to them later damages the sealed run")
    with atomic.durability(durability == "full"):
        sealed = seal_folders(
            project,
            [Path(folder) for folder in what],
            exp_id,
            placement=placement or "copy",  # type: ignore[arg-type]
            config=read_mapping(config),
            seed=parse_seed(seed),
            data=data,
            dataset=dataset,
        )
    for item in sealed[:_ANNOUNCED]:
        announce(item)
    if len(sealed) > _ANNOUNCED:
        say(f"... and {len(sealed) - _ANNOUNCED} more: {len(sealed)} runs of {exp_id} sealed in all")
    return 0
