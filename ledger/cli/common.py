"""What commands share: the project, printing a report, options that several have."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ledger import __version__, project
from ledger.project import POLICIES, Policy, Project

if TYPE_CHECKING:  # the report and its findings are made only by commands that check something
    from ledger.model.finding import Report

Command = Callable[..., Any]

HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

format_option = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to print."
)
output_option = click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the report to this file instead of the screen.",
)
all_option = click.option("--all", "everything", is_flag=True, help="List disclosed findings too.")
policy_option = click.option(
    "--policy", type=click.Choice(POLICIES), help="When to exit 1 (default: from the configuration)."
)


def report_options(command: Command) -> Command:
    """--format, --output, --all and --policy."""
    for option in (policy_option, all_option, output_option, format_option):
        command = option(command)
    return command


def find_project() -> Project:
    """The project here, with its configuration warnings said."""
    found = project.find()
    for warning in found.warnings:
        say(f"warning: {warning}")
    return found


def say(text: str) -> None:
    """Talk goes to standard error, so that data can be piped."""
    click.echo(f"ledger: {text}", err=True)


def deliver(
    report: Report,
    *,
    form: str,
    output: Path | None,
    everything: bool,
    policy: str | None,
    verdict: Collection[str] | None = None,
    at: Project | None = None,
    shown: str | None = None,
) -> int:
    """Print or write a report, remember its findings for `ledger disclose`, and say what the exit status is.

    Whatever the project's log has disclosed is marked as disclosed, whichever check it comes from. `shown` is the form
    for people that a command has of its own, printed where the findings would be listed.
    """
    from ledger.gate import reporters
    from ledger.gate.policy import exit_status
    from ledger.gate.recall import remember

    if at is not None:
        report = settled(report, at)
    if form == "json":
        text = reporters.as_json(report, __version__)
    elif shown is not None and output is None:
        text = f"{shown}\n\n{reporters.summary(report)}"
    else:
        text = reporters.as_text(report, colour=coloured(output), everything=everything)
    if output is None:
        click.echo(text)
    else:
        from ledger.store.atomic import write_bytes

        write_bytes(output.absolute(), (text + "\n").encode("utf-8", "backslashreplace"), follow=True)
        say(reporters.summary(report) + f"; written to {output}")
    if at is not None:
        remember(at, report.findings)
    chosen: Policy = policy or (at.config.policy if at else "disclose")  # type: ignore[assignment]
    return exit_status(report, chosen, verdict=verdict)


def settled(report: Report, at: Project) -> Report:
    """The report with what `ledger disclose FINDING` has disclosed; as it is when the log cannot be read, which is said."""
    from dataclasses import replace

    from ledger.errors import IntegrityError, NewerVersionError
    from ledger.evidence import disclosures

    try:
        said = disclosures.recorded(at)
    except (IntegrityError, NewerVersionError) as error:
        say(f"warning: what was disclosed is not known: {error}")
        return report
    return replace(report, findings=disclosures.settle(report.findings, None, said))


def coloured(output: Path | None) -> bool:
    return output is None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def read_mapping(path: Path | None) -> dict[str, Any] | None:
    """A config file in YAML or JSON (which is YAML) as a dict.

    Raises:
        InputError: it cannot be read or holds no mapping.

    """
    if path is None:
        return None
    from ledger.canon.yaml import parse_config
    from ledger.errors import InputError

    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=path) from error
    return parse_config(data, path)


def confirmed(what: str, yes: bool) -> bool:
    """Whether the user wants what was just printed: said by --yes, or typed. Without a terminal nothing is asked, and
    nothing is done.
    """
    if yes:
        return True
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        say(f"nothing was done: add --yes to {what}")
        return False
    click.echo(f"ledger: type `yes` to {what}: ", err=True, nl=False)
    return sys.stdin.readline().strip().lower() == "yes"


def human_bytes(count: int) -> str:
    """A number of bytes for people: `340 MB`, in powers of 1000 as disks are sold."""
    size, unit = float(count), "bytes"
    for larger in ("kB", "MB", "GB", "TB"):
        if size < 1000:
            break
        size, unit = size / 1000, larger
    return f"{size:,.0f} {unit}" if unit == "bytes" or size >= 100 else f"{size:.1f} {unit}"
