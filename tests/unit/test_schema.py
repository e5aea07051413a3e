"""The schemas: one suite of vectors for both validators, and everything that the product writes is valid."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ledger import project as projects
from ledger import schema
from ledger.canon import digest, file_digest, parse
from ledger.errors import InputError, UsageError
from ledger.evidence import check, disclosures, graph, refresh
from ledger.evidence.proof import prove_claim
from ledger.log.segment import read as read_segment
from ledger.model.finding import Location, Report
from ledger.project import Project
from ledger.run.launch import launch
from ledger.seal.provenance import hashes
from ledger.seal.publish import Sealed
from ledger.store.selection import Selection

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "schemas"
EXAMPLES = SCHEMAS / "examples"
VECTORS = json.loads((ROOT / "tests/vectors/schemas/evidence.json").read_text("utf-8"))["cases"]


def by_schema(text: str) -> None:
    schema.validate(parse(text.encode(), "E.json"), "evidence", text, "E.json")


def by_reader(text: str) -> None:
    graph.from_bytes(text.encode(), "E.json")


@pytest.mark.parametrize("reader", [by_schema, by_reader])
@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["description"])
def test_both_validators_agree_on_every_claim_graph_and_on_the_place(reader: Any, case: dict[str, Any]) -> None:
    if case["valid"]:
        reader(case["text"])
        return
    with pytest.raises(InputError) as caught:
        reader(case["text"])
    assert caught.value.where == f"E.json:{case['place']}"


def test_every_schema_is_a_valid_schema_of_the_name_it_says() -> None:
    from jsonschema import Draft202012Validator

    assert sorted(path.name for path in SCHEMAS.glob("*.json")) == sorted(f"{n}.v1.schema.json" for n in schema.NAMES)
    for name in schema.NAMES:
        raw = schema.load(name)
        Draft202012Validator.check_schema(raw)
        assert raw["$id"] == f"urn:evidence-ledger:{name}:v1"
        assert raw["properties"]["schema"]["const"] == f"evidence-ledger/{name}/v1"


def test_every_property_is_described() -> None:
    def undescribed(node: Any, at: str) -> Iterator[str]:
        if isinstance(node, dict):
            for key, value in node.get("properties", {}).items() if isinstance(node.get("properties"), dict) else ():
                alone = not {"properties", "items", "const", "anyOf"} & value.keys()
                if alone and "description" not in value and at.rpartition(".")[2] not in {"if", "derive"}:
                    yield f"{at}.{key}"
            for key, value in node.items():
                yield from undescribed(value, f"{at}.{key}")
        elif isinstance(node, list):
            for item in node:
                yield from undescribed(item, at)

    lacking = [place for name in schema.NAMES for place in undescribed(schema.load(name), name)]
    assert [place for place in lacking if ".anyOf" not in place] == []


@pytest.mark.parametrize("name", schema.NAMES)
def test_the_example_of_each_schema_is_valid(name: str) -> None:
    (path,) = EXAMPLES.glob(f"{name}.v1.*")
    for line in path.read_text("utf-8").splitlines() if path.suffix == ".jsonl" else [path.read_text("utf-8")]:
        schema.validate(parse(line.encode(), path.name), name, line, path.name)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    row = {"exp_id": "ours", "metric": "accuracy", "split": "test"}
    claims = {"project": "p", "claims": [{"id": "C1", "evidence": [row]}]}
    (tmp_path / "EVIDENCE.json").write_text(json.dumps(claims), "utf-8")
    return projects.at(tmp_path)


def make_run(project: Project, seed: int, value: str = "0.9") -> Sealed:
    script = (
        "import json, os, pathlib; d = pathlib.Path(os.environ['LEDGER_RUN_DIR']); (d / 'checkpoints').mkdir();"
        "(d / 'checkpoints/best.pt').write_bytes(b'w' * 10); os.symlink('/etc/hosts', d / 'outside');"
        f"(d / 'results.json').write_text(json.dumps({{'metrics': [{{'metric': 'accuracy', 'value': {value},"
        " 'split': 'test', 'n': 360}]}))"
    )
    data = project.root / "data"
    data.mkdir(exist_ok=True)
    (data / "split_manifest.json").write_text('{"splits": {}}', "utf-8")
    command = [sys.executable, "-c", script]
    with (project.root / "out").open("ab") as echo:
        return launch(project, "ours", command, config={"lr": 0.1, "seed": seed}, seed=seed, data=data, echo=echo)[0]


def valid(path: Path, name: str) -> None:
    text = path.read_text("utf-8")
    schema.validate(parse(text.encode(), path), name, text, path)


def test_everything_that_a_sealed_run_leaves_is_valid(project: Project) -> None:
    first, second = make_run(project, 0), make_run(project, 1, "float('nan')")
    Selection(project).select(make_run(project, 1).run)
    refresh.refresh(project)
    disclosures.disclose_claim(project, "C1", "two seeds")
    for sealed in (first, second):
        assert sealed.run.manifest.skipped
        for name in ("run", "provenance", "results"):
            valid(sealed.run.path / f"{name}.json", name)
    valid(project.results / "ours" / "selected.json", "selected")
    valid(project.evidence, "evidence")
    schema.validate(prove_claim(project, claims := graph.load(project.evidence), claims.claims[0]), "proof")
    lines = [line for file in project.log.glob("*.jsonl") for line in file.read_text("utf-8").splitlines()]
    for line in lines:
        schema.validate(json.loads(line), "log", line, "log")
    assert {json.loads(line)["type"] for line in lines} == {"open", "start", "seal", "select", "disclose"}


def test_a_run_of_a_dirty_repository_is_valid(project: Project) -> None:
    def git(*args: str) -> None:
        subprocess.run(["git", "-C", str(project.root), *args], check=True, capture_output=True)

    (project.root / "train.py").write_text("a = 1\n", "utf-8")
    git("init", "-q")
    git("add", "train.py")
    git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "x")
    (project.root / "train.py").write_text("a = 2\n", "utf-8")
    sealed = make_run(project, 0)
    assert sealed.run.provenance["hash_inputs"]["code"]["diff_sha256"]
    valid(sealed.run.path / "provenance.json", "provenance")


def test_reports_are_valid(project: Project) -> None:
    make_run(project, 0)
    report = check.check(project, graph.load(project.evidence))
    assert report.findings
    schema.validate(report.to_json("0"), "report")
    box = Location("a.pdf", page=1, box=(0.0, 0.0, 1.0, 1.0))
    mention = report.findings[0].__class__("mention", "note", "says 0.9", box)
    schema.validate(Report("reconcile", mentions=(mention,)).to_json("0"), "report")


def test_the_sidecar_of_a_built_figure_is_valid(project: Project) -> None:
    from ledger import pixelgate

    folder = project.root / "figures" / "plot"
    folder.mkdir(parents=True)
    (folder / "_build_data.py").write_text("open('source_data.csv', 'w').write('x,y\\n1,2\\n2,3\\n')\n", "utf-8")
    (folder / "script.py").write_text(
        "import os, matplotlib.pyplot as plt\n"
        "os.makedirs('output', exist_ok=True)\n"
        "figure, axes = plt.subplots()\n"
        "axes.plot([1, 2], [2, 3], label='a'); axes.set_xlabel('x'); axes.set_ylabel('y')\n"
        "figure.savefig('output/plot.png')\n",
        "utf-8",
    )
    schema.validate(pixelgate.build(project.root, "plot").to_json("0"), "report")
    valid(folder / "plot.provenance", "figure")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("run", {"files": []}, "the run file needs `exp_id`, `run_id`, `status`"),
        ("selected", {"runs": ["a", "a"]}, "non-unique"),
        ("selected", {"runs": "a"}, "`runs` must be array, found 'a'"),
        ("results", {"metrics": [{"metric": "m", "value": "high"}]}, "`value` is 'high', which fits none of"),
        ("log", {"type": "seal", "time": "2026-12-01T10:15:00Z"}, "the log file needs `exp_id`"),
        ("log", {"type": "note", "time": "today"}, "`time` is 'today', which is not of the form"),
        ("split_manifest", {"splits": {"test": {"sha256": "0" * 64, "file": "../t.ids"}}}, "`file` is '../t.ids'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(name: str, value: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        schema.validate(value, name, where="F")
    line = str(caught.value)
    assert said in line
    assert line.startswith("F")
    assert "\n" not in line


@pytest.mark.parametrize("path", ["../x", "a/../x", "/x", "..", "a\n/../x"])
def test_paths_that_leave_their_root_are_refused(path: str) -> None:
    value = json.loads((EXAMPLES / "run.v1.json").read_text("utf-8"))
    value["files"][0]["path"] = path
    with pytest.raises(InputError, match="`path`"):
        schema.validate(value, "run")


def test_a_newer_major_version_is_refused_by_name() -> None:
    text = '{\n "schema": "evidence-ledger/run/v3"}'
    with pytest.raises(InputError) as caught:
        schema.validate(json.loads(text), "run", text, "run.json")
    assert str(caught.value) == (
        "run.json:2:12: is evidence-ledger/run/v3, and this version reads v1 of it; "
        "upgrade to evidence-ledger 3.0 or newer, which reads it"
    )


def test_without_the_text_the_place_is_the_path() -> None:
    with pytest.raises(InputError) as caught:
        schema.validate({"metrics": [{"metric": "m"}, {}]}, "results", where="results.json")
    assert caught.value.where == "results.json at metrics.1"


def test_an_unknown_schema_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="evidence, run, provenance"):
        schema.load("runs")


def test_importing_the_module_loads_no_jsonschema() -> None:
    code = "import sys, ledger.schema; print('jsonschema' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "False"


def test_the_examples_are_of_one_project_and_agree() -> None:
    def read(name: str) -> Any:
        return json.loads((EXAMPLES / name).read_text("utf-8"))

    run, provenance = read("run.v1.json"), read("provenance.v1.json")
    assert hashes(provenance["hash_inputs"]) == (run["provenance_hash"], run["group_hash"])
    listed = {file["path"]: file["sha256"] for file in run["files"]}
    for name in ("provenance", "results"):
        assert listed[f"{name}.json"] == file_digest(EXAMPLES / f"{name}.v1.json")[0]
    segment = read_segment("c326c66b98a65008", (EXAMPLES / "log.v1.jsonl").read_bytes())
    sealed = {entry.body["run_id"]: entry.body["address"] for entry in segment.entries if entry.type == "seal"}
    assert sealed[run["run_id"]] == digest(run)
    row = graph.load(EXAMPLES / "evidence.v1.json").claims[0].rows[0]
    assert set(row.addresses) == set(sealed.values())
    assert read("selected.v1.json")["runs"] == list(sealed)
    splits = read("split_manifest.v1.json")["splits"]
    assert provenance["hash_inputs"]["data"]["split_manifest"] == file_digest(EXAMPLES / "split_manifest.v1.json")[0]
    assert splits["test"]["n"] == 2
