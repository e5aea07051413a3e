"""Where a project is found, and how its configuration is read: later sources win, wrong ones say where they stand."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from ledger import project
from ledger.errors import InputError, UsageError


@pytest.mark.parametrize("marker", ["EVIDENCE.json", "ledger.toml", ".ledger"])
def test_the_nearest_folder_with_a_marker_is_the_project(tmp_path: Path, marker: str) -> None:
    outer, inner = tmp_path / "a", tmp_path / "a/b/c"
    inner.mkdir(parents=True)
    (outer / "EVIDENCE.json").write_text("{}")
    assert project.find(inner).root == outer
    path = tmp_path / "a/b" / marker
    path.mkdir() if marker == ".ledger" else path.write_text("")
    assert project.find(inner).root == tmp_path / "a/b"


def test_no_project_says_where_it_looked_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        project.find(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path}: no project here")
    assert "`ledger init`" in str(caught.value)


def test_the_environment_names_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEDGER_PROJECT", str(tmp_path))
    assert project.find().root == tmp_path
    (tmp_path / "x").mkdir()
    (tmp_path / "x/ledger.toml").write_text("")
    assert project.find(tmp_path / "x").root == tmp_path / "x"


def test_a_link_into_the_project_leads_to_it(tmp_path: Path) -> None:
    (tmp_path / "real/sub").mkdir(parents=True)
    (tmp_path / "real/EVIDENCE.json").write_text("{}")
    (tmp_path / "link").symlink_to("real/sub")
    assert project.find(tmp_path / "link").root == tmp_path / "real"


def test_later_sources_win_and_each_value_knows_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.ledger]\npolicy = "strict"\ndocuments = ["a.md"]\nfigure_timeout = 3\n'
    )
    (tmp_path / "ledger.toml").write_text('documents = ["b.md", "c.md"]\n')
    found = project.at(tmp_path)
    assert (found.config.policy, found.config.documents, found.config.figure_timeout) == (
        "strict",
        ("b.md", "c.md"),
        3.0,
    )
    assert found.sources == {"policy": "pyproject.toml", "documents": "ledger.toml", "figure_timeout": "pyproject.toml"}
    monkeypatch.setenv("LEDGER_DOCUMENTS", os.pathsep.join(["d.md", "e.md"]))
    monkeypatch.setenv("LEDGER_POLICY", "disclose")
    monkeypatch.setenv("LEDGER_FIGURE_TIMEOUT", "2.5")
    found = project.at(tmp_path)
    assert (found.config.policy, found.config.documents, found.config.figure_timeout) == (
        "disclose",
        ("d.md", "e.md"),
        2.5,
    )
    assert set(found.sources.values()) == {"LEDGER_POLICY", "LEDGER_DOCUMENTS", "LEDGER_FIGURE_TIMEOUT"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('policy = "loud"', "ledger.toml: `policy` must be one of disclose, require-disclosure, strict, found 'loud'"),
        ('policy = ["strict"]', "ledger.toml: `policy` must be one of"),
        ("documents = 3", "ledger.toml: `documents` must be a list of strings"),
        ("documents = [1]", "ledger.toml: `documents` must be a list of strings"),
        ('figure_timeout = "soon"', "ledger.toml: `figure_timeout` must be a number, found 'soon'"),
        ("figure_timeout = []", "ledger.toml: `figure_timeout` must be a number, found []"),
        ("policy = ", "ledger.toml: not TOML: Invalid value (at end of document)"),
        ('a = "\\u12"', "ledger.toml: not TOML"),
    ],
)
def test_a_wrong_setting_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "ledger.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        project.at(tmp_path)
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["ledger.toml", "pyproject.toml"])
def test_a_configuration_that_is_not_utf8(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b'policy = "\xff"')
    with pytest.raises(UsageError, match=f"{name}: not TOML"):
        project.at(tmp_path)


@pytest.mark.parametrize("text", ["", "[tool]\n", "tool = 3\n", "[tool.other]\n", "[tool]\nledger = 1\n"])
def test_a_pyproject_that_is_not_about_us(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert project.at(tmp_path).config == project.Config()


@pytest.mark.parametrize(("key", "hint"), [("polcy", "; did you mean `policy`?"), ("zzz", "")])
def test_an_unknown_key_warns_with_a_hint(tmp_path: Path, key: str, hint: str) -> None:
    (tmp_path / "ledger.toml").write_text(f"{key} = 1\n")
    assert project.at(tmp_path).warnings == (f"ledger.toml: unknown key `{key}`{hint}",)


def test_paths_are_shown_from_the_project_with_forward_slashes(tmp_path: Path) -> None:
    found = project.at(tmp_path)
    assert found.shown(tmp_path / "a" / "b.md") == "a/b.md"
    assert found.shown(tmp_path.parent / "c.md") == (tmp_path.parent / "c.md").as_posix()


def test_links_in_a_circle_are_shown_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    assert project.at(tmp_path).shown(tmp_path / "circle") == (tmp_path / "circle").as_posix()


def test_the_cache_is_the_users_and_of_this_project_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    one, other = project.at(tmp_path / "one"), project.at(tmp_path / "other")
    assert one.cache.parent == other.cache.parent == tmp_path / "cache/evidence-ledger"
    assert one.cache != other.cache
    for name in ("XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    assert project.at(tmp_path / "one").cache.name == one.cache.name


class TestApi:
    """`ledger.runs` and `ledger.disclose`, as scripts and notebooks call them."""

    def test_runs_as_a_frame(self, here: Any, make_run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("pandas", reason="needs the extra `frames`")
        import ledger

        monkeypatch.chdir(here.root)
        empty = ledger.runs()
        assert (len(empty), str(empty.dtypes["value"])) == (0, "float64")
        make_run(here, seed=0, value=0.9)
        make_run(here, "base", seed=1, value=0.8)
        frame = ledger.runs()
        assert sorted(frame["value"]) == [0.8, 0.9]
        assert list(frame["selected"]) == [True, True]
        assert list(ledger.runs("base")["seed"]) == [1]
        assert list(frame.columns) == list(empty.columns)

    def test_disclose_outside_a_figure_does_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        import ledger

        monkeypatch.chdir(tmp_path)
        assert ledger.disclose("non-zero baseline") is None  # type: ignore[func-returns-value]
        assert list(tmp_path.iterdir()) == []

    def test_what_is_not_there_is_an_attribute_error(self) -> None:
        import ledger

        with pytest.raises(AttributeError, match="nothing_of_this_name"):
            ledger.nothing_of_this_name  # noqa: B018


def test_a_configuration_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "ledger.toml").write_text("")
    (tmp_path / "ledger.toml").chmod(0)
    if os.access(tmp_path / "ledger.toml", os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(InputError, match=r"ledger.toml: cannot be read"):
        project.at(tmp_path)
