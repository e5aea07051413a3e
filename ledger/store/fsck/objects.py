"""Objects, and the runs that own them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ledger.errors import LedgerError
from ledger.model.finding import Finding
from ledger.project import Project
from ledger.store.fsck.counted import Counted, finding, state
from ledger.store.objects import ObjectStore
from ledger.store.prune import Pruned, gone
from ledger.store.runs import Run

_DIGEST = re.compile("[0-9a-f]{64}")


def check_objects(project: Project, runs: Iterable[Run], counted: Counted, said: Pruned) -> Iterator[Finding]:
    """Every object is what its name says, has an owner, and every owner that needs one finds it. What the log `said` was
    pruned needs none.
    """
    objects = ObjectStore(project.objects)
    owners: dict[str, list[str]] = {}  # digest -> ids of the runs that name it
    needed: set[str] = set()  # digests whose bytes are nowhere else
    for run in runs:
        absent = gone(run, said)
        files = [file for file in run.manifest.files if file.path not in absent]
        heavy = {file.sha256 for file in files if file.tier == "heavy"}
        needed.update(heavy, kept := set(_source_objects(run)))
        for sha in kept.union(file.sha256 for file in files):
            owners.setdefault(sha, []).append(run.run_id)
    for path in sorted(project.objects.glob("??/*")):
        name = path.parent.name + path.name
        shown = project.shown(path)
        if not _DIGEST.fullmatch(name):  # a temporary file, or what a file manager writes everywhere
            continue
        try:
            mismatch = counted.mismatch(path, name)
            found = f"holds other bytes: {mismatch}" if mismatch else None
        except OSError as error:
            found = f"cannot be read ({error.strerror})"
        if found:
            of = ", ".join(owners.get(name, ())) or "no run"
            fix = "restore it from a remote or another clone"
            message = f"object {name[:12]} of {of} {found}"
            yield finding("object-damaged", message, shown, fix=fix, runs=owners.get(name, []), reported=state(path))
        elif name not in owners:
            yield finding(
                "object-unowned",
                f"object {name[:12]} belongs to no run",
                shown,
                severity="note",
                fix="it may be of another branch; `ledger gc` removes it if nothing names it",
            )
    for sha in sorted(needed):
        if not objects.has(sha) and project.objects.is_dir():
            shown = project.shown(objects.path(sha))
            yield finding(
                "object-absent",
                f"object {sha[:12]} of {', '.join(owners[sha])} is not on this machine",
                shown,
                severity="note",
                fix="bring it from the machine that sealed it",
            )


def _source_objects(run: Run) -> list[str]:
    """Digests of the stored difference and untracked sources; none where the run's own check found the record bad."""
    try:
        record = run.provenance
    except LedgerError:
        return []
    inputs = record.get("hash_inputs")
    code = inputs.get("code") if isinstance(inputs, dict) else None
    diff = code.get("diff_sha256") if isinstance(code, dict) else None
    untracked = record.get("untracked")
    kept = [item.get("sha256") for item in untracked if isinstance(item, dict)] if isinstance(untracked, list) else []
    return [sha for sha in (diff, *kept) if isinstance(sha, str)]
