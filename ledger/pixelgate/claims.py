"""Which claims a figure supports, and the runs behind it, from sidecar, README and claim graph."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ledger.canon import file_digest
from ledger.errors import LedgerError
from ledger.evidence import graph as claim_graph
from ledger.evidence.graph import FILE, ClaimGraph
from ledger.model.claim import EvidenceRow
from ledger.pixelgate import sidecar
from ledger.pixelgate.folder import Folder

_CLAIMS = re.compile(r"^\s*claims?\s*:\s*\[?(.*?)\]?\s*$", re.IGNORECASE | re.MULTILINE)
_ITEM = re.compile(r"^\s*-\s+(\S+)\s*$")
_NAMING = re.compile(r"^.*\bclaims?\b.*$", re.IGNORECASE | re.MULTILINE)


def load_graph(folder: Folder) -> ClaimGraph | None:
    """The project's claim graph; None when there is none or it cannot be read (`ledger evidence check` says why)."""
    try:
        return claim_graph.load(folder.root / FILE)
    except LedgerError:
        return None


def supported(folder: Folder, raw: Mapping[str, Any] | None, graph: ClaimGraph | None) -> list[str]:
    """Ids of the supported claims: those that README or rows name, with those of an earlier sidecar."""
    known = [claim.id for claim in graph.claims] if graph else []
    out = _in_readme(folder, known)
    out += [
        claim.id
        for claim in (graph.claims if graph else ())
        if any(_names_figure(row.raw.get("figure"), folder.name) for row in claim.rows)
    ]
    earlier = (raw or {}).get("supports_claims")
    out += [str(item) for item in earlier] if isinstance(earlier, list) else []
    return list(dict.fromkeys(out))


def built_from(claims: list[str], graph: ClaimGraph | None) -> list[dict[str, Any]]:
    """One entry for each run behind the rows of these claims."""
    out: list[dict[str, Any]] = []
    for claim in graph.claims if graph else ():
        for row in claim.rows if claim.id in claims else ():
            for run, address in _runs(row):
                entry = {
                    "exp_id": row.exp_id, "run": run, "run_address": address,
                    "results_json": _results(row, run), "metric": row.metric or None, "split": row.split or None,
                }  # fmt: skip
                if entry not in out and row.exp_id:
                    out.append(entry)
    return out


def disclosed_for(folder: Folder, raw: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What the sentences of the sidecar `raw` hold for now; None when there are none."""
    graph = load_graph(folder)
    digest = file_digest(folder.data)[0] if folder.data.is_file() else None
    return sidecar.binding(raw, digest, built_from(supported(folder, raw, graph), graph))


def _runs(row: EvidenceRow) -> list[tuple[str, str | None]]:
    """Run ids with addresses: those that the stored value was computed from, else those that the row names."""
    sources = [item for item in row.raw.get("from") or () if isinstance(item, Mapping) and item.get("run")]
    if sources:
        return [(str(item["run"]), str(item["address"]) if item.get("address") else None) for item in sources]
    return [(run, None) for run in ([row.run] if isinstance(row.run, str) else row.run)]


def _results(row: EvidenceRow, run: str) -> str | None:
    stated = row.raw.get("results_json")
    if run == "selected":
        return str(stated) if stated else None
    return f"results/{row.exp_id}/runs/{run}/results.json"


def _in_readme(folder: Folder, known: list[str]) -> list[str]:
    """A `claims:` line or list of the front matter; else the known ids on lines that speak of claims."""
    try:
        text = folder.readme.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return []
    match = _CLAIMS.search(text)
    if match:
        names = [part.strip(" \"'`.") for part in match[1].split(",")]
        for line in text[match.end() :].splitlines()[1:] if not match[1].strip() else ():
            item = _ITEM.match(line)
            if not item:
                break
            names.append(item[1].strip("\"'`"))
        return [name for name in names if name]
    said = " ".join(_NAMING.findall(text))
    return [name for name in known if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", said)]


def _names_figure(value: object, name: str) -> bool:
    """Whether a row's `figure` means this one: its name, its folder or a file in it."""
    text = str(value or "").replace("\\", "/").rstrip("/")
    return text in (name, f"figures/{name}") or text.startswith(f"figures/{name}/")
