"""Where faults are tried: fresh projects in scratch folders, and the command line as users call it.

Whatever needs no real disk lies in memory, where nothing waits for one; a killed process loses nothing of either.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from benchmarks.store.place import LEDGER
from benchmarks.store.place import Place as Scratch

T = TypeVar("T")

PATIENCE = 300  # seconds; what takes longer hangs
OLD = "old"  # the experiment that is sealed before anything goes wrong
ROWS = '{"metrics": [{"metric": "acc", "value": 0.5, "split": "test", "dataset": "toy", "n": 100}]}\n'


@dataclass(frozen=True)
class Said:
    """How a command ended: its exit status (negative: the signal; None: it hung) and what it printed."""

    status: int | None
    out: str
    err: str

    @property
    def problems(self) -> list[str]:
        """What no command may ever do, whatever befell it."""
        found = []
        if self.status is None:
            found.append("hung")
        if "Traceback (most recent call last)" in self.err:
            found.append(f"a traceback: {self.err.strip().splitlines()[-1][:200]}")
        return found

    @property
    def last(self) -> str:
        """Its last line for people."""
        return (self.err.strip().splitlines() or [""])[-1].removeprefix("ledger: ")[:160]


@dataclass
class Place:
    """Scratch folders on the disk and in memory, the environment, and the product to try."""

    disk: Path
    memory: Path
    quick: bool
    env: dict[str, str]
    ledger: str = LEDGER
    _count: Iterator[int] = field(default_factory=itertools.count)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def at(cls, disk: Path, memory: Path, *, quick: bool, ledger: str = LEDGER) -> Place:
        env = Scratch.at(memory, quick=quick, rounds=1, mlflow=None).env
        env.pop("RANK", None)
        env.pop("SLURM_PROCID", None)
        env["PYTHONHASHSEED"] = "0"  # the n-th system call must be the same one at each try
        return cls(disk, memory, quick, env, ledger)

    def folder(self, *, disk: bool = False) -> Path:
        """A new empty folder."""
        made = (self.disk if disk else self.memory) / f"t{next(self._count)}"
        made.mkdir(parents=True)
        return made

    def run(
        self, *args: str, at: Path, env: dict[str, str] | None = None, before: Sequence[str] = (),
        patience: float = PATIENCE,
    ) -> Said:  # fmt: skip
        """`ledger ARGS` in a process of its own; `before` is what it is started by (strace, faketime...)."""
        return self.call([*before, self.ledger, *args], at=at, env=env, patience=patience)

    def call(
        self, command: Sequence[str], *, at: Path, env: dict[str, str] | None = None, patience: float = PATIENCE
    ) -> Said:
        """Any command."""
        child = subprocess.Popen(
            command, cwd=at, env={**self.env, **(env or {})}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        try:
            out, err = child.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, 9)
            out, err = child.communicate()
            return Said(None, out.decode(errors="replace"), err.decode(errors="replace"))
        return Said(child.returncode, out.decode(errors="replace"), err.decode(errors="replace"))

    def must(self, *command: str, at: Path) -> str:
        """A command that is no part of what is tried: without it nothing can be."""
        said = self.call(command, at=at)
        if said.status != 0:
            raise RuntimeError(f"{' '.join(command)[:200]} exited with {said.status}: {said.err.strip()[-500:]}")
        return said.out

    def git(self, *args: str, at: Path) -> str:
        return self.must("git", *args, at=at)

    def project(self, *, disk: bool = False) -> Path:
        """A project in git, with a source, a run that was sealed before, and everything committed; made once, then copied."""
        with self._lock:
            template = self.memory / "template"
            if not template.is_dir():
                self._template(self.memory / "template-begun")
                (self.memory / "template-begun").rename(template)
        copy = self.folder(disk=disk) / "project"
        shutil.copytree(template, copy, symlinks=True)
        return copy

    def _template(self, root: Path) -> None:
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir()
        self.git("init", "-q", at=root)
        self.must(LEDGER, "init", at=root)
        (root / "train.py").write_text("print('training')\n", encoding="utf-8")
        self.git("add", "-A", at=root)
        self.git("commit", "-qm", "start", at=root)
        source = self.output(root.parent / "template-out", b"old")
        self.must(LEDGER, "seal", str(source), "--exp", OLD, "--seed", "0", at=root)
        self.git("add", "-A", at=root)
        self.git("commit", "-qm", "a run", at=root)

    def output(self, folder: Path, content: bytes) -> Path:
        """What a training leaves: notes, numbers, a checkpoint."""
        (folder / "checkpoints").mkdir(parents=True)
        (folder / "results.json").write_text(ROWS, encoding="utf-8")
        for name, data in written(content).items():
            (folder / name).write_bytes(data)
        return folder

    def side_by_side(self, work: Callable[[T], object], items: Iterable[T]) -> Iterator[object]:
        """`work` on each item, one to a core; results in their order, and nothing else of a point outlives it."""
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            yield from pool.map(work, items)


def written(content: bytes) -> dict[str, bytes]:
    """The files of `Place.output` that must come through whatever happens."""
    return {"notes.txt": b"notes of " + content, "checkpoints/best.pt": content * 1000}
