"""Manifests and log entries that somebody made up, as they come with a pull: said in one line, nothing outside touched."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.faults.invariants import Before, tree
from benchmarks.faults.place import Place, Said
from benchmarks.faults.report import Fault, Outcome
from ledger import project
from ledger.canon import digest, sha256
from ledger.store.journal import Journal

_RUN = "20260101T000000Z-00000000"
_SECRET = b"nobody's business\n"
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_PATIENCE = 20
COMMANDS = (
    ("fsck",), ("fsck", "--repair"), ("runs",), ("runs", "--all"), ("show", _RUN), ("select", _RUN), ("diff", _RUN, "@last"),
    ("log",), ("log", "verify"),
)  # fmt: skip
_VERDICTS = {"fsck", "log"}


def _listed(path: Any, **more: Any) -> dict[str, Any]:
    entry = {"path": path, "size": len(_SECRET), "sha256": sha256(_SECRET), "tier": "light", "derived": False}
    return {**entry, **more}


def _manifest(*files: Any, **more: Any) -> dict[str, Any]:
    return {
        "schema": "evidence-ledger/run/v1", "exp_id": "evil", "run_id": _RUN, "status": "finished",
        "created": "2026-01-01T00:00:00.000Z", "provenance_hash": "0" * 64, "group_hash": "0" * 64,
        "files": list(files), "skipped": [], **more,
    }  # fmt: skip


def cases(outside: Path) -> dict[str, Any]:
    """Manifests by what is wrong with them; `outside` is a file that they may not reach."""
    up = "../../../../../outside/secret"
    return {
        "a path with ..": _manifest(_listed(up)),
        "a heavy path with ..": _manifest(_listed(up, tier="heavy")),
        "a derived path with ..": _manifest(_listed(up, tier="heavy", derived=True)),
        ".. in the middle": _manifest(_listed(f"a/../{up}")),
        "an absolute path": _manifest(_listed(str(outside))),
        "a duplicate path": _manifest(_listed("notes.txt"), _listed("notes.txt")),
        "a path that is two": _manifest(_listed("notes.txt"), _listed("./notes.txt")),
        "its own manifest": _manifest(_listed("run.json")),
        "a huge size": _manifest(_listed("notes.txt", size=2**63)),
        "a size beyond any number": _manifest(_listed("notes.txt", size=10**400)),
        "a negative size": _manifest(_listed("notes.txt", size=-1)),
        "a backslash": _manifest(_listed("..\\..\\outside\\secret")),
        "a drive": _manifest(_listed("C:\\secret")),
        "a NUL": _manifest(_listed("notes\0.txt")),
        "a line feed": _manifest(_listed("notes\nledger: all is well.txt")),
        "a terminal's escape": _manifest(_listed("\x1b[2J\x1b]0;title\x07notes.txt")),
        "half a surrogate": _manifest(_listed("\ud800")),
        "an empty path": _manifest(_listed("")),
        "a dot": _manifest(_listed(".")),
        "a folder": _manifest(_listed("folder")),
        "a link that leaves": _manifest(_listed("link/secret")),
        "a path too long": _manifest(_listed("a/" * 5000 + "b")),
        "no digest": _manifest(_listed("notes.txt", sha256="../../x")),
        "a number for a path": _manifest(_listed(7)),
        "files that are no list": _manifest(files={"a": 1}),
        "an id with ..": _manifest(run_id="../../evil"),
        "an experiment with ..": _manifest(exp_id="../../evil"),
        "skipped paths with ..": _manifest(skipped=[{"path": up, "reason": "\x1b[2J"}]),
        "a newer schema": _manifest(schema="evidence-ledger/run/v999"),
        "another schema": _manifest(schema="evidence-ledger/results/v1"),
        "a list": [1, 2],
        "NaN": b'{"files": [NaN]}',
        "a key twice": b'{"exp_id": "evil", "exp_id": "other"}',
        "nested without end": b"[" * 200_000,
        "bytes that are no UTF-8": b'{"exp_id": "\xff\xfe"}',
        "nothing": b"",
        "a pipe": "pipe", "a socket": "socket", "a directory": "directory", "a link to a device": "device",
        "8 GB of nothing": "sparse",
    }  # fmt: skip


def manifests(place: Place) -> Iterator[Outcome]:
    """Each of them as a run under `results/`, and the log says that it was sealed."""
    for outcome in place.side_by_side(partial(_tried, place), cases(Path("outside/secret"))):
        yield from outcome  # type: ignore[misc]


def _tried(place: Place, name: str) -> list[Outcome]:
    return [_case(place, name, logged=logged) for logged in ((True,) if place.quick else (True, False))]


def _case(place: Place, name: str, *, logged: bool) -> Outcome:
    root = place.project()
    outside = _outside(root)
    _plant(root / "results/evil/runs" / _RUN, cases(outside / "secret")[name])
    if logged:
        raw = cases(outside / "secret")[name]
        entry = {"type": "seal", "exp_id": "evil", "run_id": _RUN, "address": _address(raw), "status": "finished"}
        Journal(project.at(root)).append(entry)
    outcome = _commands(place, root, outside, f"{name}, {'logged' if logged else 'not logged'}", named="evil")
    shutil.rmtree(root.parent, ignore_errors=True)
    return outcome


def records(place: Place) -> Iterator[Outcome]:
    """Each record of ours as a link to a device without end, as git brings it, or as a pipe."""
    names = (
        "results/old/runs/RUN/run.json", "results/old/runs/RUN/provenance.json", "results/old/runs/RUN/results.json",
        "results/old/runs/RUN/config.resolved.yaml", "results/old/runs/RUN/notes.txt", "results/old/selected.json",
        "results/old/selected", ".ledger/log/0123456789abcdef.jsonl", "EVIDENCE.json", "ledger.toml",
    )  # fmt: skip
    points = [(name, kind) for name in names for kind in ("device", "pipe")]
    yield from place.side_by_side(partial(_record, place), points)  # type: ignore[misc]


def _record(place: Place, point: tuple[str, str]) -> Outcome:
    name, kind = point
    root = place.project()
    (run,) = Before.of(root).runs
    path = root / name.replace("RUN", run.name)
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    problems = []
    for command in COMMANDS[:: 2 if place.quick else 1]:
        said = place.run(*(run.name if part == _RUN else part for part in command), at=root, patience=_PATIENCE)
        problems += [f"`ledger {' '.join(command)}` {each}" for each in _spoken(said)]
    shutil.rmtree(root.parent, ignore_errors=True)
    return Outcome.of(f"{name} is a {kind}", problems, "said in one line")


def entries(place: Place) -> Iterator[Outcome]:
    """Log entries whose names lead elsewhere, where a whole run lies."""
    made: dict[str, Callable[[Path], dict[str, Any]]] = {
        "an experiment with ..": lambda _: {"exp_id": "../../outside", "run_id": _RUN},
        "an absolute experiment": lambda outside: {"exp_id": str(outside), "run_id": _RUN},
        "an id with ..": lambda _: {"exp_id": "evil", "run_id": f"../../../../outside/runs/{_RUN}"},
        "a NUL": lambda _: {"exp_id": "evil\0", "run_id": "x\0"},
        "a terminal's escape": lambda _: {"exp_id": "\x1b[2J", "run_id": "x\ny"},
        "numbers": lambda _: {"exp_id": 7, "run_id": None},
        "lists": lambda _: {"exp_id": ["a"], "run_id": {"b": 1}},
        "nothing": lambda _: {},
    }
    for name, make in made.items():
        for kind in ("start", "seal", "select"):
            root = place.project()
            outside = _outside(root)
            whole = next(Before.of(root).runs.__iter__())
            shutil.copytree(whole, outside / "runs" / _RUN)
            body = {
                "type": kind,
                "address": "0" * 64,
                "status": "finished",
                "provenance_hash": "0" * 64,
                **make(outside),
            }
            Journal(project.at(root)).append(body)
            yield _commands(place, root, outside, f"{kind} of {name}", named=None)
            shutil.rmtree(root.parent, ignore_errors=True)


def _outside(root: Path) -> Path:
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(_SECRET)
    return outside


def _address(raw: Any) -> str:
    try:
        return digest(raw) if isinstance(raw, dict) else "0" * 64
    except Exception:  # noqa: BLE001 (what cannot be hashed has no address)
        return "0" * 64


def _plant(run: Path, raw: Any) -> None:
    """A run folder with this manifest, and beside it what the manifest may name."""
    run.mkdir(parents=True)
    (run / "notes.txt").write_bytes(_SECRET)
    (run / "folder").mkdir()
    (run / "link").symlink_to("../../../../../outside")
    path = run / "run.json"
    if raw == "pipe":
        os.mkfifo(path)
    elif raw == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            here = Path.cwd()
            made.bind(f"{path}" if len(str(path)) < 100 else os.path.relpath(path, here))
    elif raw == "directory":
        path.mkdir()
    elif raw == "device":
        path.symlink_to("/dev/zero")
    elif raw == "sparse":
        with path.open("wb") as stream:
            stream.truncate(8 << 30)
    else:
        path.write_bytes(raw if isinstance(raw, bytes) else json.dumps(raw).encode())


def _commands(place: Place, root: Path, outside: Path, point: str, *, named: str | None) -> Outcome:
    """Every command that meets it."""
    before, elsewhere = Before.of(root), tree(outside)
    problems = []
    for command in COMMANDS[:: 2 if place.quick else 1]:
        said = place.run(*command, at=root, patience=_PATIENCE)
        wrong = _spoken(said)
        if command[0] in {"show", "select"} and said.status == 0 and named is None:
            wrong.append("says nothing")
        if command == ("fsck",) and named and (said.status != 1 or named not in said.out):
            wrong.append(f"exits {said.status} and does not name the run")
        problems += [f"`ledger {' '.join(command)}` {each}" for each in wrong]
    problems += before.altered() and ["a sealed run is not what it was"]
    problems += [] if tree(outside) == elsewhere else ["something outside was touched"]
    return Outcome.of(point, problems, "said in one line, nothing outside touched")


def _spoken(said: Said) -> list[str]:
    """What is wrong with how a command ended and what it printed."""
    wrong = list(said.problems)
    if said.status is not None and (said.status < 0 or said.status > 3):
        wrong.append(f"exits {said.status}")
    if _CONTROL.search(said.out + said.err):
        wrong.append("prints control characters")
    if said.status in {2, 3} and len(said.err.strip().splitlines()) > 2:
        wrong.append(f"says it in {len(said.err.strip().splitlines())} lines")
    if _SECRET.decode().strip() in said.out + said.err:
        wrong.append("shows what is outside")
    return wrong


FAULTS = (
    Fault("manifests", "a hostile manifest under results/", manifests),
    Fault("records", "a pipe, or a link to a device, in place of a record", records),
    Fault("entries", "a hostile entry of the log", entries),
)
