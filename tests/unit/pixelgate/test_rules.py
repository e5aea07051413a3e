"""Rules that judge shapes, colours and places, on records made by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ledger.pixelgate import disclosed
from ledger.pixelgate.color import DEUTAN, contrast, difference
from ledger.pixelgate.record import Axis, Legend, Mark, Panel, Saved, Text
from ledger.pixelgate.rules import contrast as faint
from ledger.pixelgate.rules import covered, overlap, scales, shapes, truncated
from ledger.pixelgate.scene import Scene

BOX = (100.0, 50.0, 500.0, 350.0)
LINEAR = Axis("", 0.0, 10.0, "linear")


def scene(*marks: Mark, texts: tuple[Text, ...] = (), **panel: object) -> Scene:
    one = Panel(0, BOX, "rectilinear", True, LINEAR, LINEAR, marks=marks)
    saved = Saved("", "png", 0, (600.0, 400.0), 100.0, (1, 1, 1, 1), (replace(one, **panel),), texts)  # type: ignore[arg-type]
    return Scene("figures/plot/output/plot.png", saved)


def text(shown: str, left: float, top: float, width: float = 60, height: float = 14, role: str = "xtick") -> Text:
    box = (left, top, left + width, top + height)
    corners = ((box[0], box[3]), (box[2], box[3]), (box[2], box[1]), (box[0], box[1]))
    return Text(shown, role, 0, box, corners, 10.0, (0, 0, 0, 1))


def bars(base: tuple[float, ...], length: tuple[float, ...]) -> Mark:
    places = tuple(map(float, range(len(base))))
    return Mark("bars", x=places, base=base, length=length, width=(0.8,) * len(base))


@pytest.mark.parametrize(
    ("base", "length", "low", "high", "found"),
    [
        ((0, 0), (90, 92), 89, 94, True),
        ((0, 0), (90, 92), 0, 94, False),
        ((0, 0), (-5, -3), -6, -1, True),
        ((0, 0), (-5, -3), -6, 0, False),
        ((68, 68), (4, 7), 60, 80, True),
        ((12, 18), (7, 5), 10, 30, False),
        ((100, 100), (-4, 5), 90, 110, False),
    ],
    ids=["cut", "from zero", "negative cut", "hanging", "raised foot", "ranges", "about a reference"],
)
def test_truncated_bars(
    base: tuple[float, ...], length: tuple[float, ...], low: float, high: float, found: bool
) -> None:
    one = scene(bars(base, length), yaxis=Axis("", low, high, "linear"))
    assert [finding.rule for finding in truncated.check(one)] == (["truncated-axis"] if found else [])


def test_stacks_are_not_truncated() -> None:
    one = scene(bars((0, 0), (3, 2)), bars((3, 2), (1, 1)), yaxis=Axis("", 0, 5, "linear"))
    assert list(truncated.check(one)) == []


@pytest.mark.parametrize(
    ("sentence", "words", "holds"),
    [
        ("The axis starts at 28 dB.", "", True),
        ("truncated-axis: on purpose", "", True),
        ("Colours follow the house style.", "", False),
        ("", "psnr (db; axis starts at 28 db)", True),
        ("", "training starts with seed 0", False),
    ],
)
def test_a_sentence_discloses_only_what_it_speaks_of(sentence: str, words: str, holds: bool) -> None:
    (finding,) = truncated.check(scene(bars((0,), (90,)), yaxis=Axis("", 89, 94, "linear")))
    (settled,) = disclosed.settle([finding], (sentence,) if sentence else (), words)
    assert bool(settled.disclosed) is holds


@pytest.mark.parametrize(
    ("label", "found"), [("time (s)", True), ("time (s, log scale)", False), ("log-likelihood", True)]
)
def test_log_axes_must_be_named(label: str, found: bool) -> None:
    labels = (text(label, 0, 100, role="ylabel"),)
    one = scene(Mark("line", x=(1, 2), y=(1, 2)), texts=labels, yaxis=Axis(label, 1, 100, "log"))
    assert bool(list(scales.check(one))) is found


def test_lines_that_run_back() -> None:
    def turns(xs: list[float], ys: list[float]) -> int:
        return len(list(shapes.monotonic(scene(Mark("line", x=tuple(xs), y=tuple(ys), line="-")))))

    assert turns([1, 3, 2, 4], [1, 2, 1, 3]) == 1
    assert turns([1, 2, 3, 4], [1, 2, 1, 3]) == turns([4, 3, 2, 1], [1, 2, 1, 3]) == 0
    assert turns([0, 1, 1, 0, 0], [0, 0, 1, 1, 0]) == 0


def test_strings_that_are_numbers_are_ordered_as_numbers() -> None:
    axis = Axis("batch", 0, 3, "linear", names=("128", "16", "8"))
    (finding,) = shapes.monotonic(
        scene(Mark("line", x=(0.0, 1.0, 2.0), y=(1, 2, 3), line="-"), xaxis=replace(axis, names=("16", "8", "32")))
    )
    assert "from 16 to 8" in finding.message
    assert not list(shapes.monotonic(scene(Mark("line", x=(0.0, 1.0, 2.0), y=(1, 2, 3), line="-"), xaxis=axis)))


def test_colours_for_every_eye() -> None:
    red, green = (0.69, 0.44, 0.23), (0.50, 0.54, 0.23)
    assert difference(red, green) > 25
    assert difference(red, green, DEUTAN) < 5
    assert contrast((0, 0, 0), (1, 1, 1)) == pytest.approx(21)
    assert contrast((1, 1, 1), (1, 1, 1)) == 1
    a = Mark("points", "a", x=(1,), y=(1,), colors=((*red, 1.0),), marker="o")
    b = Mark("points", "b", x=(2,), y=(2,), colors=((*green, 1.0),), marker="o")
    (finding,) = faint.distinct(scene(a, b))
    assert "deuteranopes" in finding.message
    assert not list(faint.distinct(scene(a, replace(b, marker="s"))))


def test_pale_lines() -> None:
    pale = Mark("line", "a", x=(1, 2), y=(1, 2), line="-", colors=((1.0, 1.0, 0.4, 1.0),))
    dark = replace(pale, label="b", colors=((0.0, 0.0, 0.0, 1.0),))
    assert [finding.rule for finding in faint.check(scene(pale, dark))] == ["low-contrast"]
    assert not list(faint.check(scene(replace(pale, label=""), dark)))
    assert not list(faint.check(scene(replace(pale), ground=(0.0, 0.0, 0.0, 1.0))))


def test_legend_over_one_point_of_four() -> None:
    points = Mark("points", "years", x=(1, 2, 3, 4), y=(9, 2, 3, 4), pixels=(140, 80, 200, 300, 300, 290, 400, 280))
    legend = Legend((110.0, 60.0, 260.0, 100.0), 1.0)
    (finding,) = covered.legend(scene(points, legend=legend))
    assert "1 of 4 points of 'years'" in finding.message
    assert not list(covered.legend(scene(points, legend=replace(legend, opaque=0.0))))
    assert not list(covered.legend(scene(points, legend=replace(legend, box=(110.0, 200.0, 160.0, 240.0)))))


def test_marks_beyond_the_frame() -> None:
    points = Mark("points", x=(1, 12), y=(1, 2), pixels=(140, 80, 580, 300))
    (finding,) = covered.clipped(scene(points))
    assert "1 of 2 points" in finding.message
    assert not list(covered.clipped(scene(replace(points, clipped=False))))
    assert not list(covered.clipped(scene(points, zoomed=True)))


def test_overlapping_labels() -> None:
    assert len(list(overlap.check(scene(texts=(text("one", 100, 360), text("two", 140, 360)))))) == 1
    assert not list(overlap.check(scene(texts=(text("one", 100, 360), text("two", 165, 360)))))
    below = text("two", 100, 370)
    assert not list(overlap.check(scene(texts=(text("one", 100, 360), below))))


def test_rotated_labels_are_compared_as_they_stand() -> None:
    def slanted(shown: str, left: float) -> Text:
        corners = ((left, 400.0), (left + 50, 350.0), (left + 42, 342.0), (left - 8, 392.0))
        return Text(shown, "xtick", 0, (left - 8, 342, left + 50, 400), corners, 10.0, (0, 0, 0, 1), 45.0)

    assert not list(overlap.check(scene(texts=(slanted("one", 100), slanted("two", 120)))))
    assert list(overlap.check(scene(texts=(slanted("one", 100), slanted("two", 104)))))


def test_bar_widths() -> None:
    wide = Mark("bars", x=(0, 1), base=(0, 0), length=(1, 2), width=(0.4, 0.9))
    assert [finding.rule for finding in shapes.widths(scene(wide))] == ["unequal-bar-width"]
    assert not list(shapes.widths(scene(replace(wide, params={"density": True}))))
    assert not list(shapes.widths(scene(replace(wide, width=(0.8, 0.8)))))
