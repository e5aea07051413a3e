"""The schema version that a file of ours states, and the refusal of one that this tool does not read yet.

Every reader of our JSON comes here before it believes a key: a newer file may mean something else by it.
"""

from __future__ import annotations

import re
from typing import Any

from ledger.errors import NewerVersionError

_STATED = re.compile(r"(evidence-ledger/[a-z_]+)/v([1-9][0-9]*)")


def newer(raw: Any, schema: str) -> str | None:
    """The major version that `raw` states when it is newer than that of `schema` (`evidence-ledger/run/v1`), else None.

    Absent means the first, and what is no version of this schema is for the reader to judge.
    """
    stated = raw.get("schema") if isinstance(raw, dict) else None
    found = _STATED.fullmatch(stated) if isinstance(stated, str) else None
    name, _, ours = schema.rpartition("/v")
    if not found or found[1] != name or (len(found[2]), found[2]) <= (len(ours), ours):  # it may have any length
        return None
    return found[2]


def refuse_newer(raw: Any, schema: str, where: object = None) -> None:
    """Raise NewerVersionError, which names the version to upgrade to, when `raw` states a newer version of `schema`."""
    if major := newer(raw, schema):
        name, _, ours = schema.rpartition("/v")
        shown = major if len(major) <= 20 else f"{major[:17]}..."
        fix = f"upgrade to evidence-ledger {shown}.0 or newer, which reads it"
        raise NewerVersionError(f"is {name}/v{shown}, and this version reads v{ours} of it", where=where, fix=fix)
