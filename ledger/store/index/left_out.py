"""What the log names and the index could not take in although it is here: damaged, or of a newer version of this tool."""

from __future__ import annotations

import json

from ledger.errors import LedgerError
from ledger.store.index.database import Index
from ledger.store.runs import read_run


def left_out(index: Index, exp_id: str | None = None) -> list[str]:
    """One sentence for each segment of the log and each run that is left out; none for runs that are not here at all."""
    said = [str(row[0]) for row in index.rows("select problem from segments where problem is not null order by id")]
    for (text,) in index.rows("select entry from absent"):
        entry = json.loads(text)
        folder = index.project.results / entry["exp_id"] / "runs" / entry["run_id"]
        if exp_id not in (None, entry["exp_id"]) or not folder.is_dir():
            continue
        try:
            run = read_run(folder)
            _ = run.provenance, run.metrics
        except LedgerError as error:
            said.append(str(error))
    return said
