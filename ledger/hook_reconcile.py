"""The part of the hook that runs only when a document or the claim graph is staged."""

from __future__ import annotations

import fnmatch
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from ledger import project
from ledger.errors import LedgerError
from ledger.evidence import disclosures
from ledger.evidence.graph import FILE, ClaimGraph, from_bytes
from ledger.gate.policy import exit_status
from ledger.gate.reporters import finding_lines, summary
from ledger.reconcile import Source, check

Git = Callable[..., bytes]


def check_staged(git: Git, documents: set[bytes], claims: set[bytes], show: Callable[[list[str]], None]) -> int:
    """Reconcile staged blobs, project by project; 1 only where a policy asks for it."""
    top = Path(os.fsdecode(git("rev-parse", "--show-toplevel").rstrip(b"\n")))
    tracked = [os.fsdecode(path) for path in git("ls-files", "-z", "--full-name", ":/").split(b"\0") if path]
    roots = sorted(
        (path.rpartition("/")[0] for path in tracked if path.rpartition("/")[2] == FILE), key=len, reverse=True
    )
    status = 0
    changed = {os.fsdecode(path) for path in documents}
    for root in roots:
        whole = os.fsencode(f"{root}/{FILE}" if root else FILE) in claims
        mine = [path for path in tracked if _owner(path, roots) == root and (whole or path in changed)]
        try:
            status |= _check_project(git, top, root, mine, changed, show)
        except LedgerError as error:
            sys.stderr.write(f"ledger-hook: {error}\n")
    return status


def _owner(path: str, roots: Iterable[str]) -> str | None:
    """The innermost project that holds `path` (`roots` come innermost first)."""
    return next((root for root in roots if not root or path.startswith(f"{root}/")), None)


def _check_project(
    git: Git, top: Path, root: str, paths: list[str], changed: set[str], show: Callable[[list[str]], None]
) -> int:
    configured = project.at(top / root)
    prefix = f"{root}/" if root else ""
    patterns = configured.config.documents
    chosen = [
        path for path in paths if any(fnmatch.fnmatchcase(path.removeprefix(prefix), pattern) for pattern in patterns)
    ]
    if not chosen:
        return 0
    graph: ClaimGraph = from_bytes(git("cat-file", "blob", f":{prefix}{FILE}"), f"{prefix}{FILE}")
    report = check([Source(path, git("cat-file", "blob", f":{path}")) for path in chosen], graph)
    report = replace(
        report,
        command="ledger-hook reconcile",
        findings=disclosures.settle(report.findings, graph, disclosures.recorded(configured)),
    )
    standing = [finding for finding in report.findings if not finding.disclosed and finding.severity != "note"]
    if standing:
        show([line for finding in standing for line in finding_lines(finding)])
        sys.stderr.write(f"{summary(report)}\n")
    return exit_status(report, configured.config.policy)
