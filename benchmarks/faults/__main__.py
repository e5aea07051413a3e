"""Every fault that disks, machines and people have in store, tried against the product in real processes and mounts.

    python -m benchmarks.faults [--quick] [--only NAME] [--format text|markdown|json] [--output FILE] [--page FILE]

Prints one table: fault, injection points tried, passed, what happened. Exits 1 when any point failed. What could not be
set up on this machine is said in its row. `--quick` takes fewer points and smaller files.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from benchmarks.faults.page import kind_of, renew
from benchmarks.faults.place import Place
from benchmarks.faults.report import Fault, Outcome, Row, markdown, table
from benchmarks.store.place import remove

FAMILIES = ("kills", "disks", "files", "names", "checkouts", "crowds", "tampering", "hostile")
_MEMORY = Path("/dev/shm")


def faults() -> list[Fault]:
    """Every fault, in the order of the table."""
    return [fault for family in FAMILIES for fault in import_module(f"benchmarks.faults.{family}").FAULTS]


def tried(fault: Fault, place: Place) -> Row:
    """One fault from its first point to its last. What ends it early is a failure, not the end of the others."""
    begun = time.monotonic()
    outcomes: list[Outcome] = []
    try:
        for outcome in fault.tried(place):
            outcomes.append(outcome)
            if outcome.passed is False:
                _tell(f"\n{fault.name}: {outcome.point}: {outcome.note}\n")
            _tell(f"\r{fault.name}: {len(outcomes)} points ")
    except Exception as error:  # noqa: BLE001 (whatever it is, it is said in the row)
        outcomes.append(Outcome("the next point", False, f"{type(error).__name__}: {error}"))
    _tell(f"\r{fault.name}: {len(outcomes)} points, {time.monotonic() - begun:.0f} s\n")
    return Row(fault, tuple(outcomes), time.monotonic() - begun)


def _tell(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    known = faults()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.faults", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=[fault.name for fault in known], action="append", metavar="NAME",
                        help=", ".join(fault.name for fault in known))  # fmt: skip
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    parser.add_argument("--work", type=Path, help="scratch folder, on a real disk (default: a temporary one)")
    parser.add_argument("--output", type=Path, help="write the table to this file instead of the screen")
    parser.add_argument("--page", type=Path, help="also renew the table in this page of the documentation")
    options = parser.parse_args(arguments)
    disk = Path(tempfile.mkdtemp(prefix="faults-", dir=options.work))
    memory = Path(tempfile.mkdtemp(prefix="faults-", dir=_MEMORY if os.access(_MEMORY, os.W_OK) else options.work))
    try:
        place = Place.at(disk, memory, quick=options.quick)
        os.environ.update({key: place.env[key] for key in ("HOME", "XDG_CACHE_HOME")})
        kind = kind_of(disk)
        rows = [tried(fault, place) for fault in known if not options.only or fault.name in options.only]
    finally:
        for folder in (disk, memory):
            remove(folder)
            shutil.rmtree(folder, ignore_errors=True)
    if options.page:
        renew(options.page, rows, quick=options.quick, disk=kind)
    if options.format == "json":
        text = json.dumps([row.to_json() for row in rows], indent=1)
    else:
        text = (markdown if options.format == "markdown" else table)(rows)
    if options.output:
        options.output.write_text(f"{text}\n", encoding="utf-8")
    else:
        print(text)
    return 1 if any(row.failed for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
