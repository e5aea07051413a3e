"""What cannot be captured is said, is in the birth certificate, and never reads as if all were well."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger import schema
from ledger.project import Project
from ledger.seal import environment, staging
from ledger.seal.code import capture
from ledger.seal.gaps import Gap
from ledger.seal.publish import Sealed, seal

Git = Callable[..., str]


def run(found: Project, *command: str) -> Sealed:
    sealed = seal(found, staging.begin(found, "exp", command=command), "finished", 0)
    schema.validate(sealed.run.provenance, "provenance")
    return sealed


def rules(sealed: Sealed) -> set[str]:
    return {finding.rule for finding in sealed.findings if finding.severity == "warning"}


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """Put a shell script of this name before all other programs."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")

    def put(name: str, script: str) -> Path:
        path = tmp_path / "bin" / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    return put


def failing_git(when: str) -> str:
    real = shutil.which("git")
    return f"""case " $* " in *" {when} "*) echo "fatal: '/home/somebody/secret' is broken" >&2; exit 128;; esac
exec {real} "$@" """


# every question that git is asked
ASKED = ["--show-toplevel", "--verify", "ls-files", "--others", "--stage", "diff", "--relative"]


@pytest.mark.parametrize("when", ASKED)
def test_a_git_that_fails_is_no_clean_tree(in_git: Project, program: Callable[[str, str], Path], when: str) -> None:
    assert capture(in_git).record["dirty"] is False
    program("git", failing_git(when))
    sealed = run(in_git)
    code = sealed.run.provenance["hash_inputs"]["code"]
    assert (code["dirty"], code["commit"]) == (None, None)
    assert rules(sealed) == {"code-unknown"}
    assert "'secret' is broken" in sealed.findings[-1].message
    assert "somebody" not in json.dumps(sealed.run.provenance)


def test_a_git_that_fails_within_a_repository_within(
    in_git: Project, git: Git, program: Callable[[str, str], Path]
) -> None:
    git("init", "-q", "lib")
    (in_git.root / "lib/model.py").write_text("1\n")
    assert capture(in_git).record["dirty"] is True
    program("git", failing_git(str(in_git.root / "lib")))
    found = capture(in_git)
    assert (found.record["dirty"], [gap.rule for gap in found.gaps]) == (None, ["code-unknown"])


def broken_index(root: Path) -> None:
    (root / ".git/index").write_bytes(b"no index")


def broken_head(root: Path) -> None:
    (root / ".git/HEAD").write_text("no reference\n")


def lost_objects(root: Path) -> None:
    shutil.rmtree(root / ".git/objects")
    (root / ".git/objects").mkdir()


def lost_worktree(root: Path) -> None:
    shutil.rmtree(root / ".git")
    (root / ".git").write_text("gitdir: /no/such/repository\n")


@pytest.mark.parametrize("harm", [broken_index, broken_head, lost_objects, lost_worktree])
def test_a_broken_repository_is_no_clean_tree(in_git: Project, harm: Callable[[Path], None]) -> None:
    harm(in_git.root)
    before = capture(in_git)
    assert (before.record["dirty"], [gap.rule for gap in before.gaps]) == (None, ["code-unknown"])
    (in_git.root / "train.py").write_text("changed\n")
    assert capture(in_git).record["tree_sha256"] != before.record["tree_sha256"]


def test_git_that_is_not_there_is_said_where_there_is_a_repository(
    in_git: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "not installed" in capture(in_git).gaps[0].message
    shutil.rmtree(in_git.root / ".git")
    assert capture(in_git).gaps == ()


def test_a_repository_that_ignores_the_whole_project_does_not_hide_its_changes(here: Project, git: Git) -> None:
    """A home folder under git that ignores everything."""
    git("init", "-q", at=here.root.parent)
    (here.root.parent / ".gitignore").write_text("*\n")
    (here.root / "train.py").write_text("1\n")
    before = capture(here).record
    (here.root / "train.py").write_text("2\n")
    after = capture(here)
    assert after.record["tree_sha256"] != before["tree_sha256"]
    assert (after.record["dirty"], after.gaps) == (None, ())


@pytest.mark.parametrize(
    "script", ["exit 3", "echo 'no module named json' >&2; exit 1", "echo nothing", "echo '[1]'", "kill -9 $$", "true"]
)
def test_an_interpreter_that_does_not_say_its_packages(
    here: Project, program: Callable[[str, str], Path], script: str
) -> None:
    path = program("python3.99", script)
    sealed = run(here, str(path), "train.py")
    assert sealed.run.provenance["hash_inputs"]["env_lock"] == {"sha256": None, "python": None}
    assert (sealed.run.path / "packages.txt").read_text() == ""
    assert rules(sealed) == {"packages-unknown"}


def test_what_a_site_prints_when_it_starts_is_no_answer(program: Callable[[str, str], Path]) -> None:
    path = program("python3.99", f'echo "welcome to the cluster"; exec {sys.executable} "$@"')
    found = environment.packages([str(path)])
    assert (found.gaps, found.other) == ((), True)
    assert any(name.startswith("pytest==") for name in found.names)


@pytest.mark.parametrize(("said", "gap"), [("No devices were found", False), ("GPU is lost", True), ("", True)])
def test_a_gpu_that_does_not_answer(here: Project, program: Callable[[str, str], Path], said: str, gap: bool) -> None:
    program("nvidia-smi", f"echo '{said}'; exit 9")
    assert rules(run(here)) == ({"gpu-unknown"} if gap else set())


START = """
import sys
sys.path[:0] = {path!r}
{before}
import ledger
run = ledger.start("exp", config={{"lr": 1}}, seed=0)
import torch
run.finish()
print(run.sealed.run.manifest.provenance_hash)
"""


def test_when_torch_was_imported_is_no_condition(
    here: Project, program: Callable[[str, str], Path], tmp_path: Path
) -> None:
    program("nvidia-smi", "echo 'NVIDIA H200, 570.1'")
    torch = tmp_path / "site/torch"
    torch.mkdir(parents=True)
    (torch / "version.py").write_text(
        "from typing import Optional\ndebug = False\ncuda: Optional[str] = '12.4'\nhip = None\n"
    )
    (torch / "__init__.py").write_text(
        "from torch import version\nflag = True\ndef are_deterministic_algorithms_enabled(): return flag\n"
        "def get_num_threads(): return 7\n"
    )
    hashes = []
    for before in ("", "import torch", "import torch; torch.flag = False"):
        text = START.format(path=[str(tmp_path / "site"), *sys.path], before=before)
        done = subprocess.run([sys.executable, "-c", text], cwd=here.root, capture_output=True, text=True, check=True)
        hashes.append(done.stdout)
    assert len(set(hashes)) == 1
    records = [json.loads(path.read_text()) for path in here.results.glob("*/runs/*/provenance.json")]
    assert {record["hash_inputs"]["hardware"]["cuda"] for record in records} == {"12.4"}
    assert sum("observed" in record["hash_inputs"]["seed"] for record in records) == 2


def test_cuda_is_that_of_the_interpreter_that_will_run(
    program: Callable[[str, str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program("nvidia-smi", "echo 'NVIDIA H200, 570.1'")
    site = tmp_path / "other"
    (site / "torch").mkdir(parents=True)
    (site / "torch/version.py").write_text("cuda = '11.8'\n")
    (site / "torch/__init__.py").write_text("raise SystemExit('imported')\n")
    path = program("python3.99", f'PYTHONPATH={site} exec {sys.executable} "$@"')
    assert environment.hardware(environment.packages([str(path)]))[0]["cuda"] == "11.8"


def test_no_path_of_this_machine_is_recorded() -> None:
    said = "/opt/x/python: in repository at '/home/a b/me' and/or \"/data/x y/z\", /tmp/q: gone"
    told = Gap("code-unknown", said, "").to_json()["message"]
    assert told == "python: in repository at 'me' and/or \"z\", q: gone"
