"""Checking a figure without building it: is the sidecar there and true, and are the rendered files what they should be?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ledger.canon import file_digest
from ledger.errors import InputError
from ledger.model.finding import SEVERITIES, Finding, Location, Report, Severity
from ledger.pixelgate import claims, disclosed, sidecar
from ledger.pixelgate.folder import Folder, find
from ledger.pixelgate.judge import Verdict, reopen, unreadable
from ledger.pixelgate.pixels import RASTERS, UnreadableError, open_picture
from ledger.pixelgate.raster import check_raster

CANNOT = "a picture alone cannot say what its data were: drawn values, error bars and fonts are not judged"


def check(root: Path, name: str) -> Report:
    """Sidecar, staleness and pixels of `figures/<name>`; nothing is run or written.

    What the last build found is repeated while the files are those that it saw.

    Raises:
        UsageError: no such figure.

    """
    folder = find(root, name)
    verdict = Verdict()
    files = folder.rendered()
    verdict.paths = [folder.shown(path) for path in files] or [folder.shown(folder.path)]
    try:
        raw = sidecar.read(folder)
    except InputError as error:
        shown = folder.shown(folder.sidecar)
        message = f"the sidecar cannot be read: {error.message}"
        fix = f"ledger figures build {name}"
        verdict.findings.append(Finding("figure-unreadable", "error", message, Location(shown), None, {}, fix))
        raw = None
    else:
        verdict.findings += _stale(folder, raw, files)
    pictures = reopen(folder, files, verdict)
    fresh = raw is not None and not verdict.findings
    expired = sidecar.expired(folder, raw, claims.disclosed_for(folder, raw))
    said = () if expired else sidecar.disclosures(raw)
    said += tuple(text for text in _list((raw or {}).get("disclosed_in_script")) if isinstance(text, str))
    if fresh and raw is not None:
        earlier = [finding for finding in _earlier(raw) if finding.rule != "disclosure-expired"]
        verdict.findings += disclosed.again(earlier, said)
        verdict.unjudged += _strings((raw or {}).get("pixel_check"), "not_judged")
    else:
        verdict.unjudged.append(f"{folder.shown(folder.path)}: drawn data are judged when the figure is built")
        for path, picture in pictures.items():
            verdict.findings += disclosed.settle(check_raster(folder.shown(path), picture), said, "")
    verdict.findings += [expired] if expired else []
    checked = {"figures": 1, "paths": verdict.paths, "pictures": len(pictures), "not_judged": verdict.unjudged}
    return Report(f"figures check {name}", checked, tuple(verdict.findings))


def check_file(path: Path) -> Report:
    """A bare picture file: the rules that pixels alone decide, and what they cannot decide.

    Raises:
        InputError: there is no such file.

    """
    shown = path.as_posix()
    if not path.is_file():
        raise InputError("there is no such file", where=shown)
    findings: list[Finding] = []
    unjudged = [f"{shown}: {CANNOT}"]
    if path.suffix.lower() not in RASTERS:
        unjudged = [f"{shown}: files of this kind are not judged yet; give a PNG, or build the figure from its script"]
    else:
        try:
            findings += check_raster(shown, open_picture(path))
        except UnreadableError as error:
            findings.append(unreadable(shown, error))
    return Report(
        "figures check", {"figures": 1, "paths": [shown], "pictures": 1, "not_judged": unjudged}, tuple(findings)
    )  # fmt: skip


def _stale(folder: Folder, raw: Mapping[str, Any] | None, files: list[Path]) -> Iterator[Finding]:
    again = f"ledger figures build {folder.name}"
    shown = folder.shown(folder.sidecar)
    if raw is None or not raw.get("pixel_check"):
        what = (
            "was never built by the tool: it has no sidecar" if raw is None else "has a sidecar without a pixel check"
        )
        yield _moved(folder.shown(folder.path), f"figures/{folder.name} {what}", again, "sidecar")
        return
    for key, path in (("source_data", folder.data), ("script", folder.script)):
        stated = raw.get(key)
        digest = stated.get("sha256") if isinstance(stated, Mapping) else None
        now = file_digest(path)[0] if path.is_file() else None
        if now != digest:
            how = "is gone" if now is None else "has changed" if digest else "is new"
            yield _moved(folder.shown(path), f"{folder.shown(path)} {how} since the figure was built", again, key)
    known = {item.get("path"): item.get("sha256") for item in raw.get("builders") or () if isinstance(item, Mapping)}
    for path in folder.builders if "builders" in raw else ():
        if known.get(folder.shown(path)) != file_digest(path)[0]:
            yield _moved(
                folder.shown(path), f"{folder.shown(path)} has changed since the figure was built", again, path.name
            )
    listed = sidecar.rendered(raw)
    present = {folder.shown(path): path for path in files}
    for name, digest in listed.items():
        if name not in present:
            yield _moved(name, f"{name} is recorded in {shown} and does not exist", again, name)
        elif file_digest(present[name])[0] != digest:
            yield _moved(name, f"{name} is not the file that was built: it was changed by something else", again, name)
    for name in present:
        if name not in listed:
            yield _moved(name, f"{name} is not recorded in {shown}", again, name)
    yield from _evidence_moved(folder, raw, again)


def _evidence_moved(folder: Folder, raw: Mapping[str, Any], again: str) -> Iterator[Finding]:
    """Rows of the supported claims that rest on other runs now than when the figure was built."""
    graph = claims.load_graph(folder)
    if graph is None:
        return
    supports = claims.supported(folder, raw, graph)
    key = ("exp_id", "run", "run_address", "metric")
    then = {tuple(item.get(k) for k in key) for item in raw.get("built_from") or () if isinstance(item, Mapping)}
    now = {tuple(item[k] for k in key) for item in claims.built_from(supports, graph)}
    new = sorted({f"{item[0]} {item[1]}" for item in now - then})
    old = sorted({f"{item[0]} {item[1]}" for item in then - now})
    if new or old:
        parts = [f"{word} {', '.join(items[:3])}" for word, items in (("now", new), ("then", old)) if items]
        message = f"the evidence behind figures/{folder.name} has moved on since it was built: {'; '.join(parts)}"
        yield _moved(folder.shown(folder.sidecar), message, again, "built_from")
    known = {claim.id for claim in graph.claims}
    for claim in supports:
        if claim not in known:
            message = f"figures/{folder.name} supports the claim {claim}, and EVIDENCE.json has no such claim"
            fix = "correct `supports_claims` in the sidecar or `claims:` in the README"
            yield _moved(folder.shown(folder.sidecar), message, fix, claim)


def _moved(path: str, message: str, fix: str, what: str) -> Finding:
    return Finding("figure-stale", "warning", message, Location(path), None, {"what": what}, fix)


def _earlier(raw: Mapping[str, Any]) -> Iterator[Finding]:
    """The findings of the last build."""
    for item in _list((raw.get("pixel_check") or {}).get("findings")):
        if not isinstance(item, Mapping) or not isinstance(item.get("rule"), str):
            continue
        place = item.get("location")
        where = None
        if isinstance(place, Mapping) and place.get("path"):
            box = place.get("box")
            where = Location(
                str(place["path"]),
                place.get("line"),
                box=tuple(box) if isinstance(box, list) and len(box) == 4 else None,
            )
        severity: Severity = next((one for one in SEVERITIES if one == item.get("severity")), "warning")
        values = item.get("values") if isinstance(item.get("values"), Mapping) else {}
        yield Finding(
            item["rule"], severity, str(item.get("message", "")), where, item.get("claim"), values or {},
            item.get("fix"), item.get("disclosed"),
        )  # fmt: skip


def _list(raw: object) -> list[Any]:
    return raw if isinstance(raw, list) else []


def _strings(raw: object, key: str) -> list[str]:
    checked = raw.get("checked") if isinstance(raw, Mapping) else None
    return [str(item) for item in _list(checked.get(key))] if isinstance(checked, Mapping) else []
