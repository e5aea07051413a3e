"""Prove that runs, and the numbers of a claim, are in the log; check such a proof with nothing but its file.

A proof carries the log entries with their audit paths, the manifests and results of the runs, and the claim's rows.
Checking goes from the claimed value down: values recomputed from results, results hashed against the manifest, the
manifest's address found in the log entry, the entry's place under the segment's root, the roots under the log head.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ledger.canon import digest
from ledger.errors import InputError, UsageError
from ledger.evidence.graph import ClaimGraph
from ledger.evidence.resolve import AGGREGATES, DERIVATIONS, Resolved, Resolver, derivation
from ledger.log import proof
from ledger.log.hashes import NodeHashes
from ledger.log.head import log_head
from ledger.log.merkle import leaf_hash
from ledger.log.seals import entry_of, seals
from ledger.log.segment import Head, encode
from ledger.model.claim import Claim, EvidenceRow
from ledger.model.run import MANIFEST_SCHEMA, RESULTS_SCHEMA, Manifest, Metric
from ledger.model.version import refuse_newer
from ledger.project import Project
from ledger.store.journal import Journal
from ledger.store.runs import RESULTS, Run

SCHEMA = "evidence-ledger/proof/v1"


def prove_runs(project: Project, runs: Sequence[Run]) -> dict[str, Any]:
    """A proof that these runs are in the log as they are.

    Raises:
        UsageError: one is not in the log.
        IntegrityError: the log is damaged, or speaks of other bytes of the run.
    """
    segments = {segment.id: segment for segment in Journal(project).segments()}
    heads = sorted((segment.head for segment in segments.values()), key=lambda head: head.segment)
    logged = seals(entry for segment in segments.values() for entry in segment.entries)
    hashes: dict[str, NodeHashes] = {}
    proven = []
    for run in runs:
        entry = entry_of(run.key, run.address, logged)
        if entry.segment not in hashes:
            hashes[entry.segment] = NodeHashes(segments[entry.segment].leaves)
        path = hashes[entry.segment].inclusion(entry.index)
        results = run.path / RESULTS
        proven.append(
            {
                "segment": entry.segment,
                "index": entry.index,
                "entry": dict(entry.body),
                "path": [item.hex() for item in path],
                "manifest": dict(run.manifest_raw),
                "results": results.read_text(encoding="utf-8") if results.is_file() else None,
            }
        )
    return {
        "schema": SCHEMA,
        "head": log_head(heads),
        "heads": [head.to_json() for head in heads],
        "claim": None,
        "runs": proven,
    }


def prove_claim(project: Project, graph: ClaimGraph, claim: Claim) -> dict[str, Any]:
    """A proof that the claim's values follow from runs in the log. Raises as `prove_runs`, and UsageError when a row
    cannot be resolved.
    """
    resolver = Resolver(project, graph)
    known = {row.id: row for item in graph.claims for row in item.rows}
    rows: dict[str, EvidenceRow] = {}
    pending = list(claim.rows)
    while pending:  # a derived row needs its operands
        row = pending.pop(0)
        if row.id not in rows:
            rows[row.id] = row
            pending += [known[name] for name in derivation(str(row.raw.get("derive") or ""))[1:] if name in known]
    runs: dict[tuple[str, str], Run] = {}
    for row in rows.values():
        resolved: Resolved = resolver.resolve(row)
        if resolved.findings:
            raise UsageError(resolved.findings[0].message, where=claim.id, fix=resolved.findings[0].fix)
        runs.update({run.key: run for run in resolved.runs})
    stated = [_stated(row, resolver.resolve(row)) for row in rows.values()]
    document = prove_runs(project, list(runs.values()))
    document["claim"] = {
        "id": claim.id,
        "statement": claim.statement,
        "disclosure": list(claim.disclosures),
        "rows": stated,
    }
    return document


def _stated(row: EvidenceRow, resolved: Resolved) -> dict[str, Any]:
    """What the proof says of a row: only what its value hangs on."""
    told = ("derive",) if resolved.derived else ("exp_id", "metric", "split", "dataset", "aggregate")
    about = {key: row.raw[key] for key in told if key in row.raw}
    runs = [] if resolved.derived else [f"{run.exp_id}/{run.run_id}" for run in resolved.runs]
    return {"id": row.id, "value": row.value, **about, "runs": runs}


def check_proof(document: Any, head: str | None = None) -> list[str]:
    """What is wrong with a proof, one sentence each; empty when it holds. `head` is the log head it must be under.

    Raises:
        InputError: it is no proof at all.
    """
    refuse_newer(document, SCHEMA)
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise InputError(f"is no proof (its schema is not {SCHEMA})", fix="`ledger prove RUN` makes one")
    try:
        return [*_check_head(document, head), *_check_runs(document), *_check_claim(document)]
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError) as error:
        raise InputError(f"is no whole proof ({type(error).__name__}: {error})", fix="ask for it again") from error


def _check_head(document: Mapping[str, Any], head: str | None) -> Iterable[str]:
    heads = [Head(item["segment"], item["size"], item["root"]) for item in document["heads"]]
    computed = log_head(heads)
    if computed != document["head"]:
        yield f"its segments give the log head {computed}, it states {document['head']}"
    if head is not None and head.strip() != computed:
        yield f"it is under the log head {computed}, you asked for {head.strip()}"


def _check_runs(document: Mapping[str, Any]) -> Iterable[str]:
    heads = {item["segment"]: item for item in document["heads"]}
    for item in document["runs"]:
        entry, manifest = item["entry"], item["manifest"]
        refuse_newer(manifest, MANIFEST_SCHEMA)
        name = manifest["run_id"]
        head = heads[item["segment"]]
        path = [bytes.fromhex(part) for part in item["path"]]
        if not proof.verify_inclusion(
            item["index"], head["size"], leaf_hash(encode(entry)), path, bytes.fromhex(head["root"])
        ):
            yield f"the log entry of {name} is not under the root of its segment"
        if entry.get("type") != "seal" or (entry.get("exp_id"), entry.get("run_id")) != (manifest["exp_id"], name):
            yield f"the log entry is not about {name}"
        if entry.get("address") != digest(manifest):
            yield f"the manifest of {name} is not what was logged"
        listed = {file.path: file.sha256 for file in Manifest.from_json(manifest).files}
        results = item["results"]
        if results is not None and listed.get(RESULTS) != hashlib.sha256(results.encode()).hexdigest():
            yield f"the results of {name} are not what its manifest lists"


def _check_claim(document: Mapping[str, Any]) -> Iterable[str]:
    claim = document["claim"]
    if claim is None:
        return
    results = {
        f"{item['manifest']['exp_id']}/{item['manifest']['run_id']}": item["results"] for item in document["runs"]
    }
    values: dict[str, float | None] = {}
    measured = [row for row in claim["rows"] if not row.get("derive")]
    derived = [row for row in claim["rows"] if row.get("derive")]
    for row in measured:
        strangers = [name for name in row["runs"] if name.partition("/")[0] != row.get("exp_id")]
        if strangers:
            yield f"{row['id']} is stated for {row.get('exp_id')!r} and rests on {', '.join(strangers)}"
        values[row["id"]] = _aggregate(row, results)
    for _ in derived:  # operands may be derived themselves; each pass settles at least one level
        for row in derived:
            name, first, second = derivation(row["derive"])
            a, b = values.get(first), values.get(second)
            values[row["id"]] = DERIVATIONS[name](a, b) if a is not None and b is not None else None
    for row in claim["rows"]:
        if values.get(row["id"]) != row.get("value"):
            yield f"{row['id']} is stated as {row.get('value')!r}, its runs give {values.get(row['id'])!r}"


def _aggregate(row: Mapping[str, Any], results: Mapping[str, str | None]) -> float | None:
    numbers = []
    for name in row["runs"]:
        text = results.get(name)
        if text is None:
            return None
        stated = json.loads(text)
        refuse_newer(stated, RESULTS_SCHEMA, f"results of {name}")
        metrics = [Metric.from_json(raw) for raw in stated["metrics"]]
        fits = [m for m in metrics if m.metric == row["metric"]]
        fits = [
            m for m in fits if row.get("split") in (None, "", m.split) and row.get("dataset") in (None, "", m.dataset)
        ]
        if len(fits) != 1 or fits[0].number is None:
            return None
        numbers.append(fits[0].number)
    return AGGREGATES[row.get("aggregate") or "mean"](numbers) if numbers else None
