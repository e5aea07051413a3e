"""Values come from the selected runs: refresh writes them, check recomputes them, disclosures are bound to them.

Known answers for mean and standard deviation: NIST Statistical Reference Datasets, univariate summary statistics
(Michelson, NumAcc1 to NumAcc4).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ledger.evidence import check, disclosures
from ledger.evidence.graph import load
from ledger.evidence.refresh import refresh
from ledger.evidence.resolve import mean, median, sample_std
from ledger.model.finding import Finding
from ledger.project import Project
from ledger.store.runs import Run
from ledger.store.selection import Selection

MakeRun = Callable[..., Run]

# first twenty and the certified results of the whole Michelson set would be long; these are whole sets
NUMACC = [
    ([10000001.0, 10000003.0, 10000002.0], 10000002.0, 1.0),
    ([1.2] + [1.1, 1.3] * 500, 1.2, 0.1),
    ([1000000.2] + [1000000.1, 1000000.3] * 500, 1000000.2, 0.1),
    ([10000000.2] + [10000000.1, 10000000.3] * 500, 10000000.2, 0.1),
]


@pytest.mark.parametrize(("values", "certified_mean", "certified_std"), NUMACC)
def test_certified_means_and_deviations(values: list[float], certified_mean: float, certified_std: float) -> None:
    assert mean(values) == pytest.approx(certified_mean, rel=1e-15)
    assert sample_std(values) == pytest.approx(certified_std, rel=1e-8)  # the data themselves are not exact doubles


def test_small_cases_by_hand() -> None:
    assert sample_std([1.0]) is None
    assert sample_std([1.0, 3.0]) == 2**0.5
    assert median([3.0, 1.0, 2.0]) == 2.0
    assert median([4.0, 1.0, 2.0, 3.0]) == 2.5


def write(found: Project, *claims: dict[str, Any], **more: Any) -> None:
    found.evidence.write_text(json.dumps({"project": "p", **more, "claims": list(claims)}))


def claim(name: str = "C1", **row: Any) -> dict[str, Any]:
    return {"id": name, "statement": "s", "evidence": [{"exp_id": "ours", "metric": "acc", "split": "test", **row}]}


def first_row(found: Project) -> dict[str, Any]:
    row: dict[str, Any] = json.loads(found.evidence.read_text())["claims"][0]["evidence"][0]
    return row


def rules(found: Project) -> list[str]:
    return [finding.rule for finding in check.check(found, load(found.evidence)).findings if not finding.disclosed]


def test_values_come_from_the_selected_seeds(here: Project, make_run: MakeRun) -> None:
    runs = [make_run(here, seed=seed, value=value) for seed, value in enumerate((0.9, 0.92, 0.94))]
    write(here, claim())
    changes = refresh(here).changes
    row = first_row(here)
    assert row["value"] == pytest.approx(0.92)
    assert row["variance"] == {"type": "std", "value": pytest.approx(0.02), "seeds": 3, "over": "seeds"}
    assert row["n"] == 100
    assert row["dataset"] == "toy"
    assert [item["address"] for item in row["from"]] == [run.address for run in runs]
    assert changes[0].added_runs == tuple(sorted(run.run_id for run in runs))
    assert rules(here) == []


def test_refresh_keeps_what_it_does_not_know_and_writes_nothing_twice(here: Project, make_run: MakeRun) -> None:
    make_run(here)
    write(here, {**claim(note={"z": 1, "a": 2}), "zebra": [1]}, comment="keep", authoritative_source="x")
    assert refresh(here).written
    raw = json.loads(here.evidence.read_text())
    assert list(raw) == ["project", "comment", "authoritative_source", "claims"]
    assert raw["claims"][0]["zebra"] == [1]
    assert list(raw["claims"][0]["evidence"][0]["note"]) == ["z", "a"]
    stamp = here.evidence.stat().st_mtime_ns
    assert not refresh(here).written
    assert here.evidence.stat().st_mtime_ns == stamp


def test_choosing_another_run_makes_the_value_stale_until_refreshed(here: Project, make_run: MakeRun) -> None:
    make_run(here, value=0.9)
    write(here, claim())
    refresh(here)
    newer = make_run(here, value=0.8)
    assert "value-stale" not in rules(here)
    Selection(here).select(newer)
    assert "value-stale" in rules(here)
    change = refresh(here).changes[0]
    assert (change.old, change.new, change.added_runs) == (0.9, 0.8, (newer.run_id,))
    assert "value-stale" not in rules(here)


def test_another_run_of_the_same_value_is_stale_too(here: Project, make_run: MakeRun) -> None:
    make_run(here, value=0.9)
    write(here, claim())
    refresh(here)
    Selection(here).select(make_run(here, value=0.9))
    assert "value-stale" in rules(here)


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        ({"metric": "psnr"}, "metric-absent"),
        ({"split": "val"}, "metric-absent"),
        ({"exp_id": "absent"}, "run-absent"),
        ({"run": ["20200101T000000Z-00000000"]}, "run-absent"),
        ({"aggregate": "mode"}, "aggregate-unknown"),
        ({"derive": "evil(C1, C1)"}, "derive-unknown"),
        ({"derive": "__import__('os')"}, "derive-unknown"),
        ({"derive": "delta(C1, nowhere)"}, "derive-unknown"),
        ({"derive": "delta(C1, C1)"}, "derived-cycle"),
    ],
)
def test_what_cannot_be_resolved_is_said_and_never_guessed(
    here: Project, make_run: MakeRun, row: dict[str, Any], rule: str
) -> None:
    make_run(here)
    write(here, claim(**row))
    assert rule in rules(here)
    assert not refresh(here).changes
    assert "value" not in first_row(here)


def test_a_split_that_is_not_said_is_ambiguous_where_two_fit(here: Project) -> None:
    from ledger.seal import staging
    from ledger.seal.publish import seal

    staged = staging.begin(here, "ours", seed=0)
    rows = [{"metric": "acc", "value": 0.5, "split": split} for split in ("val", "test")]
    (staged.path / "results.json").write_text(
        json.dumps({"metrics": [*rows, {"metric": "loss", "value": "NaN", "split": "test"}]})
    )
    seal(here, staged, "finished", 0)
    write(here, claim(split=""))
    assert "metric-ambiguous" in rules(here)
    write(here, claim(metric="loss"))
    assert "non-finite-value" in rules(here)


def test_derived_rows(here: Project, make_run: MakeRun) -> None:
    make_run(here, "ours", value=0.75)
    make_run(here, "base", value=0.5)
    derived = [{"id": name, "metric": name, "derive": f"{name}(A, B)"} for name in ("delta", "ratio", "percent_change")]
    write(here, claim("A"), claim("B", exp_id="base"), {"id": "D", "evidence": derived})
    refresh(here)
    rows = json.loads(here.evidence.read_text())["claims"][2]["evidence"]
    assert [row["value"] for row in rows] == [0.25, 1.5, 50.0]
    assert len(rows[0]["from"]) == 2


def test_runs_that_differ_in_more_than_the_seed_are_said(here: Project, make_run: MakeRun) -> None:
    make_run(here, seed=0, width=1)
    make_run(here, seed=1, width=2)
    write(here, claim())
    refresh(here)
    finding = next(f for f in check.check(here, load(here.evidence)).findings if f.rule == "mixed-conditions")
    assert "config" in finding.message


def test_a_disclosure_typed_into_the_file_is_bound_at_the_next_refresh(here: Project, make_run: MakeRun) -> None:
    make_run(here, value=0.9)
    write(here, {**claim(), "disclosure": "one seed"})
    refresh(here)
    assert rules(here) == []
    Selection(here).select(make_run(here, value=0.8))
    refresh(here)
    assert sorted(rules(here)) == ["disclosure-expired", "single-seed"]
    disclosures.disclose_claim(here, "C1", "one seed")
    assert rules(here) == []


def test_a_sentence_beside_the_claim_settles_no_wrong_number(here: Project) -> None:
    write(here, {**claim(value=0.9), "disclosure": "one seed"})
    graph = load(here.evidence)
    drift = Finding("drift", "error", "wrong", claim="C1", values={"reported": "0.8"})
    assert disclosures.settle([drift], graph, {})[0].disclosed is None
    assert disclosures.settle([drift], graph, {drift.fingerprint: "known"})[0].disclosed == "known"


@pytest.mark.parametrize(
    ("key", "typed"),
    [
        ("value", 0.93),
        ("n", 7),
        ("variance", {"type": "std", "value": 1e-9, "seeds": 3, "over": "seeds"}),
        ("variance", None),
        ("results_json", "results/other/runs/x/results.json"),
        ("from", []),
    ],
)
def test_whatever_refresh_writes_is_stale_when_typed_otherwise_and_its_rewriting_is_counted(
    here: Project, make_run: MakeRun, key: str, typed: Any
) -> None:
    for seed, value in enumerate((0.9, 0.92, 0.94)):
        make_run(here, seed=seed, value=value)
    write(here, claim())
    refresh(here)
    right = here.evidence.read_bytes()
    raw = json.loads(right)
    raw["claims"][0]["evidence"][0][key] = typed
    here.evidence.write_text(json.dumps(raw))
    assert rules(here) == ["value-stale"]
    assert [change.keys for change in refresh(here).changes] == [(key,)]
    assert here.evidence.read_bytes() == right
    assert rules(here) == []
    assert refresh(here).changes == ()


@pytest.mark.parametrize("aggregate", ["mean", "median", "max", "min"])
def test_a_sum_beyond_the_largest_double_is_a_finding_and_never_an_infinity(
    here: Project, make_run: MakeRun, aggregate: str
) -> None:
    for seed, value in enumerate((1.7e308, 1.7e308, -1.7e308, 1.6e308)):
        make_run(here, seed=seed, value=value)
    write(here, claim(aggregate=aggregate))
    assert rules(here) == ["non-finite-value"]
    assert refresh(here).changes == ()
    assert "value" not in first_row(here)


@pytest.mark.parametrize("same", [1.7e308, -1.7e308])
def test_a_median_of_two_huge_values_is_no_infinity(here: Project, make_run: MakeRun, same: float) -> None:
    for seed in (0, 1):
        make_run(here, seed=seed, value=same)
    write(here, claim(aggregate="median"))
    refresh(here)
    assert rules(here) == ["non-finite-value"]


@pytest.mark.parametrize(("value", "expires"), [(None, False), (0.9, False), (0.8, True)])
@pytest.mark.parametrize("other_run", [False, True])
def test_a_typed_disclosure_is_bound_to_the_value_beside_which_it_was_typed(
    here: Project, make_run: MakeRun, value: float | None, expires: bool, other_run: bool
) -> None:
    run = make_run(here, value=value or 0.9)
    write(here, claim())
    if value is not None:
        refresh(here)
    raw = json.loads(here.evidence.read_text())
    raw["claims"][0]["disclosure"] = "one seed"
    here.evidence.write_text(json.dumps(raw))
    if expires or other_run:
        Selection(here).select(make_run(here, value=0.9))
    refresh(here)
    bound = json.loads(here.evidence.read_text())["claims"][0]["disclosed_for"]["C1"]
    gone = value is not None and (expires or other_run)
    assert ("disclosure-expired" in rules(here)) == gone
    if gone:
        assert bound == {"value": value, "from": [run.address]}
