"""A click group that knows its commands by name and imports one only when it runs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from ledger import __version__
from ledger.cli.table import COMMANDS, help_text


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

    def get_help(self, ctx: click.Context) -> str:
        """From the table: click's own help asks for every command object, which would import them all."""
        return help_text().rstrip()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ledger", message="%(prog)s %(version)s")
def cli(**_: Any) -> None:
    """Every number, table and figure of a paper as a function of sealed runs."""
