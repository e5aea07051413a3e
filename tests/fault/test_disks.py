"""Disks as there are: results on another one, no modes, no locks, and a colleague's files among ours."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ledger.canon import file_digest
from ledger.errors import StoreError
from ledger.project import Project
from ledger.seal import folder, staging
from ledger.seal.folder import seal_folders
from ledger.seal.publish import seal
from ledger.store import atomic, fsck, lock
from ledger.store.journal import Journal
from ledger.store.runs import Run, RunStore

MakeRun = Callable[..., Run]
FILES = {"checkpoints/deep er/best.pt": b"weights", "empty": b"", "ü.txt": b"x"}


def errors(found: Project) -> list[str]:
    return [f"{f.rule}: {f.message}" for f in fsck.check(found).findings if f.severity == "error"]


@pytest.fixture
def other_disk(here: Project) -> Iterator[Path]:
    """Another file system where `results` leads."""
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == here.root.stat().st_dev or not os.access(memory, os.W_OK):
        pytest.skip("there is no second file system")
    place = memory / f"ledger-test-{os.getpid()}-{os.urandom(4).hex()}"
    place.mkdir()
    here.results.symlink_to(place)
    yield place
    shutil.rmtree(place)


def test_results_may_lie_on_another_disk(here: Project, other_disk: Path, make_run: MakeRun) -> None:
    runs = [make_run(here, files=FILES, seed=seed) for seed in (0, 1)]
    for run in runs:
        assert {name: (run.path / name).read_bytes() for name in FILES} == FILES
        assert run.path.resolve().is_relative_to(other_disk)
    assert errors(here) == []
    assert not list(here.running.iterdir())
    assert not list(other_disk.rglob(".ledger-tmp-*"))


@pytest.mark.parametrize("step", ["copyfile", "fsync", "rename"])
def test_another_disk_that_refuses_loses_nothing(
    here: Project, other_disk: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    staged = staging.begin(here, "exp", config={"lr": 1})
    (staged.path / "notes.txt").write_text("hours of work")
    real: dict[str, Any] = {"copyfile": shutil.copyfile, "fsync": os.fsync, "rename": os.rename}

    def refuse(*args: Any, **options: Any) -> Any:
        beyond = os.path.realpath(f"/proc/self/fd/{args[0]}") if step == "fsync" else str(args[-1])
        if other_disk.name in os.path.realpath(beyond) and (step != "rename" or ".ledger-tmp-" in str(args[0])):
            raise OSError(errno.ENOSPC, "No space left on device")
        return real[step](*args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(shutil if step == "copyfile" else os, step, refuse)
        with pytest.raises(StoreError, match="free some space"):
            seal(here, staged, "finished", 0)
    assert RunStore(here).all() == []
    assert not list(other_disk.rglob(".ledger-tmp-*"))
    run = seal(here, staging.load(staged.path), "finished", 0).run
    assert (run.path / "notes.txt").read_text() == "hours of work"
    assert errors(here) == []


@pytest.mark.parametrize("number", [errno.EPERM, errno.EACCES, errno.ENOTSUP])
def test_modes_that_cannot_be_set_keep_nothing_from_being_sealed(
    here: Project, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """A share without modes; or an object, such as the list of packages, that a colleague stored first."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "chmod", refuse)
    for seed in (0, 1):
        make_run(here, files=FILES, seed=seed)
    monkeypatch.undo()
    assert errors(here) == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be two users")
def test_a_colleague_seals_in_the_same_store(here: Project, make_run: MakeRun) -> None:
    make_run(here, files=FILES)
    for path in [here.root, *here.root.rglob("*")]:
        if path.is_dir() or ".ledger/local" in str(path):
            path.chmod(0o777)
    for path in here.log.iterdir():
        path.chmod(0o666)
    private = {outer: outer.stat().st_mode for outer in here.root.parents}
    private = {outer: mode for outer, mode in private.items() if mode & 0o055 != 0o055}  # pytest's own
    for outer, mode in private.items():
        outer.chmod(mode | 0o055)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setuid(65534)
            make_run(here, files=FILES, seed=1)
            status = 0
        finally:
            os._exit(status)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    for outer, mode in private.items():
        outer.chmod(mode)
    assert ended == 0
    assert len(RunStore(here).all()) == 2
    assert errors(here) == []


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_has_a_file_instead(
    here: Project, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    fcntl = pytest.importorskip("fcntl")

    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    make_run(here)
    assert errors(here) == []
    monkeypatch.setattr(lock, "_PATIENCE", 0.1)
    with lock.exclusive(here.local, "log"), pytest.raises(StoreError, match=r"held this lock.*delete this file"):
        Journal(here).append({"type": "disclose", "text": "at the same time"})
    Journal(here).append({"type": "disclose", "text": "afterwards"})


def test_a_full_disk_is_no_missing_lock(here: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")

    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(StoreError, match="Input/output error"):
        Journal(here).append({"type": "disclose", "text": "x"})


def test_what_is_copied_to_another_disk_is_what_was_sealed(here: Project, other_disk: Path, make_run: MakeRun) -> None:
    run = make_run(here, files={"big.bin": os.urandom(3_000_000)})
    listed = {file.path: (file.sha256, file.size) for file in run.manifest.files}
    assert {name: file_digest(run.path / name) for name in listed} == listed
    with atomic.durability(full=False):
        again = make_run(here, files={"big.bin": b"1" * 3_000_000})
    assert (again.path / "big.bin").stat().st_mode & 0o777 == 0o444


def test_a_folder_from_another_disk_goes_only_when_its_copy_is_whole(
    here: Project, other_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.results.unlink()
    (other_disk / "out/deep").mkdir(parents=True)
    (other_disk / "out/deep/best.pt").write_bytes(b"weights")
    (other_disk / "out/notes.txt").write_bytes(b"notes")
    sources = {path.name for path in (other_disk / "out").rglob("*")}
    gone: list[set[str]] = []
    for step in ("open", "sendfile", "fsync"):

        def refuse(*_: object, **__: object) -> int:
            gone.append(sources - {path.name for path in (other_disk / "out").rglob("*")})
            raise OSError(errno.EIO, "Input/output error")

        with monkeypatch.context() as patch:
            if step == "open":
                patch.setattr("ledger.store.copying._copy_range", refuse)
            else:
                patch.setattr(os, step, refuse)
            with pytest.raises(StoreError, match="Input/output error"):
                seal_folders(here, [other_disk / "out"], "exp", placement="move")
        assert {path.name for path in (other_disk / "out").rglob("*")} == sources
    assert len(gone) >= 3
    assert not any(gone)
    (sealed,) = seal_folders(here, [other_disk / "out"], "exp", placement="move")
    assert (sealed.run.path / "deep/best.pt").read_bytes() == b"weights"
    assert not (other_disk / "out").exists()
    assert errors(here) == []


def test_twins_that_a_disk_takes_for_one_name_are_refused_and_both_kept(
    here: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Copied onto a file system that does not tell case; here every name that is opened is made lower case."""
    (tmp_path / "out").mkdir()
    for name in ("Log.txt", "log.txt"):
        (tmp_path / "out" / name).write_text(name)
    real = folder.clone

    def folded(source: str, target: str) -> None:
        real(source, target.replace("Log.txt", "log.txt"))

    monkeypatch.setattr(folder, "clone", folded)
    with pytest.raises(StoreError, match="place of another file") as caught:
        seal_folders(here, [tmp_path / "out"], "exp")
    assert "\n" not in str(caught.value)
    assert {path.read_text() for path in (tmp_path / "out").iterdir()} == {"Log.txt", "log.txt"}
    assert RunStore(here).all() == []
    assert not list(here.running.iterdir())
