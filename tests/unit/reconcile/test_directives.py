"""Comments that speak to the tool: bindings, ignores, and ignores that have lost their use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ledger.model.finding import Report

Reconcile = Callable[..., Report]
OURS = {"exp_id": "ours", "metric": "accuracy", "value": 0.9722}
TABLE = "| model | accuracy |\n|---|---|\n| ours | 97.5% |\n"


def rules(report: Report) -> list[str]:
    return [found.rule for found in report.findings]


def test_an_ignore_silences_its_block(reconcile: Reconcile) -> None:
    assert rules(reconcile("<!-- ledger: ignore[drift] kept as published -->\n\n" + TABLE, OURS)) == []
    assert rules(reconcile("<!-- ledger: ignore kept -->\n\n" + TABLE, OURS)) == []


def test_an_ignore_on_the_line_itself(reconcile: Reconcile) -> None:
    text = (
        "The ours model has accuracy 97.5%. <!-- ledger: ignore[drift] why -->\n\nThe ours model has accuracy 97.6%.\n"
    )
    (found,) = reconcile(text, OURS).findings
    assert found.values["text"] == "97.6"


def test_an_ignore_of_another_rule_silences_nothing(reconcile: Reconcile) -> None:
    assert rules(reconcile("<!-- ledger: ignore[ambiguous] why -->\n\n" + TABLE, OURS)) == [
        "drift",
        "suppression-unused",
    ]


def test_an_idle_ignore_is_a_finding_with_its_line(reconcile: Reconcile) -> None:
    report = reconcile("\n<!-- ledger: ignore[drift] why -->\n\n" + TABLE.replace("97.5", "97.2"), OURS)
    (found,) = report.findings
    assert (found.rule, str(found.location)) == ("suppression-unused", "doc.md:2")


def test_latex_comments(reconcile: Reconcile) -> None:
    text = "Our ours model has accuracy 97.5\\%. % ledger: ignore[drift] why\n\nOurs has accuracy 97.6\\%.\n"
    (found,) = reconcile(text, OURS, path="p.tex").findings
    assert found.values["text"] == "97.6"


def test_an_ignore_between_the_rows_of_a_latex_table(reconcile: Reconcile) -> None:
    rows = "ours & 97.5 \\\\\n% ledger: ignore[drift] why\nours & 97.6 \\\\\nours & 97.7 \\\\\n"
    text = "\\begin{tabular}{lc}\nmodel & accuracy \\\\\n\\midrule\n" + rows + "\\end{tabular}\n"
    found = [finding.values["text"] for finding in reconcile(text, OURS, path="p.tex").findings]
    assert found == ["97.5", "97.7"]


@pytest.mark.parametrize("directive", ["C1", "R-main"])
def test_a_binding_wins(reconcile: Reconcile, directive: str) -> None:
    text = f"<!-- ledger: {directive} -->\nNothing here names a model: 97.5% of 360 images.\n"
    (found,) = reconcile(
        text, {**OURS, "id": "C1", "exp_id": "secret"} | ({"id": "R-main"} if directive == "R-main" else {})
    ).findings
    assert (found.rule, found.values["text"]) == ("drift", "97.5")


def test_a_binding_to_nothing_is_said(reconcile: Reconcile) -> None:
    (found,) = reconcile("<!-- ledger: C9 -->\n97.5%\n", OURS).findings
    assert found.rule == "ambiguous"
    assert "C9" in found.message


def test_disclosures_must_stand_near(reconcile: Reconcile) -> None:
    claim: dict[str, Any] = {**OURS, "disclosure": "The same 13 writers stand in training and test."}
    text = "The ours model has accuracy 97.2%.\n"
    (found,) = reconcile(text, claim).findings
    assert (found.rule, found.severity, found.claim) == ("disclosure-missing", "warning", "C1")
    assert reconcile(text + "\nNote that the same 13 writers are in training and in test.\n", claim).findings == ()


def test_one_disclosure_finding_per_document_and_claim(reconcile: Reconcile) -> None:
    claim = {**OURS, "disclosure": "Chosen among 40 settings on validation images."}
    text = "\n\nfiller\n\n".join(["The ours model has accuracy 97.2%."] * 5)
    assert rules(reconcile(text, claim)) == ["disclosure-missing"]
