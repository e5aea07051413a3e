"""`ledger seal`: make a folder, or an abandoned staging, a sealed run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ledger.cli.commands.run import announce, condition_options, durability_option, parse_seed
from ledger.cli.common import HELP, confirmed, find_project, human_bytes, read_mapping, say
from ledger.errors import UsageError

if TYPE_CHECKING:
    from ledger.project import Project
    from ledger.seal.unchanged import Seen

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
@click.option("--discard", is_flag=True, help="Delete what a killed run left behind. Its start stays in the log.")
@click.option(
    "--yes", is_flag=True, help="Discard without a question; seal or discard also what began on another host."
)
def seal(
    what: tuple[str, ...],
    exp_id: str | None,
    config: Path | None,
    seed: str | None,
    data: Path | None,
    dataset: str | None,
    placement: str | None,
    durability: str,
    discard: bool,
    yes: bool,
) -> int:
    """Seal a folder, or what a killed run left behind.

    Folders become runs of --exp. A folder is yours: its bytes are copied (shared where the file system can), and nothing in it changes.
    One that was sealed like this before, and has not changed since, is not sealed again. RUN is a run in progress whose process died: its id, or the beginning of it.
    """
    from ledger.seal import unchanged

    project = find_project()
    full = durability == "full"
    if discard:
        return _discard(project, what, yes)
    left = _left_behind(project, what[0]) if exp_id is None and not Path(what[0]).exists() else None
    if left and len(what) == 1:
        from ledger.seal.abandoned import seal_abandoned
        from ledger.store import atomic

        with atomic.durability(full):
            announce(seal_abandoned(project, left.name, trusted=yes))
        return 0
    if exp_id is None:
        if not Path(what[0]).exists():
            fix = "`ledger fsck` lists runs in progress"
            raise UsageError("neither a folder nor a run in progress is called that", where=what[0], fix=fix)
        raise UsageError("which experiment is this a run of?", where=what[0], fix="add --exp EXP")
    folders = [Path(folder) for folder in what]
    conditions = {"config": read_mapping(config), "seed": parse_seed(seed), "data": data, "dataset": dataset}
    asked = repr((exp_id, sorted(conditions.items())))
    # what is handed over is gone afterwards, a link changes what stat says, and data must be read to be known
    seen = unchanged.look_at(folders) if placement is None and data is None else {}
    folders = _but_known(project, folders, seen, asked)
    if not folders:
        return 0
    from ledger.seal.folder import seal_folders
    from ledger.store import atomic

    if placement == "link":
        say("warning: --link shares the bytes with your files; writing to them later damages the sealed run")
    with atomic.durability(full):
        sealed = seal_folders(project, folders, exp_id, placement=placement or "copy", **conditions)  # type: ignore[arg-type]
    for folder, item in zip(folders, sealed, strict=True):
        if folder in seen:
            unchanged.remember(project, seen[folder], asked, exp_id, item.run.run_id)
    for item in sealed[:_ANNOUNCED]:
        announce(item)
    if len(sealed) > _ANNOUNCED:
        say(f"... and {len(sealed) - _ANNOUNCED} more: {len(sealed)} runs of {exp_id} sealed in all")
    return 0


def _left_behind(project: Project, name: str) -> Path | None:
    """The staging folder that `name` means; None when no run in progress is called so."""
    from ledger.seal.abandoned import find

    return find(project, name)


def _discard(project: Project, what: tuple[str, ...], yes: bool) -> int:
    """Delete what a killed run left behind, when the user says so."""
    from ledger.model.amount import amount
    from ledger.seal import abandoned

    name = what[0]
    if len(what) > 1:
        raise UsageError("runs are discarded one by one", fix="name one run")
    path = abandoned.find(project, name)
    left = abandoned.look_at(project, path.name if path else name)
    size = f"{amount(left.files, 'file')}, {human_bytes(left.bytes)}"
    if left.began:
        say(f"warning: it began {left.began}, and whether it still runs there cannot be known here")
    say(f"this deletes {project.shown(left.path)}: {size}, sealed nowhere")
    if confirmed(f"discard {left.path.name}", yes):
        abandoned.discard(project, left.path.name)
        say(f"discarded {left.path.name}; its start stays in the log")
    return 0


def _but_known(project: Project, folders: list[Path], seen: dict[Path, Seen], asked: str) -> list[Path]:
    """The folders without those that were sealed like this before and have not changed; these are said."""
    from ledger.seal.unchanged import sealed_as

    known = {folder: name for folder, found in seen.items() if (name := sealed_as(project, found, asked))}
    for folder, name in list(known.items())[:_ANNOUNCED]:
        say(f"{folder} has not changed since it was sealed as {name}")
    if len(known) > _ANNOUNCED:
        say(f"... nor have {len(known) - _ANNOUNCED} more")
    return [folder for folder in folders if folder not in known]
