from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ledger.evidence.graph import ClaimGraph, from_bytes
from ledger.model.finding import Report
from ledger.reconcile import Source, check


def graph_of(*claims: dict[str, Any]) -> ClaimGraph:
    """A claim graph; each claim is one evidence row, with the claim's own keys taken out of it."""
    out = []
    for i, given in enumerate(claims):
        row = dict(given)
        claim: dict[str, Any] = {key: row.pop(key) for key in ("disclosure", "claim_aliases") if key in row}
        claim["aliases"] = claim.pop("claim_aliases", [])
        out.append({"id": row.pop("id", f"C{i + 1}"), **claim, "evidence": [row]})
    return from_bytes(json.dumps({"project": "p", "claims": out}).encode())


@pytest.fixture
def reconcile() -> Callable[..., Report]:
    """`reconcile(text, *rows, path=...)`: one document against rows given as mappings."""

    def run(text: str | bytes, *claims: dict[str, Any], path: str = "doc.md") -> Report:
        data = text if isinstance(text, bytes) else text.encode()
        return check([Source(path, data)], graph_of(*claims))

    return run


@pytest.fixture
def verdicts(reconcile: Callable[..., Report]) -> Callable[..., dict[str, tuple[str, str]]]:
    """For each number that was matched its claim and verdict, by its text."""

    def run(text: str, *claims: dict[str, Any], path: str = "doc.md") -> dict[str, tuple[str, str]]:
        report = reconcile(text, *claims, path=path)
        assert report.mentions is not None
        return {found.values["text"]: (found.claim or "", found.values["verdict"]) for found in report.mentions}

    return run
