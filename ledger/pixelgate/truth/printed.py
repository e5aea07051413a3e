"""Numbers that the picture prints beside a bar or in a cell must be the numbers that are drawn there."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from ledger.pixelgate.record import Mark, Panel, Saved, Text
from ledger.pixelgate.truth.matrix import places

_NUMBER = re.compile(
    r"^\s*[~≈]?\s*([+\-−]?\d[\d,\u2009 ]*(?:\.\d+)?|[+\-−]?\.\d+)\s*(%|[kKM×x]|pp|s|ms|dB)?\s*(?:[±(].*)?$"
)
SCALES = (1.0, 100.0, 0.01, 1e-3, 1e3, 1e-6)


def wrong_numbers(saved: Saved, panel: Panel) -> Iterator[tuple[Text, float, float]]:
    """(text, what it says, what is drawn) of every printed number that no drawn value rounds to."""
    texts = [
        text for text in saved.texts
        if text.panel == panel.index and text.role == "annotation" and text.at and _NUMBER.match(text.text)
    ]  # fmt: skip
    if not texts:
        return
    bars = [mark for mark in panel.marks if mark.kind == "bars" and mark.data_coords]
    images = [mark for mark in panel.marks if mark.kind == "image" and mark.values and len(mark.shape) == 2]
    for text in texts:
        said = _read(text.text)
        here = _in_cell(text, images[-1]) if images else _at_bar(text, bars)
        if said and here and not any(_rounds(said, value) for value in here):
            yield text, said[0], here[0]


def _read(text: str) -> tuple[float, int] | None:
    """The number and how many decimals it is printed with."""
    match = _NUMBER.match(text)
    if not match:
        return None
    digits = match[1].replace("−", "-").replace(",", "").replace("\u2009", "").replace(" ", "")
    return float(digits), len(digits.partition(".")[2])


def _rounds(said: tuple[float, int], value: float) -> bool:
    number, decimals = said
    half = 0.5 * 10.0**-decimals
    return any(abs(number - sign * scale * value) <= half * (1 + 1e-6) for scale in SCALES for sign in (1, -1))


def _in_cell(text: Text, image: Mark) -> list[float]:
    assert text.at is not None
    xs, ys = places(image)
    step_x, step_y = abs(xs[-1] - xs[0]) / max(1, len(xs) - 1), abs(ys[-1] - ys[0]) / max(1, len(ys) - 1)
    j = min(range(len(xs)), key=lambda k: abs(xs[k] - text.at[0]))  # type: ignore[index]
    i = min(range(len(ys)), key=lambda k: abs(ys[k] - text.at[1]))  # type: ignore[index]
    if abs(xs[j] - text.at[0]) > 0.25 * (step_x or 1) or abs(ys[i] - text.at[1]) > 0.35 * (step_y or 1):
        return []
    value = image.values[i * image.shape[1] + j]
    return [value] if math.isfinite(value) else []


def _at_bar(text: Text, bars: list[Mark]) -> list[float]:
    """The values of the bars whose end or middle the text points at: its tip, its length."""
    assert text.at is not None
    out: list[float] = []
    for mark in bars:
        place, along = (text.at[0], text.at[1]) if mark.along == "y" else (text.at[1], text.at[0])
        for x, width, base, length in zip(mark.x, mark.width, mark.base, mark.length, strict=True):
            if abs(place - x) > 1e-6 * max(width, 1e-12) or not math.isfinite(length):
                continue
            tip = base + length
            if any(math.isclose(along, spot, rel_tol=1e-9, abs_tol=1e-12) for spot in (tip, base + length / 2)):
                out += [tip, length]
    return out
