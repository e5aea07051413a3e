"""Log entries that are not checked out, but are on another branch: a run that went on while branches were switched leaves
a segment that knows more than this branch holds. That is no damage; what this branch had itself and lost is.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger.errors import LedgerError
from ledger.log.segment import Head, read
from ledger.project import Project
from ledger.store import git
from ledger.store.fsck.history import continues


def on_another(project: Project, head: Head) -> str | None:
    """A branch that holds all of what `head` pins, when the one checked out never did; None when git knows of none."""
    try:
        having = list(_having(project, head))
        if not having or any(
            _asked(project, "merge-base", "--is-ancestor", each, "HEAD") is not None for each in having
        ):
            return None
        named = _asked(project, "for-each-ref", "--contains", having[0], "--count=1", "--format=%(refname:short)")
    except OSError:  # no git
        return None
    return named.decode("utf-8", "replace").strip() or None if named is not None else None


def _having(project: Project, head: Head) -> Iterator[str]:
    """Commits of any branch that brought a version of the segment which continues `head`."""
    path = f"{project.log.relative_to(project.root).as_posix()}/{head.segment}.jsonl"
    for commit in (_asked(project, "log", "--all", "--format=%H", "--", path) or b"").decode().split():
        data = _asked(project, "cat-file", "blob", f"{commit}:./{path}")
        if data is not None and _continues(head, data):
            yield commit


def _continues(head: Head, data: bytes) -> bool:
    try:
        return continues(read(head.segment, data), head)
    except LedgerError:
        return False


def _asked(project: Project, *args: str) -> bytes | None:
    done = git.ask(project.root, *args)
    return None if done.returncode else done.stdout
