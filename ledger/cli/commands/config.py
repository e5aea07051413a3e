"""`ledger config`: each setting with its source."""

from __future__ import annotations

from dataclasses import fields

import click

from ledger.cli.common import HELP, find_project


@click.command(context_settings=HELP)
def config() -> int:
    """Show each setting and where it comes from.

    Settings stand in `[tool.ledger]` of pyproject.toml or in ledger.toml; LEDGER_<KEY> overrides both.
    """
    from ledger.cli.columns import table

    project = find_project()
    rows = [
        {
            "setting": item.name,
            "value": repr(getattr(project.config, item.name)),
            "source": project.sources.get(item.name, "default"),
        }
        for item in fields(project.config)
    ]
    click.echo(f"project {project.root}")
    click.echo(table(rows, ["setting", "value", "source"]))
    return 0
