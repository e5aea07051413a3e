"""A small project with one figure folder, and hand-made records for rules that need no drawing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

HEAD = """
import matplotlib.pyplot as plt
import csv
rows = list(csv.DictReader(open("source_data.csv"))) if __import__("os").path.exists("source_data.csv") else []
"""


@pytest.fixture
def figure(tmp_path: Path) -> Callable[..., Path]:
    """Write `figures/plot/` with this script body and these data; returns the project's root."""

    def make(body: str, data: str | None = "method,accuracy\nbase,90\nours,92\n", head: str = HEAD) -> Path:
        folder = tmp_path / "figures" / "plot"
        folder.mkdir(parents=True, exist_ok=True)
        (tmp_path / "EVIDENCE.json").write_text('{"project": "test", "claims": []}')
        (folder / "script.py").write_text(head + body, encoding="utf-8")
        if data is not None:
            (folder / "source_data.csv").write_text(data, encoding="utf-8")
        return tmp_path

    return make
