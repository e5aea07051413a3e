"""Building a figure: run its steps, judge what they rendered, write the sidecar.

The steps write into the figure's own folder, as the user wrote them. When one fails, what stood there before is put back,
so a failed build never leaves half a figure.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ledger.canon import file_digest
from ledger.model.finding import Finding, Location, Report
from ledger.pixelgate import claims, sidecar, steps
from ledger.pixelgate.folder import DATA, OUTPUT, Folder, find
from ledger.pixelgate.judge import Verdict, judge
from ledger.pixelgate.process import Failure, run_step
from ledger.pixelgate.record import Record, read

Progress = Callable[[str], None]


@dataclass
class _Run:
    """What running the steps came to."""

    record: Record = field(default_factory=Record)
    findings: list[Finding] = field(default_factory=list)
    written: list[Path] = field(default_factory=list)  # files under output/ that this run wrote
    failed: bool = False


def build(root: Path, name: str, *, timeout: float = 600, on_progress: Progress | None = None) -> Report:
    """Run `_build_*.py` and `script.py` of `figures/<name>`, re-open what they rendered, write the sidecar.

    Each step runs in a clean process of this interpreter, in the figure's folder, with `LEDGER_PROJECT` and
    `LEDGER_FIGURE` set; `timeout` is in seconds for each. `on_progress` is told what begins, one sentence at a time.

    Raises:
        UsageError: no such figure.
        InputError: the earlier sidecar cannot be read.
        StoreError: the disk refused.

    """
    folder = find(root, name)
    tell = on_progress or (lambda _: None)
    earlier = sidecar.read(folder)
    with tempfile.TemporaryDirectory(prefix="ledger-figure-") as temporary:
        run = _run(folder, Path(temporary), timeout, tell)
    if run.failed:
        return Report(f"figures build {name}", _checked(Verdict(), failed=True), tuple(run.findings))
    tell("re-opening what was rendered")
    now = claims.disclosed_for(folder, earlier)
    expired = sidecar.expired(folder, earlier, now)
    verdict = judge(folder, run.record, run.written, () if expired else sidecar.disclosures(earlier))
    verdict.findings[:0] = [*run.findings, *([expired] if expired else [])]
    content = compose(folder, earlier, run, verdict)
    if expired is None and now is not None:
        content["disclosed_for"] = now
    elif now is None:
        content.pop("disclosed_for", None)
    sidecar.write(folder, content)
    return Report(f"figures build {name}", _checked(verdict), tuple(verdict.findings))


def _run(folder: Folder, temporary: Path, timeout: float, tell: Progress) -> _Run:
    run = _Run()
    if not folder.script.is_file():
        return _failed(run, folder, Failure("is missing", folder.script), "write it: it draws output/ from the data")
    record = temporary / "record.json"
    with _kept(folder, temporary / "before", run):
        folder.output.mkdir(exist_ok=True)
        before = steps.snapshot(folder)
        for script in (*folder.builders, folder.script):
            tell(f"running {folder.shown(script)}")
            drawing = script == folder.script
            failure = run_step(
                script, root=folder.root, name=folder.name, timeout=timeout, record=record if drawing else None
            )
            if failure:
                return _failed(run, folder, failure)
            run.findings += steps.data_findings(folder) if drawing else ()
        if record.is_file():
            with contextlib.suppress(ValueError, TypeError, KeyError):  # a script may truncate even this
                run.record = read(record.read_text(encoding="utf-8"))
        run.written = steps.changed(folder, before)
        run.findings += steps.output_findings(folder, run.record, run.written)
        if not run.written:
            run.failed = True
    return run


def _failed(run: _Run, folder: Folder, failure: Failure, fix: str = "") -> _Run:
    shown = folder.shown(failure.path)
    message = (
        f"{shown if failure.path == folder.script or 'is' in failure.reason[:3] else folder.name} {failure.reason}"
    )
    where = Location(shown, failure.line)
    fix = fix or "correct the script; the earlier output and source data were put back"
    run.findings = [
        Finding("figure-script-failed", "error", message, where, None, {"reason": failure.reason}, fix)
    ]  # fmt: skip
    run.failed = True
    return run


@contextlib.contextmanager
def _kept(folder: Folder, backup: Path, run: _Run) -> Iterator[None]:
    """Keep output/ and source_data.csv, and put them back when the run failed or was interrupted."""
    kept_data = _copy(folder.data, backup / DATA)
    kept_output = _copy(folder.output, backup / OUTPUT)
    done = False
    try:
        yield
        done = not run.failed
    finally:
        if not done:
            _restore(folder.data, kept_data, made=bool(folder.builders))
            _restore(folder.output, kept_output, made=True)


def _copy(source: Path, target: Path) -> Path | None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True)
    elif source.is_file():
        shutil.copy2(source, target)
    else:
        return None
    return target


def _restore(place: Path, kept: Path | None, *, made: bool) -> None:
    if kept is None:
        if made and place.is_dir():
            shutil.rmtree(place)
        elif made:
            place.unlink(missing_ok=True)
        return
    if kept.is_dir():
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(kept, place, symlinks=True)
    else:
        shutil.copy2(kept, place)


def compose(folder: Folder, earlier: Any, run: _Run, verdict: Verdict) -> dict[str, Any]:
    """The sidecar's content after a build; keys that are not ours stay as they were."""
    from ledger import __version__

    graph = claims.load_graph(folder)
    supports = claims.supported(folder, earlier, graph)
    standing = [f for f in verdict.findings if f.severity != "note" and not f.disclosed]
    data = {"path": folder.shown(folder.data), "sha256": file_digest(folder.data)[0]} if folder.data.is_file() else None
    disclosure = (earlier or {}).get("disclosure")
    content = {
        "schema": sidecar.SCHEMA,
        "figure": folder.name,
        "supports_claims": supports,
        "built_from": claims.built_from(supports, graph),
        "source_data": data,
        "script": {"path": folder.shown(folder.script), "sha256": file_digest(folder.script)[0]},
        "builders": [{"path": folder.shown(p), "sha256": file_digest(p)[0]} for p in folder.builders],
        "build": f"ledger figures build {folder.name}",
        "rendered": [{"path": folder.shown(p), "sha256": file_digest(p)[0]} for p in run.written],
        "disclosure": disclosure,
        "disclosed_in_script": list(run.record.disclosures),
        "pixel_check": {
            "passed": not standing and verdict.pictures > 0,  # what nobody looked at has not passed
            "checked": _checked(verdict),
            "tool_version": __version__,
            "findings": [finding.to_json() for finding in verdict.findings],
        },
    }
    return {**content, **{key: value for key, value in (earlier or {}).items() if key not in content}}


def _checked(verdict: Verdict, *, failed: bool = False) -> dict[str, Any]:
    return {
        "figures": 0 if failed else 1,
        "paths": verdict.paths,
        "pictures": verdict.pictures,
        "series": verdict.series,
        "series_bound": verdict.bound,
        "not_judged": verdict.unjudged,
    }
