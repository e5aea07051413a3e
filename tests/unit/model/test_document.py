"""Places in documents: of every format, in the words of `Location`."""

from __future__ import annotations

from ledger.model.document import Text
from ledger.model.finding import Location


def test_a_place_without_lines_says_what_it_lies_in() -> None:
    cell = Text("12.5", ((0, 0, 0),), Location("", table=1, row=2, col=3, slide=4))
    found = cell.location("deck.pptx", 0, 4)
    assert found.to_json() == {
        "path": "deck.pptx", "column": 0, "end_column": 4, "table": 1, "row": 2, "col": 3, "slide": 4,
    }  # fmt: skip
    noted = Text("x 1", ((0, 5, 1),), Location("", cell=7))
    assert noted.location("n.ipynb", 2, 3) == Location("n.ipynb", 5, 3, 5, 4, cell=7)
