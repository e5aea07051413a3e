"""Whose packages are recorded: those of the interpreter that will run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ledger.seal import environment


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with nothing in it."""
    path = tmp_path_factory.mktemp("env") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(path)], check=True)
    return path / "bin"


@pytest.mark.parametrize("line", ["#!{bin}/python", "#!{bin}/python3 -u", "#!/usr/bin/env -S A=1 {bin}/python -u"])
def test_a_script_of_another_environment_is_asked_about(other: Path, tmp_path: Path, line: str) -> None:
    script = tmp_path / "torchrun"
    script.write_text(line.format(bin=other) + "\nprint()\n")
    script.chmod(0o755)
    assert environment.packages([str(script), "train.py"])[1] == []
    assert environment.packages([str(other / "python"), "train.py"])[1] == []


@pytest.mark.parametrize(
    "text", ["", "#!", "#!/bin/sh\n", "\x7fELF", "#!/usr/bin/env\n", "python\n", "#!/no/such/python\n"]
)
def test_any_other_program_means_ours(tmp_path: Path, text: str) -> None:
    program = tmp_path / "program"
    program.write_bytes(text.encode("latin-1"))
    program.chmod(0o755)
    ours = environment.packages()
    assert any(name.startswith("pytest==") for name in ours[1])
    assert environment.packages([str(program)]) == ours
    assert environment.packages([sys.executable, "x.py"]) == ours
    assert environment.packages(["no such program"]) == ours


def test_packages_are_named_as_the_standard_library_names_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {
        "One-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: One_And.Only\nVersion: 1.0+cu121\n\nName: two\n",
        "crlf-1.dist-info/METADATA": "name: crlf\r\nversion:  2 \r\nName: again\r\n\r\nVersion: 9",
        "egg-3.egg-info/PKG-INFO": "Name: egg\nVersion: 3\n",
        "old-4.egg-info": "Name: old\nVersion: 4\n",
        "empty-5.dist-info/METADATA": "Name: empty\nSummary: no version",
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    monkeypatch.syspath_prepend(str(tmp_path))
    environment._own_packages.cache_clear()
    found = environment.packages()[1]
    environment._own_packages.cache_clear()
    theirs = subprocess.run(
        [sys.executable, "-c", environment._LIST],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}, capture_output=True, check=True,
    )  # fmt: skip
    assert found == json.loads(theirs.stdout)[1]
    assert {"one-and.only==1.0+cu121", "crlf==2 ", "egg==3", "old==4", "empty==None"} <= set(found)


def test_only_allowed_variables_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANDB_API_KEY", "s3cr3t")
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.setenv("MY_SETTING", "x")
    assert environment.kept_variables()["OMP_NUM_THREADS"] == "2"
    assert "MY_SETTING" not in environment.kept_variables()
    assert environment.kept_variables(["MY_SETTING"])["MY_SETTING"] == "x"
    assert "WANDB_API_KEY" not in environment.kept_variables(["MY_SETTING"])
