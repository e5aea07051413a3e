"""The command line as shells, scripts and terminals meet it: pipes, encodings, full disks, files of odd names.

Every call is a process of its own. No expected failure shows a traceback, and JSON on standard output is always JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import click
import pytest

from ledger import __version__, schema
from ledger.cli.table import COMMANDS, help_text
from ledger.project import Project
from ledger.store.runs import Run

Shell = Callable[..., subprocess.CompletedProcess[str]]
MakeRun = Callable[..., Run]
ROOT = Path(__file__).resolve().parents[2]
ROW = {"exp_id": "ours", "metric": "acc", "split": "test"}
CUT_OFF = 141


@pytest.fixture
def full(here: Project, shell: Shell, make_run: MakeRun) -> Project:
    """A project with two runs, a claim with its value, and a document that states it wrongly."""
    make_run(here, seed=0, value=0.9)
    make_run(here, seed=1, value=0.92)
    here.evidence.write_text(
        json.dumps({"project": "p", "claims": [{"id": "C1", "statement": "±α", "evidence": [ROW]}]})
    )
    (here.root / "README.md").write_text("| m | acc |\n|:--|--:|\n| ours | 0.81 |\n")
    assert shell("evidence", "refresh").returncode == 0
    return here


def call(
    found: Project, *args: str, stdout: int = subprocess.PIPE, **around: str
) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "adapters")]), **around}
    command = [sys.executable, "-m", "ledger.cli.main", *args]
    return subprocess.run(command, cwd=found.root, env=env, stdout=stdout, stderr=subprocess.PIPE, check=False)


@pytest.mark.parametrize(
    "args",
    [
        ("--help",), ("runs",), ("runs", "--format", "csv"), ("log",), ("reconcile",), ("gate",), ("runs", "--help"), ("fsck",),
    ],
)  # fmt: skip
def test_a_reader_that_left_is_no_traceback_and_no_verdict(full: Project, args: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = call(full, *args, stdout=writer)
    finally:
        os.close(writer)
    assert done.returncode == CUT_OFF, done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("args", [("--help",), ("runs",), ("reconcile",), ("trace", "C1")])
def test_a_full_disk_behind_standard_output_is_one_line(full: Project, args: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as disk:
        done = call(full, *args, stdout=disk.fileno())
    assert done.returncode == 3
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert b"No space left" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="a descriptor is closed by the shell")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_descriptors_are_no_traceback(full: Project, closed: str) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "adapters")])}
    for args in ("--help", "runs", "disclose nothing --text x"):
        command = f"{sys.executable} -m ledger.cli.main {args} {closed}"
        done = subprocess.run(
            ["sh", "-c", command], cwd=full.root, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == (2 if args.startswith("disclose") else 0), done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8"])
def test_terminals_without_our_letters_see_escapes(full: Project, encoding: str) -> None:
    done = call(full, "trace", "C1", PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"C1: \xb1\\u03b1" if encoding == "cp1252" else "C1: ±α".encode())


@pytest.mark.skipif(sys.platform != "linux", reason="other systems know no file name that is no text")
def test_a_file_name_that_is_no_text(full: Project) -> None:
    name = os.fsdecode(b"bad\xff.md")
    (full.root / "README.md").rename(full.root / name)
    done = call(full, "reconcile")
    assert (done.returncode, b"Traceback" in done.stderr) == (1, False)
    assert rb"bad\udcff.md:3" in done.stdout
    report = json.loads(call(full, "reconcile", "--format", "json").stdout)
    assert report["findings"][0]["location"]["path"] == name
    assert call(full, "reconcile", "--format", "json", "--output", "out.json").returncode == 1
    assert json.loads((full.root / "out.json").read_bytes()) == report
    assert call(full, "gate").returncode == 0
    assert call(full, "disclose", report["findings"][0]["fingerprint"], "--text", "old").returncode == 0
    assert call(full, "reconcile").returncode == 0


def test_half_a_surrogate_pair_in_the_claims_is_at_worst_one_line(full: Project) -> None:
    raw = json.loads(full.evidence.read_text())
    raw["claims"][0]["statement"] = "\ud800"
    full.evidence.write_text(json.dumps(raw))
    for args in (
        ("evidence", "check"),
        ("evidence", "refresh"),
        ("trace", "C1"),
        ("build",),
        ("gate",),
        ("reconcile",),
    ):
        done = call(full, *args)
        assert b"Traceback" not in done.stderr, args
        assert done.returncode in {0, 1, 3}
    assert json.loads(full.evidence.read_text())["claims"][0]["statement"] == "\ud800"


def test_deep_nesting_and_long_names_are_at_worst_one_line(full: Project) -> None:
    kept = full.evidence.read_text()
    deep = '{"a":' * 400 + "1" + "}" * 400
    texts = [kept[:1] + f'"deep": {deep},' + kept[1:], kept.replace('"ours"', f'"{"x" * 300}"'), kept.replace('"id": "C1"', '"id": "C1", "paper_anchor": "' + "y" * 300 + '"')]  # fmt: skip
    for text in texts:
        json.loads(text)
        full.evidence.write_text(text)
        for args in (("evidence", "refresh"), ("build",), ("gate",)):
            done = call(full, *args)
            assert b"Traceback" not in done.stderr, (args, done.stderr[-300:])
            assert done.returncode in {0, 1, 3}


@pytest.mark.parametrize(
    ("args", "name"),
    [
        (("evidence", "check", "--format", "json"), "report"),
        (("reconcile", "--format", "json"), "report"),
        (("reconcile", "--format", "json", "--mentions"), "report"),
        (("gate", "--format", "json"), "report"),
        (("fsck", "--format", "json"), "report"),
        (("prove", "C1"), "proof"),
        (("prove", "@last"), "proof"),
        (("runs", "--format", "json"), ""),
        (("show", "@last", "--format", "json"), ""),
        (("trace", "C1", "--format", "json"), ""),
        (("diff", "@last", "@last", "--format", "json"), ""),
    ],
)
def test_what_is_promised_as_json_is_json_of_its_schema(full: Project, shell: Shell, args: tuple[str, ...], name: str) -> None:  # fmt: skip
    done = shell(*args)
    assert done.returncode == (1 if args[0] == "reconcile" else 0), done.stderr
    value = json.loads(done.stdout)
    if name:
        schema.validate(value, name, done.stdout, "stdout")


def test_the_log_as_json_is_a_record_a_line(full: Project, shell: Shell) -> None:
    lines = shell("log", "--format", "json").stdout.splitlines()
    assert {json.loads(line)["type"] for line in lines} >= {"open", "start", "seal", "select"}
    assert len(shell("log", "--format", "json", "--limit", "2").stdout.splitlines()) == 2


def test_text_and_json_say_the_same(full: Project, shell: Shell) -> None:
    report = json.loads(shell("reconcile", "--format", "json").stdout)
    text = shell("reconcile").stdout
    for finding in report["findings"]:
        assert finding["message"] in text
        assert finding["fingerprint"] in text
    assert f"{report['summary']['errors']} error" in text


def test_a_report_goes_to_the_file_and_a_line_to_the_screen(full: Project, shell: Shell) -> None:
    done = shell("reconcile", "--format", "json", "--output", "a/report.json")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    schema.validate(json.loads((full.root / "a/report.json").read_text()), "report")
    refused = shell("reconcile", "--output", "README.md/report.json")
    assert (refused.returncode, refused.stderr.count("\n")) == (3, 1)
    assert shell("reconcile", "--output", ".").returncode == 2


@pytest.mark.parametrize("args", [("show", "20"), ("select", ""), ("diff", "2", "@last"), ("prove", "2")])
def test_an_ambiguous_prefix_lists_its_candidates(full: Project, shell: Shell, args: tuple[str, ...]) -> None:
    done = shell(*args)
    assert (done.returncode, done.stdout) == (2, "")
    assert "fits 2 runs: ours/" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("rnus",), "Did you mean `ledger runs`?"),
        (("zzzzzz",), "No such command"),
        (("runs", "--formt", "json"), "--format"),
        (("runs", "--format", "xml"), "'xml' is not one of"),
        (("runs", "--limit", "0"), "0 is not in the range"),
        (("runs", "--where", "acc >"), ""),
        (("evidence", "chek"), "No such command"),
        (("trace", "C9"), "no claim is called 'C9'"),
        (("disclose", "C1"), "--text"),
        (("disclose", "", "--text", "x"), "neither a claim nor a finding"),
        (("gate", "--policy", "loud"), "'loud' is not one of"),
        (("run", "ours"), "Missing argument"),
        (("seal", "nowhere"), ""),
    ],
)
def test_a_wrong_call_exits_2_with_a_hint(full: Project, shell: Shell, args: tuple[str, ...], said: str) -> None:
    done = shell(*args)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("place", ["/dev/null/cache", "relative cache"])
def test_a_cache_that_cannot_be_written_keeps_nobody_from_a_verdict(full: Project, shell: Shell, place: str) -> None:
    for args, status in (
        (("evidence", "check"), 0),
        (("reconcile",), 1),
        (("gate",), 0),
        (("fsck",), 0),
        (("log", "verify"), 0),
    ):
        done = shell(*args, env={"XDG_CACHE_HOME": place})
        assert (done.returncode, "Traceback" in done.stderr) == (status, False), (args, done.stderr)


def test_a_damaged_memory_of_findings_is_no_memory(full: Project, shell: Shell) -> None:
    found = json.loads(shell("reconcile", "--format", "json").stdout)["findings"][0]["fingerprint"]
    (memory,) = Path(os.environ["XDG_CACHE_HOME"]).rglob("findings.json")
    for held in (None, [], {found: 1}, {found: {}}, {found: {"rule": 1, "location": 3}}):
        memory.write_text(json.dumps(held) if held is not None else "")
        done = shell("disclose", found, "--text", "x")
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    assert shell("reconcile").returncode == 1
    assert shell("disclose", found, "--text", "x").returncode == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_says_of_a_command_what_its_own_help_opens_with(name: str) -> None:
    module, _, attribute = COMMANDS[name].target.partition(":")
    command: click.Command = getattr(import_module(module), attribute)
    assert command.get_short_help_str(limit=200).rstrip(".") == COMMANDS[name].help.rstrip(".")
    inner = list(command.commands.values()) if isinstance(command, click.Group) else [command]
    for one in inner:
        # the help option is made once per command, from the first context that asks: use the command's own settings
        context = click.Context(one, info_name=name, **one.context_settings)
        shown = one.get_help(context)
        assert "Usage:" in shown
        assert one.help
        assert all(option.help for option in one.params if isinstance(option, click.Option) and option.name not in {"form", "data"}), name  # fmt: skip


def test_help_and_version_are_what_the_table_and_the_package_say(full: Project, shell: Shell) -> None:
    for args in ((), ("--help",), ("-h",)):
        assert shell(*args).stdout == help_text()
    assert shell("--version").stdout == f"ledger {__version__}\n"
    for name in COMMANDS:
        assert len([line for line in help_text().splitlines() if line.startswith(f"  {name} ")]) == 1
