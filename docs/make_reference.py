"""Write the pages that are made from the product: reference/commands.md from its help texts, rules/index.md from the
rule pages. `tests/unit/test_docs.py` holds the committed pages to what this makes.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).parent
WIDTH = 100
_HEADING = re.compile(r"^#{1,3} `?([a-z][a-z-]*)`?(?:[:,].*)?\n+(.+?)(?=\n\n|\n#|\Z)", re.MULTILINE | re.DOTALL)
# pages of one rule are named after it; these hold several, one heading for each
FAMILIES = ("run", "store", "evidence", "gate")

_COMMANDS = """\
# Commands

Made from `ledger COMMAND --help` by `docs/make_reference.py`. A RUN may be named [in several ways](naming-runs.md).
[Exit status](exit-status.md) says what each number means.
"""
_RULES = """\
# Rules

Every finding carries the id of a rule. What it means, why it matters, what to do:
"""


def commands_page() -> str:
    """Every command's help, as a terminal of 100 columns shows it."""
    top = f"## ledger\n\n```text\n{_help([])}```\n"
    each = (f"{'#' * (len(path) + 1)} ledger {' '.join(path)}\n\n```text\n{_help(path)}```\n" for path in _paths())
    return "\n".join([_COMMANDS, top, *each])


def _paths() -> Iterator[list[str]]:
    """Every command, in the order of the table; those of a group after it."""
    import click

    from ledger.cli.lazy import cli

    context = click.Context(cli)
    for name in cli.list_commands(context):
        yield [name]
        command = cli.get_command(context, name)
        if isinstance(command, click.Group):
            yield from ([name, inner] for inner in command.list_commands(context))


def _help(path: list[str]) -> str:
    from ledger.cli.lazy import cli

    out = io.StringIO()
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(WIDTH)
    try:
        with contextlib.redirect_stdout(out):
            cli.main([*path, "--help"], prog_name="ledger", standalone_mode=False)
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
    return out.getvalue()


def rules() -> dict[str, tuple[str, str]]:
    """Rule -> link to its entry, and the first sentence of it."""
    found = {}
    for page in sorted((DOCS / "rules").glob("*.md")):
        if page.name == "index.md":
            continue
        for rule, text in _HEADING.findall(page.read_text(encoding="utf-8")):
            own = page.stem not in FAMILIES
            if own and rule != page.stem:
                continue
            sentence = re.split(r"(?<=[.!?])\s", " ".join(text.split()), maxsplit=1)[0]
            found[rule] = (page.name if own else f"{page.name}#{rule}", sentence.replace("|", "\\|"))
    return found


def rules_page() -> str:
    rows = [f"| [{rule}]({link}) | {sentence} |" for rule, (link, sentence) in sorted(rules().items())]
    pages = [
        *FAMILIES,
        *sorted(page.stem for page in (DOCS / "rules").glob("*.md") if page.stem not in (*FAMILIES, "index")),
    ]
    tree = "```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"
    return "\n".join([_RULES, "| rule | in one sentence |", "|:--|:--|", *rows, "", tree])


def pages() -> dict[Path, str]:
    return {DOCS / "reference" / "commands.md": commands_page(), DOCS / "rules" / "index.md": rules_page()}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
