"""The pixel gate: a figure's own steps are run and watched, its rendered files re-opened, its sidecar written.

In: `figures/<name>/` with `_build_*.py`, `source_data.csv`, `script.py`. Out: `output/`, `<name>.provenance`, a report.
It never writes into evidence, never changes the user's script, and says what it could not judge.
"""

from ledger.pixelgate.build import build
from ledger.pixelgate.check import check, check_file
from ledger.pixelgate.folder import names

__all__ = ["build", "check", "check_file", "names"]
