"""The rule pages show what the tool prints: their examples are run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = ["drift", "ambiguous", "document-unreadable", "suppression-unused", "disclosure-missing", "rounding-truncated"]


@pytest.mark.parametrize("rule", PAGES)
def test_the_page_prints_what_it_shows(rule: str, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "rules" / f"{rule}.md").read_text(encoding="utf-8")
    blocks = dict(re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    (tmp_path / "EVIDENCE.json").write_text(blocks["json"], encoding="utf-8")
    name = re.findall(r"`ledger reconcile (\S+) ", page)[0]
    data = (
        blocks["markdown"].encode()
        if "markdown" in blocks
        else "Der CNN erreicht eine Genauigkeit von 97,2 % auf Gemälden.\n".encode("latin-1")
    )
    (tmp_path / name).write_bytes(data)
    command = [sys.executable, "-m", "ledger.cli.main", "reconcile", name, "--evidence", "EVIDENCE.json"]
    path = os.pathsep.join([str(ROOT), str(ROOT / "adapters")])
    done = subprocess.run(
        command,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "PYTHONPATH": path, "NO_COLOR": "1"},
    )
    assert done.stderr == ""
    assert done.stdout.strip() == blocks["text"].strip()
    assert done.returncode == {"drift": 1, "document-unreadable": 3}.get(rule, 0)
