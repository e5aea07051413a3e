"""Tables written in each format at random come back cell by cell, and every cell stands where it is said to."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.model.document import Table
from ledger.registry import load

WORDS = ["net", "été", "名前", "𝒜b", "x-y", "שלום", "97.5", "0.3", "1e-3", "−1.5", "12,345", "a1"]


@dataclass(frozen=True)
class Laid:
    """A table of `rows` x `cols` places; each part covers a rectangle of them: (row, col, rows, cols, text)."""

    rows: int
    cols: int
    parts: tuple[tuple[int, int, int, int, str], ...]
    end: str

    def grid(self) -> list[list[str]]:
        out = [[""] * self.cols for _ in range(self.rows)]
        for r, c, height, width, text in self.parts:
            for dr in range(height):
                for dc in range(width):
                    out[r + dr][c + dc] = text
        return out


@st.composite
def tables(draw: st.DrawFn, spans: bool) -> Laid:
    rows, cols = draw(st.integers(2, 5)), draw(st.integers(2, 5))
    texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
    taken: set[tuple[int, int]] = set()
    parts = []
    for r in range(rows):
        for c in range(cols):
            if (r, c) in taken:
                continue
            height = draw(st.integers(1, min(2, rows - r))) if spans and r else 1
            width = draw(st.integers(1, min(3, cols - c))) if spans else 1
            places = {(r + dr, c + dc) for dr in range(height) for dc in range(width)}
            if places & taken:
                height, width, places = 1, 1, {(r, c)}
            taken |= places
            parts.append((r, c, height, width, draw(texts)))
    return Laid(rows, cols, tuple(parts), draw(st.sampled_from(["\n", "\r\n"])))


def as_html(table: Laid) -> str:
    out = ["<!doctype html><p>w &plusmn; <b>1.5</b></p>", "<table class='a>b'>"]
    for r in range(table.rows):
        out.append("<tr>")
        for row, _, height, width, text in table.parts:
            if row == r:
                tag = "td" if r else "th"
                dress = ("{}", " <b>{}</b>\n", "<!-- 9.5 --> {}", "<p>{}</p>", "<script>'9.5'</script>{}")[
                    len(text) % 5
                ]
                out.append(f'<{tag} rowspan="{height}" colspan={width}>{dress.format(html.escape(text))}</{tag}>')
    return table.end.join("\n".join([*out, "</table>"]).split("\n"))


WRITERS: dict[str, tuple[Callable[[Laid], str], bool]] = {".html": (as_html, True)}


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_table_comes_back_cell_by_cell_with_its_places(suffix: str) -> None:
    write, spans = WRITERS[suffix]

    @given(tables(spans))
    def holds(table: Laid) -> None:
        source = write(table)
        document = load("readers", suffix).read("d" + suffix, source.encode())
        (read,) = (block for block in document.blocks if isinstance(block, Table))
        assert [[cell.text.text for cell in row] for row in read.rows] == table.grid()
        lines = source.split("\n")
        for row in read.rows:
            for cell in row:
                for i, char in enumerate(cell.text.text):
                    line, column = cell.text.place(i)
                    assert char == " " or lines[line - 1][column - 1] == char
        starts = {(r, c) for r, c, *_ in table.parts}
        for r, row in enumerate(read.rows):
            for c, cell in enumerate(row):
                assert (cell.origin in (None, (r, c))) == ((r, c) in starts)

    holds()
