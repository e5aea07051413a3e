"""What the words of a picture say about its numbers: which column, which unit, which aggregate, which derivation."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from ledger.pixelgate.truth.table import Column, Table, plain, subject

Aggregate = Callable[[Sequence[float]], float]

DERIVED = re.compile(
    r"relative|normali[sz]ed|\bchange\b|Δ|delta|differen|\bgains?\b|improvement|speed.?up|\bvs\.?\b|minus|offset|\bper\b|"
    r"scaled|\bratio\b|z.?score|cumulative|smooth|rolling|moving|fit(ted)?\b|trend|regression|theor|model\b|expected|"
    r"\bEMA\b|interpolat|residual|rank|share|fraction|reduction|increase|over baseline|density|estimate|predict|median|"
    r"normal\b|index",
    re.IGNORECASE,
)
_PART = re.compile(r"[,;:()=]|\s[-–—|·]\s")

# unit changes that need no more than their unit in the label
SCALES = (1.0, 100.0, 0.01, 1e3, 1e-3, 1e6, 1e-6, 1e9, 1e-9, 60.0, 1 / 60, 3600.0, 1 / 3600, 1024.0, 1 / 1024, -1.0)


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def median(values: Sequence[float]) -> float:
    ordered, middle = sorted(values), len(values) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


AGGREGATES: dict[str, Aggregate] = {
    "mean": mean, "median": median, "sum": math.fsum, "maximum": max, "minimum": min,
    "count": lambda values: float(len(values)),
}  # fmt: skip


def std(values: Sequence[float], ddof: int = 1) -> float:
    """Standard deviation with divisor n - ddof; NaN below two values."""
    if len(values) < 2:
        return math.nan
    centre = mean(values)
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (len(values) - ddof))


SPREADS: dict[str, Aggregate] = {
    "standard deviation": std,
    "standard error": lambda v: std(v) / math.sqrt(len(v)),
    "95% interval (normal)": lambda v: 1.96 * std(v) / math.sqrt(len(v)),
    "95% interval (t)": lambda v: _t95(len(v)) * std(v) / math.sqrt(len(v)),
    "standard deviation (divisor n)": lambda v: std(v, 0),
    "two standard deviations": lambda v: 2 * std(v),
    "two standard errors": lambda v: 2 * std(v) / math.sqrt(len(v)),
    "half range": lambda v: (max(v) - min(v)) / 2,
}

# two-sided 97.5% points of Student's t for 1 to 30 degrees of freedom (Fisher and Yates' table)
_T95 = (
    12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.30600, 2.26216, 2.22814, 2.20099, 2.17881, 2.16037,
    2.14479, 2.13145, 2.11991, 2.10982, 2.10092, 2.09302, 2.08596, 2.07961, 2.07387, 2.06866, 2.06390, 2.05954, 2.05553,
    2.05183, 2.04841, 2.04523, 2.04227,
)  # fmt: skip


def _t95(count: int) -> float:
    return _T95[count - 2] if 2 <= count <= 31 else math.nan


def promised_spread(words: str) -> str | None:
    """The kind of error bar that the words promise; None when they promise none, or several."""
    kinds = {
        "deviation": r"\bs\.?\s?d\.?(?![a-z])|\bstd\.?\b|standard deviation|\bstdev\b",
        "error": r"\bs\.?e\.?m\.?\b|\bs\.e\.|standard error|\bstd\.? err",
        "interval": r"\b9[059]\s?%|\bci\b|confidence interval|\bci95\b",
    }
    found = [kind for kind, pattern in kinds.items() if re.search(pattern, words)]
    return found[0] if len(found) == 1 else None


def equal(a: float, b: float) -> bool:
    """Equal as far as single precision and a printed table can carry."""
    return math.isclose(a, b, rel_tol=2e-6, abs_tol=1e-12)


def names_column(label: str, column: Column) -> bool:
    """Whether the label is this column's name, units and case aside."""
    return bool(label.strip()) and subject(label) in {plain(column.name), subject(column.name)}


def speaks_of(label: str, column: Column) -> bool:
    """Whether every word of the column's name (or its beginning) stands in the label."""
    said = re.findall(r"[^\W_]+", label.lower())
    wanted = [
        word for word in re.findall(r"[^\W_]+", column.name.lower()) if word not in {"pct", "percent", "db", "ms"}
    ]
    return bool(wanted) and all(
        any(word == other or (len(word) >= 3 and other.startswith(word)) for other in said) for word in wanted
    )


def column_of(label: str, columns: Sequence[Column]) -> Column | None:
    """The one column that the label names, or else the one that it speaks of."""
    for test in (names_column, speaks_of):
        fits = [column for column in columns if test(label, column)]
        if len(fits) == 1:
            return fits[0]
    return None


def parts(label: str) -> list[str]:
    """The label and its pieces, as they may name a level of a column."""
    pieces = [piece.strip() for piece in _PART.split(label) if piece.strip()]
    return list(dict.fromkeys([label.strip(), *pieces, *([pieces[-1].split()[-1]] if pieces else [])]))


def levels_named(label: str, table: Table, but: Sequence[Column] = ()) -> list[tuple[Column, str]]:
    """(column, normalised level) pairs that the label names, the longest match first."""
    out = []
    for piece in parts(label):
        found = [
            (column, plain(piece)) for column in table.groupings if column not in but and plain(piece) in column.rows
        ]
        for column, level in found:
            # a bare number names a level only where the label names the column too ("seed 3", "k = 2")
            if column.numbers is None or piece.strip() != label.strip() or len(found) == 1:
                out.append((column, level))
    return list(dict.fromkeys(out))
