"""Whatever the training wrote is in the sealed run, also where its files have our names, or names that are no text."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from ledger.canon import file_digest
from ledger.project import Project
from ledger.seal import staging
from ledger.seal.folder import seal_folders
from ledger.seal.publish import Sealed, seal
from ledger.store import fsck
from ledger.store.runs import Run
from ledger.store.selection import Selection

OURS = (
    "run.json",
    "provenance.json",
    "results.json",
    "config.resolved.yaml",
    "packages.txt",
    "history.csv",
    ".gitignore",
)


def finish(found: Project, staged: staging.Staging) -> Sealed:
    return seal(found, staged, "finished", 0)


def clean(found: Project) -> bool:
    return [f.rule for f in fsck.check(found).findings if f.severity == "error"] == []


def fill(staged: staging.Staging) -> None:
    """What makes every record of ours be written."""
    (staged.path / staging.RESULTS_JOURNAL).write_text('{"metric": "acc", "value": 0.5, "split": "test"}\n')
    (staged.path / staging.HISTORY_JOURNAL).write_text('{"step": 1, "loss": 1}\n')
    (staged.path / "checkpoints").mkdir()
    (staged.path / "checkpoints/best.pt").write_bytes(b"w")


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("kind", ["file", "folder", "link", "pipe"])
def test_a_name_of_ours_is_no_reason_to_lose_anything(here: Project, name: str, kind: str, tmp_path: Path) -> None:
    staged = staging.begin(here, "exp", config={"lr": 1})
    fill(staged)
    path = staged.path / name
    if kind == "file":
        path.write_bytes(b"- my own words\n")
    elif kind == "folder":
        path.mkdir()
        (path / "inner").write_bytes(b"- my own words\n")
    elif kind == "link":
        (tmp_path / "outside").write_bytes(b"- my own words\n")
        path.symlink_to(tmp_path / "outside")
    else:
        os.mkfifo(path)
    run = finish(here, staged).run
    assert clean(here)
    assert run.metrics[0].value == 0.5
    assert (run.path / "history.csv").read_text() == "step,loss\n1,1\n"
    assert yaml.safe_load((run.path / "config.resolved.yaml").read_bytes()) == {"lr": 1}
    assert "checkpoints/best.pt" in (run.path / ".gitignore").read_text()
    kept = [path for path in run.path.rglob("*") if path.is_file() and b"my own words" in path.read_bytes()]
    assert len(kept) == (kind in {"file", "folder"})
    if kind == "link":
        assert (tmp_path / "outside").read_bytes() == b"- my own words\n"


@pytest.mark.parametrize("placement", ["copy", "move"])
def test_a_results_jsonl_of_the_users_is_theirs(here: Project, tmp_path: Path, placement: str) -> None:
    """A usual name for per-item outputs; it is no journal of ours."""
    folder = tmp_path / "run"
    folder.mkdir()
    texts = {"results.jsonl": '{"id": 1}\n{"id": 2}\n', "history.jsonl": '{"epoch": 1}\n'}
    for name, text in texts.items():
        (folder / name).write_text(text)
    run = seal_folders(here, [folder], "exp", placement=placement)[0].run  # type: ignore[arg-type]
    assert {name: (run.path / name).read_text() for name in texts} == texts
    assert run.metrics == ()


def test_the_config_that_a_run_wrote_itself_is_its_config(here: Project) -> None:
    """Undeclared at launch, known to the script: the group is that of whoever declares the same."""
    staged = staging.begin(here, "exp", otherwise={"command": ["python", "train.py"]})
    text = "# resolved by the trainer\nlr: 0.1\nseed: 3\nnested: {deep: [1, 2]}\n"
    (staged.path / "config.resolved.yaml").write_text(text)
    run = finish(here, staged).run
    assert (run.path / "config.resolved.yaml").read_text() == text
    assert run.seed == 3
    declared = finish(here, staging.begin(here, "exp", config={"lr": 0.1, "seed": 3, "nested": {"deep": [1, 2]}})).run
    assert declared.manifest.provenance_hash == run.manifest.provenance_hash


def test_a_declared_config_stands_and_the_other_is_kept(here: Project) -> None:
    staged = staging.begin(here, "exp", config={"lr": 0.1})
    (staged.path / "config.resolved.yaml").write_text("lr: 0.2\n")
    run = finish(here, staged).run
    assert yaml.safe_load((run.path / "config.resolved.yaml").read_bytes()) == {"lr": 0.1}
    assert (run.path / "own.config.resolved.yaml").read_text() == "lr: 0.2\n"


def test_what_is_set_aside_takes_no_name_that_is_taken(here: Project) -> None:
    staged = staging.begin(here, "exp")
    for name in ("run.json", "own.run.json", "own.2.run.json"):
        (staged.path / name).write_text(name)
    run = finish(here, staged).run
    assert (run.path / "own.run.json").read_text() == "own.run.json"
    assert (run.path / "own.2.run.json").read_text() == "own.2.run.json"
    assert (run.path / "own.3.run.json").read_text() == "run.json"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems know no file name that is no text")
def test_names_that_are_no_text_are_spelled_and_nothing_is_lost(here: Project) -> None:
    staged = staging.begin(here, "exp")
    odd = [b"bad\xff.txt", b"bad\\xff.txt", b"sub\xff/caf\xe9", b"sub\xff/\xe2\x82"]
    (staged.path / os.fsdecode(b"sub\xff")).mkdir()
    for name in odd:
        (staged.path / os.fsdecode(name)).write_bytes(name)
    (staged.path / os.fsdecode(b"link\xff")).symlink_to(os.fsdecode(b"/no\xffwhere"))
    sealed = finish(here, staged)
    held = {file.path for file in sealed.run.manifest.files}
    assert {r"bad\xff.txt", r"bad\xff.txt_", r"sub\xff/caf\xe9", r"sub\xff/\xe2\x82"} <= held
    contents = {path.read_bytes() for path in sealed.run.path.rglob("*") if path.is_file()}
    assert set(odd) <= contents
    assert {"name-respelled", "not-sealed"} <= {finding.rule for finding in sealed.findings}
    assert clean(here)


@pytest.mark.parametrize("text", ["<<<<<<< HEAD\n", "[]", '{"runs": [1]}'])
def test_a_selection_that_cannot_be_read_keeps_no_run_from_being_sealed(
    here: Project, make_run: Callable[..., Run], text: str
) -> None:
    make_run(here)
    Selection(here).path("ours").write_text(text)
    sealed = finish(here, staging.begin(here, "ours", seed=1))
    assert sealed.run.path.is_dir()
    assert not sealed.selected
    assert "selection-broken" in {finding.rule for finding in sealed.findings}
    assert Selection(here).path("ours").read_text() == text


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}, None, "high", True, float("nan")])
def test_a_metric_whose_value_is_no_number_is_said(here: Project, value: object) -> None:
    staged = staging.begin(here, "exp")
    (staged.path / "results.json").write_text(json.dumps({"metrics": [{"metric": "acc", "value": value}]}))
    sealed = finish(here, staged)
    assert "non-finite-value" in {finding.rule for finding in sealed.findings}
    assert clean(here)


def test_output_and_a_log_of_the_same_name_are_both_kept(here: Project, shell: Callable[..., object]) -> None:
    shell("run", "exp", "--", "sh", "-c", "echo from the screen; echo from the script >> $LEDGER_RUN_DIR/log.txt")
    (log,) = here.results.glob("exp/runs/*/log.txt")
    assert sorted(log.read_text().splitlines()) == ["from the screen", "from the script"]
    assert file_digest(log)[1] == len("from the screen\nfrom the script\n")


@pytest.mark.parametrize("placement", ["copy", "move", "link"])
def test_each_link_that_is_no_file_of_the_run_says_where_it_leads(
    here: Project, tmp_path: Path, placement: str
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("not of the run")
    out = tmp_path / "out"
    (out / "deep").mkdir(parents=True)
    (out / "ok.txt").write_text("1")
    links = {"dangling": "gone.bin", "outside": str(secret), "loop": "loop", "folder": "deep", "within": "ok.txt"}
    for name, target in links.items():
        (out / name).symlink_to(target)
    (sealed,) = seal_folders(here, [out], "exp", placement=placement)  # type: ignore[arg-type]
    assert {item["path"]: item["reason"] for item in sealed.run.manifest.skipped} == {
        "dangling": "a link that leads nowhere (gone.bin is not there)",
        "outside": f"a link that leaves the run ({secret})",
        "loop": "a link that leads back to itself (loop)",
        "folder": "a link to a folder (deep)",
    }
    assert {"ok.txt", "within"} <= {file.path for file in sealed.run.manifest.files}
    assert b"not of the run" not in b"".join(
        path.read_bytes() for path in here.root.rglob("*") if path.is_file() and not path.is_symlink()
    )
    assert clean(here)
