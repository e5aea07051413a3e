"""Rows that rest on odd numbers, odd names and each other: a value, or the finding that says why there is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import UsageError
from ledger.evidence import check, disclosures
from ledger.evidence.graph import ClaimGraph, from_bytes, load
from ledger.evidence.refresh import refresh
from ledger.evidence.resolve import Resolver, mean, sample_std
from ledger.evidence.trace import find_claim, trace
from ledger.model.finding import Finding
from ledger.project import Project
from ledger.store.runs import Run
from ledger.store.selection import Selection

MakeRun = Callable[..., Run]
NIST = json.loads((Path(__file__).parents[2] / "vectors/evidence/nist_univariate.json").read_text("utf-8"))


def measured(name: str, exp: str = "ours", **row: Any) -> dict[str, Any]:
    return {"id": name, "evidence": [{"exp_id": exp, "metric": "acc", "split": "test", **row}]}


def derived(name: str, expression: str, **row: Any) -> dict[str, Any]:
    return {"id": name, "evidence": [{"metric": "gain", "derive": expression, **row}]}


def plain(name: str, **row: Any) -> dict[str, Any]:
    return {"id": name, "evidence": [{"metric": "acc", **row}]}


def write(found: Project, *claims: dict[str, Any]) -> ClaimGraph:
    found.evidence.write_text(json.dumps({"project": "p", "claims": list(claims)}))
    return load(found.evidence)


def findings(found: Project) -> list[Finding]:
    return list(check.check(found, load(found.evidence)).findings)


def values(found: Project) -> list[Any]:
    return [row.get("value") for claim in load(found.evidence).raw["claims"] for row in claim["evidence"]]


@pytest.mark.parametrize("case", NIST["sets"], ids=lambda case: case["name"])
def test_certified_means_and_deviations(case: dict[str, Any]) -> None:
    data = [float(text) for text in case["data"] + case.get("repeat", []) * case.get("times", 0)]
    assert len(data) == case["n"]
    assert mean(data) == pytest.approx(float(case["mean"]), rel=1e-15)
    assert sample_std(data) == pytest.approx(float(case["std"]), rel=case["rel"])


def test_what_is_too_large_to_add_up_is_said(here: Project, make_run: MakeRun) -> None:
    make_run(here, seed=0, value=1.7e308)
    make_run(here, seed=1, value=1.6e308)
    write(here, measured("C1"))
    assert [finding.rule for finding in findings(here)] == ["non-finite-value"]
    assert not refresh(here).changes
    make_run(here, "big", value=1e200)
    make_run(here, "small", value=1e-200)
    write(here, measured("A", "big"), measured("B", "small"), derived("C", "ratio(A, B)"))
    refresh(here)
    assert values(here) == [1e200, 1e-200, None]
    assert "non-finite-value" in [finding.rule for finding in findings(here)]


def test_a_derivation_that_divides_by_zero(here: Project, make_run: MakeRun) -> None:
    make_run(here, "zero", value=0.0)
    make_run(here, "one", value=1.0)
    write(here, measured("A", "one"), measured("B", "zero"), derived("C", "percent_change(A, B)"))
    assert any("divides by zero: percent_change(A, B)" in finding.message for finding in findings(here))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("delta(A, B)", 0.25),
        (" delta ( A , B ) ", 0.25),
        ("ratio(A, B)", 1.5),
        ("percent_change(B, A)", 100 * (0.5 - 0.75) / 0.75),
        ("delta(A, A)", 0.0),
    ],
)
def test_derived_values(here: Project, make_run: MakeRun, expression: str, value: float) -> None:
    make_run(here, "ours", value=0.75)
    make_run(here, "base", value=0.5)
    write(here, measured("A"), measured("B", "base"), derived("D", expression), derived("E", "delta(D, D)"))
    refresh(here)
    assert values(here)[2:] == [value, 0.0]


@pytest.mark.parametrize(
    "expression",
    ["", "delta", "delta(A)", "delta(A, B, C)", "delta(A; B)", "power(A, B)", "delta(A, (B))", "delta(A, B) + 1"],
)
def test_what_is_no_derivation(here: Project, make_run: MakeRun, expression: str) -> None:
    make_run(here)
    write(here, measured("A"), derived("B", expression or "x"))
    assert "derive-unknown" in [finding.rule for finding in findings(here)]


def test_a_circle_is_said_once_and_has_no_value(here: Project) -> None:
    write(here, derived("A", "delta(B, B)"), derived("B", "delta(C, A)"), derived("C", "delta(A, A)"))
    said = findings(here)
    assert {finding.rule for finding in said} == {"derived-cycle"}
    assert len({finding.fingerprint for finding in said}) == len(said)
    assert not refresh(here).changes


def test_what_is_wrong_with_an_operand_is_said_once(here: Project) -> None:
    write(here, measured("A", "absent"), derived("B", "delta(A, A)"), derived("C", "ratio(B, A)"))
    assert [finding.rule for finding in findings(here)] == ["run-absent"]
    assert len(refresh(here).findings) == 1


def test_a_value_derived_from_what_nobody_measured_is_known_as_such(here: Project, make_run: MakeRun) -> None:
    make_run(here, value=0.75)
    graph = write(
        here, measured("A"), plain("B", value=0.5), derived("C", "delta(A, B)"), derived("D", "delta(C, A)"), plain("E"),
        derived("F", "delta(A, E)"),
    )  # fmt: skip
    resolver = Resolver(here, graph)
    resolved = {row.id: resolver.resolve(row) for claim in graph.claims for row in claim.rows if resolver.has_run(row)}
    assert (resolved["C"].value, resolved["C"].typed, resolved["D"].typed) == (0.25, ("B",), ("B",))
    assert resolved["A"].typed == ()
    assert [finding.rule for finding in resolved["F"].findings] == ["value-absent"]
    assert any(finding.rule == "value-absent" and "E has neither" in finding.message for finding in findings(here))


@pytest.mark.parametrize("run", [None, "", "selected", ["selected"]])
def test_no_run_named_means_the_selected_ones(here: Project, make_run: MakeRun, run: Any) -> None:
    make_run(here, value=0.75)
    write(here, measured("A", run=run))
    refresh(here)
    assert values(here) == [0.75]


@pytest.mark.parametrize("run", [[], [""], ".", "..", "../../ours/runs", "a/b", "/etc", "\x00", ["selected", "x"]])
@pytest.mark.parametrize("exp", ["ours", "..", "/", "../results/ours"])
def test_a_reference_never_leaves_the_store(here: Project, make_run: MakeRun, run: Any, exp: str) -> None:
    make_run(here)
    write(here, measured("A", exp, run=run))
    assert [finding.rule for finding in findings(here)] == ["run-absent"]


def test_runs_named_in_a_list_count_as_they_are_named(here: Project, make_run: MakeRun) -> None:
    runs = [make_run(here, seed=seed, value=value) for seed, value in enumerate((0.5, 0.75, 1.0))]
    ids = [run.run_id for run in runs]
    aggregates = {"mean": 0.75, "median": 0.75, "max": 1.0, "min": 0.5, "": 0.75}
    write(here, *(measured(f"C{kind}", run=ids, aggregate=kind) for kind in aggregates))
    refresh(here)
    assert values(here) == list(aggregates.values())


def test_a_row_that_becomes_derived_loses_the_spread_of_its_run(here: Project, make_run: MakeRun) -> None:
    for seed, value in enumerate((0.5, 0.75)):
        make_run(here, seed=seed, value=value)
    write(here, measured("A"), measured("B"))
    refresh(here)
    raw = json.loads(here.evidence.read_text())
    raw["claims"][1]["evidence"][0]["derive"] = "delta(A, A)"
    here.evidence.write_text(json.dumps(raw))
    refresh(here)
    row = load(here.evidence).claims[1].rows[0]
    assert (row.value, row.variance, row.n) == (0.0, None, None)
    assert len(row.addresses) == 2


class TestDisclosure:
    """Bound to the value and runs of each row; expired as soon as one of them is another."""

    def bound(self, here: Project, make_run: MakeRun) -> dict[str, Any]:
        make_run(here, value=0.75)
        write(here, measured("C1"))
        refresh(here)
        disclosures.disclose_claim(here, "C1", "one seed")
        raw: dict[str, Any] = json.loads(here.evidence.read_text())
        assert self.standing(here) == []
        return raw

    def standing(self, here: Project) -> list[str]:
        return sorted(finding.rule for finding in findings(here) if not finding.disclosed)

    def rewrite(self, here: Project, raw: dict[str, Any]) -> list[str]:
        here.evidence.write_text(json.dumps(raw))
        refresh(here)
        return self.standing(here)

    def test_a_row_that_is_renamed_was_not_spoken_of(self, here: Project, make_run: MakeRun) -> None:
        raw = self.bound(here, make_run)
        raw["claims"][0]["evidence"][0]["id"] = "renamed"
        assert self.rewrite(here, raw) == ["disclosure-expired", "single-seed"]

    def test_a_row_that_is_added_was_not_spoken_of(self, here: Project, make_run: MakeRun) -> None:
        raw = self.bound(here, make_run)
        raw["claims"][0]["evidence"].append({"exp_id": "ours", "metric": "acc", "split": "test", "aggregate": "max"})
        assert self.rewrite(here, raw) == ["disclosure-expired", "single-seed", "single-seed"]
        said = next(finding for finding in findings(here) if finding.rule == "disclosure-expired")
        assert "when it had no row C1.1" in said.message

    @pytest.mark.parametrize("binding", [None, "absent"])
    def test_a_binding_of_null_is_none_and_is_made_anew(
        self, here: Project, make_run: MakeRun, binding: str | None
    ) -> None:
        raw = self.bound(here, make_run)
        if binding is None:
            raw["claims"][0]["disclosed_for"] = None
        else:
            del raw["claims"][0]["disclosed_for"]
        assert self.rewrite(here, raw) == []
        Selection(here).select(make_run(here, value=0.5))
        refresh(here)
        assert self.standing(here) == ["disclosure-expired", "single-seed"]

    def test_a_disclosure_that_is_removed_takes_its_binding_along(self, here: Project, make_run: MakeRun) -> None:
        raw = self.bound(here, make_run)
        raw["claims"][0]["disclosure"] = None
        assert self.rewrite(here, raw) == ["single-seed"]
        assert "disclosed_for" not in json.loads(here.evidence.read_text())["claims"][0]

    def test_the_same_value_of_another_run_is_not_what_was_disclosed(self, here: Project, make_run: MakeRun) -> None:
        self.bound(here, make_run)
        Selection(here).select(make_run(here, value=0.75))
        refresh(here)
        said = next(finding for finding in findings(here) if finding.rule == "disclosure-expired")
        assert "for other runs of C1 with the same value" in said.message

    def test_several_sentences_are_kept_and_one_said_twice_stands_once(self, here: Project, make_run: MakeRun) -> None:
        self.bound(here, make_run)
        disclosures.disclose_claim(here, "C1", "toy data")
        disclosures.disclose_claim(here, "C1", "one seed")
        assert load(here.evidence).claims[0].disclosures == ("toy data", "one seed")

    def test_a_claim_that_does_not_exist(self, here: Project) -> None:
        with pytest.raises(UsageError, match="no claim is called 'C9'"):
            disclosures.disclose_claim(here, "C9", "x")


class TestTrace:
    """From the claim to the place of its runs in the log."""

    def test_the_chain_is_whole(self, here: Project, make_run: MakeRun) -> None:
        runs = [make_run(here, seed=seed, value=value) for seed, value in enumerate((0.5, 0.75))]
        graph = write(here, measured("A"), derived("B", "delta(A, A)"), plain("C", value=1.0))
        stale = trace(here, graph, graph.claims[0])[0]
        assert (stale.holds, stale.resolved.value) == (False, 0.625)
        refresh(here)
        graph = load(here.evidence)
        (row,) = trace(here, graph, graph.claims[0])
        assert row.holds
        assert [(item.run.address, item.value) for item in row.runs] == [
            (runs[0].address, 0.5),
            (runs[1].address, 0.75),
        ]
        assert all(item.log_place and item.log_place.count(":") == 1 for item in row.runs)
        told = json.loads(json.dumps(row.to_json()))
        assert set(told["runs"][0]["hash_inputs"]) == {"config", "code", "data", "seed", "env_lock", "hardware"}
        (both,) = trace(here, graph, graph.claims[1])
        assert ([item.value for item in both.runs], both.holds) == ([None, None], True)
        (typed,) = trace(here, graph, graph.claims[2])
        assert (typed.runs, typed.holds) == ((), True)

    @pytest.mark.parametrize(
        ("name", "found"), [("main", "main"), ("main-b", "main-base"), ("own", "base"), ("base", "base"), ("b", "base")]
    )
    def test_a_claim_is_found_by_id_row_or_unique_prefix(self, name: str, found: str) -> None:
        claims = [
            {"id": "main", "evidence": [{"id": "base.main", "metric": "m"}]},
            {"id": "main-base", "evidence": [{"metric": "m"}]},
            {"id": "base", "evidence": [{"id": "own", "metric": "m"}]},
        ]
        graph = from_bytes(json.dumps({"claims": claims}).encode())
        assert find_claim(graph, name).id == found

    @pytest.mark.parametrize(("name", "said"), [("mai", "fits 2 claims; known are main, main-base"), ("zzz", "no claim is called 'zzz'; known are main")])  # fmt: skip
    def test_what_fits_none_or_several_lists_what_is_known(self, name: str, said: str) -> None:
        graph = from_bytes(b'{"claims": [{"id": "main"}, {"id": "main-base"}]}')
        with pytest.raises(UsageError) as caught:
            find_claim(graph, name)
        assert said in str(caught.value)

    def test_an_empty_graph_says_that_it_is_empty(self) -> None:
        with pytest.raises(UsageError, match="the claim graph is empty"):
            find_claim(from_bytes(b'{"claims": []}'), "")
