"""Runs by group: seeds together, spread over them, and what sets the groups of one experiment apart."""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Callable

from ledger.project import Project
from ledger.store.groups import by_group
from ledger.store.index import Index, find
from ledger.store.runs import Run


def test_seeds_are_one_group_and_a_changed_key_is_another(here: Project, make_run: Callable[..., Run]) -> None:
    values = {0: 0.9, 1: 0.92, 2: 0.97}
    for seed, value in values.items():
        make_run(here, seed=seed, value=value)
    make_run(here, seed=0, value=0.5, width=64)
    make_run(here, "other")
    index = Index(here)
    first, second, other = by_group(here, find(index))
    index.close()
    assert [run.seed for run in first.runs] == [0, 1, 2]
    spread = first.metrics["acc:test:toy"]
    assert (spread.mean, spread.std, spread.runs) == (
        statistics.fmean(values.values()),
        statistics.stdev(values.values()),
        3,
    )
    assert str(spread) == "0.93 ± 0.036"
    assert (first.differs, second.differs, other.differs) == ("", "config (width)", "")
    assert str(second.metrics["acc:test:toy"]) == "0.5"


def test_at_the_shell(
    here: Project, make_run: Callable[..., Run], shell: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    for seed in range(2):
        make_run(here, seed=seed)
    make_run(here, lr=0.5)
    table = shell("runs", "--groups").stdout.splitlines()
    assert len(table) == 3
    assert table[2].split()[-2:] == ["(lr)", "0.9"]
    read = json.loads(shell("runs", "--groups", "--format", "json").stdout)
    assert [len(group["runs"]) for group in read] == [2, 1]
    assert shell("runs", "nothing", "--groups").stdout == ""
    assert shell("runs", "--groups", "--format", "csv").stdout.startswith("exp_id,group,runs,seeds,differs,acc")
