"""What a run wrote about its results stays as it was written, row by row."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import InputError
from ledger.seal.records import merge_results, repeated

FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "metric": st.sampled_from(["acc", "psnr"]),
    "value": st.sampled_from([0.1, 0.25, 3, "NaN"]),
}
MORE: dict[str, st.SearchStrategy[Any]] = {
    "split": st.sampled_from(["test", "val", "", None]),
    "dataset": st.sampled_from(["Set5", None]),
    "n": st.sampled_from([10, None]),
    "class": st.sampled_from(["cat", "dog", 3, ["a", 1]]),
    "protocol": st.sampled_from(["a.yaml", None]),
}
ROWS = st.lists(st.fixed_dictionaries(FIELDS, optional=MORE), max_size=8)


def merged(own: list[Any], journal: list[Any]) -> list[Any]:
    result = merge_results(json.dumps({"metrics": own}).encode(), journal, "results.json")
    assert result is not None
    return list(json.loads(result)["metrics"])


@given(ROWS)
def test_every_row_of_the_users_file_is_kept_in_its_order(own: list[Any]) -> None:
    assert merged(own, []) == own


@given(ROWS, ROWS)
def test_a_call_replaces_only_rows_that_measure_the_same(own: list[Any], journal: list[Any]) -> None:
    def what(row: Any) -> tuple[Any, ...]:
        return row["metric"], *(repr(row.get(key) or None) for key in ("split", "dataset", "class"))

    calls = {what(row): row for row in journal}
    assert merged(own, journal) == [*(row for row in own if what(row) not in calls), *calls.values()]


def test_rows_of_classes_are_no_repetition_and_the_same_measurement_twice_is_named() -> None:
    classes = [{"metric": "AP", "split": "test", "class": name, "value": 0.5} for name in ("cat", "dog")]
    twice = [{"metric": "acc", "split": "test", "value": 0.1}, {"metric": "acc", "split": "test", "value": 0.2}]
    found = repeated(json.dumps({"metrics": [*classes, *twice]}).encode(), "results.json")
    assert [(finding.rule, finding.values["reported"]) for finding in found] == [("results-repeated", [0.1, 0.2])]


@given(
    st.dictionaries(
        st.text(min_size=1), st.one_of(st.integers(-9, 9), st.floats(allow_nan=False, allow_infinity=False))
    )
)
def test_named_numbers_are_rows(named: dict[str, float]) -> None:
    named.pop("metrics", None)
    named.pop("schema", None)
    if named:
        result = merge_results(json.dumps(named).encode(), [], "results.json")
        assert result is not None
        assert json.loads(result)["metrics"] == [{"metric": name, "value": value} for name, value in named.items()]
        assert merge_results(result, [], "results.json") == result


def test_what_is_no_number_stays_beside_the_rows() -> None:
    own = {"acc": 0.5, "model": "resnet", "pretrained": True, "note": None, "loss": "NaN"}
    result = merge_results(json.dumps(own).encode(), [{"metric": "acc", "value": 0.6}], "results.json")
    assert result is not None
    raw = json.loads(result)
    assert raw["metrics"] == [{"metric": "loss", "value": "NaN"}, {"metric": "acc", "value": 0.6}]
    assert (raw["model"], raw["pretrained"], raw["note"]) == ("resnet", True, None)


@pytest.mark.parametrize(
    "own", ['{"test": {"acc": 1}}', '{"acc": [1, 2]}', '{"model": "x"}', "{}", "[1]", '{"metrics": {"acc": 1}}']
)
def test_other_forms_are_refused_with_both_that_are_read(own: str) -> None:
    with pytest.raises(InputError, match=r'\{"metrics": \[.*or \{"accuracy": 0.9'):
        merge_results(own.encode(), [], "results.json")
