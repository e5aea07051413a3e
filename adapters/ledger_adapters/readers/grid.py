"""Tables of office formats: cells at places of a grid, spanning ones at each place that they cover."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ledger.errors import InputError
from ledger.model.document import Cell, Table, Text

_PLACES = 8_000_000  # of one table, blank ones too
_SPREAD = 1_000_000  # places that spans may add; a span beyond that is taken as one place
_BLANK = Cell(Text("", ((0, 0, 0),)))


@dataclass(slots=True)
class _Slot:
    """A cell, its first place, and how many places it covers."""

    cell: Cell
    row: int
    col: int
    places: int = 0


class Grid:
    """Collects the cells of one table, row by row."""

    def __init__(self) -> None:
        self.rows: list[dict[int, _Slot]] = []
        self.width = 0
        self._spread = 0

    def begin(self) -> None:
        """Begin the next row."""
        self.rows.append({})

    def put(self, col: int, cell: Cell, width: int = 1) -> None:
        """A cell of the running row at its first place."""
        self._fill(_Slot(cell, len(self.rows) - 1, col), col, width)

    def extend(self, col: int, width: int = 1) -> None:
        """The cell above `col` goes on in the running row."""
        above = self.rows[-2].get(col) if len(self.rows) > 1 else None
        self._fill(above or _Slot(_BLANK, len(self.rows) - 1, col), col, width)

    def _fill(self, slot: _Slot, col: int, width: int) -> None:
        if self._spread + width > _SPREAD:
            width = 1
        self._spread += width - 1
        for c in range(col, col + width):
            if self.rows[-1].setdefault(c, slot) is slot:
                slot.places += 1
        self.width = max(self.width, col + width)

    def table(self, path: str, header_rows: int, headings: tuple[str, ...], index: int) -> Table | None:
        """The rectangular table, or None when it shows nothing.

        Raises:
            InputError: it would have too many places.
        """
        if len(self.rows) * self.width > _PLACES:
            raise InputError(f"holds a table of more than {_PLACES // 1_000_000} million places", where=path)
        cells: dict[int, Cell] = {}
        for row in self.rows:
            for slot in row.values():
                if id(slot) not in cells:
                    spans = slot.places > 1
                    cells[id(slot)] = replace(slot.cell, origin=(slot.row, slot.col)) if spans else slot.cell
        if not any(cell.text.text for cell in cells.values()):
            return None
        rows = tuple(tuple(cells[id(row[c])] if c in row else _BLANK for c in range(self.width)) for row in self.rows)
        return Table(rows, min(header_rows, len(rows)), None, headings, index)
