"""Where a benchmark works: one scratch folder with sources of random bytes, and fresh projects and repositories."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

BIN = Path(sys.executable).parent
LEDGER = str(BIN / "ledger")


@dataclass(frozen=True)
class Kind:
    """A source to seal: so many runs of so many files of so many bytes."""

    name: str
    runs: int
    files: int
    size: int

    @property
    def bytes(self) -> int:
        return self.runs * self.files * self.size


@dataclass(frozen=True)
class Place:
    """The scratch folder. Sources are made once; everything else is made anew for each round."""

    root: Path
    quick: bool
    rounds: int
    mlflow: Path | None = None  # an interpreter that has MLflow
    env: dict[str, str] = field(default_factory=dict)

    @classmethod
    def at(cls, root: Path, *, quick: bool, rounds: int, mlflow: Path | None) -> Place:
        home = root / "home"
        home.mkdir(parents=True, exist_ok=True)
        settings = "[user]\n name = t\n email = t@example.invalid\n[init]\n defaultBranch = main\n[gc]\n auto = 0\n"
        (home / ".gitconfig").write_text(settings, encoding="utf-8")
        # nor may a setting of Python's keep the compiled modules from being kept, as every installation keeps them
        env = {key: value for key, value in os.environ.items() if not key.startswith(("LEDGER_", "GIT_", "PYTHON"))}
        env |= {
            "HOME": str(home),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "RESTIC_PASSWORD": "x",
            "BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK": "yes",
            "DVC_NO_ANALYTICS": "1",
            "MLFLOW_DISABLE_TELEMETRY": "true",
            "MLFLOW_ALLOW_FILE_STORE": "true",
            "GIT_PYTHON_REFRESH": "quiet",
        }
        return cls(root, quick, rounds, mlflow, env)

    def source(self, kind: Kind) -> Path:
        """The folder of a kind's runs, `run00000` and so on."""
        root = self.root / f"source-{kind.name}"
        if not root.exists():
            for run in range(kind.runs):
                folder = root / f"run{run:05d}"
                folder.mkdir(parents=True)
                for file in range(kind.files):
                    _random_file(folder / f"f{file:04d}.bin", kind.size)
        return root

    def fresh(self, name: str, *, init: Sequence[Sequence[str]] = (), source: Path | None = None) -> Path:
        """An empty folder in which `init` ran, with a copy of `source` as `data` when one is given."""
        folder = self.root / name
        remove(folder)
        folder.mkdir(parents=True)
        for command in init:
            subprocess.run(command, cwd=folder, env=self.env, check=True, capture_output=True)
        if source is not None:
            shutil.copytree(source, folder / "data")
        os.sync()  # what was just written must not be waited for by what is measured
        return folder

    def project(self, name: str) -> Path:
        """A project of ours with one commit."""
        commands = (
            ["git", "init", "-q"], [LEDGER, "init"], ["git", "add", "-A"], ["git", "commit", "-qm", "start"],
        )  # fmt: skip
        return self.fresh(name, init=commands)


def _random_file(path: Path, size: int) -> None:
    with path.open("wb") as stream:
        while size:
            part = os.urandom(min(size, 1 << 22))
            stream.write(part)
            size -= len(part)


def remove(path: Path) -> None:
    """Remove a folder although its files are read-only."""
    for folder, _, _ in os.walk(path):
        Path(folder).chmod(stat.S_IRWXU)
    shutil.rmtree(path, ignore_errors=True)


def allocated(*paths: Path) -> int:
    """Bytes on the disk below folders; a file with several names counts once."""
    seen = {}
    for path in paths:
        for entry in (path, *path.rglob("*")):
            about = entry.lstat()
            seen[about.st_ino] = about.st_blocks * 512
    return sum(seen.values())
