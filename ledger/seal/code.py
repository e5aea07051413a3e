"""The code input: which source tree ran, whether git knows it, and how to get it back when git does not.

`tree_sha256` covers tracked and untracked files (ignored ones not) without results, logs and generated files, so
sealing one seed does not change the code of the next. Only it enters the provenance hash: committing a sealed run
moves the commit and changes no code.
"""

from __future__ import annotations

import fnmatch
import glob
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ledger.canon import digest, file_digest, sha256, spelled
from ledger.project import Project
from ledger.seal.gaps import Gap
from ledger.store import git
from ledger.store.digests import Digests

# what the evidence layer and the paper's build write; matched against paths relative to the project
NOT_CODE = (
    "results/*", ".ledger/*", "generated/*", "figures/*/output/*", "figures/*/source_data.csv", "figures/*.provenance",
    "EVIDENCE.json", "DISCLOSURES.md", "dvc.lock",
)  # fmt: skip

# folders of ours at the top of a project: thousands of runs lie there and none of it is code, so git is not asked
_OURS = ("results", ".ledger", "generated")

_LARGE = 256 * 1024  # bytes; what reading costs more than asking whether it was read before


@dataclass(frozen=True, slots=True)
class Code:
    """The code input, and the bytes that must be kept so that a dirty tree can be rebuilt."""

    record: dict[str, Any]
    diff: bytes | None = None
    untracked: tuple[str, ...] = ()  # project-relative paths of sources that no commit holds
    gaps: tuple[Gap, ...] = ()

    @property
    def dirty(self) -> bool:
        return bool(self.record.get("dirty"))


@dataclass(frozen=True, slots=True)
class _Listed:
    """What git says lies in a folder: paths relative to it."""

    tracked: tuple[str, ...]
    untracked: tuple[str, ...]
    repositories: tuple[str, ...]  # submodules, and clones that somebody put there


class _GitFailedError(Exception):
    """Git could not answer: its own words."""


def capture(project: Project, digests: Digests | None = None) -> Code:
    """The state of the project's source tree now.

    A git that fails is no clean tree: the folder's files are digested then, `dirty` is unknown, and a gap says so.
    """
    digests = digests or Digests()
    try:
        found = _in_git(project, digests)
    except _GitFailedError as failed:
        message = f"git could not say whether the code is what a commit holds: {failed}"
        fix = "put git right (`git status` says what is wrong) before the next training"
        return _outside(project, digests, Gap("code-unknown", message, fix))
    return found or _outside(project, digests)


def _outside(project: Project, digests: Digests, *gaps: Gap) -> Code:
    """The code of a folder that git knows nothing of."""
    sources = filter(_filter(project), _walk(project.root))
    record = {"commit": None, "tree_sha256": _tree(project, sources, digests), "dirty": None}
    return Code({**record, "diff_sha256": None}, gaps=gaps)


def _in_git(project: Project, digests: Digests) -> Code | None:
    """The code as git knows it; None outside a repository, and where it ignores all that there is."""
    top = _repository(project.root)
    if top is None:
        return None
    is_code = _filter(project)
    listed = _list(project.root, leave=_OURS, top=top)
    commit = _commit(project.root)
    if not any((listed.tracked, listed.untracked, listed.repositories)):
        return None
    diff = _diff(project) if commit else None
    within = [path for path in listed.repositories if is_code(path)]
    inner, changed = _repositories(project, within)
    changed = [path for path in changed if is_code(path)]
    new = [path for path in listed.untracked if is_code(path)] + changed
    foreign = [path for path in within if path not in listed.tracked]
    sources = sorted(path for path in {*listed.tracked, *listed.untracked, *changed} if is_code(path))
    record: dict[str, Any] = {
        "commit": commit,
        "tree_sha256": _tree(project, sources, digests, inner),
        "dirty": bool(diff or new or foreign) or not commit,
        "diff_sha256": sha256(diff) if diff else None,
    }
    if inner:
        record["repositories"] = dict(sorted(inner.items()))
    return Code(record, diff or None, tuple(new if commit else sources))


def _repository(root: Path) -> Path | None:
    """The top of the repository that holds this folder. Git says "no" of one that it cannot read too, and that is no "no"."""
    try:
        found = _git(root, "rev-parse", "--show-toplevel") or b""
    except _GitFailedError as failed:
        if _marked(root) or "not a git repository" not in str(failed):
            raise
        return None
    except FileNotFoundError:
        if _marked(root):
            raise _GitFailedError("it is not installed") from None
        return None
    return Path(os.fsdecode(found.removesuffix(b"\n")))


def _marked(root: Path) -> bool:
    """Whether a `.git` lies here or above, as far as git looks: not beyond the file system."""
    try:
        device = root.stat().st_dev
        for folder in (root, *root.parents):
            if folder.stat().st_dev != device:
                return False
            if os.path.lexists(folder / ".git"):
                return True
    except OSError:
        return False
    return False


def _commit(root: Path) -> str | None:
    found = _git(root, "rev-parse", "--verify", "-q", "HEAD", no=1)
    return found.decode().strip() if found else None


def _diff(project: Project) -> bytes | None:
    """The difference to the commit, as `git apply` takes it: whatever the user's configuration says of colour, prefixes,
    drivers and submodules, binary files whole. What changed within a submodule is not in it.
    """
    # git's `*` crosses slashes too, as fnmatch's; only a folder's own name keeps git from looking at what lies in it
    excluded = [f":(exclude,literal){name}" for name in _OURS] + [
        f":(exclude){pattern}" for pattern in _not_code(project)
    ]
    form = (
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        "--unified=3",
        "--binary",
    )
    submodules = ("--submodule=short", "--ignore-submodules=dirty")
    return _git(project.root, "diff", *form, *submodules, "--relative", "HEAD", "--", ".", *excluded)


def _list(root: Path, *, leave: Iterable[str] = (), top: Path | None = None) -> _Listed:
    """Files that git tracks or would, and the repositories among them; none below the folders `leave` of a root in the
    repository `top`.
    """
    excluded = [f":(exclude,literal){folder}" for folder in leave]
    # as patterns to ignore, too: git walks into a folder that only a pathspec excludes
    inside = Path(os.path.realpath(root))
    prefix = inside.relative_to(top).as_posix() if top and inside.is_relative_to(top) else None
    ignored = [
        f"--exclude=/{glob.escape(os.path.normpath(f'{prefix}/{name}'))}/" for name in leave if prefix is not None
    ]
    # one call for both: git reads its index each time, and it names every file of every run
    asked = ("ls-files", "-z", "-t", "--stage", "--others", "--exclude-standard", *ignored, "--", ".", *excluded)
    tracked: list[str] = []
    submodules: list[str] = []
    others: list[str] = []
    for line in _paths(_git(root, *asked)):
        tag, _, rest = line.partition(" ")
        about, _, path = rest.partition("\t")
        if tag == "?":
            others.append(rest)
        else:
            (submodules if about.startswith("160000") else tracked).append(path)
    clones = [path.rstrip("/") for path in others if path.endswith("/")]
    untracked = tuple(path for path in others if not path.endswith("/"))
    return _Listed((*tracked, *submodules), untracked, tuple(dict.fromkeys((*submodules, *clones))))


def _repositories(project: Project, paths: Iterable[str]) -> tuple[dict[str, str | None], list[str]]:
    """Repositories within the project, and within these: their commits, and the files that are not as those hold them.

    What they hold may be large (weights, data), so git's word for what is unchanged is taken.
    """
    commits: dict[str, str | None] = {}
    changed: list[str] = []
    pending = list(paths)
    while pending:
        path = pending.pop()
        root = project.root / path
        if not (root / ".git").exists():  # a submodule that was never fetched holds no code
            continue
        commits[path] = _commit(root)
        listed = _list(root)
        known = ("diff", "--name-only", "-z", "--no-renames", "--ignore-submodules=all", "HEAD")
        differing = _paths(_git(root, *known)) if commits[path] else listed.tracked
        changed += [f"{path}/{name}" for name in (*differing, *listed.untracked)]
        pending += [f"{path}/{name}" for name in listed.repositories]
    return commits, changed


def _git(root: Path, *args: str, no: int | None = None) -> bytes | None:
    """Output of a git command; None when it exits with the status `no`, which is an answer.

    Raises:
        FileNotFoundError: git is not installed.
        _GitFailedError: it failed.
    """
    try:
        done = git.ask(root, *args)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _GitFailedError(error.strerror or str(error)) from error
    if done.returncode == no:
        return None
    if done.returncode:
        raise _GitFailedError(git.complaint(done))
    return done.stdout


def _paths(output: bytes | None) -> list[str]:
    return [path.decode("utf-8", "surrogateescape") for path in (output or b"").split(b"\0") if path]


def _not_code(project: Project) -> tuple[str, ...]:
    caches = project.cache.parent
    # a home folder that is the project, as in many containers
    ours = (
        (f"{glob.escape(caches.relative_to(project.root).as_posix())}/*",)
        if caches.is_relative_to(project.root)
        else ()
    )
    return (*NOT_CODE, *ours, *project.config.not_code)


def _filter(project: Project) -> Callable[[str], bool]:
    """Whether a path, relative to the project, is code."""
    none = re.compile("|".join(map(fnmatch.translate, _not_code(project))))
    return lambda path: none.match(path) is None


def _tree(
    project: Project, sources: Iterable[str], digests: Digests, repositories: Mapping[str, str | None] | None = None
) -> str:
    """Digest over (path, content digest) of every source file that exists; a symlink counts as its target's text, a
    repository within as its commit.
    """
    within = repositories or {}
    listed = [[spelled(path), f"commit {commit}"] for path, commit in within.items()]
    for path in sources:
        file = project.root / path
        shown = spelled(path)
        if file.is_symlink():
            listed.append([shown, sha256(str(file.readlink()).encode("utf-8", "surrogateescape"))])
        elif file.is_file():
            large = file.stat().st_size >= _LARGE
            listed.append([shown, digests.of(file) if large else file_digest(file)[0]])
        elif path not in within and any(path.startswith(f"{inner}/") for inner in within):
            listed.append([shown, "gone"])
    return digest(sorted(listed))


def _walk(root: Path) -> list[str]:
    """Source files of a project outside git: everything that is neither hidden nor a cache nor an environment."""
    skipped = {"__pycache__", "node_modules", "venv", "build", "dist"}
    out: list[str] = []
    stack = [root]
    while stack:
        for path in stack.pop().iterdir():
            if path.name.startswith(".") or path.name in skipped or (path.parent == root and path.name in _OURS):
                continue
            if path.is_dir() and not path.is_symlink():
                if not (path / "pyvenv.cfg").exists():
                    stack.append(path)
            else:
                out.append(path.relative_to(root).as_posix())
    return out
