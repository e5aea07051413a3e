"""Command lines as they are stored: without secrets, and with everything that decides a result."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ledger.project import Project
from ledger.seal.provenance import relative, scrub
from ledger.store.runs import RunStore


@pytest.mark.parametrize(
    ("part", "kept"),
    [
        ("python t.py --api-key s3cr3t --lr 1", "python t.py --api-key *** --lr 1"),
        ("HF_TOKEN=s3cr3t python t.py", "HF_TOKEN=*** python t.py"),
        ("export HF_TOKEN=s3cr3t; python t.py --lr=0.1", "export HF_TOKEN=***; python t.py --lr=0.1"),
        ("export A=1 WANDB_API_KEY='s3cr3t two' B=2", "export A=1 WANDB_API_KEY=*** B=2"),
        ('{"api_key": "s3cr3t", "lr": 1}', '{"api_key": ***, "lr": 1}'),
        ("curl -H 'Authorization: Bearer s3cr3t' x", "curl -H 'Authorization: Bearer ***' x"),
        ("git clone https://me:s3cr3t@host/x", "git clone https://me:***@host/x"),
        ("PGPASSWORD=s3cr3t", "PGPASSWORD=***"),
    ],
)
def test_a_secret_is_hidden_wherever_it_stands(part: str, kept: str) -> None:
    assert scrub(["sh", "-c", part]) == ["sh", "-c", kept]


@pytest.mark.parametrize(
    "line",
    [
        "--tokenizer gpt2 --max-tokens 512 --tokens=1e9",
        "--pad_token <pad> --eos-token=</s> --special.token x",
        "--num_token_levels 3 --lr 0.1",
        "tokenizer=gpt2 data.max_tokens=512 bos_token=<s>",
    ],
)
def test_what_decides_a_result_is_no_secret(line: str) -> None:
    assert scrub(line.split()) == line.split()
    assert scrub(["sh", "-c", f"python t.py {line}"]) == ["sh", "-c", f"python t.py {line}"]


@pytest.mark.parametrize("name", ["--db.password", "HF_TOKEN", "--aws_secret_access_key", "--apiKey"])
def test_an_argument_of_its_own_is_hidden_to_its_end(name: str) -> None:
    assert scrub(["env", f"{name}=s3cr3t and more", "x"]) == ["env", f"{name}=***", "x"]
    assert scrub(["t.py", "--x", f"{name}=", "y"]) == ["t.py", "--x", f"{name}=***", "y"]


def test_a_flag_hides_no_option_that_follows() -> None:
    assert scrub(["--use-auth-token", "--lr", "0.1"]) == ["--use-auth-token", "--lr", "0.1"]


def test_no_file_of_a_run_holds_the_secret_of_its_command(here: Project, shell: Callable[..., object]) -> None:
    shell("run", "exp", "--", "sh", "-c", "true --password s3cr3t", "--api-key", "s3cr3t")
    shell("run", "exp", "--", "sh", "-c", "true --password other", "--api-key", "other")
    held = [path for path in here.root.rglob("*") if path.is_file()]
    assert len(held) > 10
    assert [path for path in held if b"s3cr3t" in path.read_bytes()] == []
    one, two = RunStore(here).all()
    assert one.manifest.group_hash == two.manifest.group_hash


def test_paths_of_the_project_are_relative_and_odd_bytes_are_spelled(here: Project) -> None:
    command = ["/usr/bin/python", str(here.root / "train.py"), "/elsewhere/x", "bad\udcff"]
    assert relative(here, command) == ["python", "train.py", "/elsewhere/x", r"bad\xff"]
