"""A click group that knows its commands by name and imports one only when it runs.

Click's own help asks for every command object, which would import them all; this one prints from the table.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import click

from ledger import __version__


class Entry(NamedTuple):
    """Where a command lives and what `--help` says of it."""

    section: str
    target: str  # module:attribute
    help: str


COMMANDS: dict[str, Entry] = {
    "run": Entry("RUN", "ledger.cli.commands.run:run", "Run a command as a run of an experiment and seal it."),
    "seal": Entry("STORE", "ledger.cli.commands.seal:seal", "Seal a folder, or what a killed run left behind."),
    "runs": Entry("STORE", "ledger.cli.commands.runs:runs", "List sealed runs with their metrics."),
    "show": Entry("STORE", "ledger.cli.commands.show:show", "Show one run: metrics, inputs, files."),
    "select": Entry("STORE", "ledger.cli.commands.select:select", "Choose a run for its seed; logged, never destructive."),
    "fsck": Entry("STORE", "ledger.cli.commands.fsck:fsck", "Check every byte of runs, objects and log."),
    "evidence": Entry("DELIVER", "ledger.cli.commands.evidence:evidence", "Write or recompute the values of the claim graph."),
    "build": Entry("DELIVER", "ledger.cli.commands.build:build", "Generate macros, tables and disclosures."),
    "trace": Entry("DELIVER", "ledger.cli.commands.trace:trace", "Print the chain from a claim to its hashed conditions."),
    "figures": Entry("DELIVER", "ledger.cli.commands.figures:figures", "Build figures and check their pixels."),
    "reconcile": Entry("DELIVER", "ledger.cli.commands.reconcile:reconcile", "Find numbers in documents that disagree with their claims."),
    "gate": Entry("DELIVER", "ledger.cli.commands.gate:gate", "Five checks for every number that ships."),
    "disclose": Entry("DELIVER", "ledger.cli.commands.disclose:disclose", "Attach a disclosure to a claim or a finding."),
    "init": Entry("PROJECT", "ledger.cli.commands.init:init", "Make this folder a project."),
    "hook": Entry("PROJECT", "ledger.cli.commands.hook:hook", "Install the git pre-commit hook."),
    "config": Entry("PROJECT", "ledger.cli.commands.config:config", "Show each setting and where it comes from."),
}  # fmt: skip


class LazyGroup(click.Group):
    """`COMMANDS` as a click group."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        entry = COMMANDS.get(name)
        if entry is None:
            return None
        module, _, attribute = entry.target.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            if near:
                raise click.UsageError(f"{error.message} Did you mean `ledger {near[0]}`?", ctx) from None
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for section in dict.fromkeys(entry.section for entry in COMMANDS.values()):
            with formatter.section(section):
                formatter.write_dl([(name, e.help) for name, e in COMMANDS.items() if e.section == section])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: ledger run ours --seed 0 -- python train.py --seed {seed}",
)
@click.version_option(__version__, prog_name="ledger", message="%(prog)s %(version)s")
def cli(**_: Any) -> None:
    """Every number, table and figure of a paper as a function of sealed runs."""
