"""Any value in any JSON file of a project replaced by any other: every command works, or refuses in one line."""

from __future__ import annotations

import contextlib
import copy
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import project
from ledger.cli.lazy import cli
from ledger.errors import LedgerError
from ledger.log.segment import encode
from ledger.project import Project
from ledger.seal import staging
from ledger.seal.publish import seal

CLAIMS = [
    {"id": "C1", "disclosure": "one", "evidence": [{"exp_id": "ours", "metric": "acc", "split": "test"}]},
    {"id": "C2", "evidence": [{"metric": "gain", "derive": "delta(C1, C1)"}]},
]
RESULTS = {"metrics": [{"metric": "acc", "value": 0.9, "split": "test", "n": 10, "variance": {"type": "std", "value": 0.1}}]}  # fmt: skip
COMMANDS = [
    "fsck", "fsck --repair", "runs --all", "runs --where acc>0 --sort config.lr", "runs --format csv", "show @last",
    "diff @last @best:acc", "evidence check", "evidence refresh", "build", "trace C1", "trace C2 --format json", "prove C1",
    "prove @last", "log", "log verify", "log head", "gate", "reconcile", "select @last", "seal LEFT", "disclose C1 --text x",
]  # fmt: skip
ODD = [None, True, 0, -1, 10**30, 1.5, "", "x", "../../..", "a\0b", "\ud800", [], [1], [[]], {}, {"a": 1}, ["x", "y"]]
GONE = object()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, dict[Path, bytes], str]]:
    """A project with two runs, one in progress, claims and a document; the bytes of its files; the run in progress."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        root = tmp_path_factory.mktemp("project")
        (root / "EVIDENCE.json").write_text(json.dumps({"project": "p", "claims": CLAIMS}))
        (root / "README.md").write_text("| m | acc |\n|:--|--:|\n| ours | 0.81 |\n")
        found = project.at(root)
        for seed in (0, 1):
            staged = staging.begin(found, "ours", config={"lr": 1, "seed": seed})
            (staged.path / "results.json").write_text(json.dumps(RESULTS))
            (staged.path / "checkpoints").mkdir()
            (staged.path / "checkpoints/best.pt").write_bytes(b"w")
            seal(found, staged, "finished", 0)
        left = staging.begin(found, "left").run_id
        patch.chdir(root)
        assert call("evidence refresh") is None
        patch.setenv("LEDGER_PROJECT", str(root))
        yield found, files(root), left


def files(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and not path.is_symlink()}


def restore(root: Path, kept: dict[Path, bytes]) -> None:
    for path, data in files(root).items():
        if path not in kept:
            path.unlink()
        elif data != kept[path]:
            path.chmod(0o644)
            path.write_bytes(kept[path])
    for path, data in kept.items():
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


def call(line: str) -> str | None:
    """What a command said when it refused; None when it did its work. Anything but a LedgerError is our bug."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            cli.main(line.split(), prog_name="ledger", standalone_mode=False)
        except LedgerError as error:
            return str(error)
        except (click.ClickException, click.exceptions.Exit):
            return "usage"
    return None


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in items:
        yield from places(item, (*at, step))


def changed(value: Any, at: tuple[Any, ...], new: Any) -> Any:
    if not at:
        return new
    value = copy.deepcopy(value)
    inner = value
    for step in at[:-1]:
        inner = inner[step]
    if new is GONE:
        del inner[at[-1]]
    else:
        inner[at[-1]] = new
    return value


def spoiled(data: bytes, path: Path, draw: Any) -> bytes:
    """The file with one value replaced, or gone."""
    lines = data.split(b"\n")[:-1] if path.suffix == ".jsonl" else [data]
    place = draw(st.integers(0, len(lines) - 1))
    value = json.loads(lines[place])
    at = draw(st.sampled_from(list(places(value))))
    new = changed(value, at, draw(st.sampled_from([*ODD, GONE] if at else ODD)))
    try:
        lines[place] = encode(new) if isinstance(new, dict) and path.suffix == ".jsonl" else json.dumps(new).encode()
    except LedgerError:  # no canonical form: such a line is refused as it stands
        lines[place] = json.dumps(new).encode()
    return b"\n".join(lines) + b"\n"


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_no_file_makes_a_command_fall_over(store: tuple[Project, dict[Path, bytes], str], data: st.DataObject) -> None:
    found, kept, left = store
    path = data.draw(st.sampled_from(sorted(path for path in kept if path.suffix in {".json", ".jsonl"})))
    path.chmod(0o644)
    path.write_bytes(spoiled(kept[path], path, data.draw))
    try:
        for line in data.draw(st.lists(st.sampled_from(COMMANDS), min_size=1, max_size=4)):
            said = call(line.replace("LEFT", left)) or ""
            assert "\n" not in said
    finally:
        restore(found.root, kept)
