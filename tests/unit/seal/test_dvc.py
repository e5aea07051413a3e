"""Data as DVC recorded them, with DVC itself: what it writes is read, and no byte of the data is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import schema
from ledger.errors import InputError, LedgerError, UsageError
from ledger.project import Project
from ledger.seal import data
from ledger.seal.data import Data
from ledger.store.digests import Digests

pytestmark = pytest.mark.xdist_group("dvc")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A DVC project: a file and a folder that were added, and a stage that ran."""
    root = tmp_path_factory.mktemp("dvc project")
    (root / "points.csv").write_text("a,b\n1,2\n")
    (root / "images/deep").mkdir(parents=True)
    (root / "images/deep/é 1.png").write_bytes(b"\x89PNG")
    (root / "images/2.png").write_bytes(b"")
    (root / "images/split_manifest.json").write_text('{"splits": {}}')
    (root / "make.py").write_text(
        "import pathlib, sys\nfor n in ('train', 'test'): pathlib.Path(n + '.csv').write_text(n)\n"
        "pathlib.Path('out/deep').mkdir(parents=True)\npathlib.Path('out/deep/x').write_text('x')\n"
    )
    (root / "dvc.yaml").write_text(
        f"stages:\n  prepare:\n    cmd: {sys.executable} make.py\n    deps: [make.py]\n"
        "    outs: [train.csv, test.csv, out]\n  report:\n    cmd: echo done > prepare.txt\n    deps: [train.csv]\n"
        "    outs: [prepare.txt]\n"
    )
    for command in ("init --no-scm -q", "add -q points.csv", "add -q images", "repro -q"):
        dvc(root, *command.split())
    return root


def dvc(root: Path, *args: str) -> None:
    around = {**os.environ, "DVC_NO_ANALYTICS": "1", "HOME": str(root.parent)}
    subprocess.run([sys.executable, "-m", "dvc", *args], cwd=root, env=around, check=True, capture_output=True)


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "copy", symlinks=True)
    return tmp_path / "copy"


class Reading(Digests):
    def of(self, path: str | os.PathLike[str]) -> str:
        raise AssertionError(f"{path} was read")


def read(path: str | Path) -> Data:
    return data.capture(Path(path), None, Reading())


NAMED = ["points.csv.dvc", "images.dvc", "dvc.lock:prepare", "dvc.lock:train.csv", "dvc.lock:./out", "dvc.lock:out"]


@pytest.mark.parametrize("name", NAMED)
def test_the_recorded_hashes_are_the_data(made: Path, name: str) -> None:
    found = read(made / name)
    assert found.gaps == ()
    assert found.record["kind"] == "dvc"
    assert {out["hash"] for out in found.record["recorded"]} == {"md5"}
    assert len(found.record["recorded"]) == (3 if name == "dvc.lock:prepare" else 1)
    if name == "images.dvc":
        assert (found.record["recorded"][0]["files"], found.record["dataset"]) == (3, "images")
        assert found.record["split_manifest"]


def test_a_reference_from_within_the_folder(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made)
    for name in NAMED:
        assert read(name).record == read(made / name).record


def test_each_reference_names_other_data(made: Path) -> None:
    states = {read(made / name).record["sha256"] for name in NAMED}
    assert len(states) == len(NAMED) - 1  # the last two are one


def test_data_that_are_recorded_anew_are_other_data(copy: Path) -> None:
    before = [read(copy / name).record["sha256"] for name in ("points.csv.dvc", "images.dvc")]
    (copy / "points.csv").write_text("a,b\n1,3\n")
    (copy / "images/deep/new.png").write_bytes(b"new")
    assert read(copy / "points.csv.dvc").gaps == ()  # of the same size: only DVC can tell
    gap = read(copy / "images.dvc").gaps[0]
    assert (gap.rule, "images" in gap.message) == ("data-not-recorded", True)
    (copy / ".dvcignore").write_text("new.png\n")
    assert read(copy / "images.dvc").gaps == ()
    (copy / ".dvcignore").write_text("# nothing\n")
    dvc(copy, "add", "-q", "points.csv")
    dvc(copy, "add", "-q", "images")
    after = [read(copy / name) for name in ("points.csv.dvc", "images.dvc")]
    assert all(one != found.record["sha256"] for one, found in zip(before, after, strict=True))
    assert [found.gaps for found in after] == [(), ()]


def test_without_the_data_the_record_is_enough(copy: Path) -> None:
    before = {name: read(copy / name).record["sha256"] for name in NAMED}
    for name in ("points.csv", "train.csv", "test.csv"):
        (copy / name).unlink()
    for name in ("images", "out"):
        shutil.rmtree(copy / name)
    assert {name: read(copy / name).record["sha256"] for name in NAMED} == before


def test_a_run_says_which_kind_it_is(
    copy: Path, here: Project, shell: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    from ledger.store.runs import RunStore

    for name in ("images.dvc", "dvc.lock:prepare"):
        done = shell("run", "exp", "--data", str(copy / name), "--", "true")
        assert done.returncode == 0, done.stderr
        run = RunStore(here).resolve("@last")
        schema.validate(run.provenance, "provenance")
        assert run.provenance["hash_inputs"]["data"]["kind"] == "dvc"
    for name, words in (
        ("dvc.lock", "which stage"),
        ("dvc.lock:nothing", "no stage or output"),
        ("absent.dvc", "not there"),
    ):
        done = shell("run", "exp", "--data", str(copy / name), "--", "true")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert words in done.stderr


def test_a_stage_and_an_output_of_one_name(copy: Path) -> None:
    text = (copy / "dvc.lock").read_text().replace("prepare.txt", "prepare")
    (copy / "dvc.lock").write_text(text)
    with pytest.raises(UsageError, match="both a stage and an output"):
        read(copy / "dvc.lock:prepare")
    assert len(read(copy / "dvc.lock:./prepare").record["recorded"]) == 1


def test_a_file_that_is_called_like_a_reference_is_a_file(copy: Path) -> None:
    (copy / "dvc.lock:mine").write_text("x")
    assert data.capture(copy / "dvc.lock:mine", None, Digests()).record["kind"] == "read"


def test_hashes_of_another_kind_are_other_data(copy: Path) -> None:
    before = read(copy / "points.csv.dvc").record["sha256"]
    file = copy / "points.csv.dvc"
    file.write_text(file.read_text().replace("  hash: md5\n", ""))
    old = read(file).record
    assert old["recorded"][0]["hash"] == "md5-dos2unix"
    assert old["sha256"] != before


@pytest.mark.parametrize("text", ["", "[]", "outs:", "outs: []", "outs: [1]", "outs: x", "outs: [{path: a}]", "outs: [{md5: a}]", "\x00", "outs: [{path: a, md5: 1}]", "outs: [{path: a, files: [1]}]"])  # fmt: skip
def test_what_is_no_record_is_said(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.dvc").write_text(text)
    with pytest.raises(InputError):
        read(tmp_path / "x.dvc")


@settings(max_examples=150, deadline=None)
@given(st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["outs", "path", "md5", "hash", "size", "nfiles", "files", "relpath", "stages", "a"]), inner, max_size=4), max_leaves=20))  # fmt: skip
def test_any_other_yaml_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, raw: object) -> None:
    import yaml

    root = tmp_path_factory.mktemp("any")
    for name in ("x.dvc", "dvc.lock"):
        (root / name).write_text(yaml.safe_dump(raw, allow_unicode=True), "utf-8")
    for name in ("x.dvc", "dvc.lock:a"):
        try:
            read(root / name)
        except LedgerError:
            continue
