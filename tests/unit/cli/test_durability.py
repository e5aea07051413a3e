"""`--durability fast` waits for nothing, and the run that it seals is the same."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from ledger.cli.lazy import cli
from ledger.project import Project
from ledger.store import atomic, fsck
from ledger.store.runs import RunStore


@pytest.mark.parametrize("command", ["seal", "run"])
def test_fast_waits_for_nothing_and_seals_the_same(
    here: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    waits: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda _: waits.append("fsync"))
    monkeypatch.setattr(atomic, "_sync_disk", lambda _: waits.append("sync") or True)
    monkeypatch.chdir(here.root)
    out = tmp_path / "out"
    out.mkdir()
    (out / "log.txt").write_text("x")
    asked = [str(out), "--exp", "exp"] if command == "seal" else ["exp", "--", sys.executable, "-c", "pass"]
    cli.main([command, *asked], prog_name="ledger", standalone_mode=False)
    assert waits
    waits.clear()
    cli.main([command, "--durability", "fast", *asked], prog_name="ledger", standalone_mode=False)
    assert waits == []
    first, second = RunStore(here).all()
    assert first.manifest.provenance_hash == second.manifest.provenance_hash
    assert "durability" not in (second.path / "run.json").read_text() + (second.path / "provenance.json").read_text()
    assert [found.rule for found in fsck.check(here).findings if found.severity != "note"] == []
