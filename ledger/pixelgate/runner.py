"""The child process of a figure build: `python -m ledger.pixelgate.runner SCRIPT` runs one script of the user's.

The script runs as `__main__`, as it is. With `LEDGER_FIGURE_RECORD` set, matplotlib is watched and what was drawn is
written there when the script ends, however it ends. A failure leaves the script's own traceback on standard error.
"""

from __future__ import annotations

import contextlib
import os
import runpy
import sys
from pathlib import Path

from ledger.pixelgate.record import to_json
from ledger.pixelgate.watch import Watch

RECORD = "LEDGER_FIGURE_RECORD"
_WATCH = Watch()


def record_disclosure(text: str) -> None:
    """Keep a sentence that the script declares with `ledger.disclose`."""
    if text.strip():
        _WATCH.disclosures.append(text.strip())


def main() -> None:
    """Run the script that is named on the command line, watched when a record is asked for."""
    script = os.path.abspath(sys.argv[1])  # noqa: PTH100
    sys.argv = [script, *sys.argv[2:]]
    sys.path.insert(0, str(Path(script).parent))
    # run with `-m`, this module is `__main__`; what `ledger.disclose` imports by name must be the same one
    sys.modules["ledger.pixelgate.runner"] = sys.modules[__name__]
    target = os.environ.get(RECORD)
    if not target:
        runpy.run_path(script, run_name="__main__")
        return
    try:
        _WATCH.install()
    except ImportError:  # a script that draws with something else
        runpy.run_path(script, run_name="__main__")
        return
    try:
        runpy.run_path(script, run_name="__main__")
    finally:
        with contextlib.suppress(Exception):  # a figure that we cannot describe is no failure of the script
            Path(target).write_text(to_json(_WATCH.record()), encoding="utf-8")


if __name__ == "__main__":
    main()
