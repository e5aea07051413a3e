"""Whether the runs that a commit brings in are what was sealed: the staged bytes of each file against its manifest.

Runs only when a run is committed for the first time; afterwards git itself shows what changes.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ledger.canon import parse
from ledger.errors import LedgerError, visible

_AT_ONCE = 200  # files whose content is held at a time; light ones, of a MiB at most
_REGULAR = (b"100644", b"100755")


class _Staged(NamedTuple):
    path: bytes
    blob: bytes
    sha256: str


def altered(git: Callable[..., bytes], runs: Sequence[bytes]) -> Iterator[str]:
    """One line for each staged file that is not what its run's manifest lists. `runs` are folders from the top of the
    repository. A file that is not staged is no alteration.
    """
    up = git("rev-parse", "--show-cdup").rstrip(b"\n")
    listed = list(_listed(git, up, runs))
    for start in range(0, len(listed), _AT_ONCE):
        some = listed[start : start + _AT_ONCE]
        for file, content in zip(some, _contents([file.blob for file in some]), strict=True):
            now = hashlib.sha256(content).hexdigest()
            if now != file.sha256 and not _points_to(content, file.sha256):
                path = visible(file.path.decode("utf-8", "backslashreplace"))
                yield f"{path}: sealed as {file.sha256[:12]}, staged as {now[:12]}{_why(content, file.sha256)}"


def _listed(git: Callable[..., bytes], up: bytes, runs: Sequence[bytes]) -> Iterator[_Staged]:
    for run in runs:
        entries = git("ls-files", "-z", "--stage", "--full-name", "--", os.fsdecode(up + run)).split(b"\0")
        about = {path: meta.split() for meta, _, path in (entry.partition(b"\t") for entry in entries if entry)}
        meta = about.get(run + b"/run.json")
        for name, sha256 in _files(git("cat-file", "blob", meta[1].decode("ascii"))) if meta else ():
            path = run + b"/" + name.encode("utf-8", "surrogateescape")
            if path in about and about[path][0] in _REGULAR:
                yield _Staged(path, about[path][1], sha256)


def _files(manifest: bytes) -> Iterator[tuple[str, str]]:
    """Path and digest of what a manifest lists; nothing where it is none, which `ledger fsck` says."""
    try:
        raw: Any = parse(manifest)
    except LedgerError:
        return
    files = raw.get("files") if isinstance(raw, dict) else None
    for file in files if isinstance(files, list) else ():
        if isinstance(file, dict) and isinstance(file.get("path"), str) and isinstance(file.get("sha256"), str):
            yield file["path"], file["sha256"]


def _contents(blobs: Sequence[bytes]) -> Iterator[bytes]:
    """What these blobs hold, in one process. Raises OSError when git cannot tell."""
    asked = b"".join(blob + b"\n" for blob in blobs)
    done = subprocess.run(["git", "cat-file", "--batch"], input=asked, capture_output=True, check=False)
    if done.returncode:
        raise OSError(f"git cat-file failed: {done.stderr.decode('utf-8', 'replace').strip()}")
    output, start = done.stdout, 0
    for _ in blobs:
        end = output.index(b"\n", start)
        size = int(output[start:end].rpartition(b" ")[2])
        yield output[end + 1 : end + 1 + size]
        start = end + size + 2


def _points_to(content: bytes, sha256: str) -> bool:
    """Whether it is what git-lfs stages in place of a file."""
    return content.startswith(b"version https://git-lfs") and f"oid sha256:{sha256}\n".encode() in content


def _why(content: bytes, sha256: str) -> str:
    """What git did to it, where that is known."""
    plain = content.replace(b"\r\n", b"\n")
    for spelled in (plain, plain.replace(b"\n", b"\r\n")):
        if hashlib.sha256(spelled).hexdigest() == sha256:
            return (
                "; only its line ends differ: `ledger init` writes the .gitattributes that keep git from changing them"
            )
    return ""
