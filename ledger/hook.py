"""The pre-commit path: `ledger-hook append-only | reconcile | all`. Standard library only, and little of it.

It looks at staged blobs, never at the working tree, writes nothing, and imports the reconcile engine only when a
document or the claim graph is staged. `append-only` stops a commit that would alter a sealed run or rewrite the log;
`reconcile` reports and lets the commit pass unless the policy says otherwise.
"""

from __future__ import annotations

import os
import re
import sys

_RUN = re.compile(rb"(?s)((?:^|.*/)results/[^/]+/runs/[^/]+)/")
_SEGMENT = re.compile(rb"(?s)(?:^|.*/)\.ledger/log/[^/]+\.jsonl\Z")
_CLAIMS = b"EVIDENCE.json"
_DOCUMENTS = (b".md", b".markdown", b".mdx", b".tex", b".csv", b".tsv")
_SCREENFUL = 20


def main() -> int:
    """Run the named checks; the exit status is 1 when the commit must not happen, 2 for a wrong call."""
    names = sys.argv[1:] or ["all"]
    if len(names) != 1 or names[0] not in {"append-only", "reconcile", "all"}:
        sys.stderr.write("usage: ledger-hook append-only | reconcile | all\n")
        return 2
    try:
        staged = _staged()
        status = 0
        if names[0] != "reconcile":
            merged = _merged()
            status = append_only(staged) or as_sealed(staged, merged)
            for parent in merged:  # what the other side sealed must come out of a merge as it went in
                status = status or append_only(_staged(parent), parent)
        return status or (reconcile(staged) if names[0] != "append-only" else 0)
    except OSError as error:
        sys.stderr.write(f"ledger-hook: {error}\n")
        return 3


def append_only(staged: list[tuple[str, bytes]], parent: str = "HEAD") -> int:
    """1 if the staged changes alter, delete or add to a run that `parent` holds, or rewrite a log segment."""
    touched: dict[bytes, list[tuple[str, bytes]]] = {}
    problems: list[str] = []
    for status, path in staged:
        match = _RUN.match(path)
        if match:
            touched.setdefault(match[1], []).append((status, path))
        elif _SEGMENT.match(path) and status != "A" and not (status == "M" and _continued(path, parent)):
            problems.append(f"{_shown(path)}: a log segment is only ever appended to")
    sealed = _committed([run + b"/run.json" for run in touched], parent)
    for run, changes in touched.items():
        if run + b"/run.json" not in sealed:
            _say_if_no_run(run, changes)
        else:
            changes = _unpruned(run, changes)
            verbs = {"A": "adds", "M": "changes", "D": "deletes", "T": "changes"}
            problems += [
                f"{_shown(path)}: the commit {verbs.get(status, 'changes')} a file of a sealed run"
                for status, path in changes
            ]
    if not problems:
        return 0
    _print(problems)
    sys.stderr.write(
        "ledger-hook: a sealed run is never altered. Undo it with `git restore --staged --worktree PATH`;\n"
        "  a new result is a new run: `ledger run EXP -- COMMAND`, then `ledger select RUN`\n"
    )
    return 1


def as_sealed(staged: list[tuple[str, bytes]], merged: list[str]) -> int:
    """1 if a run that comes into git with this commit is not what was sealed, by its own manifest."""
    new = {
        match[1]
        for status, path in staged
        if status == "A" and (match := _RUN.match(path)) and path == match[1] + b"/run.json"
    }
    for parent in merged:
        new -= {path.rpartition(b"/")[0] for path in _committed([run + b"/run.json" for run in new], parent)}
    if not new:
        return 0
    from ledger.hook_sealed import altered

    try:
        problems = list(altered(_git, sorted(new)))
    except (ValueError, LookupError) as error:  # a defect of ours must not keep anybody from committing
        what = ascii(f"{type(error).__name__}: {error}")[1:300]
        sys.stderr.write(f"ledger-hook: new runs could not be compared with their manifests ({what})\n")
        return 0
    if not problems:
        return 0
    _print(problems)
    sys.stderr.write(
        "ledger-hook: a sealed run is never altered, and no commit holds these bytes as they were sealed. Bring them back\n"
        "  from where the run was made, or leave the run out: `git restore --staged RUN_FOLDER` (`git rm -r --cached` before\n"
        "  the first commit)\n"
    )
    return 1


def _say_if_no_run(run: bytes, changes: list[tuple[str, bytes]]) -> None:
    """Heavy files stay where they are when git switches to a branch without their run, and `git add -A` takes them in."""
    added = [path for status, path in changes if status == "A"]
    if added and run + b"/run.json" not in added:
        _print(
            [
                f"{_shown(run)}: the commit adds {len(added)} of its files, but no run.json: is this run of another branch?"
            ]
        )


def _unpruned(run: bytes, changes: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """The changes without deletions of derived files that the staged log says were pruned."""
    if all(status != "D" for status, _ in changes):
        return changes
    from ledger.hook_prune import pruned_paths

    allowed = pruned_paths(_git, run)
    return [(status, path) for status, path in changes if status != "D" or path not in allowed]


def reconcile(staged: list[tuple[str, bytes]]) -> int:
    """Check the staged documents, or all configured ones when claims are staged, against the staged claims."""
    changed = {path for status, path in staged if status != "D"}
    claims = {path for path in changed if path.rpartition(b"/")[2] == _CLAIMS}
    documents = {path for path in changed if path.lower().endswith(_DOCUMENTS)}
    if not claims and not documents:
        return 0
    try:
        from ledger.hook_reconcile import check_staged

        return check_staged(_git, documents, claims, _print)
    except Exception as error:  # noqa: BLE001 - it reports and lets pass, also when it fails itself
        what = ascii(f"{type(error).__name__}: {error}")[1:300]
        sys.stderr.write(f"ledger-hook: documents could not be checked ({what})\n")
        return 0


def _staged(*parent: str) -> list[tuple[str, bytes]]:
    """(status letter, path) of all that the commit changes of its parent; renames count as delete and add."""
    fields = _git("diff", "--cached", "--raw", "--no-renames", "--no-relative", "-z", *parent).split(b"\0")
    return [
        (meta.rpartition(b" ")[2].decode("ascii")[:1], path)
        for meta, path in zip(fields[::2], fields[1::2], strict=False)
    ]


def _merged() -> list[str]:
    """The other parents of a merge that is about to be committed."""
    folder = os.environ.get("GIT_DIR", ".git")
    if not os.path.isdir(folder):  # noqa: PTH112 (pathlib costs more than the question) - a work tree of another clone
        folder = os.fsdecode(_git("rev-parse", "--git-dir").rstrip(b"\n"))
    try:
        with open(os.path.join(folder, "MERGE_HEAD"), encoding="ascii") as file:  # noqa: PTH118, PTH123
            return file.read().split()
    except FileNotFoundError:
        return []


def _committed(paths: list[bytes], parent: str) -> set[bytes]:
    """Which of these paths `parent` holds."""
    if not paths or not _git("rev-parse", "--verify", "-q", parent, quiet=True):
        return set()
    found: set[bytes] = set()
    for start in range(0, len(paths), 500):  # stay below the length limit of a command line
        names = [os.fsdecode(path) for path in paths[start : start + 500]]
        found.update(_git("ls-tree", "-r", "-z", "--full-tree", "--name-only", parent, "--", *names).split(b"\0"))
    return found


def _continued(path: bytes, parent: str) -> bool:
    """Whether the staged segment begins with the committed one."""
    name = os.fsdecode(path)
    old = _git("cat-file", "blob", f"{parent}:{name}", quiet=True)
    return bool(old) and _git("cat-file", "blob", f":0:{name}").startswith(old)


def _print(lines: list[str]) -> None:
    """A screenful at most."""
    for line in lines[:_SCREENFUL]:
        sys.stderr.write(f"{line}\n")
    if len(lines) > _SCREENFUL:
        sys.stderr.write(f"... and {len(lines) - _SCREENFUL} more; `ledger reconcile` and `ledger fsck` list all\n")


def _shown(path: bytes) -> str:
    from ledger.errors import visible

    return visible(path.decode("utf-8", "backslashreplace"))


def _git(*args: str, quiet: bool = False) -> bytes:
    """Output of a git command. `subprocess` alone would cost as much as the whole hook, so it is spawned by hand.

    Raises:
        OSError: git cannot be run, or fails and `quiet` is not set.

    """
    if not hasattr(os, "posix_spawnp"):
        import subprocess

        done = subprocess.run(["git", "--literal-pathspecs", *args], capture_output=True, check=False)
        output, code, complaint = done.stdout, done.returncode, done.stderr
    else:
        output, code, complaint = _spawn(args)
    if code and not quiet:
        why = complaint.decode("utf-8", "replace").strip().partition("\n")[0]
        raise OSError(f"git {args[0]} failed: {why}")
    return b"" if code else output


def _spawn(args: tuple[str, ...]) -> tuple[bytes, int, bytes]:
    read_out, write_out = os.pipe()
    read_err, write_err = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, write_out, 1), (os.POSIX_SPAWN_DUP2, write_err, 2)]
    try:
        child = os.posix_spawnp("git", ["git", "--literal-pathspecs", *args], os.environ, file_actions=actions)
    finally:
        os.close(write_out)
        os.close(write_err)
    with open(read_out, "rb") as out, open(read_err, "rb") as err:  # noqa: PTH123 (descriptors)
        output = out.read()  # git's complaints are a few lines, far below the pipe's capacity
        complaint = err.read()
    return output, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), complaint


if __name__ == "__main__":
    sys.exit(main())
