"""Numbers in tables: each writing of a table that people use, and the neighbours that are none of ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Verdicts = Callable[..., dict[str, tuple[str, str]]]


def row(exp: str, metric: str, value: float, **more: Any) -> dict[str, Any]:
    return {"exp_id": exp, "metric": metric, "value": value, **more}


def test_a_row_named_only_by_its_link(verdicts: Verdicts) -> None:
    text = "| Backbone | box AP | Config |\n|---|---|---|\n| R-50 | 38.2 | [config](./det-x_r50_1x.py) |\n"
    assert verdicts(text, row("det-x_r50_1x", "box AP", 38.4)) == {"38.2": ("C1", "drift")}


def test_links_decide_between_equal_labels(verdicts: Verdicts) -> None:
    text = "| Model | AP | Config |\n|---|---|---|\n| FPN | 61.1 | [c](a/fpn_car.py) |\n| FPN | 52.0 | [c](a/fpn_3class.py) |\n"
    found = verdicts(text, row("fpn_car", "AP", 61.1), row("fpn_3class", "AP", 52.3))
    assert found == {"61.1": ("C1", "agree"), "52.0": ("C2", "drift")}


def test_the_subject_that_most_links_name_wins(verdicts: Verdicts) -> None:
    text = "| Model | AP | Config | Weights |\n|---|---|---|---|\n| A | 36.4 | [c](net-a.py) | [w](shared_w.pth) |\n"
    a = row("net-a", "AP", 36.4, aliases=["shared_w.pth"])
    assert verdicts(text, a, row("net-b", "AP", 37.4, aliases=["shared_w.pth"])) == {"36.4": ("C1", "agree")}


def test_a_link_to_what_a_model_was_made_from_is_not_its_name(verdicts: Verdicts) -> None:
    text = "| Model | Pre-trained model | AP |\n|---|---|---|\n| person | [x](net-a.py) | 55.8 |\n"
    assert verdicts(text, row("net-a", "AP", 39.9)) == {}


def test_two_metrics_of_one_subject(verdicts: Verdicts) -> None:
    text = "| Model | box AP | mask AP |\n|---|---|---|\n| net-s | 38.2 | 34.7 |\n"
    found = verdicts(text, row("net-s", "box AP", 38.2), row("net-s", "mask AP", 34.5))
    assert found == {"38.2": ("C1", "agree"), "34.7": ("C2", "drift")}


def test_part_of_a_metric_name_counts_when_its_neighbour_has_the_other(verdicts: Verdicts) -> None:
    text = "| Model | AP | mask AP |\n|---|---|---|\n| net-s | 38.2 | 34.5 |\n"
    found = verdicts(text, row("net-s", "box AP", 38.2), row("net-s", "mask AP", 34.5))
    assert found == {"38.2": ("C1", "agree"), "34.5": ("C2", "agree")}


@pytest.mark.parametrize(
    "head", ["Top-1", "top1", "acc@1", "Top-1 (%)", "Top-1 Acc. ↑", "Top 1 accuracy [%]", "Top-1 准确率"]
)
def test_writings_of_a_metric(verdicts: Verdicts, head: str) -> None:
    assert verdicts(f"| model | {head} |\n|---|---|\n| net-s | 81.3 |\n", row("net-s", "top1", 81.3)) == {
        "81.3": ("C1", "agree")
    }


@pytest.mark.parametrize(
    "head", ["Official top1", "reference top1", "TTA top1", "top1_err", "top5", "Paper top-1", "top1 std", "epochs"]
)
def test_columns_that_are_not_ours(verdicts: Verdicts, head: str) -> None:
    assert verdicts(f"| model | {head} |\n|---|---|\n| net-s | 80.1 |\n", row("net-s", "top1", 81.3)) == {}


@pytest.mark.parametrize("metric", ["AP@0.5", "AP50", "AP_50", "AP<sup>50</sup>"])
def test_metric_names_with_numbers(verdicts: Verdicts, metric: str) -> None:
    text = f"| model | AP | {metric} |\n|---|---|---|\n| net-s | 38.2 | 58.1 |\n"
    found = verdicts(text, row("net-s", "AP", 38.2), row("net-s", "AP@0.5", 58.3))
    assert found == {"38.2": ("C1", "agree"), "58.1": ("C2", "drift")}


@pytest.mark.parametrize(
    ("cell", "value", "unit"),
    [("74.6", 0.746, ""), ("76.45%", 0.76449, ""), ("76.4%", 76.41, "%"), ("0.764", 76.41, "%"), ("24.3M", 24331000, ""), ("24.3M", 24.331, "M"),
     ("82.0", 82, ""), ("0.0001", 0.00012, ""), ("1.2e-4", 0.000123, "")],
)  # fmt: skip
def test_scales_that_agree(verdicts: Verdicts, cell: str, value: float, unit: str) -> None:
    found = verdicts(f"| model | score |\n|---|---|\n| net-s | {cell} |\n", row("net-s", "quality", value, unit=unit))
    assert [verdict for _, verdict in found.values()] == ["agree"]


@pytest.mark.parametrize(
    ("cell", "value", "unit"),
    [("7.46", 0.746, ""), ("0.0488", 48.82, "ms"), ("243M", 24331000, ""), ("46.757", 46.9, "")],
)
def test_scales_that_do_not(verdicts: Verdicts, cell: str, value: float, unit: str) -> None:
    found = verdicts(f"| model | score |\n|---|---|\n| net-s | {cell} |\n", row("net-s", "quality", value, unit=unit))
    assert [verdict for _, verdict in found.values()] == ["drift"]


def test_a_unit_that_excludes_the_claim(verdicts: Verdicts) -> None:
    assert verdicts("| model | score |\n|---|---|\n| net-s | 3.1 GB |\n", row("net-s", "quality", 0.81, unit="%")) == {}


def test_two_levels_of_heads(verdicts: Verdicts) -> None:
    text = "| model | Regular | | Irregular |\n|---|---|---|---|\n| | IIIT | SVT | CT80 |\n| net-s | 95.1 | 89.2 | 77.0 |\n"
    rows = [
        row("net-s", "accuracy", value, dataset=name) for name, value in (("IIIT", 95.1), ("SVT", 88.1), ("CT80", 77.0))
    ]
    found = verdicts("Accuracy per benchmark.\n\n" + text, *rows)
    assert found == {"95.1": ("C1", "agree"), "89.2": ("C2", "drift"), "77.0": ("C3", "agree")}


def test_the_heading_chooses_the_data_set(verdicts: Verdicts) -> None:
    table = "\n\n| model | mIoU |\n|---|---|\n| net-s | {} |\n"
    text = "### CityA" + table.format("71.0") + "\n### CityB" + table.format("64.9")
    found = verdicts(text, row("net-s", "mIoU", 71.0, dataset="CityA"), row("net-s", "mIoU", 65.2, dataset="CityB"))
    assert found == {"71.0": ("C1", "agree"), "64.9": ("C2", "drift")}


def test_another_data_set_in_the_heading_vetoes(verdicts: Verdicts) -> None:
    text = "### Cityscapes\n\n| model | mIoU |\n|---|---|\n| net-s | 71.0 |\n"
    assert verdicts(text, row("net-s", "mIoU", 45.2, dataset="ADE20K")) == {}


def test_sizes_in_their_own_column(verdicts: Verdicts) -> None:
    text = "| model | img_size | top1 |\n|---|---|---|\n| net.a1 | 224 | 81.2 |\n| net.a1 | 288 | 82.1 |\n| net.a1 | 320 | 82.9 |\n"
    rows = [row("net.a1", "top1", value, conditions={"img_size": size}) for size, value in ((224, 81.2), (288, 82.0))]
    assert verdicts(text, *rows) == {"81.2": ("C1", "agree"), "82.1": ("C2", "drift")}


def test_without_the_size_a_wrong_number_is_ambiguous(reconcile: Callable[..., Any]) -> None:
    text = "| model | top1 |\n|---|---|\n| net.a1 | {} |\n"
    rows = [row("net.a1", "top1", value, conditions={"img_size": size}) for size, value in ((224, 81.2), (288, 82.0))]
    report = reconcile(text.format("82.5"), *rows)
    assert [(found.rule, found.severity, found.claim) for found in report.findings] == [("ambiguous", "note", None)]
    assert reconcile(text.format("82.0"), *rows).findings == ()


def test_a_delta_and_a_second_value_in_a_cell(verdicts: Verdicts) -> None:
    text = "| model | AP | top1 / top5 |\n|---|---|---|\n| net-s | 58.1(+0.9) | 76.5 / 93.0 |\n| net-t | 40.4 (40.1) | - |\n"
    rows = [row("net-s", "AP", 58.1), row("net-s", "top1", 76.5), row("net-s", "top5", 93.4), row("net-t", "AP", 40.4)]
    found = verdicts(text, *rows)
    assert found == {"58.1": ("C1", "agree"), "76.5": ("C2", "agree"), "93.0": ("C3", "drift"), "40.4": ("C4", "agree")}


def test_the_document_is_the_subject(verdicts: Verdicts) -> None:
    text = "# net-x\n\n| Metric | Value |\n|---|---|\n| Top 1 | 76.45% |\n| Top 5 | 93.11% |\n"
    found = verdicts(text, row("net-x", "top1", 0.7645), row("net-x", "top5", 0.9321))
    assert found == {"76.45": ("C1", "agree"), "93.11": ("C2", "drift")}


def test_the_file_name_is_the_subject(verdicts: Verdicts) -> None:
    text = "| Metric | Value |\n|---|---|\n| Top 1 | 76.45% |\n"
    assert verdicts(text, row("net-x", "top1", 0.7655), path="models/net-x/README.md") == {"76.45": ("C1", "drift")}


def test_methods_as_columns(verdicts: Verdicts) -> None:
    text = "Accuracy on each set.\n\n| data | base | ours |\n|---|---|---|\n| setA | 70.1 | 74.2 |\n| setB | 61.0 | 66.6 |\n"
    values = {("base", "setA"): 70.1, ("ours", "setA"): 74.3, ("base", "setB"): 61.0, ("ours", "setB"): 66.6}
    rows = [row(exp, "accuracy", value, dataset=name) for (exp, name), value in values.items()]
    found = verdicts(text, *rows)
    assert found == {"70.1": ("C1", "agree"), "74.2": ("C2", "drift"), "61.0": ("C3", "agree"), "66.6": ("C4", "agree")}


def test_a_row_of_another_method_is_left_alone(verdicts: Verdicts) -> None:
    text = (
        "# ours\n\n| method | accuracy |\n|---|---|\n| ours | 74.2 |\n| prior work | 70.1 |\n| ours w/o aux | 72.0 |\n"
    )
    assert verdicts(text, row("ours", "accuracy", 74.2)) == {"74.2": ("C1", "agree")}


def test_spread_and_counts_beside_the_value(verdicts: Verdicts) -> None:
    text = "| model | accuracy | std over seeds | n |\n|---|---|---|---|\n| net-s | 82.2 | 1.1 | 361 |\n"
    found = verdicts(text, row("net-s", "accuracy", 82.2, n=360, variance={"type": "std", "value": 1.31, "seeds": 3}))
    assert found == {"82.2": ("C1", "agree"), "1.1": ("C1", "drift"), "361": ("C1", "drift")}


def test_empty_cells_shift_nothing(verdicts: Verdicts) -> None:
    text = "| model | fps | AP | mask AP |\n|---|---|---|---|\n| net-s | - | 38.2 | N/A |\n| net-t | | 40.1 | 36.0 |\n"
    found = verdicts(text, row("net-s", "AP", 38.2), row("net-t", "AP", 40.2), row("net-t", "mask AP", 36.0))
    assert found == {"38.2": ("C1", "agree"), "40.1": ("C2", "drift"), "36.0": ("C3", "agree")}


def test_dress_and_footnotes(verdicts: Verdicts) -> None:
    text = "| model | AP |\n|---|---|\n| <sub><sup>**net-s**</sup></sub> | <sub>38.2</sub> |\n| `net-t`\\* | **83.1**\\* |\n| net-u | 79.5<sup>2</sup> |\n"
    found = verdicts(text, row("net-s", "AP", 38.2), row("net-t", "AP", 83.1), row("net-u", "AP", 79.48))
    assert found == {"38.2": ("C1", "agree"), "83.1": ("C2", "agree"), "79.5": ("C3", "agree")}


def test_an_html_table_in_markdown(verdicts: Verdicts) -> None:
    text = "<table>\n<tr><th>model</th><th>AP</th></tr>\n<tr><td><a href='net-s.py'>S</a></td><td><b>38.2</b></td></tr>\n</table>\n"
    assert verdicts(text, row("net-s", "AP", 38.4)) == {"38.2": ("C1", "drift")}


def test_a_table_in_latex(verdicts: Verdicts) -> None:
    text = r"""\begin{table}\caption{Accuracy on the test set.}
\begin{tabular}{lcc} \toprule
 & \multicolumn{2}{c}{Accuracy} \\ \cmidrule(lr){2-3}
Method & setA & setB \\ \midrule
\multirow{2}{*}{net\_s} & \cellcolor{red}\textbf{$97.2_{\pm 0.4}$} & 88.1\,\% \\
 & 12 & 13 \\
net\_t & \num{96.1} & \SI{87.0}{\percent} \\ \bottomrule
\end{tabular}\end{table}
"""
    rows = [row("net_s", "accuracy", 97.2, dataset="setA"), row("net_s", "accuracy", 88.4, dataset="setB"),
            row("net_t", "accuracy", 96.1, dataset="setA"), row("net_t", "accuracy", 87.0, dataset="setB")]  # fmt: skip
    found = verdicts(text, *rows, path="paper.tex")
    assert {text: found[text] for text in ("97.2", "88.1", "96.1", "87.0")} == {
        "97.2": ("C1", "agree"), "88.1": ("C2", "drift"), "96.1": ("C3", "agree"), "87.0": ("C4", "agree"),
    }  # fmt: skip


def test_a_csv_with_decimal_commas(reconcile: Callable[..., Any]) -> None:
    text = "Netz;PSNR (dB);Parameter\nnetz-a;31,42;1.250.000\nnetz-b;30,71;980.500\n"
    rows = [
        row("netz-a", "PSNR", 31.4187, unit="dB"),
        row("netz-b", "PSNR", 30.1749, unit="dB"),
        row("netz-a", "params", 1250000),
    ]
    (found,) = reconcile(text, *rows, path="t.csv").findings
    assert (found.values["text"], found.values["explanation"], str(found.location)) == (
        "30,71",
        "transposed",
        "t.csv:3:8",
    )
    assert found.fix.startswith("write 30,17")


def test_rows_of_one_experiment_are_told_apart_by_their_own_aliases() -> None:
    """One benchmark run measures several commands: the row's label names the evidence row, not only the experiment."""
    import json

    from ledger.evidence.graph import from_bytes
    from ledger.reconcile import Source, check

    measured = [("tool --version", 1.24), ("tool --help", 1.31), ("import click", 4.006)]
    claims = [
        {"id": f"C{n}", "evidence": [{"exp_id": "bench", "metric": "cpu_ratio", "value": value, "aliases": [alias]}]}
        for n, (alias, value) in enumerate(measured)
    ]
    graph = from_bytes(json.dumps({"claims": claims}).encode())
    text = (
        "| command | CPU ratio |\n|:--|--:|\n| tool --version | 1.2 |\n| tool --help | 1.3 |\n| import click | 3.9 |\n"
    )
    report = check([Source("a.md", text.encode())], graph)
    assert [mention.claim for mention in report.mentions or ()] == ["C0", "C1", "C2"]
    assert [(finding.rule, finding.claim) for finding in report.findings] == [("drift", "C2")]
