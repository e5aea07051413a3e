"""The command line: exit statuses, one line for every expected failure, and what an invocation imports."""

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

from ledger.cli.lazy import LazyGroup, cli
from ledger.cli.table import COMMANDS, help_text
from ledger.project import Project
from ledger.store.runs import Run

Shell = Callable[..., subprocess.CompletedProcess[str]]
MakeRun = Callable[..., Run]
ROOT = Path(__file__).resolve().parents[3]


def claim(**row: object) -> str:
    return json.dumps(
        {
            "project": "p",
            "claims": [
                {
                    "id": "C1",
                    "statement": "s",
                    "evidence": [{"exp_id": "ours", "metric": "acc", "split": "test", **row}],
                }
            ],
        }
    )


def one_line(done: subprocess.CompletedProcess[str], status: int, *words: str) -> None:
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr + done.stdout
    line = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else done.stdout.strip().splitlines()[0]
    for word in words:
        assert word in done.stderr + done.stdout, (word, done.stderr, done.stdout)
    assert len(line) < 400


class TestBadInput:
    """What goes wrong every day, said in one line with its place and the next step."""

    def test_outside_a_project(self, tmp_path: Path, shell: Shell) -> None:
        one_line(shell("runs", at=tmp_path), 2, "no project here", "ledger init")

    def test_no_evidence_file(self, here: Project, shell: Shell) -> None:
        here.evidence.unlink()
        (here.root / "ledger.toml").write_text("")
        one_line(shell("evidence", "check"), 3, "EVIDENCE.json", "ledger init")

    @pytest.mark.parametrize(
        ("text", "place"),
        [
            ('{"project": "p",\n "claims": [}', "EVIDENCE.json:2:13"),
            ('{"project": "p", "claims": {}}', "EVIDENCE.json:1:28"),
            ('{"claims": [{"id": "A"},\n {"id": "A"}]}', "EVIDENCE.json:2:9"),
            ('{"claims": [{"statement": "no id"}]}', "EVIDENCE.json:1:13"),
            ('{"claims": [], "claims": []}', "twice"),
            ('{"schema": "evidence-ledger/evidence/v9", "claims": []}', "EVIDENCE.json:1:12"),
            ("", "EVIDENCE.json:1:1"),
            ("[" * 100000, "nested too deeply"),
        ],
    )
    def test_a_malformed_evidence_file(self, here: Project, shell: Shell, text: str, place: str) -> None:
        here.evidence.write_text(text)
        for command in (
            ("evidence", "refresh"),
            ("evidence", "check"),
            ("build",),
            ("trace", "A"),
            ("reconcile",),
            ("gate",),
        ):
            one_line(shell(*command), 3, place)
        assert here.evidence.read_text() == text

    def test_an_evidence_file_that_is_not_utf8(self, here: Project, shell: Shell) -> None:
        here.evidence.write_bytes(b'{"project": "\xff"}')
        one_line(shell("build"), 3, "EVIDENCE.json:1", "UTF-8")

    def test_a_claim_without_evidence(self, here: Project, shell: Shell) -> None:
        here.evidence.write_text('{"project": "p", "claims": [{"id": "C1"}]}')
        done = shell("evidence", "check")
        assert (done.returncode, "C1 has no evidence row" in done.stdout) == (0, True)

    @pytest.mark.parametrize(
        ("row", "word"),
        [
            ({"exp_id": "absent"}, "not in the store"),
            ({"metric": "psnr"}, "asks for psnr"),
            ({"run": "20200101T000000Z-00000000"}, "not in the store"),
            ({"split": "val"}, "asks for acc val"),
        ],
    )
    def test_a_row_naming_an_absent_run_or_metric(
        self, here: Project, shell: Shell, make_run: MakeRun, row: dict[str, object], word: str
    ) -> None:
        make_run(here)
        here.evidence.write_text(claim(**row))
        one_line(shell("evidence", "check"), 1, word, "C1")
        assert shell("evidence", "refresh").returncode == 0

    def test_documents_that_are_not_utf8_or_empty(self, here: Project, shell: Shell) -> None:
        here.evidence.write_text(claim(value=0.9))
        (here.root / "bad.md").write_bytes(b"accuracy \xff 0.9")
        (here.root / "empty.md").write_bytes(b"")
        one_line(shell("reconcile", "bad.md"), 3, "bad.md", "UTF-8")
        assert shell("reconcile", "empty.md").returncode == 0
        one_line(shell("reconcile", "absent.md"), 3, "absent.md")

    def test_an_unwritable_place(self, here: Project, shell: Shell, make_run: MakeRun) -> None:
        make_run(here)
        here.evidence.write_text(claim())
        shell("evidence", "refresh")
        here.generated.write_text("a file where the folder must be")
        one_line(shell("build"), 3, "generated")
        assert here.generated.read_text() == "a file where the folder must be"

    def test_a_cache_that_cannot_be_written_stops_nothing_but_the_index(
        self, here: Project, shell: Shell, make_run: MakeRun
    ) -> None:
        make_run(here)
        around = {"XDG_CACHE_HOME": "/dev/null/cache"}
        assert shell("fsck", env=around).returncode == 0
        one_line(shell("runs", env=around), 3, "XDG_CACHE_HOME")

    def test_no_home(self, here: Project) -> None:
        around = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, "-m", "ledger.cli.main", "fsck"],
            cwd=here.root,
            env=around,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def test_an_unknown_command_or_setting_gets_a_hint(self, here: Project, shell: Shell) -> None:
        one_line(shell("reconsile"), 2, "ledger reconcile")
        (here.root / "ledger.toml").write_text('polcy = "strict"\n')
        assert "did you mean `policy`" in shell("config").stderr
        (here.root / "ledger.toml").write_text('policy = "severe"\n')
        one_line(shell("config"), 2, "policy", "severe")
        (here.root / "ledger.toml").write_text("policy = \n")
        one_line(shell("config"), 2, "ledger.toml")

    def test_run_references(self, here: Project, shell: Shell, make_run: MakeRun) -> None:
        one_line(shell("show", "@last"), 2, "no run is sealed yet")
        first, second = make_run(here, seed=0), make_run(here, "base", seed=1, value=0.7)
        one_line(shell("show", "2"), 2, "fits 2 runs", first.run_id, second.run_id)
        one_line(shell("show", "zzz"), 2, "no run is called")
        one_line(shell("show", "@best:psnr"), 2, "psnr")
        for name in (first.run_id, f"ours/{first.run_id[:20]}", "@best:acc"):
            assert json.loads(shell("show", name, "--format", "json").stdout)["manifest"]["run_id"] == first.run_id
        assert json.loads(shell("show", "@last", "--format", "json").stdout)["manifest"]["run_id"] == second.run_id

    def test_a_broken_pipe_is_no_error(self, here: Project, make_run: MakeRun) -> None:
        for seed in range(3):
            make_run(here, seed=seed)
        around = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = f"{sys.executable} -m ledger.cli.main log | head -1; echo ${{PIPESTATUS[0]}}"
        done = subprocess.run(
            ["bash", "-c", command], cwd=here.root, env=around, capture_output=True, text=True, check=False
        )
        assert len(done.stdout.splitlines()) == 2
        assert done.stderr == ""

    def test_selecting_a_run_that_did_not_finish(self, here: Project, shell: Shell) -> None:
        shell("run", "exp", "--", "false")
        one_line(shell("select", "@last"), 2, "failed")


class TestDisclose:
    """Disclosing is an act of the user, bound to value and runs."""

    def test_a_single_seed_is_settled_by_a_sentence_until_the_run_changes(
        self, here: Project, shell: Shell, make_run: MakeRun
    ) -> None:
        make_run(here, value=0.9)
        here.evidence.write_text(claim())
        shell("evidence", "refresh")
        assert "single-seed" in shell("evidence", "check").stdout
        assert shell("disclose", "C1", "--text", "one seed").returncode == 0
        done = shell("evidence", "check")
        assert "single-seed" not in done.stdout
        assert "1 disclosed" in done.stdout
        assert "single-seed" in shell("evidence", "check", "--all").stdout
        assert "one seed" in json.loads(here.evidence.read_text())["claims"][0]["disclosure"]
        assert shell("evidence", "check", "--policy", "require-disclosure").returncode == 0
        assert shell("evidence", "check", "--policy", "strict").returncode == 1
        new = make_run(here, value=0.8)
        shell("select", new.run_id)
        shell("evidence", "refresh")
        assert "disclosure-expired" in shell("evidence", "check").stdout

    def test_a_drift_is_settled_by_its_fingerprint_until_a_value_changes(self, here: Project, shell: Shell) -> None:
        here.evidence.write_text(claim(value=0.9))
        document = here.root / "README.md"
        document.write_text("| m | acc |\n|--|--|\n| ours | 0.8 |\n")
        found = json.loads(shell("reconcile", "README.md", "--format", "json").stdout)["findings"][0]
        assert found["rule"] == "drift"
        assert shell("disclose", found["fingerprint"][:6], "--text", "older model, as stated").returncode == 0
        assert shell("reconcile", "README.md").returncode == 0
        document.write_text("# Moved\n\n" + document.read_text())
        assert shell("reconcile", "README.md").returncode == 0
        document.write_text(document.read_text().replace("0.8", "0.7"))
        assert shell("reconcile", "README.md").returncode == 1

    def test_what_nobody_found_cannot_be_disclosed(self, here: Project, shell: Shell) -> None:
        one_line(shell("disclose", "abcdef", "--text", "x"), 2, "neither a claim nor a finding")
        one_line(shell("disclose", "abcdef", "--text", " "), 2, "needs words")


def test_init_makes_a_project_and_changes_nothing_the_second_time(tmp_path: Path, shell: Shell) -> None:
    root = tmp_path / "fresh"
    root.mkdir()
    (root / ".gitignore").write_text("*.pyc")
    done = shell("init", "-q", at=root)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    before = {path: path.read_bytes() for path in root.iterdir()}
    assert before[root / ".gitignore"].startswith(b"*.pyc\n.ledger/objects/\n")
    assert shell("init", at=root).returncode == 0
    assert {path: path.read_bytes() for path in root.iterdir()} == before
    assert shell("evidence", "check", at=root).returncode == 0


def test_a_plain_evidence_file_works_in_every_command(here: Project, shell: Shell) -> None:
    """Only project, claims, evidence, metric and value, as other tools write it."""
    plain = {"project": "p", "claims": [{"id": "C1", "evidence": [{"metric": "accuracy", "value": 0.9}]}]}
    here.evidence.write_text(json.dumps(plain))
    (here.root / "README.md").write_text("Nothing here.\n")
    for command in (
        ("evidence", "check"),
        ("build",),
        ("trace", "C1"),
        ("reconcile",),
        ("gate",),
        ("fsck",),
        ("runs",),
    ):
        done = shell(*command)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), (command, done.stderr)
    assert shell("evidence", "refresh").returncode == 0
    assert json.loads(here.evidence.read_text()) == plain


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_that_the_table_repeats(name: str) -> None:
    module, _, attribute = COMMANDS[name].target.partition(":")
    command: click.Command = getattr(import_module(module), attribute)
    assert isinstance(command, click.Command)
    assert command.help
    assert name in help_text()
    assert COMMANDS[name].help.endswith(".")
    assert len(COMMANDS[name].help) <= 70
    group = isinstance(cli, LazyGroup) and cli.get_command(click.Context(cli), name)
    assert group is command


@pytest.mark.parametrize(
    ("argv", "allowed"),
    [
        (["--version"], {"ledger"}),
        (["--help"], {"ledger", "ledger.cli", "ledger.cli.table"}),
        ([], {"ledger", "ledger.cli", "ledger.cli.table"}),
    ],
)
def test_the_commonest_invocations_import_no_third_party(tmp_path: Path, argv: list[str], allowed: set[str]) -> None:
    code = (
        f"import sys; bare = set(sys.modules); sys.argv = ['ledger', *{argv!r}]\n"
        "from ledger.cli.main import main\n"
        "main()\n"
        "new = set(sys.modules) - bare\n"
        "print('@', sorted({n.split('.')[0] for n in new} - set(sys.stdlib_module_names) - {'ledger'}),"
        " sorted(n for n in new if n.split('.')[0] == 'ledger'))"
    )
    around = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=around, capture_output=True, text=True, check=True
    )
    third, ours = done.stdout.rpartition("@ ")[2].strip().split("] ", 1)
    assert third == "["
    assert set(json.loads(ours.replace("'", '"'))) <= allowed | {"ledger.cli.main", "ledger.cli"}
