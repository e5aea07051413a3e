"""source_data.csv as columns of text and numbers. Dates become days since 1970, as in the record."""

from __future__ import annotations

import csv
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

MAX_ROWS = 100_000
MAX_BYTES = 64 * 1024 * 1024
_REPLICATE = re.compile(
    r"^(rand(om)?_?)?(seed|fold|rep|repl|replicate|repeat|trial|run|run_id|batch|well|plate|mouse|animal|subject|"
    r"participant|patient|rater|donor|block|session|split_id|bootstrap|restart|init|replica|sample_id|cell_id|litter|"
    r"biorep|techrep|bio_rep|tech_rep|chain|worker|id)s?(_?(id|no|nr|num|number|idx|index))?$"
)
_UNITS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|,\s*(log|linear)\s+scale\b.*$")


@dataclass(frozen=True)
class Column:
    """One column: its cells, and as numbers where all filled cells are numbers or dates."""

    name: str
    cells: tuple[str, ...]
    numbers: tuple[float, ...] | None
    date: bool = False

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """Distinct cells, in order of first appearance."""
        return tuple(dict.fromkeys(self.cells))

    @cached_property
    def rows(self) -> Mapping[str, list[int]]:
        """Normalised cell -> rows that hold it."""
        out: dict[str, list[int]] = defaultdict(list)
        for i, cell in enumerate(self.cells):
            out[plain(cell)].append(i)
        return out

    @cached_property
    def rows_by_number(self) -> Mapping[float, list[int]]:
        """Number, rounded to nine digits -> rows that hold it."""
        out: dict[float, list[int]] = defaultdict(list)
        for i, value in enumerate(self.numbers or ()):
            if math.isfinite(value):
                out[key(value)].append(i)
        return out

    @property
    def is_replicate(self) -> bool:
        """Whether its name says that it numbers repetitions of the same measurement."""
        return bool(_REPLICATE.match(re.sub(r"[\s\-]+", "_", self.name.strip().lower())))

    @property
    def is_whole(self) -> bool:
        return self.numbers is not None and all(value.is_integer() for value in self.numbers if math.isfinite(value))


@dataclass(frozen=True)
class Table:
    """All columns, each with the same number of rows."""

    columns: tuple[Column, ...]

    @property
    def height(self) -> int:
        return len(self.columns[0].cells) if self.columns else 0

    @cached_property
    def numeric(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.numbers is not None)

    @cached_property
    def measures(self) -> tuple[Column, ...]:
        """Numeric columns that hold measurements, not dates or numbers of repetitions."""
        return tuple(column for column in self.numeric if not column.is_replicate and not column.date)

    @cached_property
    def groupings(self) -> tuple[Column, ...]:
        """Columns whose levels may name a series: text, or few whole numbers."""
        return tuple(
            column for column in self.columns
            if len(column.levels) <= 60 and (column.numbers is None or (column.is_whole and len(column.levels) <= 24))
            and len(column.levels) < max(2, self.height)
        )  # fmt: skip

    @property
    def replicate(self) -> Column | None:
        """The column that numbers repetitions, if more than one repetition is there."""
        return next((column for column in self.columns if column.is_replicate and len(column.levels) > 1), None)


def read_table(path: Path) -> Table | str:
    """The table, or the clause that says why it cannot be compared."""
    try:
        if path.stat().st_size > MAX_BYTES:
            return f"is larger than {MAX_BYTES // 2**20} MiB"
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = [row for row in csv.reader(stream) if any(cell.strip() for cell in row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        return f"cannot be read ({error})"
    if len(rows) < 2:
        return "has no rows"
    if len(rows) > MAX_ROWS:
        return f"has more than {MAX_ROWS} rows"
    head = rows[0]
    cells = [[row[i].strip() if i < len(row) else "" for row in rows[1:]] for i in range(len(head))]
    return Table(tuple(_column(name.strip(), tuple(column)) for name, column in zip(head, cells, strict=True)))


def _column(name: str, cells: tuple[str, ...]) -> Column:
    numbers = _numbers(cells, _number)
    if numbers is not None:
        return Column(name, cells, numbers)
    dates = _numbers(cells, _days) if re.match(r"^\d{4}-\d\d", cells[0] if cells else "") else None
    return Column(name, cells, dates, date=dates is not None)


def _numbers(cells: Iterable[str], read: object) -> tuple[float, ...] | None:
    out = []
    for cell in cells:
        if cell.lower() in {"", "nan", "na", "n/a", "none", "null"}:
            out.append(math.nan)
            continue
        try:
            out.append(read(cell))  # type: ignore[operator]
        except ValueError:
            return None
    return tuple(out) if any(math.isfinite(value) for value in out) else None


def _number(cell: str) -> float:
    if cell.lower() in {"true", "false"}:
        raise ValueError(cell)
    return float(cell)


def _days(cell: str) -> float:
    moment = datetime.fromisoformat(cell)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.timestamp() / 86400


def key(value: float) -> float:
    """A number as a dictionary key: equal numbers of different origin meet."""
    return float(f"{value:.9g}") + 0.0


def plain(text: str) -> str:
    """A name as it is compared: case, spaces, underscores and markup do not matter."""
    text = text.strip().lower().replace("−", "-").replace("$", "").replace("\\", "")
    try:
        return repr(float(text))
    except ValueError:
        return re.sub(r"[\s_\-]+", " ", text).strip()


def subject(label: str) -> str:
    """A label without its unit: what it is a label of."""
    return plain(_UNITS.sub("", label)).strip(" :,")
