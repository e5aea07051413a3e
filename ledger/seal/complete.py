"""Complete the records of a staged run: results.json, history.csv, the resolved config, provenance.json.

Works on what the run logged line by line and on what it wrote itself; doing it twice gives the same files, so a seal
that failed can be tried again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ledger.canon import file_digest, listing, parse
from ledger.errors import InputError, LedgerError
from ledger.model.finding import Finding, Location
from ledger.model.run import MANIFEST_SCHEMA, PROVENANCE_SCHEMA, Status
from ledger.project import Project
from ledger.seal import gaps, records, staging
from ledger.seal.torn import torn_files
from ledger.store import atomic
from ledger.store.config import read_config
from ledger.store.journal import now
from ledger.store.objects import ObjectStore
from ledger.store.runs import CONFIG, MANIFEST, PROVENANCE, RESULTS

RESULTS_REFUSED = "results.refused.json"
IGNORE = ".gitignore"


def complete(
    project: Project, staged: staging.Staging, status: Status, exit_status: int | None
) -> tuple[Mapping[str, Any], list[Finding]]:
    """Write the records; returns the provenance and what there is to say.

    Raises:
        StoreError: the disk refused.
    """
    root = os.fspath(staged.path)
    for name, schema in ((MANIFEST, MANIFEST_SCHEMA), (PROVENANCE, PROVENANCE_SCHEMA)):
        if os.path.lexists(f"{root}/{name}") and not _is_ours(staged.path / name, schema, staged.run_id):
            _set_aside(staged.path / name)
    for name in (RESULTS, IGNORE):  # a file is read and completed; anything else cannot be
        if os.path.lexists(f"{root}/{name}"):
            path = staged.path / name
            if not path.is_file() or (name == IGNORE and path.is_symlink()):
                _set_aside(path)
    listed = staged.path / staging.PACKAGES
    known = os.path.lexists(f"{root}/{staging.PACKAGES}")
    if not (known and listed.is_file() and file_digest(listed)[0] == staged.start["packages"]):
        if known:
            _set_aside(listed)
        # the same list for every run of one environment: one file on disk, with a name in each run
        ObjectStore(project.objects).fetch(str(staged.start["packages"]), listed)
    if not staged.start["config_declared"] and (own := _own_config(staged.path)):
        staged = staging.amend(project, staged, config=own, seed=None)
    if torn := list(torn_files(staged.path)):
        staged = staging.noted(staged, torn)
    findings = _write_records(staged, status)
    return _write_provenance(staged, exit_status), findings


def _is_ours(path: Path, schema: str, run_id: str) -> bool:
    """Whether an earlier attempt to seal this run wrote it."""
    try:
        raw = parse(path.read_bytes(), path) if path.is_file() else None
    except (InputError, OSError):
        return False
    return isinstance(raw, dict) and raw.get("schema") == schema and raw.get("run_id") == run_id


def _set_aside(path: Path) -> None:
    """Keep what the user has where a record of ours must stand as `own.<name>`; it is sealed with the rest."""
    if os.path.lexists(path):
        free = (path.with_name(f"own.{n}{path.name}") for n in ("", *(f"{number}." for number in range(2, 1000))))
        path.rename(next(name for name in free if not os.path.lexists(name)))


def _put(path: Path, data: bytes) -> None:
    """Write a record of ours; another file of that name is kept."""
    if not (path.is_file() and path.read_bytes() == data):
        _set_aside(path)
        atomic.write_bytes(path, data, durable=False)


def _own_config(root: Path) -> dict[str, Any] | None:
    """The resolved config that the run wrote itself; None when there is none that can be read."""
    if not os.path.lexists(f"{root}/{CONFIG}") or not (root / CONFIG).is_file():
        return None
    try:
        return read_config(root / CONFIG)
    except LedgerError:
        return None


def _write_records(staged: staging.Staging, status: Status) -> list[Finding]:
    """Write results.json, history.csv and the resolved config from what the run logged."""
    root = staged.path
    shown = f"{staged.exp_id}/{staged.run_id}"
    findings: list[Finding] = []
    rows, torn = records.read_journal(root / staging.RESULTS_JOURNAL)
    own = root / RESULTS
    stated = os.path.lexists(f"{root}/{RESULTS}") and own.is_file()
    try:
        results = records.merge_results(own.read_bytes() if stated else None, rows, f"{shown}/{RESULTS}")
    except InputError as error:
        # the run is over and cannot be asked again: keep its words, take what it logged
        _set_aside(root / RESULTS_REFUSED)
        own.rename(root / RESULTS_REFUSED)
        results = records.merge_results(None, rows, shown)
        fix = f"the file is kept as {RESULTS_REFUSED}; write a valid one in the next run"
        findings.append(Finding("results-unreadable", "error", str(error), Location(shown), fix=fix))
    if results is not None:
        atomic.write_bytes(own, results, durable=False)
        findings += records.non_finite(results, f"{shown}/{RESULTS}")
        findings += records.repeated(results, f"{shown}/{RESULTS}")
    elif status == "finished":
        message = "the run reported no metric"
        fix = "write results.json into $LEDGER_RUN_DIR, or call run.result(...)"
        findings.append(Finding("no-results", "note", message, Location(shown), fix=fix))
    curve, torn_steps = records.read_journal(root / staging.HISTORY_JOURNAL)
    if curve:
        _put(root / "history.csv", records.history_csv(curve))
    if torn or torn_steps:
        many = torn + torn_steps
        message = (
            f"{many} logged line{' was' if many == 1 else 's were'} cut off: a full disk, or the end of the process"
        )
        findings.append(
            Finding("torn-line", "note", message, Location(shown), fix="nothing to do; whole lines are kept")
        )
    if staged.config and _own_config(root) != staged.config:
        import yaml

        text = yaml.safe_dump(dict(staged.config), sort_keys=True, allow_unicode=True)
        _put(root / CONFIG, text.encode("utf-8", "backslashreplace"))
    for name in (staging.RESULTS_JOURNAL, staging.HISTORY_JOURNAL):
        if os.path.lexists(f"{root}/{name}"):
            (root / name).unlink()
    if staged.provenance["hash_inputs"]["code"]["dirty"]:
        findings.append(_dirty(staged, shown))
    return [*findings, *gaps.findings(staged.provenance.get(gaps.KEY) or (), shown)]


def _dirty(staged: staging.Staging, shown: str) -> Finding:
    code = staged.provenance["hash_inputs"]["code"]
    new = len(staged.provenance["untracked"])
    large = len(staged.provenance.get("not_stored", ()))
    whole = all(gap.get("rule") != "code-not-stored" for gap in staged.provenance.get(gaps.KEY) or ())
    commit = code["commit"]
    said = f"the code that ran is not what {commit[:10]} holds" if commit else "the code that ran is in no commit"
    return Finding(
        rule="dirty-tree",
        severity="warning",
        message=said
        + (f" ({new} untracked file{'s' if new != 1 else ''})" if new else "")
        + (f", and {large} of over 10 MiB cannot be stored" if large else ""),
        location=Location(shown),
        values={"commit": code["commit"], "diff_sha256": code["diff_sha256"], "untracked": new},
        fix="add data to .gitignore; commit before you train"
        if large or not whole
        else "commit before you train; the difference is stored, so this run can still be rebuilt",
    )


def _write_provenance(staged: staging.Staging, exit_status: int | None) -> Mapping[str, Any]:
    ended = now()
    record = {**staged.provenance, "ended": ended, "exit_status": exit_status, "created": ended}
    atomic.write_bytes(staged.path / PROVENANCE, listing(record), durable=False)
    return record
