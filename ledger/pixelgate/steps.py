"""What a run of the steps left behind: which files under output/ it wrote, and what is wrong before any picture is judged."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from ledger.model.finding import Finding, Location
from ledger.pixelgate.folder import Folder
from ledger.pixelgate.record import Record

Snapshot = Mapping[Path, tuple[int, int, int]]


def snapshot(folder: Folder) -> Snapshot:
    """Every file under output/ with what changes when it is written."""
    out = {}
    for path in folder.rendered():
        status = path.stat()
        out[path] = (status.st_mtime_ns, status.st_size, status.st_ino)
    return out


def changed(folder: Folder, before: Snapshot) -> list[Path]:
    """The files under output/ that were written since."""
    return [path for path, state in snapshot(folder).items() if before.get(path) != state]


def data_findings(folder: Folder) -> list[Finding]:
    """Whether source_data.csv is there and has rows."""
    shown = folder.shown(folder.data)
    fix = "let a _build_*.py write it; the picture must be drawn from it"
    if not folder.data.is_file():
        message = f"{shown} does not exist, so what is drawn cannot be compared with any data"
        return [Finding("figure-stale", "warning", message, Location(shown), None, {"missing": shown}, fix)]
    try:
        with folder.data.open(encoding="utf-8-sig", newline="") as stream:
            rows = sum(1 for row in csv.reader(stream) if any(cell.strip() for cell in row))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        message = f"{shown} cannot be read as a table ({error})"
        return [Finding("figure-unreadable", "error", message, Location(shown), None, {"problem": str(error)}, fix)]
    if rows < 2:
        message = f"{shown} has no rows"
        return [Finding("data-mismatch", "error", message, Location(shown), None, {"rows": 0}, fix)]
    return []


def output_findings(folder: Folder, record: Record, written: list[Path]) -> list[Finding]:
    """Files that went elsewhere, files that an earlier run left, and a script that only showed its figure."""
    out = []
    shown = folder.shown(folder.script)
    inside = folder.output.resolve()
    strays = sorted({saved.path for saved in record.saved if inside not in Path(saved.path).resolve().parents})
    for stray in strays:
        message = f"the script saved {folder.shown(Path(stray))}, which is outside {folder.shown(folder.output)}/"
        fix = "save into output/, where the picture is checked and recorded"
        out.append(Finding("figure-script-failed", "warning", message, Location(shown), None, {"path": stray}, fix))
    if not written:
        reason = "wrote nothing into output/"
        if record.shown:
            reason += f" and called show() {record.shown} time{'s' if record.shown > 1 else ''}, which saves nothing"
        fix = f"end the script with fig.savefig('output/{folder.name}.png')"
        message = f"{shown} {reason}"
        out.append(Finding("figure-script-failed", "error", message, Location(shown), None, {"reason": reason}, fix))
        return out
    for path in folder.rendered():
        if path not in written:
            left = folder.shown(path)
            message = f"{left} was not written by this build: an earlier version of the script left it"
            out.append(Finding("figure-stale", "warning", message, Location(left), None, {}, "delete it, or draw it"))
    return out
