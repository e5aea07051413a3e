"""Every reader of our files refuses those of a newer version, says which version reads them, and leaves them alone."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger import schema
from ledger.errors import NewerVersionError
from ledger.evidence import proof
from ledger.evidence.graph import load
from ledger.log import segment
from ledger.model.version import newer
from ledger.pixelgate import sidecar
from ledger.pixelgate.folder import Folder
from ledger.project import Project
from ledger.seal.records import merge_results
from ledger.store.chosen import selected_ids
from ledger.store.index import Index, find
from ledger.store.journal import Journal
from ledger.store.runs import Run, read_run
from ledger.store.selection import Selection

MakeRun = Callable[..., Run]
Shell = Callable[..., subprocess.CompletedProcess[str]]

ROOT = Path(__file__).resolve().parents[2]


def raised(path: Path) -> Path:
    """The file as version 2 of its schema, with a key that this version would misread."""
    text = re.sub(r"(evidence-ledger/[a-z_]+)/v1", r"\1/v2", path.read_text(encoding="utf-8"), count=1)
    path.chmod(0o644)
    path.write_text(text, encoding="utf-8")
    return path


def log_file(here: Project) -> Path:
    return next(here.log.glob("*.jsonl"))


def figure(here: Project) -> Folder:
    folder = here.root / "figures" / "one"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "one.provenance").write_text('{"schema": "evidence-ledger/figure/v2", "figure": "one"}')
    return Folder(here.root, "one")


def read_segment(here: Project, run: Run) -> None:
    path = raised(log_file(here))
    segment.read(path.stem, path.read_bytes())


def read_proof(here: Project, run: Run, inner: str | None = None) -> None:
    document = proof.prove_runs(here, [run])
    if inner is None:
        document["schema"] = "evidence-ledger/proof/v2"
    else:
        document["runs"][0][inner]["schema"] = "evidence-ledger/run/v2"
    proof.check_proof(document)


def read_graph(here: Project, run: Run) -> None:
    here.evidence.write_text('{"schema": "evidence-ledger/evidence/v12", "claims": {}}')
    load(here.evidence)


READERS: dict[str, Callable[[Project, Run], object]] = {
    "manifest": lambda here, run: read_run(raised(run.path / "run.json").parent),
    "provenance": lambda here, run: read_run(raised(run.path / "provenance.json").parent).provenance,
    "results": lambda here, run: read_run(raised(run.path / "results.json").parent).metrics,
    "selection": lambda here, run: selected_ids(here, raised(Selection(here).path(run.exp_id)).parent.name),
    "claim graph": read_graph,
    "segment": read_segment,
    "log": lambda here, run: (raised(log_file(here)), Journal(here).segments()),
    "proof": read_proof,
    "manifest in a proof": lambda here, run: read_proof(here, run, "manifest"),
    "sidecar": lambda here, run: sidecar.read(figure(here)),
    "results that a training wrote": lambda here, run: merge_results(
        b'{"schema": "evidence-ledger/results/v2", "metrics": []}', [], "results.json"
    ),
    **{
        f"full validation of {name}": lambda here, run, name=name: schema.validate(  # type: ignore[misc]
            {"schema": f"evidence-ledger/{name}/v2"}, name
        )
        for name in schema.NAMES
    },
}


@pytest.mark.parametrize("reader", READERS)
def test_a_newer_file_is_refused_with_the_version_that_reads_it(here: Project, make_run: MakeRun, reader: str) -> None:
    run = make_run(here)
    results = run.path / "results.json"
    results.chmod(0o644)
    if reader == "results":
        results.write_text(json.dumps({"schema": "evidence-ledger/results/v1", "metrics": []}))
    with pytest.raises(NewerVersionError) as caught:
        READERS[reader](here, run)
    major = "12" if reader == "claim graph" else "2"
    assert f"/v{major}, and this version reads v1 of it" in str(caught.value)
    assert f"upgrade to evidence-ledger {major}.0 or newer" in str(caught.value)


@pytest.mark.parametrize(
    ("stated", "is_newer"),
    [
        ("evidence-ledger/run/v1", False), ("evidence-ledger/run/v2", True), ("evidence-ledger/run/v10", True),
        (f"evidence-ledger/run/v{'9' * 5000}", True), ("evidence-ledger/results/v2", False), ("v2", False),
        (2, False), (None, False),
    ],
)  # fmt: skip
def test_what_counts_as_newer(stated: object, is_newer: bool) -> None:
    assert (newer({"schema": stated}, "evidence-ledger/run/v1") is not None) == is_newer
    assert newer({}, "evidence-ledger/run/v1") is None
    assert newer({"schema": "evidence-ledger/run/v9"}, "evidence-ledger/run/v10") is None


@pytest.mark.parametrize("file", ["run.json", "provenance.json", "results.json"])
def test_a_newer_run_is_said_and_the_others_are_listed(
    here: Project, make_run: MakeRun, shell: Shell, file: str
) -> None:
    newest, old = make_run(here), make_run(here, "base")
    (newest.path / file).chmod(0o644)
    name = {"run.json": "run", "provenance.json": "provenance", "results.json": "results"}[file]
    text = json.loads((newest.path / file).read_text()) | {"schema": f"evidence-ledger/{name}/v2"}
    (newest.path / file).write_text(json.dumps(text))
    listed = shell("runs")
    assert (listed.returncode, old.run_id in listed.stdout) == (0, True)
    if file != "run.json":  # the table needs nothing of the manifest
        assert "ours" not in listed.stdout
        assert f"left out: {newest.path / file}: is evidence-ledger/{name}/v2" in listed.stderr
        assert "base" in shell("runs", "base").stdout
        assert "left out" not in shell("runs", "base").stderr
    shown = shell("show", newest.run_id)
    assert (shown.returncode, "upgrade to evidence-ledger 2.0" in shown.stderr) == (3, True)
    report = json.loads(shell("fsck", "--format", "json").stdout)
    rules = {finding["rule"] for finding in report["findings"]}
    assert "newer-version" in rules or file == "results.json"
    assert not rules & {"run-unreadable", "run-missing"}


def test_a_newer_segment_is_said_continued_by_nobody_and_left_out(
    here: Project, make_run: MakeRun, shell: Shell
) -> None:
    make_run(here)
    path = raised(log_file(here))
    before = path.read_bytes()
    after = make_run(here, "base")
    assert path.read_bytes() == before
    assert len(list(here.log.glob("*.jsonl"))) == 2
    listed = shell("runs")
    assert (listed.returncode, after.run_id in listed.stdout) == (0, True)
    assert f"left out: .ledger/log/{path.name}: is evidence-ledger/log/v2" in listed.stderr
    checked = shell("fsck")
    assert checked.returncode == 1
    assert "[newer-version" in checked.stdout
    assert "log-damaged" not in checked.stdout
    assert "run-unlogged" not in checked.stdout
    for command in ("log", "prove"):
        done = shell(command, *([after.run_id] if command == "prove" else []))
        assert (done.returncode, "upgrade to evidence-ledger 2.0" in done.stderr) == (3, True)


def test_a_newer_selection_is_never_written_over(here: Project, make_run: MakeRun, shell: Shell) -> None:
    run = make_run(here)
    path = raised(Selection(here).path("ours"))
    before = path.read_bytes()
    again = make_run(here, seed=1)
    done = shell("select", again.run_id)
    assert (done.returncode, "upgrade to evidence-ledger 2.0" in done.stderr) == (3, True)
    assert path.read_bytes() == before
    listed = shell("runs")
    assert (listed.returncode, run.run_id in listed.stdout) == (0, True)
    assert "what is selected of ours is not known" in listed.stderr
    checked = shell("fsck")
    assert "[newer-version" in checked.stdout
    assert "selection-broken" not in checked.stdout


def test_a_newer_index_is_made_anew(here: Project, make_run: MakeRun) -> None:
    run = make_run(here)
    index = Index(here)
    index.close()
    db = sqlite3.connect(index.path)
    db.execute("pragma user_version=99")
    db.execute("drop table runs")
    db.commit()
    db.close()
    assert [row.run_id for row in find(Index(here))] == [run.run_id]
