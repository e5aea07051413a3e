"""The log against its own history, and against the runs it speaks of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ledger.errors import IntegrityError, NewerVersionError
from ledger.log.seals import addresses, seals
from ledger.log.segment import Head, Segment, read
from ledger.model.finding import Finding
from ledger.project import Project
from ledger.store.fsck.branches import on_another
from ledger.store.fsck.counted import finding, state, unread
from ledger.store.fsck.history import root_at
from ledger.store.fsck.leftovers import torn
from ledger.store.journal import Journal
from ledger.store.runs import MANIFEST, Run


def read_log(project: Project) -> tuple[list[Segment], list[Finding]]:
    """Every readable segment, and what is wrong with the others or with their history."""
    journal = Journal(project)
    segments: dict[str, Segment] = {}
    findings: list[Finding] = []
    for path in journal.files():
        try:
            data, is_torn = journal.whole(path)
            segments[path.stem] = read(path.stem, data)
            if is_torn:
                findings.append(torn(project, path))
        except (IntegrityError, NewerVersionError) as error:
            message, fix = f"{error.where}: {error.message}", "restore it from git"
            shown, bad = project.shown(path), state(path)
            findings.append(unread(error, "log-damaged", message, shown, fix=fix, reported=bad))
    damaged = {path.stem for path in journal.files()} - segments.keys()
    own = journal.remembered()
    if own and own.segment not in damaged:
        findings += _own(project, segments.get(own.segment), own)
    for segment in segments.values():
        for item in segment.entries[0].body.get("knows", []):
            head = Head(item["segment"], item["size"], item["root"])
            problem = None if head.segment in damaged else _inconsistent(segments.get(head.segment), head)
            now = segments.get(head.segment)
            if problem and (now is None or len(now.entries) < head.size) and (branch := on_another(project, head)):
                here = len(now.entries) if now else 0
                message = f"{head.size} entries are on the branch {branch}, {here} on this one; segment {segment.id} knew them"
                fix = "nothing to do: a merge of the two brings them together"
                findings.append(finding("log-shorter", message, _shown(project, head), severity="note", fix=fix))
            elif problem:
                message = f"{problem}; segment {segment.id} knew {head.size} entries"
                findings.append(_rewritten(project, message, head, now, "restore it from git"))
    return list(segments.values()), findings


def check_against(
    project: Project, old: Mapping[str, bytes], segments: Iterable[Segment], ref: str
) -> Iterator[Finding]:
    """Every segment that `ref` had (id -> bytes) must be the beginning of today's."""
    today = {segment.id: segment for segment in segments}
    for name, data in sorted(old.items()):
        head = read(name, data).head
        problem = _inconsistent(today.get(name), head)
        if problem:
            message = f"{problem}; {ref} had {head.size} entries"
            yield _rewritten(project, message, head, today.get(name), f"restore it from {ref}")


def _own(project: Project, segment: Segment | None, head: Head) -> Iterator[Finding]:
    """What this clone wrote last. Fewer entries are no damage: another branch is checked out, or one was reset."""
    if segment is None or len(segment.entries) < head.size:
        here = len(segment.entries) if segment else 0
        message = f"this clone wrote {head.size} entries here, {here} are checked out"
        fix = "nothing to do if you switched branches; `ledger log verify --since HEAD` proves more"
        yield finding("log-shorter", message, _shown(project, head), severity="note", fix=fix)
    elif problem := _inconsistent(segment, head):
        message = f"{problem}; this clone wrote {head.size} entries"
        yield _rewritten(project, message, head, segment, "restore it from git")


def _rewritten(project: Project, message: str, head: Head, now: Segment | None, fix: str) -> Finding:
    there = now and root_at(now, head.size)
    return finding("log-rewritten", message, _shown(project, head), fix=fix, reported=there, expected=head.root)


def _shown(project: Project, head: Head) -> str:
    return project.shown(project.log / f"{head.segment}.jsonl")


def _inconsistent(segment: Segment | None, head: Head) -> str | None:
    """How `segment` fails to continue what `head` pinned, or None."""
    if segment is None:
        return "a segment of the log is gone"
    if len(segment.entries) < head.size:
        return f"the log lost entries ({len(segment.entries)} are left)"
    return None if root_at(segment, head.size) == head.root else "the log was rewritten"


def check_logged(
    project: Project, segments: Iterable[Segment], runs: Mapping[tuple[str, str], Run], *, complete: bool
) -> Iterator[Finding]:
    """Every sealed run is logged with the address it has, and every logged run is there."""
    entries = (entry for segment in segments for entry in segment.entries)
    logged = {key: addresses(sealed) for key, sealed in seals(entries).items()}
    for key, run in runs.items():
        if logged.get(key) == [run.address]:
            continue
        shown = project.shown(run.path)
        if key not in logged:
            if complete:  # with a damaged log this would only repeat the damage for every run
                fix = "`ledger fsck --repair` logs it after checking every byte"
                yield finding("run-unlogged", f"{run.run_id} is not in the log", shown, fix=fix, address=run.address)
        elif len(logged[key]) > 1:
            several = ", ".join(address[:12] for address in logged[key])
            message = f"the log says that {run.run_id} was sealed as {several}; its manifest is {run.address[:12]}"
            fix = "`git log` of .ledger/log shows who added the later entry"
            yield finding("sealed-twice", message, shown, fix=fix, reported=logged[key], expected=run.address)
        else:
            message = f"{run.run_id} was sealed as {logged[key][0][:12]}, its manifest is now {run.address[:12]}"
            fix, was = "restore the run from git", logged[key][0]
            yield finding("manifest-altered", message, shown, fix=fix, reported=run.address, expected=was)
    for exp_id, run_id in sorted(logged.keys() - runs.keys()):
        shown = project.shown(project.results / exp_id / "runs" / run_id)
        if (project.results / exp_id / "runs" / run_id / MANIFEST).exists():  # why it is not read is said of itself
            continue
        message, fix = f"{run_id} of {exp_id} was sealed and is gone", "restore it from git"
        yield finding("run-missing", message, shown, fix=fix, expected=logged[exp_id, run_id])
