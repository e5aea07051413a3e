"""`ledger figures`: build figures and check their pixels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ledger.cli.common import HELP, Command, deliver, find_project, format_option, output_option, policy_option, say
from ledger.errors import UsageError


def _options(command: Command) -> Command:
    """The options of every report; here `--all` names the figures too."""
    every = click.option(
        "--all", "everything", is_flag=True, help="Every folder under figures/; list disclosed findings too."
    )
    for option in (policy_option, every, output_option, format_option):
        command = option(command)
    return command


@click.group(context_settings=HELP)
def figures() -> None:
    """Build figures and check their pixels."""


@figures.command(context_settings=HELP, epilog="Example: ledger figures build accuracy")
@click.argument("names", nargs=-1, metavar="NAME...")
@_options
def build(names: tuple[str, ...], **options: Any) -> int:
    """Run a figure's steps, re-open what they rendered, check its pixels, write the sidecar.

    _build_*.py writes source_data.csv, script.py draws output/ from it; both run as they are, in a clean process.
    """
    from ledger import pixelgate

    project = find_project()
    reports = []
    for name in _chosen(project, names, options["everything"]):
        say(f"building figures/{name}")
        reports.append(pixelgate.build(project.root, name, timeout=project.config.figure_timeout))
    return _deliver(reports, "figures build", project, options)


@figures.command(
    context_settings=HELP, epilog="Example: ledger figures check accuracy   or   ledger figures check plot.png"
)
@click.argument("names", nargs=-1, metavar="NAME|FILE...")
@_options
def check(names: tuple[str, ...], **options: Any) -> int:
    """Check figures without building them: sidecar, staleness and pixels. A bare image file needs no project."""
    from ledger import pixelgate

    every = options["everything"]
    files = [Path(name) for name in names if Path(name).is_file()]
    folders = [name for name in names if not Path(name).is_file()]
    reports = [pixelgate.check_file(path) for path in files]
    project = find_project() if folders or every or not files else None
    if project is not None:
        reports += [pixelgate.check(project.root, name) for name in _chosen(project, folders, every)]
    return _deliver(reports, "figures check", project, options)


def _chosen(project: Any, names: Any, every: bool) -> list[str]:
    from ledger import pixelgate

    if every:
        return pixelgate.names(project.root)
    if not names:
        known = ", ".join(pixelgate.names(project.root)) or "none"
        raise UsageError("which figure?", fix=f"name one, or --all; there are: {known}")
    return [Path(name).name for name in names]


def _deliver(reports: list[Any], command: str, project: Any, options: dict[str, Any]) -> int:
    """All reports as one: lists are joined, numbers added."""
    from ledger.model.finding import Report

    checked: dict[str, Any] = {}
    for report in reports:
        for key, value in report.checked.items():
            old = checked.get(key)
            if isinstance(value, list | tuple):
                checked[key] = [*(old or []), *value]
            elif isinstance(value, int) and not isinstance(value, bool):
                checked[key] = (old or 0) + value
            else:
                checked[key] = value
    merged = Report(command, checked, tuple(finding for report in reports for finding in report.findings))
    return deliver(merged, **options, at=project)
