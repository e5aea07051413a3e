"""What people type for a run leads to that run, or to the candidates."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from ledger.errors import InputError, UsageError
from ledger.project import Project
from ledger.seal import staging
from ledger.seal.publish import seal
from ledger.store.runs import Run, RunStore
from ledger.store.selection import Selection

MakeRun = Callable[..., Run]


def measured(here: Project, exp: str, *rows: dict[str, Any], status: Any = "finished", seed: int = 0) -> Run:
    staged = staging.begin(here, exp, seed=seed)
    (staged.path / "results.json").write_text(json.dumps({"metrics": list(rows)}))
    return seal(here, staged, status, 0).run


def refused(here: Project, name: str) -> str:
    with pytest.raises(UsageError) as error:
        RunStore(here).resolve(name)
    return str(error.value)


def test_an_id_a_prefix_and_an_experiment(here: Project, make_run: MakeRun) -> None:
    ours, base, again = make_run(here, seed=0), make_run(here, "base", seed=1), make_run(here, "base", seed=2)
    store = RunStore(here)
    for name in (ours.run_id, ours.run_id[:-1], f"ours/{ours.run_id[:4]}", "ours", "ours/"):
        assert store.resolve(name).key == ours.key
    both = ", ".join(sorted(f"base/{run.run_id}" for run in (base, again)))
    assert f"'base' fits 2 runs: {both}" in refused(here, "base")
    assert "fits 3 runs" in refused(here, "2")
    assert "no experiment is called 'bse'" in refused(here, "bse/2")
    assert "base, ours" in refused(here, "bse/2")
    for name in ("zzz", "ours/zzz", "../ours", "our"):
        assert "no run is called" in refused(here, name) or "no experiment" in refused(here, name)


def test_an_experiment_means_its_only_selected_run(here: Project, make_run: MakeRun) -> None:
    make_run(here, seed=0)
    second = make_run(here, seed=0)
    Selection(here).select(second)
    assert RunStore(here).resolve("ours").run_id == second.run_id
    make_run(here, seed=1)
    assert "'ours' fits 2 runs" in refused(here, "ours")


def test_marks_and_marks_within_an_experiment(here: Project, make_run: MakeRun) -> None:
    assert "no run is sealed yet" in refused(here, "@last")
    ours = make_run(here, value=0.7)
    store = RunStore(here)
    assert store.resolve("@selected").key == ours.key
    first, second = make_run(here, "base", seed=0, value=0.9), make_run(here, "base", seed=1, value=0.8)
    assert store.resolve("@last").key == second.key
    assert store.resolve("ours/@last").key == ours.key
    assert store.resolve("@best:acc").key == store.resolve("base/@best:acc").key == first.key
    assert store.resolve("ours/@best:acc").key == store.resolve("ours/@selected").key == ours.key
    assert "fits 3 runs" in refused(here, "@selected")
    assert f"fits 2 runs: base/{first.run_id}, base/{second.run_id}" in refused(here, "base/@selected")
    for name in ("@first", "ours/@best", "@"):
        assert "is no reference to a run" in refused(here, name)


def test_nothing_selected_or_the_selected_run_gone(here: Project, make_run: MakeRun) -> None:
    run = make_run(here)
    make_run(here, "base")
    path = Selection(here).path("ours")
    path.write_text('{"runs": ["20200101T000000Z-00000000"]}')
    assert "the selected run ours/20200101T000000Z-00000000 is absent" in refused(here, "ours/@selected")
    assert RunStore(here).resolve("ours").key == run.key
    path.unlink()
    assert "no run is selected of ours" in refused(here, "ours/@selected")


@pytest.mark.parametrize(("direction", "best"), [("lower_is_better", 0), (None, 1), ("higher_is_better", 1)])
def test_best_respects_the_direction(here: Project, direction: str | None, best: int) -> None:
    runs = [measured(here, "a", {"metric": "m", "value": value, "direction": direction}) for value in (1.0, 2.0)]
    measured(here, "a", {"metric": "m", "value": "NaN", "direction": direction})
    for value in (0.0, 3.0):
        measured(here, "a", {"metric": "m", "value": value, "direction": direction}, status="failed")
    assert RunStore(here).resolve("@best:m").key == runs[best].key


def test_best_never_compares_what_is_not_alike(here: Project) -> None:
    rows = [{"metric": "acc@1", "value": value, "split": split} for split, value in (("val", 0.9), ("test", 0.5))]
    run = measured(here, "a", *rows)
    other = measured(here, "a", {"metric": "acc@1", "value": 0.7, "split": "test", "dataset": "toy"}, seed=1)
    store = RunStore(here)
    said = refused(here, "a/@best:acc@1")
    assert "acc@1 stands for 3 splits and datasets: test, test/toy, val" in said
    assert "name one: a/@best:acc@1@test" in said
    assert store.resolve("@best:acc@1@val").key == run.key
    assert store.resolve("a/@best:acc@1@test/toy").key == store.resolve("@best:acc@1@toy").key == other.key
    assert "stands for 2" in refused(here, "@best:acc@1@test")
    assert "no finished run of a has a metric 'acc@1@train'" in refused(here, "a/@best:acc@1@train")
    for value, direction in ((1, "lower_is_better"), (2, "higher_is_better")):
        measured(here, "b", {"metric": "m", "value": value, "direction": direction})
    assert "do not agree" in refused(here, "@best:m")
    measured(here, "c", *({"metric": "ap", "value": 1.0, "class": name} for name in ("cat", "dog")))
    assert "several rows of ap" in refused(here, "@best:ap")
    measured(here, "d", {"metric": "x", "value": "NaN"})
    assert "no finished run has a finite x" in refused(here, "@best:x")


def test_a_damaged_run_that_is_named_says_so(here: Project, make_run: MakeRun) -> None:
    run = make_run(here)
    (run.path / "run.json").chmod(0o644)
    (run.path / "run.json").write_text("{")
    with pytest.raises(InputError, match=r"run\.json"):
        RunStore(here).resolve(run.run_id)


@pytest.mark.parametrize("mark", ["@selected", "ours/@selected", "ours", "ours/@last", "ours/@best:acc"])
def test_every_command_that_takes_a_run_takes_every_form(
    here: Project, make_run: MakeRun, shell: Callable[..., subprocess.CompletedProcess[str]], mark: str
) -> None:
    run = make_run(here)
    for command in (["show", mark], ["diff", mark, mark], ["select", mark], ["prove", mark]):
        done = shell(*command)
        assert (done.returncode, run.run_id in done.stdout + done.stderr) == (0, True), done.stderr
