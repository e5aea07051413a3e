"""Numbers in sentences: subjects and metrics by the order of the words, and the numbers that speak of no claim."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Verdicts = Callable[..., dict[str, tuple[str, str]]]


def row(exp: str, metric: str, value: float, **more: Any) -> dict[str, Any]:
    return {"exp_id": exp, "metric": metric, "value": value, **more}


CNN = row("cnn", "accuracy", 0.9722, split="test")
MLP = row("mlp", "accuracy", 0.9639, split="test")


@pytest.mark.parametrize(
    "sentence",
    [
        "The CNN reaches an accuracy of 97.5% on the test images.",
        "With 97.5% accuracy, the CNN is the best of the four.",
        "The accuracy of the CNN is 97.5%.",
        "CNN: 97.5% accuracy",
        "A CNN with 97.5% accuracy was trained after 300 epochs with batch size 64 and seed 3.",
        "On 360 images (n=360) the CNN has a test accuracy of $97.5\\%$.",
        "In 2024, Table 3 listed an accuracy of 97.5% for the CNN [12].",
    ],
)
def test_one_subject_and_one_metric(verdicts: Verdicts, sentence: str) -> None:
    assert verdicts(sentence, CNN, MLP) == {"97.5": ("C1", "drift")}


@pytest.mark.parametrize(
    "sentence",
    [
        "The CNN and the MLP reach 97.2% and 96.9% accuracy, respectively.",
        "The accuracy falls from 97.2% with the CNN to 96.9% with the MLP.",
        "The CNN reaches an accuracy of 97.2%; the MLP reaches 96.9%.",
        "Accuracy: CNN 97.2%, MLP 96.9%.",
        "The CNN reaches an accuracy of 97.2%. The MLP gets 96.9%.",
    ],
)
def test_two_subjects(verdicts: Verdicts, sentence: str) -> None:
    assert verdicts(sentence, CNN, MLP) == {"97.2": ("C1", "agree"), "96.9": ("C2", "drift")}


def test_two_metrics_of_one_subject(verdicts: Verdicts) -> None:
    text = "The top-1 and top-5 accuracy of net-s are 76.5% and 93.1%."
    found = verdicts(text, row("net-s", "top1", 76.5, unit="%"), row("net-s", "top5", 93.4, unit="%"))
    assert found == {"76.5": ("C1", "agree"), "93.1": ("C2", "drift")}


def test_a_list_of_sizes(verdicts: Verdicts) -> None:
    rows = [
        row("net_b.x1", "top1", value, unit="%", conditions={"img_size": size})
        for size, value in ((224, 82.6), (288, 83.3))
    ]
    found = verdicts(
        "Top-1 of the new weights:\n\n- `net_b.x1` - 82.6 @ 224, 83.1 @ 288 (previously released)\n", *rows
    )
    assert found == {"82.6": ("C1", "agree"), "83.1": ("C2", "drift")}


def test_the_longest_name_wins(verdicts: Verdicts) -> None:
    plain = row("cnn", "accuracy", 0.97)
    ablated = row("cnn-no-aug", "accuracy", 0.95, aliases=["CNN without augmentation"])
    assert verdicts("The CNN without augmentation has an accuracy of 95%.", plain, ablated) == {"95": ("C2", "agree")}


@pytest.mark.parametrize(
    "sentence",
    [
        "The CNN gains 0.4 points of accuracy.",
        "The accuracy of the CNN improves by 1.3%.",
        "The accuracy of the CNN is 2.1% higher than before.",
        "The CNN was trained for 300 epochs with learning rate 0.01; accuracy was logged.",
        "The CNN without dropout has an accuracy of 95.1%.",
        "The CNN+aux has an accuracy of 95.1%.",
        "An accuracy between 96.8%–97.9% is normal for the CNN.",
        "Smith et al. report an accuracy of 91.3% for the CNN.",
        "The CNN uses 31.2 GB of memory at this accuracy.",
        "Accuracy of cnn-large is 98.8%.",
    ],
)
def test_numbers_that_speak_of_no_claim(verdicts: Verdicts, sentence: str) -> None:
    assert verdicts(sentence, CNN) == {}


def test_a_guessed_subject_may_agree_but_never_drifts(verdicts: Verdicts) -> None:
    text = "# cnn\n\n## Abstract\n\nWe reach an accuracy of {} on the test images.\n"
    assert verdicts(text.format("97.2%"), CNN) == {"97.2": ("C1", "agree")}
    assert verdicts(text.format("91.2%"), CNN) == {}


def test_the_pronoun_takes_the_subject_along(verdicts: Verdicts) -> None:
    assert verdicts("We train a CNN. It reaches an accuracy of 97.5%.", CNN, MLP) == {"97.5": ("C1", "drift")}


def test_an_item_under_a_heading(verdicts: Verdicts) -> None:
    assert verdicts("## CNN\n\n- Accuracy: **97.5%**\n", CNN, MLP) == {"97.5": ("C1", "drift")}


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("The CNN has an accuracy of over 97%.", "agree"),
        ("The CNN has an accuracy of over 98%.", "drift"),
        ("The CNN has an accuracy of about 97.5%.", "open"),
        ("The CNN has an accuracy of <98%.", "agree"),
    ],
)
def test_approximations(verdicts: Verdicts, sentence: str, verdict: str) -> None:
    assert [found for _, found in verdicts(sentence, CNN).values()] == [verdict]


def test_another_split_is_another_claim(reconcile: Callable[..., Any]) -> None:
    rows = [row("el", "F1", 0.8837, split="dev"), row("el", "F1", 0.8259, split="test")]
    (found,) = reconcile("On the test set, el has an F1 of 88.4%.", *rows).findings
    assert (found.claim, found.values["explanation"]) == ("C2", "other-split")


def test_latex_prose(verdicts: Verdicts) -> None:
    text = "\\newcommand{\\best}{97.5}\nThe CNN~\\cite{a2019} reaches an accuracy of \\best\\% % not 12.3\n on the test set, \\ev{C1} by macro.\n"
    assert verdicts(text, CNN, path="p.tex") == {"97.5": ("C1", "drift")}
