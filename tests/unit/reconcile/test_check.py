"""One pass over documents: the report's shape, exact places, messages, and input that cannot be read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ledger.model.finding import Report

Reconcile = Callable[..., Report]
CNN = {
    "id": "C1-main", "exp_id": "cnn", "metric": "accuracy", "value": 0.97222, "split": "test", "aggregate": "mean",
    "display": {"decimals": 1, "scale": 100}, "variance": {"type": "std", "value": 0.0042, "seeds": 3},
    "from": [{"run": "20260101T000000Z-ab12"}, {"run": "20260101T000000Z-cd34"}, {"run": "20260101T000000Z-ef56"}],
}  # fmt: skip


def test_a_drift_names_both_sides_and_the_exact_place(reconcile: Reconcile) -> None:
    (found,) = reconcile("Fine.\n\nThe CNN has a test accuracy of **97.5%**.\n", CNN).findings
    assert found.location is not None
    assert found.location.to_json() == {"path": "doc.md", "line": 3, "column": 34, "end_line": 3, "end_column": 38}
    assert found.message == (
        "reports 97.5 but C1-main accuracy (cnn, test) is 97.222% (mean of 3 seeds, "
        "runs 20260101T000000Z-ab12, 20260101T000000Z-cd34, 20260101T000000Z-ef56)"
    )
    assert found.fix == "write 97.2, or correct C1-main if the document is right"
    assert (found.rule, found.severity, found.claim) == ("drift", "error", "C1-main")
    assert {key: found.values[key] for key in ("text", "reported", "expected", "tolerance", "row")} == {
        "text": "97.5", "reported": 97.5, "expected": 97.222, "tolerance": 0.05, "row": "C1-main",
    }  # fmt: skip


def test_the_report_counts_what_it_saw(reconcile: Reconcile) -> None:
    report = reconcile("The CNN has a test accuracy of 97.2 ± 0.4% after 30 epochs.", CNN)
    assert report.findings == ()
    assert report.checked == {"paths": ["doc.md"], "numbers": 3, "matched": 2, "unreadable": []}
    assert [mention.values["verdict"] for mention in report.mentions or ()] == ["agree", "agree"]


def test_a_wrong_spread_is_a_drift_of_its_own(reconcile: Reconcile) -> None:
    (found,) = reconcile("The CNN has a test accuracy of 97.2 ± 0.3%.", CNN).findings
    assert (found.values["text"], found.values["explanation"]) == ("0.3", "uncertainty-kind")
    assert "population standard deviation" in found.message


@pytest.mark.parametrize(
    ("printed", "kind"),
    [("92.7", "transposed"), ("-97.2", "sign"), ("9.72", "decimal-point"), ("97.3", "last-digit"), ("55.0", "value"), ("90.1", "other-split"),
     ("88.3", "other-row"), ("97.9", "one-seed")],
)  # fmt: skip
def test_explanations(reconcile: Reconcile, printed: str, kind: str) -> None:
    rows = [{**CNN, "per_seed": [0.968, 0.9791, 0.9695]}, {**CNN, "id": "V", "split": "val", "value": 0.901},
            {**CNN, "id": "M", "exp_id": "mlp", "value": 0.883}]  # fmt: skip
    (found,) = reconcile(f"The CNN has a test accuracy of {printed}%.", *rows).findings
    assert found.values["explanation"] == kind


def test_truncation_is_a_note(reconcile: Reconcile) -> None:
    (found,) = reconcile("The CNN has a test accuracy of 97.22.", {**CNN, "value": 0.972266}).findings
    assert (found.rule, found.severity, found.fix) == ("rounding-truncated", "note", "write 97.23")


def test_a_number_that_cannot_be_read(reconcile: Reconcile) -> None:
    (found,) = reconcile("| model | test accuracy |\n|---|---|\n| cnn | 0.0.972 |\n", CNN).findings
    assert found.message.startswith("0.0.972 is not a number that can be read; C1-main accuracy (cnn, test) is")


def test_fingerprints_survive_moving_lines_and_not_a_new_value(reconcile: Reconcile) -> None:
    text = "The CNN has a test accuracy of 97.5%."
    (one,) = reconcile(text, CNN).findings
    (moved,) = reconcile("New.\n\n" + text, CNN).findings
    (other,) = reconcile(text.replace("97.5", "97.6"), CNN).findings
    assert one.fingerprint == moved.fingerprint != other.fingerprint


@pytest.mark.parametrize("data", [b"\xff\xfe9\x007\x00", b"caf\xe9 97.5%", b"PK\x03\x04\x00\x00"])
@pytest.mark.parametrize("path", ["d.md", "d.tex", "d.csv"])
def test_what_is_not_utf8_is_a_finding(reconcile: Reconcile, path: str, data: bytes) -> None:
    report = reconcile(data, CNN, path=path)
    assert [found.rule for found in report.findings] == ["document-unreadable"]
    assert report.checked["unreadable"] == [path]


def test_an_unknown_kind_of_document_is_a_finding(reconcile: Reconcile) -> None:
    assert [found.rule for found in reconcile("97.5", CNN, path="notes.xyz").findings] == ["document-unreadable"]


@pytest.mark.parametrize("path", ["d.md", "d.tex", "d.csv"])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "\ufeff",
        "| a |\n|---|",
        "{{{",
        "\\begin{tabular}{l} a & b",
        "\\newcommand{\\a}{\\a}\\a",
        "$",
        "<!--",
        '"',
    ],
)
def test_empty_and_broken_documents_are_survived(reconcile: Reconcile, path: str, text: str) -> None:
    report = reconcile(text, CNN, path=path)
    assert report.findings == ()
    assert report.checked["numbers"] == 0


def test_line_breaks_and_a_byte_order_mark_move_nothing(reconcile: Reconcile) -> None:
    text = "# Cnn\r\n\r\n| model | test accuracy |\r\n|---|---|\r\n| cnn | 97.5% |\r\n"
    (found,) = reconcile(b"\xef\xbb\xbf" + text.encode(), CNN).findings
    assert found.location is not None
    assert (found.location.line, found.location.column) == (5, 9)


def test_a_claim_without_evidence_or_value_is_no_obstacle(reconcile: Reconcile) -> None:
    bare = {"metric": "accuracy", "exp_id": "cnn"}
    assert reconcile("The CNN has an accuracy of 97.5%.", bare, {**bare, "value": "NaN"}).findings == ()
