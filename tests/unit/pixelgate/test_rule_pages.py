"""The rule pages show what the tool prints: their examples are built."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LEDGER = ROOT / "ledger"
RULES = ROOT / "docs" / "rules"
PAGES = sorted(path.stem for path in RULES.glob("*.md") if "`ledger figures" in path.read_text(encoding="utf-8"))


def test_every_rule_of_the_gate_has_a_page_with_an_example() -> None:
    named = _rules(path for path in LEDGER.rglob("*.py") if path.is_relative_to(LEDGER / "pixelgate"))
    assert len(named) > 15
    # a rule that other checks return too stands on their page
    shared = _rules(path for path in LEDGER.rglob("*.py") if not path.is_relative_to(LEDGER / "pixelgate"))
    assert sorted(named - shared - set(PAGES)) == []


def _rules(sources: Iterable[Path]) -> set[str]:
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    return set(re.findall(r'(?:Finding|finding)\(\s*"([a-z0-9]+(?:-[a-z0-9]+)+|tofu)"', text))


@pytest.mark.parametrize("rule", PAGES)
def test_the_page_prints_what_it_shows(rule: str, tmp_path: Path) -> None:
    page = (RULES / f"{rule}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "EVIDENCE.json").write_text('{"project": "example", "claims": []}', encoding="utf-8")
    (tmp_path / "plot.png").write_text("no picture\n", encoding="utf-8")
    data = tmp_path / "figures" / "example" / "source_data.csv"
    data.parent.mkdir(parents=True)
    scripts = [text for language, text in blocks if language == "python"]
    if scripts:
        data.write_text(blocks[0][1], encoding="utf-8")
        (data.parent / "script.py").write_text(scripts[0], encoding="utf-8")
    printed = ""
    for command in re.findall(r"`ledger (figures (?:build|check) [a-z.]+)`", page.partition("## What to do")[0]):
        printed = _ledger(command, tmp_path)
        if "a row is added" in page:
            with data.open("a", encoding="utf-8") as stream:
                stream.write("theirs,91.0\n")
    assert _plain(printed) == _plain(blocks[-1][1])
    assert set(re.findall(r"\[([a-z0-9-]+) [0-9a-f]{12}\]", printed)) == {rule}


def _plain(text: str) -> str:
    """Without fingerprints, which pixels may enter."""
    return re.sub(r" [0-9a-f]{12}\]", "]", text.strip())


def _ledger(command: str, root: Path) -> str:
    path = os.pathsep.join([str(ROOT), str(ROOT / "adapters")])
    done = subprocess.run(
        [sys.executable, "-m", "ledger.cli.main", *command.split()], cwd=root, capture_output=True, text=True,
        encoding="utf-8", check=False, env={**os.environ, "PYTHONPATH": path, "NO_COLOR": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout
