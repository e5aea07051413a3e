"""The code input in repositories of every kind: what changes the digest, and that a dirty tree can be rebuilt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger import project, schema
from ledger.project import Project
from ledger.seal import kept, staging
from ledger.seal.code import capture
from ledger.seal.publish import Sealed, seal
from ledger.store import fsck
from ledger.store.digests import Digests
from ledger.store.objects import ObjectStore

Git = Callable[..., str]


def tree(found: Project) -> str:
    return str(capture(found).record["tree_sha256"])


def run(found: Project) -> Sealed:
    sealed = seal(found, staging.begin(found, "exp"), "finished", 0)
    schema.validate(sealed.run.provenance, "provenance")
    return sealed


def code(sealed: Sealed) -> dict[str, Any]:
    return dict(sealed.run.provenance["hash_inputs"]["code"])


@pytest.fixture
def library(tmp_path: Path, git: Git) -> Path:
    """A repository of somebody else's, with one commit."""
    path = tmp_path / "library"
    path.mkdir()
    git("init", "-q", "-b", "main", at=path)
    (path / "model.py").write_text("layers = 1\n")
    (path / "other.py").write_text("x\n")
    git("add", "-A", at=path)
    git("commit", "-qm", "one", at=path)
    return path


@pytest.fixture(params=["submodule", "clone"])
def within(request: pytest.FixtureRequest, in_git: Project, git: Git, library: Path) -> Path:
    """The library within the project, as a submodule or just cloned there."""
    if request.param == "submodule":
        git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "lib")
        git("commit", "-qm", "the library")
    else:
        git("clone", "-q", str(library), "lib")
    return in_git.root / "lib"


def test_code_within_counts_by_its_commit_and_its_changes(in_git: Project, within: Path, git: Git) -> None:
    states = [tree(in_git)]
    assert tree(in_git) == states[0]
    (within / "model.py").write_text("layers = 2\n")
    states.append(tree(in_git))
    (within / "new.py").write_text("untracked\n")
    states.append(tree(in_git))
    (within / "other.py").unlink()
    states.append(tree(in_git))
    git("add", "-A", at=within)
    git("commit", "-qm", "two", at=within)
    states.append(tree(in_git))
    assert len(set(states)) == len(states)
    git("checkout", "-q", "HEAD~1", at=within)
    assert tree(in_git) == states[0]


def test_what_was_changed_within_can_be_rebuilt(in_git: Project, within: Path, git: Git, tmp_path: Path) -> None:
    (within / "model.py").write_text("layers = 2\n")
    (within / "deep").mkdir()
    (within / "deep/new.py").write_text("untracked\n")
    (in_git.root / "train.py").write_text("changed outside too\n")
    sealed = run(in_git)
    assert "dirty-tree" in {finding.rule for finding in sealed.findings}
    assert code(sealed)["repositories"] == {"lib": git("rev-parse", "HEAD", at=within).strip()}
    objects = ObjectStore(in_git.objects)
    stored = {item["path"]: objects.path(item["sha256"]).read_text() for item in sealed.run.provenance["untracked"]}
    assert stored["lib/model.py"] == "layers = 2\n"
    assert stored["lib/deep/new.py"] == "untracked\n"
    clone = tmp_path / "rebuilt"
    git("clone", "-q", str(in_git.root), str(clone), at=tmp_path)
    git("apply", "--binary", str(objects.path(code(sealed)["diff_sha256"])), at=clone)
    assert (clone / "train.py").read_text() == "changed outside too\n"


def test_a_repository_within_one_within(in_git: Project, within: Path, library: Path, git: Git) -> None:
    git("clone", "-q", str(library), "inner", at=within)
    before = tree(in_git)
    (within / "inner/model.py").write_text("layers = 9\n")
    assert tree(in_git) != before
    assert set(capture(in_git).record["repositories"]) == {"lib", "lib/inner"}


def test_a_submodule_that_was_never_fetched(in_git: Project, library: Path, git: Git, tmp_path: Path) -> None:
    from ledger import project

    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "lib")
    git("add", "-A")
    git("commit", "-qm", "the library")
    git("clone", "-q", str(in_git.root), "fresh", at=tmp_path)
    record = capture(project.at(tmp_path / "fresh")).record
    assert record["dirty"] is False
    assert "repositories" not in record


@pytest.mark.parametrize(
    "setting",
    [
        ("diff.noprefix", "true"), ("diff.mnemonicPrefix", "true"), ("diff.external", "false"), ("color.ui", "always"),
        ("diff.submodule", "log"), ("diff.renames", "copies"), ("diff.shout.textconv", "tr a-z A-Z <"),
        ("diff.context", "0"), ("core.quotePath", "false"), ("diff.interHunkContext", "9"),
    ],
)  # fmt: skip
def test_the_stored_difference_can_be_applied_whatever_git_is_told(
    in_git: Project, git: Git, tmp_path: Path, setting: tuple[str, str]
) -> None:
    (in_git.root / ".gitattributes").write_text("*.py diff=shout\n")
    names = ["train.py", "with space.py", "ü.py", "data.bin"]
    for name in names:
        (in_git.root / name).write_bytes(b"\n".join(b"line %d" % number for number in range(40)))
    git("add", "-A")
    git("commit", "-qm", "many lines")
    git("config", *setting)
    for name in names:
        lines = (in_git.root / name).read_bytes().split(b"\n")
        lines[20] = b"\0changed" if name == "data.bin" else b"changed"
        (in_git.root / name).write_bytes(b"\n".join([*lines, b"no newline at the end"]))
    git("mv", "ü.py", "moved.py")
    sealed = run(in_git)
    clone = tmp_path / "rebuilt"
    git("clone", "-q", str(in_git.root), str(clone), at=tmp_path)
    git("apply", str(ObjectStore(in_git.objects).path(code(sealed)["diff_sha256"])), at=clone)
    for name in ("train.py", "with space.py", "moved.py", "data.bin"):
        assert (clone / name).read_bytes() == (in_git.root / name).read_bytes()
    assert not (clone / "ü.py").exists()


def test_large_untracked_files_are_digested_and_not_stored(in_git: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "LARGEST_SOURCE", 1000)
    (in_git.root / "data.bin").write_bytes(b"d" * 1001)
    (in_git.root / "small.py").write_bytes(b"s" * 1000)
    before = tree(in_git)
    sealed = run(in_git)
    assert sealed.run.provenance["not_stored"] == ["data.bin"]
    assert [item["path"] for item in sealed.run.provenance["untracked"]] == ["small.py"]
    said = next(finding for finding in sealed.findings if finding.rule == "dirty-tree")
    assert "(1 untracked file), and 1 of over 10 MiB cannot be stored" in said.message
    assert [f.rule for f in fsck.check(in_git).findings if f.severity == "error"] == []
    (in_git.root / "data.bin").write_bytes(b"e" * 1001)
    assert tree(in_git) != before


def test_a_hook_of_another_repository_does_not_confuse(
    in_git: Project, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = capture(in_git).record
    monkeypatch.setenv("GIT_DIR", str(library / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(library / ".git/index"))
    assert capture(in_git).record == before


def test_a_repository_without_a_commit_keeps_all_its_sources(here: Project, git: Git) -> None:
    git("init", "-q")
    (here.root / "train.py").write_text("1\n")
    sealed = run(here)
    assert (code(sealed)["commit"], code(sealed)["dirty"]) == (None, True)
    assert [item["path"] for item in sealed.run.provenance["untracked"]] == ["train.py"]


@pytest.mark.parametrize("folder", ["", "sub [x] *", "results"])
def test_of_the_folders_of_ours_git_is_not_asked(here: Project, git: Git, folder: str) -> None:
    """In the project at the top of a repository and below it, where a folder of another project has the same name."""
    root = here.root / folder
    for name in (
        "train.py",
        "lib/results/table.py",
        "results/e/runs/r/run.json",
        ".ledger/log/s.jsonl",
        "generated/x.tex",
    ):
        for kind in ("tracked", "new"):
            path = (root / name).with_stem(f"{Path(name).stem}-{kind}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(name)
    if folder:
        (here.root / "generated").mkdir()
        (here.root / "generated" / "mine.py").write_text("of the project above")
    git("init", "-q")
    git("add", "-f", *(str(path) for path in here.root.rglob("*-tracked*")))
    git("commit", "-qm", "start")
    found = capture(project.at(root))
    assert found.untracked == ("lib/results/table-new.py", "train-new.py")
    same = capture(project.at(root))
    for path in root.rglob("*-new.jsonl"):
        path.write_text("changed")
    (root / "results/e/runs/r/run-tracked.json").write_text("changed")
    assert capture(project.at(root)).record == same.record == found.record


def test_outside_git_environments_and_caches_are_no_code(here: Project) -> None:
    (here.root / "train.py").write_text("1\n")
    before = tree(here)
    for name in ("env/pyvenv.cfg", "env/lib/x.py", "__pycache__/x.pyc", ".hidden/x.py", "results/e/x", "build/x"):
        path = here.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    assert tree(here) == before
    (here.root / "sub").mkdir()
    (here.root / "sub/more.py").write_text("2\n")
    assert tree(here) != before


def test_a_cache_that_lies_in_the_project_is_no_code(
    in_git: Project, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home folder that is the project, as in many containers."""
    from ledger import project
    from ledger.store.index import Index

    monkeypatch.setenv("XDG_CACHE_HOME", str(in_git.root / ".cache [1]"))
    found = project.at(in_git.root)
    before = capture(found).record
    (in_git.root / "big.bin").write_bytes(b"x" * 300_000)
    git("add", "-A")
    git("commit", "-qm", "data")
    with Digests(found.cache) as digests:
        monkeypatch.setattr("ledger.store.digests.RACY", -(10**12))
        assert capture(found, digests).record["dirty"] is False
    Index(found).close()
    assert list(found.cache.glob("digests-*"))
    assert list(found.cache.glob("index-*"))
    after = capture(found).record
    assert (before["dirty"], after["dirty"]) == (False, False)


def test_links_count_as_their_text(in_git: Project, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("1")
    (in_git.root / "link").symlink_to(tmp_path / "outside")
    (in_git.root / "broken").symlink_to("nowhere")
    before = tree(in_git)
    (tmp_path / "outside").write_text("2")
    assert tree(in_git) == before
    (in_git.root / "link").unlink()
    (in_git.root / "link").symlink_to("elsewhere")
    assert tree(in_git) != before


def test_without_git_at_all_it_is_a_folder(in_git: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    record = capture(in_git).record
    assert (record["commit"], record["dirty"]) == (None, None)
