"""The nouns read what hand-written files hold, and never make a number of what is none."""

from __future__ import annotations

import math
from typing import Any

import pytest

from ledger.model.claim import Claim, EvidenceRow, Variance, iter_rows
from ledger.model.finding import Finding, Location, Report, count
from ledger.model.number import finite_number, whole_number
from ledger.model.run import Metric


@pytest.mark.parametrize(
    ("raw", "number"),
    [
        (1, 1.0),
        (-0.5, -0.5),
        (2**60, 2.0**60),
        (True, None),
        (False, None),
        ("1", None),
        (None, None),
        ([1], None),
        (math.nan, None),
        (math.inf, None),
        (10**400, None),
    ],
)
def test_what_counts_as_a_number_everywhere(raw: Any, number: float | None) -> None:
    assert finite_number(raw) == number
    assert EvidenceRow("C", 0, {"value": raw}).value == number
    assert Metric.from_json({"value": raw}).number == number
    assert (Variance.read({"value": raw}) is None) == (number is None)


@pytest.mark.parametrize(
    ("raw", "whole"), [(3, 3), (3.0, 3), (3.5, None), (True, None), ("3", None), (2**60, 2**60), (math.inf, None)]
)
def test_three_point_zero_is_an_integer_in_json(raw: Any, whole: int | None) -> None:
    assert whole_number(raw) == whole
    assert EvidenceRow("C", 0, {"n": raw}).n == whole
    assert Metric.from_json({"n": raw}).n == whole
    spread = Variance.read({"value": 1, "seeds": raw})
    assert spread is not None
    assert spread.count == whole


NULLS = dict.fromkeys(
    [
        "id",
        "exp_id",
        "run",
        "metric",
        "value",
        "split",
        "dataset",
        "unit",
        "direction",
        "n",
        "variance",
        "aliases",
        "display",
        "from",
        "derive",
    ]
)


@pytest.mark.parametrize("raw", [{}, NULLS])
def test_null_is_as_good_as_absent_in_a_row(raw: dict[str, Any]) -> None:
    row = EvidenceRow("C1", 2, raw)
    assert (row.id, row.exp_id, row.run, row.metric, row.value) == ("C1.2", "", "selected", "", None)
    assert (row.split, row.dataset, row.unit, row.direction, row.n, row.variance) == ("", "", "", "", None, None)
    assert (row.aliases, row.display, row.addresses) == ((), {}, ())


def test_null_is_as_good_as_absent_in_a_claim() -> None:
    keys = ("statement", "evidence", "aliases", "paper_anchor", "repo_implementation", "disclosure")
    for raw in ({}, dict.fromkeys(keys)):
        claim = Claim("C1", raw)
        assert (claim.statement, claim.rows, claim.aliases) == ("", (), ())
        assert (claim.anchors, claim.implementation, claim.disclosures) == ((), "", ())


@pytest.mark.parametrize(
    ("raw", "texts"), [("one", ("one",)), (" ", ()), (["a", "", None, "b"], ("a", "b")), ([], ()), (None, ())]
)
def test_one_text_or_several(raw: Any, texts: tuple[str, ...]) -> None:
    claim = Claim("C1", {"disclosure": raw, "aliases": raw, "paper_anchor": raw})
    assert claim.disclosures == claim.aliases == claim.anchors == texts


def test_rows_are_called_by_their_claim_unless_they_say_otherwise() -> None:
    claims = (Claim("A", {"evidence": [{}, {"id": "own"}, {}]}), Claim("B", {"evidence": [{}]}))
    assert [row.id for _, row in iter_rows(claims)] == ["A", "own", "A.2", "B"]


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (Location("a.tex"), "a.tex"),
        (Location("a.tex", 3), "a.tex:3"),
        (Location("a.tex", 3, 7, 3, 9), "a.tex:3:7"),
        (Location("a.tex", column=7), "a.tex"),
        (Location("a.pptx", slide=2, paragraph=0), "a.pptx slide 2, paragraph 1"),
        (Location("a.docx", table=0, row=1, col=2), "a.docx table 1, row 2, column 3"),
    ],
)
def test_places_are_written_as_editors_read_them(place: Location, text: str) -> None:
    assert str(place) == text


def test_a_place_in_json_has_the_parts_that_exist_and_zero_is_one_of_them() -> None:
    place = Location("a.pdf", cell=0, page=1, box=(0.0, 1.0, 2.0, 3.0))
    assert place.to_json() == {"path": "a.pdf", "cell": 0, "page": 1, "box": [0.0, 1.0, 2.0, 3.0]}


def test_counts_leave_out_what_is_disclosed() -> None:
    found = [Finding("r", "error", "m"), Finding("r", "error", "m", disclosed="said"), Finding("r", "note", "m")]
    assert count(found) == {"errors": 1, "warnings": 0, "notes": 1, "disclosed": 1}
    assert Report("x", findings=tuple(found), summary={"more": 1}).to_json("0")["summary"]["more"] == 1


def test_a_fingerprint_hangs_on_rule_path_claim_and_values_alone() -> None:
    base = Finding("drift", "error", "m", Location("a.md", 1, 2), "C1", {"b": 1, "a": 2})
    assert base.fingerprint == Finding("drift", "note", "x", Location("a.md", 8), "C1", {"a": 2, "b": 1}).fingerprint
    others = [
        Finding("other", "error", "m", Location("a.md"), "C1", {"a": 2, "b": 1}),
        Finding("drift", "error", "m", Location("b.md"), "C1", {"a": 2, "b": 1}),
        Finding("drift", "error", "m", Location("a.md"), "C2", {"a": 2, "b": 1}),
        Finding("drift", "error", "m", Location("a.md"), "C1", {"a": 2, "b": 3}),
        Finding("drift", "error", "m", None, "C1", {"a": 2, "b": 1}),
    ]
    assert len({finding.fingerprint for finding in (base, *others)}) == 6
    assert base.with_disclosure("said").fingerprint == base.fingerprint
    assert Finding("drift", "error", "m", identity=("k",)).fingerprint == Finding("drift", "note", "", claim="C9", identity=("k",)).fingerprint  # fmt: skip
