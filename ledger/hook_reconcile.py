"""The part of the hook that runs only when a document or the claim graph is staged."""

from __future__ import annotations

import fnmatch
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path, PurePosixPath

from ledger import project
from ledger.errors import LedgerError, visible
from ledger.evidence import disclosures
from ledger.evidence.graph import FILE, ClaimGraph, from_bytes
from ledger.gate.policy import exit_status
from ledger.gate.reporters import finding_lines, summary
from ledger.reconcile import Source, check
from ledger.reconcile.paths import SKIPPED
from ledger.registry import BUILT_IN

Git = Callable[..., bytes]
GLOB = frozenset("*?[")


def check_staged(git: Git, documents: set[bytes], claims: set[bytes], show: Callable[[list[str]], None]) -> int:
    """Reconcile staged blobs, project by project; 1 only where a policy asks for it."""
    top = Path(os.fsdecode(git("rev-parse", "--show-toplevel").rstrip(b"\n")))
    tracked = [os.fsdecode(path) for path in git("-C", str(top), "ls-files", "-z").split(b"\0") if path]
    roots = sorted(
        (path.rpartition("/")[0] for path in tracked if path.rpartition("/")[2] == FILE), key=len, reverse=True
    )
    status = 0
    lines: list[str] = []
    changed = {os.fsdecode(path) for path in documents}
    for root in roots:
        whole = os.fsencode(f"{root}/{FILE}" if root else FILE) in claims
        mine = [path for path in tracked if _owner(path, roots) == root and (whole or path in changed)]
        try:
            status |= _check_project(git, top, root, mine, lines)
        except LedgerError as error:
            sys.stderr.write(f"ledger-hook: {error}\n")
        except Exception as error:  # noqa: BLE001 - a defect of ours must not keep anybody from committing
            what = visible(f"{type(error).__name__}: {error}")[:300]
            sys.stderr.write(f"ledger-hook: {root or '.'}: documents could not be checked ({what})\n")
    show(lines)
    return status


def _owner(path: str, roots: Iterable[str]) -> str | None:
    """The innermost project that holds `path` (`roots` come innermost first)."""
    return next((root for root in roots if not root or path.startswith(f"{root}/")), None)


def _configured(path: str, patterns: Iterable[str]) -> bool:
    """Whether `documents` of the configuration name this path, read as `reconcile.paths.expand` reads them."""
    parts = PurePosixPath(path).parts
    if SKIPPED & set(parts[:-1]):
        return path in patterns
    known = path.lower().endswith(tuple(BUILT_IN["readers"]))
    return any(
        _fits(parts, wanted) or (known and not GLOB & set(pattern) and parts[: len(wanted)] == wanted)
        for pattern in patterns
        for wanted in [PurePosixPath(pattern).parts]
    )


def _fits(parts: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """A glob, part by part: `*` stays within a part, `**` is any number of folders."""
    if not wanted or not parts:
        return not wanted and not parts
    if wanted[0] == "**":
        return any(_fits(parts[i:], wanted[1:]) for i in range(len(parts)))
    return fnmatch.fnmatchcase(parts[0], wanted[0]) and _fits(parts[1:], wanted[1:])


def _check_project(git: Git, top: Path, root: str, paths: list[str], lines: list[str]) -> int:
    """Check one project's documents; adds to `lines` what there is to say."""
    configured = project.at(top / root)
    prefix = f"{root}/" if root else ""
    chosen = [path for path in paths if _configured(path.removeprefix(prefix), configured.config.documents)]
    if not chosen:
        return 0
    graph: ClaimGraph = from_bytes(git("cat-file", "blob", f":0:{prefix}{FILE}"), f"{prefix}{FILE}")
    report = check([Source(path, git("cat-file", "blob", f":0:{path}")) for path in chosen], graph)
    report = replace(
        report,
        command="ledger-hook reconcile",
        findings=disclosures.settle(report.findings, graph, disclosures.recorded(configured)),
    )
    standing = [finding for finding in report.findings if not finding.disclosed and finding.severity != "note"]
    if standing:
        lines += [line for finding in standing for line in finding_lines(finding)]
        lines.append(summary(report))
    return exit_status(report, configured.config.policy)
