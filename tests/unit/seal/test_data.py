"""The data input: what training reads counts, links included, and what could not be read is said."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger import schema
from ledger.canon import digest, sha256
from ledger.errors import InputError, UsageError
from ledger.project import Project
from ledger.seal import staging
from ledger.seal.data import Data, capture
from ledger.seal.publish import seal
from ledger.store.digests import Digests


def read(path: Path) -> Data:
    return capture(path, None, Digests())


def state(path: Path) -> str:
    found = read(path)
    assert found.gaps == (), found.gaps
    return str(found.record["sha256"])


@pytest.fixture
def real(tmp_path: Path) -> Path:
    """A folder with a file in a folder in it."""
    path = tmp_path / "real"
    (path / "deep").mkdir(parents=True)
    (path / "deep/one.txt").write_text("1")
    return path


def direct(real: Path, data: Path) -> None:
    data.symlink_to(real)


def within(real: Path, data: Path) -> None:
    data.mkdir()
    (data / "train").symlink_to(real)


def twice(real: Path, data: Path) -> None:
    data.mkdir()
    (data.parent / "between").symlink_to(real)
    (data / "train").symlink_to(data.parent / "between")


def below(real: Path, data: Path) -> None:
    (data / "a/b").mkdir(parents=True)
    (data / "a/b/train").symlink_to(real / "deep")


def file(real: Path, data: Path) -> None:
    data.mkdir()
    (data / "train.txt").symlink_to(real / "deep/one.txt")


def file_itself(real: Path, data: Path) -> None:
    data.symlink_to(real / "deep/one.txt")


@pytest.mark.parametrize("link", [direct, within, twice, below, file, file_itself])
def test_a_change_behind_a_link_is_a_change(real: Path, tmp_path: Path, link: Callable[[Path, Path], None]) -> None:
    data = tmp_path / "data"
    link(real, data)
    states = [state(data)]
    (real / "deep/one.txt").write_text("2")
    states.append(state(data))
    if link not in (file, file_itself):
        (real / "deep/new.txt").write_text("3")
        states.append(state(data))
        (real / "deep/one.txt").unlink()
        states.append(state(data))
    assert len(set(states)) == len(states)


def test_a_link_counts_as_what_is_read_through_it(real: Path, tmp_path: Path) -> None:
    within(real, tmp_path / "linked")
    (tmp_path / "copied/train/deep").mkdir(parents=True)
    (tmp_path / "copied/train/deep/one.txt").write_text("1")
    assert state(tmp_path / "linked") == state(tmp_path / "copied")
    assert state(tmp_path / "copied") == digest([["train/deep/one.txt", sha256(b"1")]])


def test_links_in_a_circle_come_to_an_end(real: Path) -> None:
    (real / "deep/up").symlink_to(real)
    (real / "deep/self").symlink_to(".")
    (real / "beside").symlink_to("deep")
    listed = [["beside/one.txt", sha256(b"1")], ["deep/one.txt", sha256(b"1")]]
    assert state(real) == digest(listed)


def dangling(data: Path) -> None:
    (data / "gone").symlink_to("nowhere")


def in_itself(data: Path) -> None:
    (data / "loop").symlink_to("loop")


def pipe(data: Path) -> None:
    os.mkfifo(data / "pipe")


def closed_folder(data: Path) -> None:
    (data / "closed").mkdir(mode=0)


def closed_file(data: Path) -> None:
    (data / "closed.txt").write_text("x")
    (data / "closed.txt").chmod(0)


AS_ROOT = os.geteuid() == 0


@pytest.mark.parametrize(
    "harm", [dangling, in_itself, pipe, *([] if AS_ROOT else [closed_folder, closed_file])]
)  # fmt: skip
def test_what_cannot_be_read_is_said_and_the_rest_counts(
    here: Project, real: Path, harm: Callable[[Path], None]
) -> None:
    whole = state(real)
    harm(real)
    found = read(real)
    assert found.record["sha256"] == whole
    assert [gap.rule for gap in found.gaps] == ["data-incomplete"]
    sealed = seal(here, staging.begin(here, "exp", data=real), "finished", 0)
    schema.validate(sealed.run.provenance, "provenance")
    assert "data-incomplete" in {finding.rule for finding in sealed.findings}
    assert str(real) not in (sealed.run.path / "provenance.json").read_text()


def test_a_folder_that_holds_nothing_is_said(tmp_path: Path) -> None:
    (tmp_path / "mount").mkdir()
    (tmp_path / "mount/.hidden").write_text("x")
    assert "mount: the folder holds no file" in read(tmp_path / "mount").gaps[0].message


def test_a_file_that_is_written_while_it_is_read_is_said(real: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ledger.store import digests

    original = digests.handle_digest

    def and_write(handle: int, size: int) -> tuple[str, int]:
        found = original(handle, size)
        with (real / "deep/one.txt").open("a") as stream:
            stream.write("more")
        return found

    monkeypatch.setattr(digests, "handle_digest", and_write)
    assert "real/deep/one.txt: changed while it was read" in read(real).gaps[0].message


def test_a_nested_start_says_what_is_missing_too(here: Project, real: Path) -> None:
    (real / "gone").symlink_to("nowhere")
    staged = staging.begin(here, "exp")
    staged = staging.amend(here, staged, config=None, seed=None, data_path=real)
    sealed = seal(here, staged, "finished", 0)
    assert [f.rule for f in sealed.findings if f.severity == "warning"] == ["data-incomplete"]


def test_what_is_no_data_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "gone").symlink_to("nowhere")
    with socket.socket(socket.AF_UNIX) as opened:
        monkeypatch.chdir(tmp_path)  # a socket's path may not be long
        opened.bind("socket")
        for name, error in (("socket", UsageError), ("gone", UsageError), ("absent", UsageError), ("loop", InputError)):
            with pytest.raises(error):
                read(tmp_path / name)
