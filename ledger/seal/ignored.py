"""Light files that the user's own ignore rules keep out of git: they would be in no clone, and fsck there would miss them.

Asks git, once for all runs that were just sealed; changes no rule.
"""

from __future__ import annotations

from collections.abc import Sequence

from ledger.model.finding import Finding, Location
from ledger.project import Project
from ledger.store import git
from ledger.store.runs import MANIFEST, Run


def findings(project: Project, runs: Sequence[Run]) -> dict[tuple[str, str], Finding]:
    """One finding for each run with such files, by the run's key."""
    paths: dict[str, Run] = {}
    for run in runs:
        folder = f"{project.results.name}/{run.exp_id}/runs/{run.run_id}"
        light = [MANIFEST, *(file.path for file in run.manifest.files if file.tier == "light")]
        paths.update({f"{folder}/{name}": run for name in light})
    hits: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for rule, path in _ask(project, list(paths)):
        if path in paths:
            hits.setdefault(paths[path].key, []).append((rule, path))
    return {key: _finding(project, key, found) for key, found in hits.items()}


def _ask(project: Project, paths: Sequence[str]) -> list[tuple[str, str]]:
    """(rule, path) of each path that is ignored; empty without git."""
    asked = "".join(f"{path}\0" for path in paths).encode("utf-8", "surrogateescape")
    try:
        done = git.ask(project.root, "check-ignore", "-z", "-v", "--no-index", "--stdin", said=asked)
    except OSError:
        return []
    parts = done.stdout.decode("utf-8", "surrogateescape").split("\0")
    # four for each path: the file of the rule, its line, the rule, the path; a rule with `!` takes the path in again
    quads = zip(*(parts[i::4] for i in range(4)), strict=False)
    return [(f"{source}:{line}: {rule}", path) for source, line, rule, path in quads if not rule.startswith("!")]


def _finding(project: Project, key: tuple[str, str], found: Sequence[tuple[str, str]]) -> Finding:
    rule, path = found[0]
    count = f"{len(found)} light files are" if len(found) > 1 else f"{path.rpartition('/')[2]} is"
    return Finding(
        rule="ignored-by-git",
        severity="warning",
        message=f"{count} ignored by git ({rule}), so no clone will have {'them' if len(found) > 1 else 'it'}",
        location=Location(f"{key[0]}/{key[1]}"),
        values={"files": len(found), "rule": rule},
        fix="end .gitignore with the lines `!/results/` and `!/results/**`, or narrow the rule",
    )
