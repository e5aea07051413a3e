"""The chosen runs: one per seed, logged, and never lost by a choice that spoke of others."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ledger.errors import IntegrityError, UsageError
from ledger.project import Project
from ledger.store import fsck
from ledger.store.journal import Journal
from ledger.store.runs import Run
from ledger.store.selection import Selection

MakeRun = Callable[..., Run]


def ids(found: Project) -> list[str]:
    return Selection(found).ids("ours")


def last(found: Project) -> dict[str, object]:
    return dict([entry.body for entry in Journal(found).entries() if entry.type == "select"][-1])


def test_the_first_of_a_seed_is_chosen_and_another_only_when_asked(here: Project, make_run: MakeRun) -> None:
    first, second, other = make_run(here, seed=0), make_run(here, seed=0), make_run(here, seed=1)
    assert ids(here) == [first.run_id, other.run_id]
    assert Selection(here).select(second) == [first.run_id]
    assert Selection(here).select(second) == []
    assert ids(here) == [second.run_id, other.run_id]
    assert last(here)["replaced"] == [first.run_id]
    assert (here.results / "ours/selected").resolve() == second.path.resolve()
    assert first.path.is_dir()


def test_seeds_are_in_order_and_of_every_kind(here: Project, make_run: MakeRun) -> None:
    runs = {repr(seed): make_run(here, seed=seed) for seed in (10, "b", 2, "1", 1, None, 1.5, "a")}
    order = ["1", "1.5", "2", "10", "'1'", "None", "'a'", "'b'"]
    assert ids(here) == [runs[seed].run_id for seed in order]


def test_a_run_that_is_elsewhere_stays_chosen_when_another_seed_is_sealed(here: Project, make_run: MakeRun) -> None:
    first, second = make_run(here, seed=0), make_run(here, seed=1)
    first.path.rename(here.root / "elsewhere")
    third = make_run(here, seed=2)
    assert ids(here) == [second.run_id, third.run_id, first.run_id]
    (here.root / "elsewhere").rename(first.path)
    assert Selection(here).runs("ours")[1] == []
    assert [f.rule for f in fsck.check(here).findings if f.severity == "error"] == []


def test_choosing_drops_what_is_gone_and_says_so(here: Project, make_run: MakeRun) -> None:
    gone = make_run(here, seed=0)
    gone.path.rename(here.root / "elsewhere")
    run = make_run(here, seed=0, value=0.8)
    assert ids(here) == [run.run_id, gone.run_id]  # whether it is of this seed nobody can tell
    (here.root / "elsewhere").rename(gone.path)
    both = [f for f in fsck.check(here).findings if f.rule == "selection-broken"]
    assert [(f.severity, "both selected for seed 0" in f.message) for f in both] == [("warning", True)]
    gone.path.rename(here.root / "elsewhere")
    again = make_run(here, seed=0, value=0.7)
    assert set(Selection(here).select(again)) == {run.run_id, gone.run_id}
    assert ids(here) == [again.run_id]
    assert set(last(here)["replaced"]) == {run.run_id, gone.run_id}  # type: ignore[call-overload]


@pytest.mark.parametrize("text", ["", "<<<<<<< HEAD\n", "[]", '{"runs": "x"}'])
def test_a_selection_that_cannot_be_read_is_made_again_from_the_log(
    here: Project, make_run: MakeRun, text: str
) -> None:
    """As the finding says: `ledger select` writes it anew."""
    runs = [make_run(here, seed=seed) for seed in (0, 0, 1, 2)]
    Selection(here).select(runs[1])
    Selection(here).path("ours").write_text(text)
    assert Selection(here).select(runs[2]) == []
    assert ids(here) == [runs[1].run_id, runs[2].run_id, runs[3].run_id]
    assert [f.rule for f in fsck.check(here).findings if f.severity == "error"] == []


@pytest.mark.parametrize("status", ["failed", "killed", "abandoned"])
def test_only_finished_runs_can_be_chosen(here: Project, status: str) -> None:
    from ledger.seal import staging
    from ledger.seal.publish import seal

    run = seal(here, staging.begin(here, "ours"), status, 1).run  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=f"is {status}, and only finished runs"):
        Selection(here).select(run)
    assert not Selection(here).path("ours").exists()


def test_a_file_system_without_links_has_the_same_as_text(
    here: Project, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pathlib import Path

    def refuse(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "symlink_to", refuse)
    run = make_run(here)
    assert (here.results / "ours/selected").read_text() == f"runs/{run.run_id}\n"
    assert json.loads(Selection(here).path("ours").read_text())["runs"] == [run.run_id]


@pytest.mark.parametrize("text", [False, True])
def test_a_link_that_leads_elsewhere_is_said_and_put_right(here: Project, make_run: MakeRun, text: bool) -> None:
    """After a crash, or a merge that took the link of one side and the file of the other."""
    first, other = make_run(here, seed=0), make_run(here, seed=1)
    link = here.results / "ours/selected"
    link.unlink()
    if text:
        link.write_text(f"runs/{other.run_id}\n")
    else:
        link.symlink_to(f"runs/{other.run_id}")
    (said,) = [f.message for f in fsck.check(here).findings if f.rule == "selection-broken"]
    assert f"leads to {other.run_id}, and the first selected run is {first.run_id}" in said
    assert Selection(here).select(first) == []
    assert Selection(here).leads_to("ours") == first.run_id
    assert "selection-broken" not in {f.rule for f in fsck.check(here).findings}
    link.unlink()
    assert "selection-broken" not in {f.rule for f in fsck.check(here).findings}  # nothing misleads
    assert Selection(here).select(first) == []
    assert link.resolve() == first.path.resolve()


@pytest.mark.parametrize("file", ["run.json", "provenance.json"])
@pytest.mark.parametrize("damage", ["{", "[]", "\x00"])
def test_one_damaged_run_is_named_and_blocks_no_other(
    here: Project, make_run: MakeRun, shell: Callable[..., Any], file: str, damage: str
) -> None:
    """Choosing, recomputing, refreshing and sealing go on with the runs that are whole."""
    bad, old, new = make_run(here, seed=0), make_run(here, seed=1), make_run(here, seed=1, value=0.8)
    make_run(here, "base", value=0.5)
    rows = [
        {"id": name, "evidence": [{"exp_id": exp, "metric": "acc", "split": "test"}]}
        for name, exp in (("C1", "ours"), ("C2", "base"))
    ]
    here.evidence.write_text(json.dumps({"project": "p", "claims": rows}))
    (bad.path / file).chmod(0o644)
    (bad.path / file).write_text(damage)
    done = shell("select", new.run_id)
    assert (done.returncode, done.stderr.count("warning: ")) == (0, 1), done.stderr
    assert f"{bad.run_id}/{file}" in done.stderr
    kept = file == "run.json"  # then its seed is still known, and it is another
    assert ids(here) == ([new.run_id, bad.run_id] if kept else [new.run_id])
    assert set(last(here)["replaced"]) == ({old.run_id} if kept else {old.run_id, bad.run_id})  # type: ignore[call-overload]
    assert make_run(here, seed=2).run_id in ids(here)
    here.evidence.write_text(here.evidence.read_text().replace('"ours"', f'"ours", "run": "{bad.run_id}"'))
    done = shell("evidence", "refresh")
    assert (done.returncode, "C2: nothing -> 0.5" in done.stdout) == (0, True), done.stderr
    for command in (("evidence", "check"), ("gate",)):
        done = shell(*command, "--format", "json")
        findings = json.loads(done.stdout)["findings"]
        assert done.returncode == (1 if command[0] == "evidence" else 0), done.stderr
        assert any(f["claim"] == "C1" and bad.run_id in f["message"] for f in findings)
        assert not any(f"{bad.run_id}/" in f["message"] for f in findings if f["claim"] != "C1")


def findings(found: Project, rule: str) -> list[str]:
    return [f.message for f in fsck.check(found).findings if f.rule == rule]


def write(found: Project, *runs: Run) -> None:
    Selection(found).path("ours").write_text(json.dumps({"runs": [run.run_id for run in runs]}))


def test_what_the_log_never_chose_is_said_and_can_be_logged(here: Project, make_run: MakeRun) -> None:
    first, second, other = make_run(here, seed=0), make_run(here, seed=0), make_run(here, seed=1)
    write(here, second, other)
    assert findings(here, "selection-unlogged") == [
        f"{second.run_id} is selected, and the log chose {first.run_id} for its seed"
    ]
    assert fsck.repair(here, fsck.check(here)) == []  # whose choice counts is the user's to say
    assert ids(here) == [second.run_id, other.run_id]
    assert Selection(here).select(second) == []
    assert findings(here, "selection-unlogged") == []
    assert last(here)["run_id"] == second.run_id
    write(here, second)
    assert findings(here, "selection-unlogged") == [f"the log chose {other.run_id}, and it is not selected"]
    Selection(here).select(other)
    assert findings(here, "selection-unlogged") == []
    assert ids(here) == [second.run_id, other.run_id]


def test_a_run_that_was_only_typed_in_was_never_chosen(here: Project, make_run: MakeRun) -> None:
    run = make_run(here)
    staged = make_run(here, "failed")
    write(here, run, staged)
    assert findings(here, "selection-unlogged") == [f"{staged.run_id} is selected, and the log never chose it"]


def test_of_two_clones_that_chose_for_one_seed_the_later_has_the_last_word(here: Project, make_run: MakeRun) -> None:
    first, second = make_run(here, seed=0), make_run(here, seed=0)
    journal = Journal(here)
    for run in (second, first):  # neither entry knows of the other
        journal.append(
            {"type": "select", "exp_id": "ours", "run_id": run.run_id, "address": run.address, "replaced": []}
        )
    assert findings(here, "selection-unlogged") == []
    write(here, second)
    (said,) = findings(here, "selection-unlogged")
    assert f"the log chose {first.run_id} for its seed" in said


@pytest.mark.parametrize("text", [None, "", "<<<<<<< HEAD\n", '{"runs": "x"}'])
def test_repair_writes_a_selection_that_is_gone_or_broken_as_the_log_has_it(
    here: Project, make_run: MakeRun, text: str | None
) -> None:
    runs = [make_run(here, seed=seed) for seed in (1, 0, 0)]
    Selection(here).select(runs[2])
    elsewhere = make_run(here, seed=2)
    path = Selection(here).path("ours")
    elsewhere.path.rename(here.root / "elsewhere")
    path.unlink() if text is None else path.write_text(text)
    (here.results / "ours/selected").unlink()
    before = list(Journal(here).entries())
    report = fsck.check(here)
    (broken,) = [f for f in report.findings if f.rule == "selection-broken"]
    assert (broken.severity, broken.fix) == ("error", "`ledger fsck --repair` writes it as the log has it")
    done = fsck.repair(here, report)
    want = [runs[2].run_id, runs[0].run_id, elsewhere.run_id]
    assert done == [f"selected {', '.join(want)} of ours as the log has it"]
    assert ids(here) == want
    assert Selection(here).leads_to("ours") == want[0]
    assert list(Journal(here).entries()) == before
    kept = [file.read_text() for file in here.local.glob("ours.*.selected.json")]
    assert kept == ([] if text is None else [text])
    assert findings(here, "selection-unlogged") == []


def test_repair_leaves_a_broken_selection_when_the_log_cannot_be_read(here: Project, make_run: MakeRun) -> None:
    make_run(here)
    path = Selection(here).path("ours")
    path.write_text("{")
    segment = next(here.log.glob("*.jsonl"))
    segment.write_bytes(segment.read_bytes()[:-10] + b"\n")
    with pytest.raises(IntegrityError):
        fsck.repair(here, fsck.check(here))
    assert path.read_text() == "{"
    path.unlink()
    assert findings(here, "selection-unlogged") == findings(here, "selection-broken") == []
