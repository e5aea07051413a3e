"""The hook at its edges: merges, odd folder names, git settings, several projects, and documents that nobody configured."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger import project
from ledger.project import Project
from ledger.reconcile.paths import expand
from ledger.store.runs import Run

Git = Callable[..., str]
Shell = Callable[..., subprocess.CompletedProcess[str]]
MakeRun = Callable[..., Run]

ROW = {"exp_id": "ours", "metric": "acc", "split": "test", "value": 0.912}
CLAIMS = json.dumps({"project": "p", "claims": [{"id": "C1", "statement": "ours", "evidence": [ROW]}]})
WRONG = "| method | acc |\n|:--|--:|\n| ours | 0.921 |\n"


def commit(git: Git, message: str = "x") -> None:
    git("add", "-A")
    git("commit", "-qm", message)


def hook(shell: Shell, name: str = "append-only", **around: str) -> subprocess.CompletedProcess[str]:
    return shell(name, module="ledger.hook", env=around)


class TestMerge:
    """What the other branch sealed comes out of a merge as it went in."""

    @pytest.fixture
    def side(self, in_git: Project, git: Git, make_run: MakeRun) -> Run:
        """A run that only the other branch holds; the merge of it is not yet committed."""
        git("checkout", "-qb", "side")
        run = make_run(in_git, "side")
        commit(git, "side")
        git("checkout", "-q", "main")
        make_run(in_git, "here")
        commit(git, "here")
        git("merge", "-q", "--no-commit", "side")
        return run

    def test_a_merge_that_keeps_both_passes(self, git: Git, shell: Shell, side: Run) -> None:
        assert hook(shell).returncode == 0
        git("commit", "-qm", "merged")
        assert hook(shell).returncode == 0

    @pytest.mark.parametrize("act", ["modify", "delete", "add"])
    def test_a_merge_that_alters_what_the_other_side_sealed_is_stopped(
        self, git: Git, shell: Shell, side: Run, act: str
    ) -> None:
        if act == "add":
            (side.path / "late.txt").write_text("late")
        elif act == "delete":
            shutil.rmtree(side.path)
        else:
            (side.path / "results.json").chmod(0o644)
            (side.path / "results.json").write_text("{}")
        git("add", "-A")
        done = hook(shell)
        assert done.returncode == 1
        assert "results/side/runs/" in done.stderr

    def test_a_merge_in_another_work_tree_is_seen_too(
        self, in_git: Project, git: Git, shell: Shell, make_run: MakeRun, tmp_path: Path
    ) -> None:
        git("checkout", "-qb", "side")
        run = make_run(in_git, "side")
        commit(git)
        git("checkout", "-q", "main")
        (in_git.root / "other.txt").write_text("x")
        commit(git)
        tree = tmp_path / "tree"
        git("worktree", "add", "-q", "-b", "work", str(tree), "main")
        git("merge", "-q", "--no-commit", "--no-ff", "side", at=tree)
        path = tree / run.path.relative_to(in_git.root) / "results.json"
        path.chmod(0o644)
        path.write_text("{}")
        git("add", "-A", at=tree)
        assert shell("append-only", at=tree, module="ledger.hook").returncode == 1
        git("reset", "-q", "--hard", at=tree)
        assert shell("append-only", at=tree, module="ledger.hook").returncode == 0


@pytest.mark.parametrize("folder", ["1:x", ":(top)", "a*[b]", "-n", "é\nü", "a\\b"])
def test_folders_of_every_name(in_git: Project, git: Git, shell: Shell, make_run: MakeRun, folder: str) -> None:
    """git reads `:1:x`, `:(top)` and `*` in its own way where it may."""
    root = in_git.root / folder
    root.mkdir()
    (root / "EVIDENCE.json").write_text(CLAIMS)
    inner = project.at(root)
    run = make_run(inner)
    (root / "README.md").write_text("Nothing.\n")
    commit(git)
    segment = next(inner.log.glob("*.jsonl"))
    segment.write_bytes(segment.read_bytes() + b'{"type":"more"}\n')
    git("add", "-A")
    assert hook(shell, "all").returncode == 0
    (root / "README.md").write_text(WRONG)
    git("add", "-A")
    assert "0.921" in hook(shell, "reconcile").stderr
    path = run.path / "results.json"
    path.chmod(0o644)
    path.write_text("{}")
    git("add", "-A")
    assert hook(shell).returncode == 1


@pytest.mark.parametrize(
    "setting", ["diff.relative=true", "diff.renames=copies", "core.quotePath=true", "diff.noprefix=true", "color.ui=always", "status.relativePaths=false"]
)  # fmt: skip
@pytest.mark.parametrize("within", ["", "results"])
def test_settings_and_folders_change_nothing(
    in_git: Project, git: Git, shell: Shell, make_run: MakeRun, setting: str, within: str
) -> None:
    run = make_run(in_git)
    (in_git.root / "README.md").write_text("Nothing.\n")
    in_git.evidence.write_text(CLAIMS)
    commit(git)
    git("config", *setting.split("="))
    (run.path / "results.json").rename(in_git.root / "ünder.json")
    (in_git.root / "README.md").write_text(WRONG)
    git("add", "-A")
    done = shell("append-only", module="ledger.hook", at=in_git.root / within)
    assert (done.returncode, "results.json: the commit deletes" in done.stderr) == (1, True)
    assert "README.md:3" in shell("reconcile", module="ledger.hook", at=in_git.root / within).stderr


def test_a_partial_commit_is_judged_by_what_it_commits(
    in_git: Project, git: Git, shell: Shell, make_run: MakeRun
) -> None:
    run = make_run(in_git)
    commit(git)
    assert shell("hook", "install").returncode == 0
    (run.path / "late.txt").write_text("late")
    (in_git.root / "train.py").write_text("print(2)\n")
    git("add", "-A")
    git("commit", "-qm", "the source alone", "--", "train.py")
    assert "late.txt" in git("status", "--porcelain")
    assert git("log", "-1", "--format=%s").strip() == "the source alone"


PATTERNS = ("*.md", "paper/*.tex", "docs/**/*.md", "talks", "odd name.md", "deep/*/x.md")
PATHS = [
    "a.md", "a.tex", "sub/a.md", "paper/p.tex", "paper/sub/p.tex", "docs/a.md", "docs/b/a.md", "docs/b/c/a.md", "docs/a.tex",
    "talks/t.md", "talks/deep/t.tex", "talks/t.txt", "odd name.md", "node_modules/a.md", "docs/build/a.md", "deep/y/x.md",
    "deep/y/z/x.md", ".hidden.md", "talks/results/t.md", "A.MD",
]  # fmt: skip


def test_the_hook_looks_at_the_documents_that_reconcile_looks_at(in_git: Project, git: Git, shell: Shell) -> None:
    in_git.evidence.write_text(CLAIMS)
    (in_git.root / "ledger.toml").write_text(f"documents = {json.dumps(list(PATTERNS))}\n")
    commit(git)
    for path in PATHS:
        file = in_git.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(WRONG)
    expected = {path.relative_to(in_git.root).as_posix() for path in expand(list(PATTERNS), in_git.root)}
    assert 8 <= len(expected) < len(PATHS)
    git("add", "-A", "-f")
    found = set()
    for path in PATHS:
        git("reset", "-q")
        git("add", "-f", "--", path)
        if hook(shell, "reconcile").stderr:
            found.add(path)
    # a table in TeX is another thing: what is not Markdown there is only looked at
    markdown = {path for path in expected if path.endswith(".md")}
    assert {path for path in found if path.endswith(".md")} == markdown
    assert found <= expected


def test_many_projects_print_one_screenful(in_git: Project, git: Git, shell: Shell) -> None:
    for i in range(8):
        folder = in_git.root / f"p{i}"
        folder.mkdir()
        (folder / "EVIDENCE.json").write_text(CLAIMS)
        (folder / "README.md").write_text(WRONG * 3)
    git("add", "-A")
    done = hook(shell, "reconcile")
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) <= 22
    assert "more; `ledger reconcile`" in done.stderr


def test_documents_that_are_no_text_and_claims_that_are_deleted(in_git: Project, git: Git, shell: Shell) -> None:
    in_git.evidence.write_text(CLAIMS)
    (in_git.root / "README.md").write_text("Nothing.\n")
    commit(git)
    (in_git.root / "README.md").write_bytes(b"\xff\xfe\x00")
    (in_git.root / "empty.md").write_bytes(b"")
    (in_git.root / "link.md").symlink_to("nowhere")
    git("add", "-A")
    done = hook(shell, "reconcile")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert "README.md" in done.stderr
    in_git.evidence.unlink()
    git("add", "-A")
    assert hook(shell, "all").returncode == 0


def test_a_disclosed_drift_passes_in_silence(in_git: Project, git: Git, shell: Shell) -> None:
    in_git.evidence.write_text(CLAIMS)
    (in_git.root / "README.md").write_text(WRONG)
    found = json.loads(shell("reconcile", "README.md", "--format", "json").stdout)["findings"][0]
    assert shell("disclose", found["fingerprint"], "--text", "last year's number").returncode == 0
    git("add", "-A")
    done = hook(shell, "reconcile")
    assert (done.returncode, done.stderr) == (0, "")


def test_git_that_is_not_there_is_one_line(in_git: Project, shell: Shell, tmp_path: Path) -> None:
    done = hook(shell, PATH=str(tmp_path))
    assert (done.returncode, len(done.stderr.splitlines())) == (3, 1)
    assert "git" in done.stderr


def test_the_installed_hook_runs_where_no_script_was_installed(
    in_git: Project, git: Git, make_run: MakeRun, tmp_path: Path
) -> None:
    """As after `pip install --user`: the interpreter has no `ledger-hook` beside it."""
    python = tmp_path / "bin/python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    run = make_run(in_git)
    commit(git)
    decoy = in_git.root / "ledger"
    decoy.mkdir()
    (decoy / "__init__.py").write_text("raise SystemExit('the repository is not to be imported')\n")
    root = Path(__file__).resolve().parents[3]
    site = Path(pytest.__file__).parents[1]
    around = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (root, root / "adapters", site)))}
    code = f"import sys; sys.executable = {str(python)!r}; sys.argv = ['ledger', 'hook', 'install']; from ledger.cli.main import main; main()"
    subprocess.run([sys.executable, "-P", "-c", code], cwd=in_git.root, env=around, check=True, capture_output=True)
    (run.path / "late.txt").write_text("late")
    git("add", "-A")
    path = in_git.root / ".git/hooks/pre-commit"
    done = subprocess.run([path], cwd=in_git.root, env=around, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "late.txt: the commit adds a file of a sealed run" in done.stderr
    python.unlink()
    done = subprocess.run([path], cwd=in_git.root, env=around, capture_output=True, text=True, check=False)
    assert (done.returncode, "not guarded" in done.stderr) == (0, True)


def test_a_defect_of_ours_is_one_line_and_keeps_nobody_from_committing(
    in_git: Project, git: Git, shell: Shell, tmp_path: Path
) -> None:
    """Both where one project's documents are checked and where the check cannot even begin."""
    in_git.evidence.write_text(CLAIMS)
    (in_git.root / "README.md").write_text(WRONG)
    (in_git.root / "ledger.toml").write_text('policy = "strict"\n')
    git("add", "-A")
    assert hook(shell, "all").returncode == 1
    broken = tmp_path / "broken"
    broken.mkdir()
    root = Path(__file__).resolve().parents[3]
    path = os.pathsep.join(map(str, (broken, root, root / "adapters")))
    for defect in (
        "ledger.reconcile.check = lambda *_: 1 / 0",
        "ledger.reconcile.Source = None; del ledger.reconcile.check",
    ):
        (broken / "sitecustomize.py").write_text(f"import ledger.reconcile\n{defect}\n")
        done = hook(shell, "all", PYTHONPATH=path)
        assert (done.returncode, done.stderr.count("\n")) == (0, 1), done.stderr
        assert "documents could not be checked" in done.stderr
