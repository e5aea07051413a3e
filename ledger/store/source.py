"""The code of a run as a patch: what turns the commit that it records into the sources that ran.

Made of the stored difference and the untracked sources. Lines in front of it, which `git apply` passes over, say how to
use it and what it lacks.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from ledger.canon import sha256
from ledger.errors import InputError, IntegrityError, visible
from ledger.project import Project
from ledger.store import git
from ledger.store.objects import ObjectStore
from ledger.store.runs import Run

# whatever the user's configuration says of colour, drivers and line ends
_PLAIN = ("-c", "core.autocrlf=false", "-c", "core.attributesFile=", "-c", "core.safecrlf=false")
_FORM = ("--no-index", "--binary", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--no-prefix")


def patch(project: Project, run: Run) -> bytes:
    """What `ledger show RUN --code` prints.

    Raises:
        InputError: an object that it needs is not here, or git is not.
        IntegrityError: one is here and damaged, or the record names a path outside the project.
    """
    code = run.provenance.get("hash_inputs", {}).get("code", {})
    objects = ObjectStore(project.objects)
    within = sorted(code.get("repositories") or {})
    new: dict[str, bytes] = {}
    apart: dict[str, str] = {}  # files of repositories within: path -> digest
    for item in run.provenance.get("untracked") or ():
        path = _checked(run, str(item.get("path")))
        if any(path.startswith(f"{inner}/") for inner in within):
            apart[path] = item["sha256"]
        else:
            new[path] = _bytes(run, objects, item["sha256"], path)
    stored = code.get("diff_sha256")
    diff = _bytes(run, objects, stored, "the difference to the commit") if stored else b""
    lines = [*_heading(project, run, code, changes=bool(diff or new)), *_lacking(project, run, code, apart)]
    return "".join(f"# {visible(line)}\n" for line in lines).encode("utf-8", "backslashreplace") + diff + _as_patch(new)


def _heading(project: Project, run: Run, code: dict[str, Any], *, changes: bool) -> Iterator[str]:
    commit = code.get("commit")
    yield f"code of {run.exp_id}/{run.run_id}"
    if code.get("dirty") is None:
        yield f"git knew nothing of it: all that is recorded is its digest, {code.get('tree_sha256')}"
        return
    yield f"commit {commit or 'none: the patch is all of the code'}"
    done = git.ask(project.root, "rev-parse", "--show-prefix")
    below = done.stdout.decode("utf-8", "replace").strip().rstrip("/") if not done.returncode else ""
    into = f" --directory={below}" if below else ""
    steps = [f"git checkout {commit}"] if commit else ["git init code && cd code"]
    if changes:
        steps = ["save this as code.patch", *steps, f"git apply{into} code.patch"]
    yield f"to rebuild it: {', '.join(steps)}"


def _lacking(project: Project, run: Run, code: dict[str, Any], apart: dict[str, str]) -> Iterator[str]:
    """What the patch does not hold."""
    for path, commit in sorted((code.get("repositories") or {}).items()):
        yield f"{path} is a repository of its own, at commit {commit}"
    for path, digest in apart.items():
        yield f"{path} differs from it: copy {project.shown(ObjectStore(project.objects).path(digest))} there"
    for path in run.provenance.get("not_stored") or ():
        yield f"{path} was not stored: it was larger than 10 MiB"
    for gap in run.provenance.get("not_captured") or ():
        if isinstance(gap, dict) and str(gap.get("rule")).startswith("code-"):
            yield str(gap.get("message"))


def _checked(run: Run, path: str) -> str:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or ".git" in {part.lower() for part in parts}:
        raise IntegrityError(f"the record names a path outside the project: {path}", where=f"{run.exp_id}/{run.run_id}")
    return path


def _bytes(run: Run, objects: ObjectStore, digest: str, what: str) -> bytes:
    where = f"{run.exp_id}/{run.run_id}"
    try:
        data = objects.path(digest).read_bytes()
    except OSError as error:
        fix = "bring .ledger/objects from the machine that sealed it"
        raise InputError(f"object {digest[:12]} ({what}) is not here", where=where, fix=fix) from error
    if sha256(data) != digest:
        fix = "restore it from another clone"
        raise IntegrityError(f"object {digest[:12]} ({what}) holds other bytes", where=where, fix=fix)
    return data


def _as_patch(files: dict[str, bytes]) -> bytes:
    """New files in the words of git itself."""
    if not files:
        return b""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "a").mkdir()
        for name, data in files.items():
            place = root / "b" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        try:
            done = git.ask(root, *_PLAIN, "diff", *_FORM, "a", "b")
        except OSError as error:
            raise InputError(f"git cannot be run ({error.strerror})", fix="install git") from error
    if done.returncode > 1:
        raise InputError(f"git diff failed: {git.complaint(done)}")
    return done.stdout
