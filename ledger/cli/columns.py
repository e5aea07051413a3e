"""Rows in columns, as a terminal shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ledger.errors import visible


def table(rows: Sequence[Mapping[str, Any]], columns: list[str]) -> str:
    """A plain table of strings, columns as wide as their widest entry, numbers to the right."""
    shown = [[_shown(row.get(column)) for column in columns] for row in rows]
    widths = [max(len(line[i]) for line in [columns, *shown]) for i in range(len(columns))]
    right = [all(_numeric(line[i]) for line in shown) for i in range(len(columns))] if shown else [False] * len(columns)
    out = []
    for line in [columns, *shown]:
        cells = (c.rjust(w) if r else c.ljust(w) for c, w, r in zip(line, widths, right, strict=True))
        out.append("  ".join(cells).rstrip())
    return "\n".join(out)


def _shown(value: Any) -> str:
    if value is None or value == "":
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else visible(str(value))


def _numeric(text: str) -> bool:
    return text == "-" or text.lstrip("-").replace(".", "", 1).replace(",", "").isdigit()
