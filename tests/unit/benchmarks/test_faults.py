"""`benchmarks/faults` stays alive, and what a broken product does is reported as a failure."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from benchmarks.faults import kills
from benchmarks.faults.__main__ import faults, tried
from benchmarks.faults.invariants import Before, broken
from benchmarks.faults.place import Place
from benchmarks.faults.report import Fault, Outcome, Row, markdown, table
from benchmarks.store.place import LEDGER


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place.at(tmp_path / "disk", tmp_path / "memory", quick=True)


def broken_product(tmp_path: Path, before: str) -> str:
    """A `ledger` that does something terrible first, and then what it is asked to."""
    script = tmp_path / "ledger"
    script.write_text(f'#!/bin/sh\n{before}\nexec {LEDGER} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return str(script)


def one_call(place: Place) -> Outcome:
    """A kill at the rename that publishes a run."""
    found = [call for call in kills.calls(place, "seal") if call.name == "rename" and call.of == "RUN"]
    assert len(found) == 1
    return kills.hit(place, "seal", "kill", found[0])


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_a_killed_seal_passes(place: Place) -> None:
    outcome = one_call(place)
    assert outcome.passed, outcome.note
    assert outcome.note == "no run, staging kept"


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize(
    ("terrible", "said"),
    [
        ("for f in results/old/runs/*/notes.txt; do chmod u+w $f; echo x >> $f; done", "is not what it was"),
        ("mkdir -p results/new/runs/x; echo '{' > results/new/runs/x/run.json", "run-unreadable"),
        ("rm -rf $(dirname $PWD)/out/notes.txt", "notes.txt is lost"),
    ],
)
def test_a_product_that_does_damage_fails(place: Place, tmp_path: Path, terrible: str, said: str) -> None:
    place.ledger = broken_product(tmp_path, terrible)
    found = kills.Call("rename", 1, "the first")
    outcome = kills.hit(place, "seal", "kill", found)
    assert outcome.passed is False
    assert said in outcome.note


def test_a_run_that_was_altered_is_seen(place: Place) -> None:
    root = place.project()
    before = Before.of(root)
    assert len(before.runs) == 1
    assert broken(before, {}) == []
    (notes,) = root.glob("results/old/runs/*/notes.txt")
    notes.chmod(0o644)
    notes.write_bytes(b"other")
    assert len(broken(before, {"more.txt": b"x"})) == 3  # altered, said by fsck, and what was wanted is nowhere


def test_a_fault_of_which_nothing_is_known_has_failed(place: Place) -> None:
    def nothing(_: Place) -> object:
        return iter(())

    def breaks(_: Place) -> object:
        yield Outcome("a", True, "fine")
        raise RuntimeError("no mount")

    silent, ended = (tried(Fault("x", "x", work), place) for work in (nothing, breaks))  # type: ignore[arg-type]
    assert silent.failed
    assert ended.failed
    assert "no mount" in ended.happened
    missing = Row(Fault("m", "m", nothing), (Outcome("vfat", None, "no kernel has it"),))  # type: ignore[arg-type]
    assert not missing.failed
    assert "not set up: vfat: no kernel has it" in table([missing])
    assert "1 could not be set up here" in markdown([missing])
    assert json.loads(json.dumps(missing.to_json()))["tried"] == 0


def test_names_of_faults_are_unique() -> None:
    names = [fault.name for fault in faults()]
    assert len(names) == len(set(names))
    assert sys.modules["benchmarks.faults.kills"] is kills
