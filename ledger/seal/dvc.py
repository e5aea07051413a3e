"""The data input as DVC recorded it: digests from a `.dvc` file or a `dvc.lock`, without reading the data.

`--data data.dvc`, `--data dvc.lock:STAGE` (everything that the stage makes) or `--data dvc.lock:PATH` (one output).
Whether the files still are what was recorded is DVC's to say; sizes, which cost no reading, are compared here.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ledger.canon import digest
from ledger.errors import InputError, UsageError

_LOCK = re.compile(r"((?:.*[/\\])?dvc\.lock)(?::(.+))?", re.DOTALL)
_LARGEST = 256 * 1024 * 1024  # bytes of a file that lists hashes


class Output(NamedTuple):
    """One output as DVC recorded it; `path` is relative to the file that records it."""

    path: str
    hash: str  # md5, md5-dos2unix (of DVC before 3.0, which took line ends for one), etag...
    value: str
    size: int | None
    files: int | None

    def to_json(self) -> dict[str, Any]:
        return {"hash": self.hash, "value": self.value, "size": self.size, "files": self.files}


class Recorded(NamedTuple):
    """What one reference names: the outputs, and the folder that their paths are relative to."""

    folder: Path
    name: str
    outputs: tuple[Output, ...]

    @property
    def sha256(self) -> str:
        """One digest over the recorded hashes. Of one output its place is of no meaning; of several it tells them apart."""
        if len(self.outputs) == 1:
            return digest([[self.outputs[0].hash, self.outputs[0].value]])
        return digest(sorted([out.path, out.hash, out.value] for out in self.outputs))

    @property
    def on_disk(self) -> Path | None:
        """The one output, where it is checked out."""
        path = self.folder / self.outputs[0].path
        return path if len(self.outputs) == 1 and path.exists() else None

    def differing(self) -> list[tuple[str, str]]:
        """(path, why) of outputs that are there with another size or number of files than recorded."""
        ignores = _ignores(self.folder.resolve())
        return [(out.path, why) for out in self.outputs if (why := _differs(self.folder / out.path, out, ignores))]


def recorded(path: Path) -> Recorded | None:
    """What DVC recorded, where `path` names a record of its; None where it names data.

    Raises:
        UsageError: the lock has no such stage or output, or it is not said which.
        InputError: the file is no record, or holds no hash yet.
    """
    if path.suffix == ".dvc" and path.is_file():
        outs = _outputs(_mapping(path).get("outs"), path)
        return Recorded(path.parent, path.stem, outs)
    found = _LOCK.fullmatch(str(path))
    if found is None or (found[2] and os.path.lexists(path)) or not Path(found[1]).is_file():
        return None
    return _of_lock(Path(found[1]), found[2])


def _of_lock(lock: Path, wanted: str | None) -> Recorded:
    stages = _mapping(lock).get("stages")
    if not isinstance(stages, Mapping):
        raise InputError("no `stages` in it", where=lock, fix="`dvc repro` writes it")
    outs = {
        str(name): _outputs(about.get("outs"), lock)
        for name, about in stages.items()
        if isinstance(about, Mapping) and about.get("outs")
    }
    if wanted is None:
        listed = ", ".join(list(outs)[:8])
        raise UsageError(
            "which stage's outputs are the data?", where=lock, fix=f"name one, as `{lock}:STAGE`: {listed}"
        )
    place = posixpath.normpath(wanted.replace("\\", "/"))
    by_path = [(name, out) for name, many in outs.items() for out in many if posixpath.normpath(out.path) == place]
    if wanted in outs and by_path and by_path[0][0] != wanted:
        fix = f"`{lock}:./{wanted}` is the output"
        raise UsageError(f"both a stage and an output are called {wanted!r}", where=lock, fix=fix)
    if wanted in outs:
        return Recorded(lock.parent, wanted, outs[wanted])
    if by_path:
        return Recorded(lock.parent, posixpath.basename(place), (by_path[0][1],))
    known = ", ".join([*outs, *(out.path for many in outs.values() for out in many)][:8])
    raise UsageError(f"no stage or output is called {wanted!r}", where=lock, fix=f"there is {known}" if known else None)


def _mapping(path: Path) -> Mapping[str, Any]:
    import yaml

    try:
        if path.stat().st_size > _LARGEST:
            raise InputError("too large for a file of DVC's", where=path)
        loaded = yaml.load(path.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 (both are safe)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=path) from error
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise InputError("is no file of DVC's (not YAML)", where=path) from error
    if not isinstance(loaded, Mapping):
        raise InputError("is no file of DVC's", where=path)
    return loaded


def _outputs(listed: Any, where: Path) -> tuple[Output, ...]:
    if not isinstance(listed, Sequence) or not listed or isinstance(listed, str):
        raise InputError("lists no output", where=where, fix="`dvc add` writes one")
    return tuple(_output(about, where) for about in listed)


def _output(about: Any, where: Path) -> Output:
    path = about.get("path") if isinstance(about, Mapping) else None
    if not isinstance(path, str):
        raise InputError("an output without `path`", where=where, fix="`dvc add` writes it")
    size, count = about.get("size"), about.get("nfiles")
    size, count = (value if type(value) is int else None for value in (size, count))
    name = about.get("hash")
    for key in (name, "md5", "etag", "checksum"):
        if isinstance(key, str) and isinstance(about.get(key), str):
            kind = "md5-dos2unix" if key == "md5" and name is None else key
            return Output(path, kind, about[key], size, count)
    files = about.get("files")  # a version-aware remote lists them one by one
    if isinstance(files, list) and files and all(isinstance(item, Mapping) for item in files):
        inner = [_output({"hash": "md5", **item, "path": item.get("relpath")}, where) for item in files]
        return Output(path, "files", digest(sorted([*item[:3]] for item in inner)), size, len(inner))
    raise InputError(f"{path} has no hash yet", where=where, fix="`dvc commit` or `dvc repro` writes it")


def _differs(path: Path, out: Output, ignores: bool) -> str | None:
    try:
        if path.is_file():
            size, files = path.stat().st_size, None
        elif path.is_dir() and not ignores:  # what DVC ignores there is not in its numbers
            sizes = [(Path(folder) / name).stat().st_size for folder, _, names in os.walk(path) for name in names]
            size, files = sum(sizes), len(sizes)
        else:
            return None
    except OSError:
        return None
    if out.size is not None and out.size != size:
        return f"{size:,} bytes, recorded are {out.size:,}"
    if files is not None and out.files is not None and out.files != files:
        return f"{files:,} files, recorded are {out.files:,}"
    return None


def _ignores(folder: Path) -> bool:
    """Whether a `.dvcignore` on the way up to DVC's own folder says anything."""
    for above in (folder, *folder.parents):
        try:
            lines = (above / ".dvcignore").read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            lines = []
        if any(line.strip() and not line.startswith("#") for line in lines):
            return True
        if (above / ".dvc").is_dir():
            break
    return False
