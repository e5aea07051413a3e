"""Fixtures that several suites share: a project, a run in it, git around it, and the command line as users call it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger import project
from ledger.project import Project
from ledger.seal import staging
from ledger.seal.publish import seal
from ledger.store.runs import Run

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or leaves anything in the cache of whoever runs it, nor joins a run around it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    for name in [name for name in os.environ if name.startswith("LEDGER_")] + ["RANK", "SLURM_PROCID"]:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def here(tmp_path: Path) -> Project:
    """An empty project outside git, in a folder whose name has a space and a letter beyond ASCII."""
    root = tmp_path / "pröject one"
    root.mkdir()
    (root / "EVIDENCE.json").write_text('{"project": "p", "claims": []}')
    return project.at(root)


@pytest.fixture
def in_git(here: Project, git: Callable[..., str]) -> Project:
    """The same in a git repository, as `ledger init` leaves it, with a source file, committed."""
    (here.root / ".gitignore").write_text(".ledger/objects/\n.ledger/running/\n.ledger/local/\n")
    (here.root / ".gitattributes").write_text("results/** -text\n.ledger/log/** -text\n")
    (here.root / "train.py").write_text("print('training')\n")
    git("init", "-q", "-b", "main")
    commit(git, "start")
    return here


@pytest.fixture
def git(here: Project) -> Callable[..., str]:
    """Run git in the project; returns what it printed."""

    def call(*args: str, at: Path | None = None, check: bool = True) -> str:
        who = ["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *who, *args], cwd=at or here.root, capture_output=True, text=True, check=False)
        if check and done.returncode:
            raise AssertionError(done.stderr)
        return done.stdout

    return call


def commit(git: Callable[..., str], message: str) -> None:
    git("add", "-A")
    git("commit", "-qm", message)


@pytest.fixture
def make_run() -> Callable[..., Run]:
    """Seal a run of given metrics and files; returns it."""

    def make(
        found: Project,
        exp: str = "ours",
        *,
        seed: Any = 0,
        value: float = 0.9,
        files: dict[str, bytes] | None = None,
        **config: Any,
    ) -> Run:
        staged = staging.begin(found, exp, config={"lr": 0.1, **config}, seed=seed)
        row = {"metric": "acc", "value": value, "split": "test", "dataset": "toy", "n": 100}
        (staged.path / "results.json").write_text(json.dumps({"metrics": [row]}))
        for name, data in (files or {}).items():
            path = staged.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return seal(found, staged, "finished", 0).run

    return make


@pytest.fixture
def shell(here: Project) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The command line in a process of its own: `shell("runs", "--all")`."""

    def call(
        *args: str, at: Path | None = None, env: dict[str, str] | None = None, module: str = "ledger.cli.main"
    ) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(ROOT), str(ROOT / "adapters")])
        around = {**os.environ, "PYTHONPATH": path, **(env or {})}
        command = [sys.executable, "-m", module, *args]
        return subprocess.run(command, cwd=at or here.root, env=around, capture_output=True, text=True, check=False)

    return call
