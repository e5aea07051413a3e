"""`ledger show RUN --code`: applied to the commit, it gives the bytes that ran."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger import project
from ledger.project import Project
from ledger.seal.code import capture
from ledger.store.objects import ObjectStore
from ledger.store.runs import Run

Git = Callable[..., str]
Shell = Callable[..., subprocess.CompletedProcess[str]]
MakeRun = Callable[..., Run]

ROOT = Path(__file__).resolve().parents[3]

NEW = {
    "new.py": b"x = 1\n",
    "deep er/no end.py": b"x",
    "crlf.csv": b"a,b\r\n1,2\r\n",
    "weights.bin": bytes(range(256)) * 40,
    "ü and\n\"quotes\".txt": b"odd",
    "empty.py": b"",
}  # fmt: skip


def sources(root: Path, names: list[str]) -> dict[str, bytes]:
    return {name: (root / name).read_bytes() for name in names}


def code_of(root: Path, tmp_path: Path) -> Path:
    """The patch, saved as a user would: bytes, for it may hold any."""
    around = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "adapters")])}
    command = [sys.executable, "-m", "ledger.cli.main", "show", "@last", "--code"]
    done = subprocess.run(command, cwd=root, env=around, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    path = tmp_path / "code.patch"
    path.write_bytes(done.stdout)
    return path


def write(root: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


@pytest.mark.parametrize(
    "setting", [None, ("core.autocrlf", "true"), ("diff.noprefix", "true"), ("color.ui", "always")]
)
def test_staged_unstaged_and_untracked_changes_come_back_byte_for_byte(
    in_git: Project, git: Git, make_run: MakeRun, tmp_path: Path, setting: tuple[str, str] | None
) -> None:
    if setting:
        git("config", *setting)
    (in_git.root / "gone.py").write_text("1\n")
    git("add", "-A")
    git("commit", "-qm", "base")
    (in_git.root / "train.py").write_text("LR = 0.2\n")
    (in_git.root / "gone.py").unlink()
    git("add", "-A")
    (in_git.root / "train.py").write_text("WARM = 5; LR = 0.2\n")
    write(in_git.root, NEW)
    make_run(in_git)
    names = ["train.py", *NEW]
    ran = sources(in_git.root, names)
    patch = code_of(in_git.root, tmp_path)
    git("clone", "-q", str(in_git.root), str(tmp_path / "rebuilt"), at=tmp_path)
    git("apply", str(patch), at=tmp_path / "rebuilt")
    assert sources(tmp_path / "rebuilt", names) == ran
    assert not (tmp_path / "rebuilt/gone.py").exists()


def test_without_any_commit_the_patch_is_all_of_the_code(
    here: Project, git: Git, make_run: MakeRun, tmp_path: Path
) -> None:
    git("init", "-q")
    write(here.root, NEW)
    make_run(here)
    patch = code_of(here.root, tmp_path)
    assert b"# commit none: the patch is all of the code" in patch.read_bytes()
    (tmp_path / "rebuilt").mkdir()
    git("init", "-q", at=tmp_path / "rebuilt")
    git("apply", str(patch), at=tmp_path / "rebuilt")
    assert sources(tmp_path / "rebuilt", list(NEW)) == NEW


def test_a_project_below_the_top_is_rebuilt_as_the_patch_says(
    in_git: Project, git: Git, make_run: MakeRun, tmp_path: Path
) -> None:
    below = in_git.root / "papers/one"
    write(below, {"EVIDENCE.json": b'{"project": "p", "claims": []}', "train.py": b"1\n"})
    git("add", "-A")
    git("commit", "-qm", "below")
    write(below, {"train.py": b"2\n", "new.py": b"3\n"})
    make_run(project.at(below))
    patch = code_of(below, tmp_path)
    line = next(line for line in patch.read_text().splitlines() if line.startswith("# to rebuild it: "))
    assert line.endswith("git apply --directory=papers/one code.patch")
    git("clone", "-q", str(in_git.root), str(tmp_path / "rebuilt"), at=tmp_path)
    git("apply", "--directory=papers/one", str(patch), at=tmp_path / "rebuilt")
    rebuilt = project.at(tmp_path / "rebuilt/papers/one")
    assert capture(rebuilt).record["tree_sha256"] == capture(project.at(below)).record["tree_sha256"]


def test_a_clean_tree_is_its_commit(in_git: Project, git: Git, make_run: MakeRun, tmp_path: Path) -> None:
    make_run(in_git)
    commit = git("rev-parse", "HEAD").strip()
    said = code_of(in_git.root, tmp_path).read_text().splitlines()
    assert said[1:] == [f"# commit {commit}", f"# to rebuild it: git checkout {commit}"]


def test_outside_git_only_the_digest_is_known(here: Project, make_run: MakeRun, tmp_path: Path) -> None:
    run = make_run(here)
    tree = run.provenance["hash_inputs"]["code"]["tree_sha256"]
    assert f"all that is recorded is its digest, {tree}" in code_of(here.root, tmp_path).read_text()


def test_what_is_missing_is_one_line(in_git: Project, shell: Shell, make_run: MakeRun) -> None:
    (in_git.root / "new.py").write_text("x = 1\n")
    run = make_run(in_git)
    (item,) = run.provenance["untracked"]
    place = ObjectStore(in_git.objects).path(item["sha256"])
    place.chmod(0o644)
    for data, said in ((b"zeros", "holds other bytes"), (None, "is not here")):
        place.write_bytes(data) if data else place.unlink()
        done = shell("show", "@last", "--code")
        assert (done.returncode, done.stdout) == (3, "")
        assert f"object {item['sha256'][:12]} (new.py) {said}" in done.stderr
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("path", ["../out.py", "/etc/x", "a/../../x", ".git/hooks/pre-commit", "a/.GIT/config"])
def test_a_record_that_leads_outside_writes_nothing(
    in_git: Project, shell: Shell, make_run: MakeRun, path: str
) -> None:
    (in_git.root / "new.py").write_text("x = 1\n")
    run = make_run(in_git)
    record = json.loads((run.path / "provenance.json").read_text())
    record["untracked"][0]["path"] = path
    (run.path / "provenance.json").chmod(0o644)
    (run.path / "provenance.json").write_text(json.dumps(record))
    done = shell("show", "@last", "--code")
    assert (done.returncode, done.stdout) == (3, "")
    assert "a path outside the project" in done.stderr
