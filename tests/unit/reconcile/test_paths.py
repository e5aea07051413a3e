from __future__ import annotations

from pathlib import Path

import pytest

from ledger.errors import InputError
from ledger.reconcile import expand


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in (
        "a.md",
        "b/c.tex",
        "b/d.csv",
        "b/e.png",
        ".git/x.md",
        "results/r.md",
        "generated/t.tex",
        "b/node_modules/n.md",
        "my notes.txt",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1")
    return tmp_path


def names(root: Path, found: list[Path]) -> list[str]:
    return [path.relative_to(root).as_posix() for path in found]


def test_a_folder_gives_its_documents_and_leaves_tool_folders_out(tree: Path) -> None:
    assert names(tree, expand(["."], tree)) == ["a.md", "b/c.tex", "b/d.csv"]


def test_a_named_file_is_taken_whatever_it_is_called_and_once(tree: Path) -> None:
    assert names(tree, expand(["my notes.txt", "a.md", tree / "a.md"], tree)) == ["my notes.txt", "a.md"]


def test_globs(tree: Path) -> None:
    assert names(tree, expand(["**/*.md", "b/*.tex"], tree)) == ["a.md", "b/c.tex"]


def test_a_name_with_brackets_is_a_file_first(tree: Path) -> None:
    (tree / "x[1].md").write_text("1")
    assert names(tree, expand(["x[1].md"], tree)) == ["x[1].md"]


def test_nothing_there_is_an_error_that_names_it(tree: Path) -> None:
    with pytest.raises(InputError, match=r"nope\.md: there is no such file"):
        expand(["nope.md"], tree)
