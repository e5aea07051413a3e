"""What a run wrote about its results stays as it was written, row by row."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

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
