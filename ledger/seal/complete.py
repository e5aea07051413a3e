"""Complete the records of a staged run: results.json, history.csv, the resolved config, provenance.json.

Works on what the run logged line by line and on what it wrote itself; doing it twice gives the same files, so a seal
that failed can be tried again.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ledger.canon import listing, parse
from ledger.errors import InputError
from ledger.model.finding import Finding, Location
from ledger.model.run import MANIFEST_SCHEMA, PROVENANCE_SCHEMA, Status
from ledger.seal import records, staging
from ledger.store import atomic
from ledger.store.journal import now
from ledger.store.objects import ObjectStore
from ledger.store.runs import CONFIG, MANIFEST, PROVENANCE, RESULTS

RESULTS_REFUSED = "results.refused.json"


def complete(
    objects: ObjectStore, staged: staging.Staging, status: Status, exit_status: int | None
) -> tuple[Mapping[str, Any], list[Finding]]:
    """Write the records; returns the provenance and what there is to say.

    Raises:
        StoreError: the disk refused.
    """
    set_aside(staged)
    if not (staged.path / staging.PACKAGES).exists():
        # the same list for every run of one environment: one file on disk, with a name in each run
        objects.fetch(str(staged.start["packages"]), staged.path / staging.PACKAGES)
    findings = _write_records(staged, status)
    return _write_provenance(staged, exit_status), findings


def set_aside(staged: staging.Staging) -> None:
    """Move files of the user's that stand where ours must stand to `own.<name>`; they are sealed with the rest."""
    for name, schema in ((MANIFEST, MANIFEST_SCHEMA), (PROVENANCE, PROVENANCE_SCHEMA)):
        path = staged.path / name
        if path.is_file() and not _is_ours(path, schema, staged.run_id):
            path.replace(staged.path / f"own.{name}")


def _is_ours(path: Path, schema: str, run_id: str) -> bool:
    try:
        raw = parse(path.read_bytes(), path)
    except InputError:
        return False
    return isinstance(raw, dict) and raw.get("schema") == schema and raw.get("run_id") == run_id


def _write_records(staged: staging.Staging, status: Status) -> list[Finding]:
    """Write results.json, history.csv and the resolved config from what the run logged."""
    root = staged.path
    shown = f"{staged.exp_id}/{staged.run_id}"
    findings: list[Finding] = []
    rows, torn = records.read_journal(root / staging.RESULTS_JOURNAL)
    own = root / RESULTS
    try:
        results = records.merge_results(own.read_bytes() if own.is_file() else None, rows, f"{shown}/{RESULTS}")
    except InputError as error:
        # the run is over and cannot be asked again: keep its words, take what it logged
        own.replace(root / RESULTS_REFUSED)
        results = records.merge_results(None, rows, shown)
        fix = f"the file is kept as {RESULTS_REFUSED}; write a valid one in the next run"
        findings.append(Finding("results-unreadable", "error", str(error), Location(shown), fix=fix))
    if results is not None:
        atomic.write_bytes(own, results, durable=False)
        findings += records.non_finite(results, f"{shown}/{RESULTS}")
    elif status == "finished":
        message = "the run reported no metric"
        fix = "write results.json into $LEDGER_RUN_DIR, or call run.result(...)"
        findings.append(Finding("no-results", "note", message, Location(shown), fix=fix))
    curve, torn_steps = records.read_journal(root / staging.HISTORY_JOURNAL)
    if curve:
        atomic.write_bytes(root / "history.csv", records.history_csv(curve), durable=False)
    if torn or torn_steps:
        message = f"{torn + torn_steps} logged line was cut off when the process ended"
        findings.append(
            Finding("torn-line", "note", message, Location(shown), fix="nothing to do; whole lines are kept")
        )
    if staged.config:
        import yaml

        text = yaml.safe_dump(dict(staged.config), sort_keys=True, allow_unicode=True)
        atomic.write_bytes(root / CONFIG, text.encode(), durable=False)
    for name in (staging.RESULTS_JOURNAL, staging.HISTORY_JOURNAL):
        (root / name).unlink(missing_ok=True)
    if staged.provenance["hash_inputs"]["code"]["dirty"]:
        findings.append(_dirty(staged, shown))
    return findings


def _dirty(staged: staging.Staging, shown: str) -> Finding:
    code = staged.provenance["hash_inputs"]["code"]
    new = len(staged.provenance["untracked"])
    commit = (code["commit"] or "")[:10] or "no commit"
    return Finding(
        rule="dirty-tree",
        severity="warning",
        message=f"the code that ran is not what {commit} holds"
        + (f" ({new} untracked file{'s' if new != 1 else ''})" if new else ""),
        location=Location(shown),
        values={"commit": code["commit"], "diff_sha256": code["diff_sha256"], "untracked": new},
        fix="commit before you train; the difference is stored, so this run can still be rebuilt",
    )


def _write_provenance(staged: staging.Staging, exit_status: int | None) -> Mapping[str, Any]:
    ended = now()
    record = {**staged.provenance, "ended": ended, "exit_status": exit_status, "created": ended}
    atomic.write_bytes(staged.path / PROVENANCE, listing(record), durable=False)
    return record
