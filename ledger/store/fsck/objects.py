"""Objects, and what points at them and at runs: owners and selections."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator

from ledger.errors import LedgerError
from ledger.model.finding import Finding
from ledger.project import Project
from ledger.store.fsck.counted import Counted, finding, state, unread
from ledger.store.objects import ObjectStore
from ledger.store.prune import Pruned, gone
from ledger.store.runs import MANIFEST, Run, RunStore, read_run
from ledger.store.selection import Selection

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


def check_selections(project: Project, store: RunStore) -> Iterator[Finding]:
    """Every selection can be read, its runs are there, no two of them are of one seed, and the link says the same."""
    selection = Selection(project)
    for exp_id in store.experiments():
        shown = project.shown(selection.path(exp_id))
        try:
            ids = selection.ids(exp_id)
        except LedgerError as error:
            bad = state(selection.path(exp_id))
            yield unread(error, "selection-broken", error.message, shown, fix=error.fix, reported=bad)
            continue
        leads_to = selection.leads_to(exp_id)
        if ids and leads_to and leads_to != ids[0]:
            message = f"`selected` leads to {leads_to}, and the first selected run is {ids[0]}"
            fix = f"`ledger select {ids[0]}` puts it right"
            yield finding("selection-broken", message, shown, severity="warning", fix=fix, link=leads_to, runs=ids)
        seeds: dict[str, str] = {}
        for run_id in ids:
            folder = store.folder(exp_id) / run_id
            if not (folder / MANIFEST).is_file():
                message = f"the selected run {run_id} is absent"
                yield finding("selection-broken", message, shown, fix="`ledger select` another run", run=run_id)
                continue
            with contextlib.suppress(LedgerError):  # its damage is said of the run itself
                seed = read_run(folder).seed
                first = seeds.setdefault(repr(seed), run_id)
                if first != run_id:
                    message = f"{first} and {run_id} are both selected for seed {seed}"
                    fix = "`ledger select` the one that counts"
                    both = [first, run_id]
                    yield finding("selection-broken", message, shown, severity="warning", fix=fix, runs=both)
