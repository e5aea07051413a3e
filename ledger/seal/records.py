"""Turn what a run wrote line by line into the files that a sealed run has: results.json and history.csv."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ledger.canon import finite, parse, pretty
from ledger.errors import InputError
from ledger.model.finding import Finding, Location
from ledger.model.number import finite_number
from ledger.model.run import RESULTS_SCHEMA
from ledger.model.version import refuse_newer


def read_journal(path: Path) -> tuple[list[dict[str, Any]], int]:
    """The whole JSON lines of a journal, and how many were torn (a killed process leaves at most one)."""
    if not os.path.lexists(path) or not path.is_file():
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

    Every row of the file stays, whatever else it holds beside metric, split and dataset (one row per class or per
    image). A call replaces the rows that measure the same, and the earlier call of the same.

    Raises:
        InputError: the run's own file is not JSON, or has neither a list of metrics nor named numbers.

    """
    raw: dict[str, Any] = {"schema": RESULTS_SCHEMA}
    written: list[Mapping[str, Any]] = []
    if own is not None:
        parsed = parse(own, where)
        refuse_newer(parsed, RESULTS_SCHEMA, where)
        parsed = _in_rows(parsed)
        metrics = parsed.get("metrics") if isinstance(parsed, dict) else None
        if not isinstance(metrics, list) or not all(isinstance(row, dict) and "metric" in row for row in metrics):
            raise InputError(
                'results.json needs {"metrics": [{"metric": ..., "value": ...}, ...]} or {"accuracy": 0.9, ...}', where=where,
                fix="see the format page `results.json`",
            )  # fmt: skip
        raw.update(parsed)
        written = metrics
    stated = {_key(row): row for row in journal}
    if own is None and not stated:
        return None
    raw["metrics"] = [*(row for row in written if _key(row) not in stated), *stated.values()]
    return pretty(finite(raw))


_NO_NUMBERS = ("NaN", "Infinity", "-Infinity")  # as JSON without such numbers spells them


def _in_rows(parsed: Any) -> Any:
    """The plain form, `{"accuracy": 0.91, "loss": 0.2}`, as rows; whatever is no number stays beside them."""
    if not isinstance(parsed, dict) or "metrics" in parsed or any(isinstance(x, dict | list) for x in parsed.values()):
        return parsed
    numbers = {name: x for name, x in parsed.items() if type(x) in {int, float} or x in _NO_NUMBERS}
    if not numbers:
        return parsed
    rest = {name: value for name, value in parsed.items() if name not in numbers}
    return {**rest, "metrics": [{"metric": name, "value": value} for name, value in numbers.items()]}


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


def repeated(results: bytes, shown: str) -> list[Finding]:
    """One finding for each measurement that stands more than once: nobody can tell which of its values counts."""
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for row in parse(results, shown)["metrics"]:
        rows.setdefault(_key(row), []).append(row)
    return [
        Finding(
            rule="results-repeated",
            severity="warning",
            message=f"{same[0]['metric']} ({same[0].get('split') or 'no split'}) stands {len(same)} times, as "
            + ", ".join(str(row.get("value")) for row in same[:5])
            + (", ..." if len(same) > 5 else ""),
            location=Location(shown),
            values={"metric": same[0]["metric"], "reported": [row.get("value") for row in same]},
            fix="keep one row, or say in a key of their own what tells them apart",
        )
        for same in rows.values()
        if len(same) > 1
    ]


# what a row says about a measurement; every other key says which measurement it is
_MEASURED = frozenset({"value", "n", "variance", "unit", "direction", "protocol"})


def _key(row: Mapping[str, Any]) -> str:
    """What a row measures, as text: metric, split, dataset and whatever else tells it from others; null is absent."""
    named = {key: item for key, item in row.items() if key not in _MEASURED and item not in (None, "")}
    return json.dumps(finite(named), sort_keys=True)
