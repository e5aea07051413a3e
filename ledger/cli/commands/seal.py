"""`ledger seal`: make a folder, or an abandoned staging, a sealed run."""

from __future__ import annotations

from pathlib import Path

import click

from ledger.cli.commands.run import announce, condition_options, parse_seed
from ledger.cli.common import HELP, find_project, read_mapping, say
from ledger.errors import UsageError


@click.command(
    context_settings=HELP,
    epilog="Example: ledger seal outputs/run7 --exp baseline --config outputs/run7/config.yaml --seed 7",
)
@click.argument("what", metavar="FOLDER|RUN")
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
def seal(
    what: str,
    exp_id: str | None,
    config: Path | None,
    seed: str | None,
    data: Path | None,
    dataset: str | None,
    placement: str | None,
) -> int:
    """Seal a folder as a run of --exp, or what a killed run left behind.

    A folder is yours: its bytes are copied (shared where the file system can), and nothing in it changes.
    """
    from ledger.seal.folder import seal_abandoned, seal_folder

    project = find_project()
    folder = Path(what)
    if not folder.exists() and (project.running / what).is_dir():
        announce(seal_abandoned(project, what))
        return 0
    if exp_id is None:
        raise UsageError("which experiment is this a run of?", where=what, fix="add --exp EXP")
    if placement == "link":
        say("warning: --link shares the bytes with your files; writing to them later damages the sealed run")
    sealed = seal_folder(
        project,
        folder,
        exp_id,
        placement=placement or "copy",  # type: ignore[arg-type]
        config=read_mapping(config),
        seed=parse_seed(seed),
        data=data,
        dataset=dataset,
    )
    announce(sealed)
    return 0
