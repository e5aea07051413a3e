"""fsck: every kind of damage is seen and names the run; what is ordinary is not called damage."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.errors import IntegrityError, UsageError
from ledger.project import Project
from ledger.seal import staging
from ledger.store import fsck
from ledger.store.journal import Journal
from ledger.store.objects import ObjectStore
from ledger.store.runs import Run, RunStore
from ledger.store.selection import Selection

MakeRun = Callable[..., Run]
WEIGHTS = {"checkpoints/best.pt": b"weights" * 20, "notes.txt": b"light"}


def found_in(here: Project, **options: object) -> dict[str, str]:
    """rule -> message of everything above a note."""
    return {f.rule: f.message for f in fsck.check(here, **options).findings if f.severity != "note"}  # type: ignore[arg-type]


def spoil(path: Path, place: int = 3) -> None:
    """Flip one bit in place, as a bad disk does."""
    path.chmod(0o644)
    data = bytearray(path.read_bytes())
    data[place % len(data)] ^= 1
    with path.open("r+b") as stream:
        stream.write(data)


@pytest.mark.parametrize(
    "name",
    [
        "run.json",
        "results.json",
        "provenance.json",
        "config.resolved.yaml",
        "notes.txt",
        "checkpoints/best.pt",
        ".gitignore",
    ],
)
def test_one_flipped_bit_names_the_right_run(here: Project, make_run: MakeRun, name: str) -> None:
    make_run(here, "other", files=WEIGHTS, seed=5)
    run = make_run(here, files={**WEIGHTS, "checkpoints/best.pt": b"its own"})
    spoil(run.path / name)
    findings = [f for f in fsck.check(here).findings if f.severity == "error"]
    assert findings
    assert all(
        run.run_id in f.message or (f.location and run.run_id in f.location.path)
        for f in findings
        if f.rule != "object-damaged"
    )
    assert any(run.run_id in f"{f.message} {f.location}" for f in findings)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_any_flipped_bit_of_any_sealed_byte_is_seen(here: Project, make_run: MakeRun, data: st.DataObject) -> None:
    run = next(iter(RunStore(here).all()), None) or make_run(here, files=WEIGHTS)
    files = sorted(path for path in [*run.path.rglob("*"), *here.log.glob("*.jsonl")] if path.is_file())
    path = data.draw(st.sampled_from(files))
    kept = path.read_bytes()
    place = data.draw(st.integers(0, len(kept) - 1))
    bit = data.draw(st.integers(0, 7))
    path.chmod(0o644)
    changed = bytearray(kept)
    changed[place] ^= 1 << bit
    with path.open("r+b") as stream:
        stream.write(changed)
    try:
        assert found_in(here), f"bit {bit} of byte {place} of {path.name}"
    finally:
        with path.open("r+b") as stream:
            stream.write(kept)
    assert not found_in(here)


def test_a_damaged_log_line_is_named_with_its_line(here: Project, make_run: MakeRun) -> None:
    make_run(here)
    spoil(Journal(here).files()[0], -20)
    # a digit inside a digest leaves a canonical line, which the remembered root then contradicts
    assert set(found_in(here)) & {"log-damaged", "log-rewritten"}


def test_missing_added_and_moved_files(here: Project, make_run: MakeRun) -> None:
    run = make_run(here, files=WEIGHTS)
    (run.path / "notes.txt").unlink()
    (run.path / "added.txt").write_text("later")
    rules = found_in(here)
    assert "notes.txt" in rules["file-missing"]
    assert "added.txt" in rules["unlisted-file"]


def test_a_run_that_was_moved_or_taken_away(here: Project, make_run: MakeRun) -> None:
    run, other = make_run(here), make_run(here, "gone")
    run.path.rename(run.path.parent / "elsewhere")
    shutil.rmtree(other.path)
    rules = found_in(here)
    assert {"run-moved", "run-missing"} <= rules.keys()
    assert other.run_id in rules["run-missing"]


def test_heavy_bytes_that_are_elsewhere_are_only_noted(here: Project, make_run: MakeRun) -> None:
    run = make_run(here, files=WEIGHTS)
    (run.path / "checkpoints/best.pt").unlink()
    report = fsck.check(here)
    assert report.checked["heavy_files_elsewhere"] == 1
    assert [f.rule for f in report.findings if f.severity != "note"] == []


def test_objects_that_are_damaged_unowned_or_absent(here: Project, make_run: MakeRun) -> None:
    run = make_run(here, files=WEIGHTS)
    objects = ObjectStore(here.objects)
    stray = objects.put_bytes(b"nobody's")
    sha256 = next(file.sha256 for file in run.manifest.files if file.tier == "heavy")
    rules = {f.rule: f for f in fsck.check(here).findings}
    assert stray[:12] in rules["object-unowned"].message
    objects.path(sha256).unlink()
    assert "object-absent" in {f.rule for f in fsck.check(here).findings}
    objects.path(sha256).write_bytes(b"other bytes")
    assert run.run_id in found_in(here)["object-damaged"]


def test_a_selection_of_an_absent_run(here: Project, make_run: MakeRun) -> None:
    make_run(here)
    Selection(here).path("ours").write_text('{"runs": ["nowhere"]}')
    assert "nowhere" in found_in(here)["selection-broken"]
    Selection(here).path("ours").write_text("{")
    assert "selection-broken" in found_in(here)


def test_leftovers_are_noted_with_what_to_do(here: Project) -> None:
    staged = staging.begin(here, "exp")
    finding = next(f for f in fsck.check(here).findings if f.rule == "staging-leftover")
    assert finding.severity == "note"
    assert staged.run_id in (finding.fix or "")


def test_an_unlogged_whole_run_is_repaired_and_an_altered_one_is_not(here: Project, make_run: MakeRun) -> None:
    run = make_run(here, files=WEIGHTS)
    for path in Journal(here).files():
        path.unlink()
    assert set(found_in(here)) == {"run-unlogged", "selection-unlogged"}
    assert fsck.repair(here, fsck.check(here)) == [f"logged {run.run_id}"]
    assert set(found_in(here)) == {"selection-unlogged"}  # who chose it, and when, is not known any more
    Selection(here).select(run)
    assert found_in(here) == {}
    for path in Journal(here).files():
        path.unlink()
    spoil(run.path / "notes.txt")
    with pytest.raises(IntegrityError, match=r"notes\.txt"):
        fsck.repair(here, fsck.check(here))


def test_quick_sees_sizes_and_a_sample_hashes_no_more_than_asked(here: Project, make_run: MakeRun) -> None:
    run = make_run(here, files=WEIGHTS)
    spoil(run.path / "notes.txt")
    assert found_in(here, quick=True) == {}
    assert "hash-mismatch" in found_in(here)
    (run.path / "notes.txt").write_bytes(b"longer than before")
    assert "hash-mismatch" in found_in(here, quick=True)
    assert fsck.check(here, quick=True).checked["hashed"] == 0
    assert fsck.check(here, sample=1).checked["hashed"] <= 2  # a heavy file may have two names


def test_an_older_commit_proves_that_its_log_was_kept(
    in_git: Project, git: Callable[..., str], make_run: MakeRun
) -> None:
    make_run(in_git)
    git("add", "-A")
    git("commit", "-qm", "sealed")
    make_run(in_git, seed=1)
    assert found_in(in_git, against="HEAD") == {}
    path = Journal(in_git).files()[0]
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], *lines[2:]]))
    assert "log-rewritten" in found_in(in_git, against="HEAD")
    with pytest.raises(UsageError, match="--against nowhere"):
        fsck.check(in_git, against="nowhere")
