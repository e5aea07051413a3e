"""The number grammar, by known answers: what is read, with which place value, and what is no number."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ledger.reconcile.quantity import find


@pytest.mark.parametrize(
    ("text", "value", "quantum", "suffix"),
    [
        ("97.20", "97.20", "0.01", ""),
        ("76.45%", "76.45", "0.01", "%"),
        ("76.45 percent", "76.45", "0.01", "%"),
        ("−88.1", "-88.1", "0.1", ""),
        ("-0.201", "-0.201", "0.001", ""),
        ("24.33M", "24.33", "0.01", "M"),
        ("102.7G", "102.7", "0.1", "G"),
        ("1.3 billion", "1.3", "0.1", "G"),
        ("25,557,032", "25557032", "1", ""),
        ("1\u2009439", "1439", "1", ""),
        ("12\u202f480.5", "12480.5", "0.1", ""),
        ("1'250'000", "1250000", "1", ""),
        ("4.7e-5", "0.000047", "0.000001", ""),
        ("1.2×10^6", "1200000", "100000", ""),
        ("1.2 x 10^-6", "0.0000012", "0.0000001", ""),
        ("1.2·10⁻⁶", "0.0000012", "0.0000001", ""),
        ("10^-3", "0.001", "0.001", ""),
        ("2.3x", "2.3", "0.1", "x"),
        ("12.5 ms", "12.5", "0.1", "ms"),
        ("1.5 points", "1.5", "0.1", "pp"),
        (".75", "0.75", "0.01", ""),
        ("81.3^2", "81.3", "0.1", ""),
        ("<0.001", "0.001", "0.001", ""),
        ("0,746", "0.746", "0.001", ""),
        ("31,42", "31.42", "0.01", ""),
    ],
)
def test_reads(text: str, value: str, quantum: str, suffix: str) -> None:
    (found,) = find(text, cell=True)
    assert (found.value, found.quantum, found.suffix) == (Decimal(value), Decimal(quantum), suffix)


@pytest.mark.parametrize(
    ("text", "spread"),
    [("97.2 ± 0.4", "0.4"), ("97.2(±0.4)", "0.4"), ("97.2+/-0.4", "0.4"), ("97.2_±0.4", "0.4"), ("97.22(41)", "0.41")],
)
def test_reads_uncertainties(text: str, spread: str) -> None:
    (found,) = find(text)
    assert found.spread is not None
    assert found.spread.value == Decimal(spread)


@pytest.mark.parametrize(
    "text",
    [
        "ResNet-50", "Set5", "ViT-L/14", "R-101-FPN", "32x4d", "224x224", "H.264", "v2", "v2.0.1", "AP@0.5", "@ 224", "mAP_11",
        "ms-640-800-2x", "3D", "On July 7, 2025", "in 2019", "(2020)", "2020-05-17", "[12]", "[3, 4]", "Table 3", "Section 4.2",
        "Fig. 7", "arXiv:2004.08955", "0.5:0.95", "12:30", "the 2nd", "seed 9", "PyTorch 2.4",
    ],
)  # fmt: skip
def test_leaves_alone(text: str) -> None:
    assert find(f"see {text} here") == []


def test_a_range_is_two_positive_numbers() -> None:
    assert [found.text for found in find("90-92 and 84.5%–85.2%")] == ["90", "92", "84.5", "85.2"]


def test_decimal_comma_by_request() -> None:
    assert [found.value for found in find("1.250.000", comma=True)] == [Decimal(1250000)]
    assert [found.value for found in find("1.250,5", comma=True)] == [Decimal("1250.5")]


def test_a_malformed_number_in_a_cell_is_kept_without_value() -> None:
    (found,) = find("0.0.8639", cell=True)
    assert found.value is None


@pytest.mark.parametrize(
    ("text", "exact", "agrees"),
    [
        ("97.2", "97.22", True),
        ("97.3", "97.22", False),
        ("0.5", "0.45", True),  # half up
        ("0.4", "0.45", True),  # half even
        ("0.4", "0.4501", False),
        ("97", "97.4999", True),
        ("-0.2", "-0.24", True),
        ("1.2e4", "12400", True),
    ],
)
def test_agreement_is_rounding(text: str, exact: str, agrees: bool) -> None:
    (found,) = find(text)
    assert found.agrees(Decimal(exact)) is agrees


def test_truncation_is_told_from_rounding() -> None:
    (found,) = find("84.84")
    assert found.truncates(Decimal("84.846"))
    assert not found.truncates(Decimal("84.841"))
    assert not found.truncates(Decimal("84.856"))
