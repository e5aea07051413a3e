"""Whatever a document or a claim writes as a number, a check ends with a report that is JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledger.evidence.graph import from_bytes
from ledger.gate.reporters import as_json, as_text
from ledger.reconcile import Source, check

NUMBERS = st.one_of(
    st.text(alphabet="0123456789.,-+−±%()eE x×^k'\u2009⁰¹²⁹⁻٣", max_size=24),
    st.builds(
        "{}{}{}{}".format,
        st.sampled_from(["", "-", "−", "±", "0.", "1."]),
        st.sampled_from(["7", "31", "9" * 30, "9" * 390, "12" * 5000, "0" * 500, "1,000,000"]),
        st.sampled_from(["", "e999", "e-999", "E400", " × 10^999", " × 10⁻⁹⁹⁹⁹⁹⁹⁹⁹", "e+308", "%", "k", ".5"]),
        st.sampled_from(["", " ± 0.1", " ± " + "3" * 4000, "(12)", " ± 1e999"]),
    ),
)
VALUES = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.integers(-(10**400), 10**400),
    st.sampled_from(["1e999999", "Infinity", "1e-999999999", 1.7976931348623157e308, 5e-324, 0.0, -0.0]),
)  # fmt: skip
FORMS = {
    "a.md": "The acc of ours is {0} on test.\n\n| model | acc |\n|:--|--:|\n| ours | {1} |\n",
    "a.tex": (
        "The acc of ours is ${0}$ on test.\n\\begin{{tabular}}{{lr}}\nmodel & acc \\\\\nours & {1} \\\\\n\\end{{tabular}}\n"
    ),
    "a.csv": 'model,acc\nours,"{0}"\nours,"{1}"\n',
    "b.md": '<table><tr><td colspan="{0}">ours</td><td>acc</td></tr><tr><td>ours</td><td>{1}</td></tr></table>\n',
}


@pytest.mark.parametrize("path", FORMS)
@given(st.data())
@example(None)
def test_any_number_in_any_document_is_judged_or_passed_over(path: str, data: Any) -> None:
    def draw(strategy: st.SearchStrategy[Any], otherwise: Any) -> Any:
        return otherwise if data is None else data.draw(strategy)

    row: dict[str, Any] = {"exp_id": "ours", "metric": "acc", "split": "test", "value": draw(VALUES, 31.4)}
    row["variance"] = {"type": "std", "value": draw(VALUES, 0.1), "seeds": 3}
    row["per_seed"] = [draw(VALUES, 31.4), True, "x"]
    row["n"] = draw(st.integers(0, 10**300), 10)
    graph = from_bytes(json.dumps({"claims": [{"id": "C1", "statement": "ours", "evidence": [row]}]}).encode())
    text = FORMS[path].format(draw(NUMBERS, "1e999"), draw(NUMBERS, "7" * 10_000))
    report = check([Source(path, text.encode())], graph)
    json.loads(as_json(report, "1"), parse_constant=pytest.fail)
    assert as_text(report)
