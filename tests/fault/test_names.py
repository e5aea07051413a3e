"""A name is on the disk only when its folder is: every name that a seal makes is flushed before the seal returns."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import StoreError
from ledger.project import Project
from ledger.seal import staging
from ledger.seal.folder import seal_folders
from ledger.seal.publish import seal
from ledger.store import atomic
from ledger.store.runs import Run

NAMING = {"mkdir": 0, "rename": 1, "replace": 1, "link": 1, "symlink": 1}  # call -> which argument is the new name


@pytest.fixture
def unflushed(monkeypatch: pytest.MonkeyPatch) -> Callable[[], set[Path]]:
    """Names made since, by folders that were not flushed after it; temporary ones are nobody's loss."""
    open_names: set[Path] = set()

    def watched(call: Callable[..., Any], which: int) -> Callable[..., Any]:
        def wrapped(*args: Any, **options: Any) -> Any:
            made = Path.cwd() / args[which]
            done = call(*args, **options)
            if not made.name.startswith(atomic.TEMPORARY):
                open_names.add(made)
            return done

        return wrapped

    for name, which in NAMING.items():
        monkeypatch.setattr(os, name, watched(getattr(os, name), which))
    real = os.fsync

    def fsync(handle: int) -> None:
        folder = Path(f"/proc/self/fd/{handle}").readlink()
        real(handle)
        open_names.difference_update({path for path in open_names if path.parent == folder})

    monkeypatch.setattr(os, "fsync", fsync)
    return lambda: open_names


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="which file a handle is of is known on Linux only")
@pytest.mark.parametrize("again", [False, True])
def test_no_name_of_a_sealed_run_is_left_to_luck(
    here: Project, make_run: Callable[..., Run], unflushed: Callable[[], set[Path]], again: bool
) -> None:
    files = {"checkpoints/best.pt": b"weights", "deep/er/notes.txt": b"x"}
    run = make_run(here, files=files)
    if again:
        run = make_run(here, files=files, seed=1)
    # the work of the training itself is flushed under the name that it has in staging
    assert {path for path in unflushed() if path.exists()} == set()
    assert run.path.is_dir()


def test_a_new_folder_and_all_on_its_way_are_flushed(tmp_path: Path, unflushed: Callable[[], set[Path]]) -> None:
    atomic.make_folder(tmp_path / "a/b/c")
    assert unflushed() == set()
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="file"):
        atomic.make_folder(tmp_path / "file/below")
    with pytest.raises(OSError, match="file"):
        atomic.make_folder(tmp_path / "file")
    atomic.make_folder(tmp_path / "a/b/secret", mode=0o700)
    assert (tmp_path / "a/b/secret").stat().st_mode & 0o777 == 0o700


def test_a_disk_that_could_not_write_many_files_is_heard(
    here: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """sync(2) returns nothing; syncfs(2) tells."""
    ctypes = pytest.importorskip("ctypes")
    staged = staging.begin(here, "many")
    for number in range(300):
        (staged.path / f"{number}.txt").write_text(str(number))

    class Refusing:
        def syncfs(self, handle: int) -> int:
            os.fstat(handle)
            ctypes.set_errno(errno.EIO)
            return -1

    with monkeypatch.context() as patch:
        patch.setattr("sys.platform", "linux")
        patch.setattr(ctypes, "CDLL", lambda *_, **__: Refusing())
        with pytest.raises(StoreError, match="Input/output error"):
            seal(here, staged, "finished", 0)
    assert not list(here.results.rglob("run.json"))
    assert (seal(here, staged, "finished", 0).run.path / "299.txt").read_text() == "299"


@pytest.mark.parametrize("missing", [errno.ENOSYS, None])
def test_where_syncfs_is_not_known_every_file_is_flushed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: int | None
) -> None:
    ctypes = pytest.importorskip("ctypes")

    class Old:
        def __getattr__(self, name: str) -> Any:
            if missing is None or name != "syncfs":
                raise AttributeError(name)
            return lambda _: ctypes.set_errno(missing) or -1

    flushed: list[int] = []
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: Old())
    monkeypatch.setattr(os, "fsync", flushed.append)
    names = [str(number) for number in range(300)]
    for name in names:
        (tmp_path / name).write_text(name)
    atomic.fsync_trees([(tmp_path, names)])
    assert len(flushed) == 301  # the files and their folder


def test_what_is_handed_over_is_moved_only_when_the_record_that_seals_it_is_on_the_disk(
    here: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "notes.txt").write_text(name)
    flushed: set[str] = set()
    real_fsync, real_rename = os.fsync, os.rename

    def fsync(handle: int) -> None:
        flushed.add(str(Path(f"/proc/self/fd/{handle}").resolve()))
        real_fsync(handle)

    def rename(source: Any, target: Any) -> None:
        if Path(source).parent == tmp_path:
            assert {f"{target}.json", str(here.running)} <= flushed
        real_rename(source, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "rename", rename)
    assert len(seal_folders(here, [tmp_path / "a", tmp_path / "b"], "exp", placement="move")) == 2
