"""Binding drawn series to the source data, on records made by hand."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from ledger.pixelgate import disclosed
from ledger.pixelgate.record import Axis, Mark, Panel, Record, Saved, read, to_json
from ledger.pixelgate.rules import mismatch, spread
from ledger.pixelgate.scene import Scene
from ledger.pixelgate.truth.table import Table, read_table

BOX = (50.0, 20.0, 380.0, 260.0)


def table(tmp_path: Path, text: str) -> Table:
    path = tmp_path / "source_data.csv"
    path.write_text(text, encoding="utf-8")
    found = read_table(path)
    assert isinstance(found, Table)
    return found


def axis(label: str = "", names: tuple[str, ...] = (), scale: str = "linear") -> Axis:
    return Axis(label, 0.0, 100.0, scale, tuple((float(i), name) for i, name in enumerate(names)), names)


def scene(data: Table, *marks: Mark, x: Axis | None = None, y: Axis | None = None, said: tuple[str, ...] = ()) -> Scene:
    panel = Panel(0, BOX, "rectilinear", True, x or axis(), y or axis(), marks=marks)
    saved = Saved("/p/output/plot.png", "png", 0, (400.0, 300.0), 100.0, (1, 1, 1, 1), (panel,))
    return Scene("figures/plot/output/plot.png", saved, said=said, table=data)


def bars(*values: float, label: str = "") -> Mark:
    n = len(values)
    return Mark("bars", label, x=tuple(map(float, range(n))), base=(0.0,) * n, length=values, width=(0.8,) * n)


def line(x: list[float], y: list[float], label: str = "", kind: str = "line") -> Mark:
    return Mark(kind, label, x=tuple(x), y=tuple(y), line="-" if kind == "line" else "")


def messages(one: Scene) -> list[str]:
    return [finding.message for finding in mismatch.check(one)]


METHODS = "method,accuracy\nbase,71\nlora,75\nfull,80\n"
NAMES = ("base", "lora", "full")
SEEDS = "method,seed,acc\n" + "".join(
    f"{m},{s},{v}\n" for m, vs in (("a", (1, 2, 6)), ("b", (4, 5, 9))) for s, v in enumerate(vs)
)


@pytest.mark.parametrize(
    ("values", "names"),
    [((71, 75, 80), NAMES), ((80, 75, 71), NAMES[::-1]), ((0.71, 0.75, 0.80), NAMES)],
    ids=["as it is", "sorted with its names", "in another unit"],
)
def test_right_bars(tmp_path: Path, values: tuple[float, ...], names: tuple[str, ...]) -> None:
    assert messages(scene(table(tmp_path, METHODS), bars(*values), x=axis("", names), y=axis("Accuracy"))) == []


@pytest.mark.parametrize(
    ("values", "names", "said"),
    [
        ((75, 71, 80), NAMES, "over other names"),
        ((71, 75), NAMES[:2], "1 of 3 rows of source_data.csv are not drawn: method = full"),
        ((70.2, 74.8, 79.1), NAMES, "3 of 3 values"),
        ((71, 75, 81), NAMES, "full shows 81 (should be 80)"),
    ],
    ids=["swapped", "dropped", "pasted", "one wrong"],
)
def test_wrong_bars(tmp_path: Path, values: tuple[float, ...], names: tuple[str, ...], said: str) -> None:
    (message,) = messages(scene(table(tmp_path, METHODS), bars(*values), x=axis("", names), y=axis("Accuracy (%)")))
    assert said in message


def test_means_over_seeds_are_found_and_miss_their_spread(tmp_path: Path) -> None:
    one = scene(table(tmp_path, SEEDS), bars(3, 6), x=axis("", ("a", "b")), y=axis("acc"))
    assert messages(one) == []
    (finding,) = spread.check(one)
    assert (finding.rule, finding.values["replicate"], finding.values["count"]) == ("missing-error-bars", "seed", 3)


@pytest.mark.parametrize(
    ("half", "label", "said"),
    [
        (2.6457513110645907, "acc (mean ± s.d.)", None),
        (1.5275252316519468, "acc (mean ± s.e.m.)", None),
        (1.5275252316519468, "acc (mean ± s.d.)", "said to show the standard deviation (2.646)"),
    ],
)
def test_error_bars_are_what_they_promise(tmp_path: Path, half: float, label: str, said: str | None) -> None:
    errors = Mark("errors", x=(0.0, 1.0), low=(3 - half, 6 - half), high=(3 + half, 6 + half))
    one = scene(table(tmp_path, SEEDS), bars(3, 6), errors, x=axis("", ("a", "b")), y=axis(label))
    found = messages(one)
    assert [said in message for message in found] == [True] if said else found == []
    assert list(spread.check(one)) == []


WIDE = "epoch,train,val\n1,0.9,1.1\n2,0.7,1.0\n3,0.5,0.8\n4,0.4,0.7\n"


def test_lines_by_their_labels(tmp_path: Path) -> None:
    data, epochs = table(tmp_path, WIDE), [1.0, 2.0, 3.0, 4.0]
    good = scene(data, line(epochs, [0.9, 0.7, 0.5, 0.4], "train"), line(epochs, [1.1, 1.0, 0.8, 0.7], "val"))
    assert messages(good) == []
    (message,) = messages(scene(data, line(epochs, [0.9, 0.7, 0.5, 0.4], "val")))
    assert "draws column 'train', but its label says 'val'" in message
    (message,) = messages(scene(data, line(epochs, [1.1 * v for v in (1.1, 1.0, 0.8, 0.7)], "val")))
    assert "times 1.1" in message
    (message,) = messages(scene(data, line(epochs, [1.1, 1.0, 0.6, 0.7], "val")))
    assert "epoch = 3" in message or "x = 3" in message


def test_a_fit_beside_the_points_is_no_mistake(tmp_path: Path) -> None:
    data = table(tmp_path, "x,y\n1,2\n2,3\n3,5\n4,4\n")
    points = line([1, 2, 3, 4], [2, 3, 5, 4], kind="points")
    fit = line([1, 2, 3, 4], [2.3, 3.1, 3.9, 4.7])
    one = scene(data, points, fit, x=axis("x"), y=axis("y"))
    assert messages(one) == []
    assert [outcome.status for _, _, outcome in mismatch.bind(one)] == ["equal", "unbound"]


def test_error_bars_drawn_as_bare_lines(tmp_path: Path) -> None:
    half = 2.6457513110645907
    bare = [Mark("line", x=(at, at), y=(mid - half, mid + half), line="-") for at, mid in ((0.0, 3.0), (1.0, 6.0))]
    one = scene(table(tmp_path, SEEDS), bars(3, 6), *bare, x=axis("", ("a", "b")), y=axis("acc (mean ± s.d.)"))
    assert messages(one) == []
    assert list(spread.check(one)) == []


@pytest.mark.parametrize(("shares", "found"), [((0.5, 0.3, 0.2), False), ((0.5, 0.2, 0.3), True)])
def test_pie_shares(tmp_path: Path, shares: tuple[float, ...], found: bool) -> None:
    data = table(tmp_path, "source,n\nweb,50\nbooks,30\ncode,20\n")
    names = ("web", "books", "code")
    wedges = [Mark("patch", name, "pie", values=(share,)) for name, share in zip(names, shares, strict=True)]
    assert bool(messages(scene(data, *wedges))) is found


def test_one_seed_of_three_is_a_part_of_the_data(tmp_path: Path) -> None:
    data = table(
        tmp_path, "epoch,seed,loss\n" + "".join(f"{e},{s},{3 - e + s / 10}\n" for s in range(3) for e in range(3))
    )
    drawn = line([0, 1, 2], [3.1, 2.1, 1.1])
    (finding,) = mismatch.check(scene(data, drawn, x=axis("epoch"), y=axis("loss")))
    assert "6 of 9 rows" in finding.message
    for words, holds in (("loss of seed 1", True), ("loss, mean over seeds", False)):
        (settled,) = disclosed.settle([finding], (), words)
        assert bool(settled.disclosed) is holds


def test_a_sentence_about_something_else_settles_no_wrong_value(tmp_path: Path) -> None:
    one = scene(table(tmp_path, METHODS), bars(71, 75, 81), x=axis("", NAMES), y=axis("Accuracy"))
    (settled,) = disclosed.settle(mismatch.check(one), ("Mean over three seeds, in percent.",), "")
    assert settled.disclosed is None


def test_exchanged_axis_labels(tmp_path: Path) -> None:
    data = table(tmp_path, "recall,precision\n0.2,0.97\n0.5,0.90\n0.8,0.71\n")
    drawn = line([0.2, 0.5, 0.8], [0.97, 0.90, 0.71])
    (message,) = messages(scene(data, drawn, x=axis("Precision"), y=axis("Recall")))
    assert "exchanged" in message
    assert messages(scene(data, drawn, x=axis("Recall"), y=axis("Precision"))) == []


def test_zeros_on_a_log_axis_vanish(tmp_path: Path) -> None:
    data = table(tmp_path, "n,errors\n1,12\n2,3\n4,0\n")
    (message,) = messages(scene(data, line([1, 2, 4], [12, 3, 0]), y=axis("errors", scale="log")))
    assert "1 of 3 values" in message


def test_histogram_counts(tmp_path: Path) -> None:
    data = table(tmp_path, "age\n" + "".join(f"{v}\n" for v in (1, 1, 2, 3, 3, 3, 5, 5)))
    edges, counts = (0.5, 2.5, 4.5, 6.5), (3.0, 3.0, 2.0)

    def histogram(values: tuple[float, ...]) -> Mark:
        middles = tuple((a + b) / 2 for a, b in pairwise(edges))
        return Mark("bars", "", "hist", x=middles, base=(0.0,) * 3, length=values, width=(2.0,) * 3)

    assert messages(scene(data, histogram(counts), x=axis("Age"))) == []
    (message,) = messages(scene(data, histogram((6.0, 3.0, 2.0)), x=axis("Age")))
    assert "it counts 11 values, the column has 8" in message


@pytest.mark.parametrize("turned", [False, True])
def test_confusion_matrix_against_its_labels(tmp_path: Path, turned: bool) -> None:
    data = table(tmp_path, "true,cat,dog\ncat,5,1\ndog,2,7\n")
    values = (5.0, 2.0, 1.0, 7.0) if turned else (5.0, 1.0, 2.0, 7.0)
    image = Mark("image", shape=(2, 2), values=values, extent=(-0.5, 1.5, 1.5, -0.5), origin="upper")
    one = scene(data, image, x=axis("Predicted", ("cat", "dog")), y=axis("True", ("cat", "dog")))
    found = messages(one)
    assert bool(found) is turned
    assert all("transposed" in message for message in found)


def test_what_cannot_be_bound_is_said_and_not_guessed(tmp_path: Path) -> None:
    data = table(tmp_path, "x,y\n1,2\n2,3\n3,5\n")
    one = scene(data, line([0.0, 0.5, 1.0], [7.0, 7.1, 7.3], "theory"))
    assert messages(one) == []
    ((_, _, outcome),) = mismatch.bind(one)
    assert outcome.status == "unbound"
    assert "theory" in outcome.message


@pytest.mark.parametrize("text", ["", "x,y\n", "\x00"])
def test_tables_that_cannot_be_compared(tmp_path: Path, text: str) -> None:
    path = tmp_path / "source_data.csv"
    path.write_text(text)
    assert isinstance(read_table(path), str)


def test_records_survive_json() -> None:
    panel = Panel(0, BOX, "rectilinear", True, axis("x", ("a",)), axis(), marks=(line([1.0], [float("inf")]),))
    saved = Saved("p.png", "png", 0, (4.0, 3.0), 100.0, (1, 1, 1, 1), (panel,))
    record = Record((saved,), ("said",), 1, "3.11")
    assert read(to_json(record)) == record
