"""Names of what ships: suffix or name -> `module:attribute`, resolved on first use.

Third parties add to a group by an entry point `ledger.<group>`; those are looked up only when a name is not in
the table, since scanning installed distributions costs several interpreter starts.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from ledger.errors import UsageError

BUILT_IN: dict[str, dict[str, str]] = {
    "readers": {
        ".md": "ledger_adapters.readers.markdown:READER",
        ".markdown": "ledger_adapters.readers.markdown:READER",
        ".mdx": "ledger_adapters.readers.markdown:READER",
        ".tex": "ledger_adapters.readers.tex:READER",
        ".csv": "ledger_adapters.readers.csv:READER",
        ".tsv": "ledger_adapters.readers.csv:READER",
        ".html": "ledger_adapters.readers.html:READER",
        ".htm": "ledger_adapters.readers.html:READER",
        ".ipynb": "ledger_adapters.readers.notebook:READER",
        ".docx": "ledger_adapters.readers.docx:READER",
        ".pptx": "ledger_adapters.readers.pptx:READER",
        ".xlsx": "ledger_adapters.readers.xlsx:READER",
    },
    "history": {
        "git": "ledger_adapters.history.git:line_origin",
    },
}


@cache
def load(group: str, name: str) -> Any:
    """The object registered as `name` in `group`, or None when nobody offers it.

    Raises:
        UsageError: it is offered, but a package that it needs is not installed.

    """
    target = BUILT_IN.get(group, {}).get(name) or _entry_points(group).get(name)
    if target is None:
        return None
    module, _, attribute = target.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        if error.name and error.name.split(".")[0] == module.split(".")[0]:
            return None
        raise UsageError(
            f"{name} needs the package {error.name!r}, which is not installed",
            fix="install it with: pip install 'evidence-ledger[all]'",
        ) from error


@cache
def _entry_points(group: str) -> dict[str, str]:
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=f"ledger.{group}")}
