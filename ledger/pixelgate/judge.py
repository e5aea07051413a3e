"""From a record and rendered files to findings: which saved picture stands for which files, and every rule over it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ledger.model.finding import Finding, Location
from ledger.pixelgate import disclosed
from ledger.pixelgate.folder import Folder
from ledger.pixelgate.pixels import RASTERS, Picture, UnreadableError, open_picture
from ledger.pixelgate.raster import check_raster
from ledger.pixelgate.record import Record, Saved
from ledger.pixelgate.rules import RULES, Rule, mismatch
from ledger.pixelgate.scene import Scene
from ledger.pixelgate.truth.table import Table, read_table
from ledger.pixelgate.vector import has_type3

_PREFERENCE = ("png", "tif", "tiff", "webp", "jpg", "jpeg", "pdf", "svg")


@dataclass
class Verdict:
    """Findings, and what was looked at."""

    findings: list[Finding] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    unjudged: list[str] = field(default_factory=list)
    pictures: int = 0
    bound: int = 0  # drawn series that were found in source_data.csv
    series: int = 0  # drawn series that were looked for


def judge(folder: Folder, record: Record, files: list[Path], said: tuple[str, ...]) -> Verdict:
    """All rules over what one run of the script saved; `files` are the rendered files under output/."""
    verdict = Verdict(paths=[folder.shown(path) for path in files])
    pictures = reopen(folder, files, verdict)
    watched: set[Path] = set()
    sentences = (*said, *record.disclosures)
    table = _table(folder, verdict)
    for group in _groups(record, files):
        chosen = group[0]
        watched |= {Path(saved.path) for saved in group}
        names = tuple(folder.shown(Path(saved.path)) for saved in group)
        refused = tuple(
            name for name, saved in zip(names, group, strict=True)
            if saved.format == "pdf" and has_type3(Path(saved.path))
        )  # fmt: skip
        scene = Scene(names[0], chosen, pictures.get(Path(chosen.path)), sentences, names, tuple(group), refused, table)
        verdict.pictures += 1
        verdict.unjudged += [f"{names[0]}: {trouble}" for trouble in chosen.trouble]
        if chosen.size[0]:
            found = _one_cause([finding for rule in RULES for finding in _apply(rule, scene, verdict)])
            verdict.findings += disclosed.settle(found, sentences, chosen.words)
            _count(scene, verdict)
    for path in files:
        if path in watched:
            continue
        if path.suffix.lower() not in RASTERS:
            verdict.unjudged.append(f"{folder.shown(path)}: not saved by matplotlib, and it has no pixels to judge")
            continue
        verdict.unjudged.append(f"{folder.shown(path)}: not saved by matplotlib, so only its pixels can be judged")
        if path in pictures:
            verdict.pictures += 1
            found = check_raster(folder.shown(path), pictures[path])
            verdict.findings += disclosed.settle(found, sentences, "")
    return verdict


def _apply(rule: Rule, scene: Scene, verdict: Verdict) -> list[Finding]:
    """One rule's findings; a rule that stumbles over an unusual picture is named as not judged, the others go on."""
    try:
        return list(rule(scene))
    except Exception as error:  # noqa: BLE001 (third-party artists may record anything)
        which = f"{rule.__module__.rpartition('.')[2]}.{rule.__name__}"
        verdict.unjudged.append(f"{scene.path}: the rule {which} could not judge it ({type(error).__name__}: {error})")
        return []


def _one_cause(found: list[Finding]) -> list[Finding]:
    """Without the cut marks and the cut axis of a panel that is reported as empty: limits without data make all three."""
    empty = {finding.values.get("where") for finding in found if finding.rule == "blank-panel"}
    implied = {"clipped-marks", "truncated-axis"}
    return [one for one in found if one.rule not in implied or one.values.get("where") not in empty]


def _table(folder: Folder, verdict: Verdict) -> Table | None:
    """source_data.csv, or a word on why nothing drawn can be compared with it."""
    table = read_table(folder.data) if folder.data.is_file() else "does not exist"
    if isinstance(table, str):
        verdict.unjudged.append(f"{folder.shown(folder.data)} {table}: drawn values are not compared")
        return None
    return table


def _count(scene: Scene, verdict: Verdict) -> None:
    """How many series were bound to the table, and which could not be."""
    if scene.table is None:
        return
    for _, series, outcome in mismatch.bind(scene):
        if series is None:
            continue
        verdict.series += 1
        verdict.bound += outcome.status != "unbound"
        if outcome.status == "unbound":
            verdict.unjudged.append(f"{scene.path}: could not bind {outcome.message}")


def reopen(folder: Folder, files: list[Path], verdict: Verdict) -> Mapping[Path, Picture]:
    """Decode every raster; one that cannot be is a finding."""
    out = {}
    for path in files:
        if path.suffix.lower() not in RASTERS:
            continue
        try:
            out[path] = open_picture(path)
        except UnreadableError as error:
            verdict.findings.append(unreadable(folder.shown(path), error))
    return out


def unreadable(shown: str, error: UnreadableError) -> Finding:
    fix = "render it again; a figure of this size in print needs a few thousand pixels a side"
    return Finding(
        "figure-unreadable", "error", f"{shown} {error}", Location(shown), None, {"problem": str(error)}, fix
    )


def _groups(record: Record, files: list[Path]) -> list[list[Saved]]:
    """The formats of one picture together, the one to judge first; a file that was saved twice counts as it is now."""
    present = set(files)
    latest = {saved.path: saved for saved in record.saved if Path(saved.path) in present}
    groups: dict[Any, list[Saved]] = {}
    for saved in latest.values():
        groups.setdefault((saved.figure, Path(saved.path).stem), []).append(saved)
    rank = {name: i for i, name in enumerate(_PREFERENCE)}
    return [sorted(group, key=lambda saved: rank.get(saved.format, 99)) for group in groups.values()]
