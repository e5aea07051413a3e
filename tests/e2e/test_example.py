"""The digits example from nothing: `make demo`'s driver runs once, and the project that it leaves is asked."""

from __future__ import annotations

import csv
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "digits"
NEEDED = ("dvc", "matplotlib", "sklearn", "torch", "typst")
BIN = Path(sys.executable).parent

pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.xdist_group("example"),
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in NEEDED) or not (BIN / "ledger").exists(),
        reason="the example needs the package installed with [all] and scikit-learn",
    ),
]


class Example:
    """The finished demo: its folder, what it printed, and commands run in it as its user would."""

    def __init__(self, root: Path, told: str, environment: dict[str, str]) -> None:
        self.root = root
        self.told = told
        self.environment = environment

    def run(self, *command: str, ok: tuple[int, ...] = (0,)) -> str:
        done = subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, text=True)
        assert done.returncode in ok, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def json(self, path: str) -> Any:
        return json.loads((self.root / path).read_text(encoding="utf-8"))

    def row(self, claim_id: str) -> dict[str, Any]:
        return next(c["evidence"][0] for c in self.json("EVIDENCE.json")["claims"] if c["id"] == claim_id)

    def sealed_bytes(self) -> dict[str, str]:
        """Path -> digest of every file of every sealed run."""
        files = [path for path in self.root.glob("results/*/runs/**/*") if path.is_file()]
        return {str(path.relative_to(self.root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Example:
    """The demo, run with an empty HOME and none of the user's settings, in a folder with a space in its name."""
    home = tmp_path_factory.mktemp("home")
    root = tmp_path_factory.mktemp("demo run") / "demo"
    environment = {"PATH": f"{BIN}{os.pathsep}{os.defpath}", "HOME": str(home), "LANG": "C.UTF-8"}
    done = subprocess.run(
        [sys.executable, str(EXAMPLE / "demo.py"), str(root)], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return Example(root, done.stdout, {**environment, "GIT_CONFIG_GLOBAL": os.devnull, "DVC_NO_ANALYTICS": "1"})


def test_story_fits_a_terminal_and_tells_what_there_is(example: Example) -> None:
    story = example.told[example.told.index("Done in ") :].splitlines()
    assert len(story) <= 40
    assert max(len(line) for line in example.told.replace(str(example.root), "build/demo").splitlines()) <= 80
    text = "\n".join(story)
    for word in (
        "C1-main",
        "±",
        "3 seeds",
        "[1]",
        "paper.pdf",
        "accuracy.png",
        "slides.md:",
        "ledger trace",
        "12 runs",
    ):
        assert word in text
    assert story[-1].strip() == "ledger init"


def test_twelve_runs_are_sealed_selected_and_whole(example: Example) -> None:
    report = json.loads(example.run("ledger", "fsck", "--format", "json"))
    assert report["checked"]["runs"] == 12
    assert report["findings"] == []
    chosen = [example.json(f"results/{m}/selected.json")["runs"] for m in ("linear", "mlp", "cnn-no-aug", "cnn")]
    assert [len(runs) for runs in chosen] == [3, 3, 3, 3]
    assert example.json("reports/verify.json")["problems"] == []


def test_runs_of_one_method_differ_in_the_seed_alone(example: Example) -> None:
    runs = [json.loads(path.read_bytes()) for path in example.root.glob("results/cnn/runs/*/provenance.json")]
    assert len({run["group_hash"] for run in runs}) == 1
    assert len({run["provenance_hash"] for run in runs}) == 3
    assert not any(run["hash_inputs"]["code"]["dirty"] for run in runs)
    assert all(run["hash_inputs"]["data"]["split_manifest"] for run in runs)


def test_methods_rank_as_the_claims_say(example: Example) -> None:
    accuracy = {claim: example.row(claim)["value"] for claim in ("C1-main", "C2-no-aug", "C3-mlp", "C4-linear")}
    assert accuracy["C1-main"] == max(accuracy.values()) > 0.97
    assert accuracy["C4-linear"] == min(accuracy.values()) > 0.9


def test_the_one_stale_number_is_found_with_its_seed(example: Example) -> None:
    report = example.json("reports/reconcile.json")
    drift = [finding for finding in report["findings"] if finding["rule"] == "drift"]
    line = next(i for i, text in enumerate(_lines(example, "slides.md"), 1) if "**" in text)
    assert [(f["location"]["path"], f["location"]["line"], f["claim"]) for f in drift] == [
        ("slides.md", line, "C1-main")
    ]
    assert re.search(r"seed \d.* not the mean", drift[0]["message"])


def test_papers_carry_the_generated_numbers(example: Example) -> None:
    pdfium = pytest.importorskip("pypdfium2")
    papers = ["paper/paper.pdf"] + (["paper/paper-latex.pdf"] if shutil.which("pdflatex", path=os.defpath) else [])
    for paper in papers:
        document = pdfium.PdfDocument(example.root / paper)
        text = " ".join(page.get_textpage().get_text_range() for page in document)
        text = re.sub(r"\s+", " ", text)
        assert len(document) == 1, paper
        document.close()
        for claim in ("C1-main", "C2-no-aug", "C3-mlp", "C4-linear"):
            row = example.row(claim)
            assert f"{100 * row['value']:.1f} ± {100 * row['variance']['value']:.1f}%" in text, (paper, claim)
        assert "thirteen writers" in text, paper


def test_figure_is_drawn_from_the_selected_runs_and_its_pixels_passed(example: Example) -> None:
    with (example.root / "figures/accuracy/source_data.csv").open(encoding="utf-8") as file:
        drawn = sorted(float(row["accuracy"]) for row in csv.DictReader(file) if row["exp_id"] == "cnn")
    assert drawn == sorted(source["value"] for source in example.row("C1-main")["from"])
    assert example.json("figures/accuracy/accuracy.provenance")["pixel_check"]["passed"] is True


def test_editing_any_digit_of_a_typed_number_names_that_place(example: Example, tmp_path: Path) -> None:
    expected = {}
    for name in ("README.md", "slides.md"):
        text = (example.root / name).read_text(encoding="utf-8")
        for match in re.finditer(r"(?<![\d.])\d+\.\d+", text):
            for i in range(match.start(), match.end()):
                if text[i] == ".":
                    continue
                edited = tmp_path / f"{name}-{i}.md"
                edited.write_text(text[:i] + str((int(text[i]) + 5) % 10) + text[i + 1 :], encoding="utf-8")
                start = match.start() - (text.rfind("\n", 0, match.start()) + 1) + 1
                expected[edited.name] = (text.count("\n", 0, i) + 1, start)
    out = example.run("ledger", "reconcile", str(tmp_path), "--evidence", "EVIDENCE.json", "--format", "json", ok=(1,))
    found: dict[str, set[tuple[int, int]]] = {name: set() for name in expected}
    for finding in json.loads(out)["findings"]:
        if finding["rule"] == "drift":
            place = finding["location"]
            found[Path(place["path"]).name].add((place["line"], place["column"]))
    stale = next((i, text.index("**") + 3) for i, text in enumerate(_lines(example, "slides.md"), 1) if "**" in text)
    missed = {
        name: (place, found[name])
        for name, place in expected.items()
        if place not in found[name] or found[name] - {place, stale}
    }
    assert len(expected) > 50
    assert missed == {}


def test_training_again_changes_no_sealed_byte_and_everything_follows_the_selection(example: Example) -> None:
    before = example.sealed_bytes()
    value, paper = example.row("C1-main")["value"], (example.root / "paper/paper.pdf").read_bytes()
    figure = (example.root / "figures/accuracy/output/accuracy.png").read_bytes()
    example.run("python", "train.py", "cnn", "--seed", "1", "--set", "epochs=10")
    after = example.sealed_bytes()
    assert before.items() < after.items()
    assert example.run("dvc", "repro").count("Running stage") == 0  # not chosen, so it counts nowhere

    example.run("ledger", "select", "@last")
    example.run("dvc", "repro")
    assert example.sealed_bytes() == after
    assert example.row("C1-main")["value"] != value
    assert (example.root / "paper/paper.pdf").read_bytes() != paper
    assert (example.root / "figures/accuracy/output/accuracy.png").read_bytes() != figure
    shown = f"{100 * example.row('C1-main')['value']:.1f}"
    assert rf"\ledgerdef{{bare}}{{C1-main}}{{{shown}\%}}" in _lines(example, "generated/ledger.tex")
    stale = {f["location"]["path"] for f in example.json("reports/reconcile.json")["findings"] if f["rule"] == "drift"}
    assert stale == {"README.md", "slides.md"}
    assert json.loads(example.run("ledger", "fsck", "--format", "json"))["findings"] == []


def test_a_folder_that_the_demo_did_not_make_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    done = subprocess.run([sys.executable, str(EXAMPLE / "demo.py"), str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 1
    assert "was not made by this demo" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_code_anchors_of_the_claims_point_at_the_code() -> None:
    expected = {
        "C1-main": 'if config["augment"]',
        "C2-no-aug": 'if config["augment"]',
        "C3-mlp": '== "mlp"',
        "C4-linear": '== "linear"',
        "C5-augmentation": "def augment(",
    }
    for claim in json.loads((EXAMPLE / "EVIDENCE.json").read_text(encoding="utf-8"))["claims"]:
        path, _, line = claim["repo_implementation"].partition(":")
        assert expected[claim["id"]] in (EXAMPLE / path).read_text(encoding="utf-8").splitlines()[int(line) - 1]


def _lines(example: Example, path: str) -> list[str]:
    return (example.root / path).read_text(encoding="utf-8").splitlines()
