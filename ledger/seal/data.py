"""The data input: one digest over a file or folder, and the split manifest that lies in it.

What a training reads counts: links are followed, wherever they lead, and a file counts under the path that it is read
by. What cannot be read is a gap, never silence.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ledger.canon import digest, file_digest, spelled
from ledger.errors import InputError, UsageError
from ledger.seal import dvc
from ledger.seal.gaps import Gap
from ledger.store.digests import Digests

SPLIT_MANIFEST = "split_manifest.json"
NONE: dict[str, Any] = {"dataset": None, "sha256": None, "split_manifest": None}


class Data(NamedTuple):
    """The data input, and what is missing from it."""

    record: dict[str, Any]
    gaps: tuple[Gap, ...] = ()


def capture(path: Path | None, dataset: str | None, digests: Digests) -> Data:
    """Name, digest and split manifest digest of the data at `path`.

    Raises:
        UsageError: there is nothing at `path`.
        InputError: it is a file that cannot be read, or a record of DVC's that says no hash.
    """
    if path is None:
        return Data({**NONE, "dataset": dataset})
    if found := dvc.recorded(path):
        return _of_dvc(found, path, dataset)
    kind = _kind(path)
    left: list[tuple[str, str]] = []
    before = len(digests.changed)
    if stat.S_ISDIR(kind):
        listed = _listed(path, digests, left)
        if not listed and not left:
            left.append((".", "the folder holds no file"))
        name, sha256 = path.resolve().name, digest(listed)
        manifest = path / SPLIT_MANIFEST
        split = file_digest(manifest)[0] if manifest.is_file() else None
    elif stat.S_ISREG(kind):
        try:
            name, sha256, split = path.stem, digests.of(path), None
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror})", where=path) from error
    else:
        raise UsageError("is neither a file nor a folder", where=path, fix="name what training reads")
    changed = [(os.path.relpath(file, path), "changed while it was read") for file in digests.changed[before:]]
    record = {"dataset": dataset or name, "sha256": sha256, "split_manifest": split, "kind": "read"}
    return Data(record, _gaps(path, [*left, *changed]))


def _of_dvc(found: dvc.Recorded, path: Path, dataset: str | None) -> Data:
    """The data as DVC recorded them: nothing is read but the split manifest, where it is checked out."""
    manifest = found.on_disk / SPLIT_MANIFEST if found.on_disk else None
    record = {
        "dataset": dataset or found.name,
        "sha256": found.sha256,
        "split_manifest": file_digest(manifest)[0] if manifest and manifest.is_file() else None,
        "kind": "dvc",
        "recorded": [out.to_json() for out in found.outputs],
    }
    differing = found.differing()
    if not differing:
        return Data(record)
    name, why = differing[0]
    more = f", and {len(differing) - 1} more" if len(differing) > 1 else ""
    fix = "`dvc status` says what changed, `dvc commit` records it; then run again"
    return Data(
        record, (Gap("data-not-recorded", f"{path.name} records other data than there are: {name}: {why}{more}", fix),)
    )


def _kind(path: Path) -> int:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        fix = "name the file or folder that training reads"
        raise UsageError("the data are not there", where=path, fix=fix) from None
    except OSError as error:  # a link in itself, a folder on the way that is not for us
        raise InputError(f"cannot be read ({error.strerror})", where=path) from error


def _listed(root: Path, digests: Digests, left: list[tuple[str, str]]) -> list[list[str]]:
    """[path, digest] of each file below, sorted by path; hidden ones, and whatever lies in hidden folders (.git,
    .cache), are no data. `left` takes (path, why) of what could not be read.

    A folder that is reached again from within itself, by a link or a mount, is not entered again.
    """
    found: list[tuple[str, str]] = []
    top = os.stat(root)  # noqa: PTH116
    pending = [(os.fspath(root), "", frozenset({(top.st_dev, top.st_ino)}))]
    while pending:
        folder, prefix, above = pending.pop()
        try:
            with os.scandir(folder) as opened:
                entries = [entry for entry in opened if not entry.name.startswith(".")]
        except OSError as error:
            left.append((prefix or ".", str(error.strerror)))
            continue
        for entry in entries:
            name = prefix + entry.name
            try:
                about = entry.stat()
                if stat.S_ISDIR(about.st_mode):
                    here = (about.st_dev, about.st_ino)
                    if here not in above:
                        pending.append((entry.path, f"{name}/", above | {here}))
                elif stat.S_ISREG(about.st_mode):
                    found.append((name, digests.of(entry.path)))
                else:
                    left.append((name, "neither a file nor a folder"))
            except OSError as error:
                left.append((name, "a link that leads nowhere" if entry.is_symlink() else str(error.strerror)))
    return [[spelled(name), sha256] for name, sha256 in sorted(found)]


def _gaps(path: Path, left: Sequence[tuple[str, str]]) -> tuple[Gap, ...]:
    if not left:
        return ()
    name, reason = min(left)
    shown = path.name if name == "." else f"{path.name}/{name}"
    more = f", and {len(left) - 1} more" if len(left) > 1 else ""
    fix = "put it right before the next training, or disclose what is missing"
    return (Gap("data-incomplete", f"the digest of the data is not of all of them: {shown}: {reason}{more}", fix),)
