"""Turn what a run wrote line by line into the files that a sealed run has: results.json and history.csv."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ledger.canon import finite, parse, pretty
from ledger.errors import InputError
from ledger.model.finding import Finding, Location
from ledger.model.number import finite_number
from ledger.model.run import RESULTS_SCHEMA


def read_journal(path: Path) -> tuple[list[dict[str, Any]], int]:
    """The whole JSON lines of a journal, and how many were torn (a killed process leaves at most one)."""
    if not path.is_file():
        return [], 0
    rows: list[dict[str, Any]] = []
    torn = 0
    for line in path.read_bytes().split(b"\n"):
        if not line.strip():
            continue
        try:
            row = json.loads(line, parse_constant=str)
        except ValueError:
            torn += 1
            continue
        if isinstance(row, dict):
            rows.append(row)
    return rows, torn


def merge_results(own: bytes | None, journal: Iterable[Mapping[str, Any]], where: str) -> bytes | None:
    """`results.json` from the file that the run wrote itself and from its `run.result` calls; None without either.

    The same metric of the same split and dataset stated twice keeps the last statement.

    Raises:
        InputError: the run's own file is not JSON, or has no list of metrics.

    """
    raw: dict[str, Any] = {"schema": RESULTS_SCHEMA}
    rows: dict[tuple[str, str, str], Mapping[str, Any]] = {}
    if own is not None:
        parsed = parse(own, where)
        metrics = parsed.get("metrics") if isinstance(parsed, dict) else None
        if not isinstance(metrics, list) or not all(isinstance(row, dict) and "metric" in row for row in metrics):
            raise InputError(
                'results.json needs {"metrics": [{"metric": ..., "value": ...}, ...]}', where=where,
                fix="see the format page `results.json`",
            )  # fmt: skip
        raw.update(parsed)
        rows.update({_key(row): row for row in metrics})
    rows.update({_key(row): row for row in journal})
    if own is None and not rows:
        return None
    raw["metrics"] = list(rows.values())
    return pretty(finite(raw))


def history_csv(rows: list[dict[str, Any]]) -> bytes:
    """Curves as CSV: `step` first, then every metric in the order of its first appearance; empty where not logged."""
    names = list(dict.fromkeys(key for row in rows for key in row if key != "step"))
    columns = ["step", *names] if any("step" in row for row in rows) else names
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([[row.get(column, "") for column in columns] for row in rows])
    return out.getvalue().encode()


def non_finite(results: bytes, shown: str) -> list[Finding]:
    """One finding for each metric whose value is NaN, infinite, or no number at all."""
    raw = parse(results, shown)
    return [
        Finding(
            rule="non-finite-value",
            severity="error",
            message=f"{row['metric']} ({row.get('split') or 'no split'}) is {row.get('value')}",
            location=Location(shown),
            values={"metric": row["metric"], "reported": row.get("value")},
            fix="look at the loss curve; a number that is not finite cannot carry a claim",
        )
        for row in raw["metrics"]
        if finite_number(row.get("value")) is None
    ]


def _key(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return str(row.get("metric")), str(row.get("split") or ""), str(row.get("dataset") or "")
