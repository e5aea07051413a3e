"""Files of a run that end within a line, as a training leaves them that was killed while it wrote."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from ledger.seal.gaps import Gap

_AT_ONCE = 1 << 20
_SUFFIXES = (".jsonl", ".ndjson")


def torn_files(root: Path) -> Iterator[Gap]:
    """What is missing from each file of JSON lines below `root` whose last one is not whole; our own journals are hidden.

    Raises:
        OSError: one cannot be read.
    """
    for folder, _, names in os.walk(root):
        for name in sorted(names):
            path = Path(folder, name)
            if name.endswith(_SUFFIXES) and not name.startswith(".") and path.is_file() and not path.is_symlink():
                whole, rest = _ending(path)
                if rest and not _is_json(rest):
                    shown = path.relative_to(root).as_posix()
                    lines = f"{whole:,} whole {'line' if whole == 1 else 'lines'}"
                    message = f"{shown} has {lines} and 1 incomplete one at its end, which is kept as it is"
                    yield Gap("torn-line", message, "leave out its last line when you read it")


def _ending(path: Path) -> tuple[int, bytes]:
    """How many whole lines a file has, and what follows them; only a file with a rest is read."""
    with path.open("rb") as stream:
        if not stream.seek(0, os.SEEK_END):
            return 0, b""
        stream.seek(-1, os.SEEK_END)
        if stream.read(1) == b"\n":
            return 0, b""
        stream.seek(0)
        whole, rest = 0, b""
        while chunk := stream.read(_AT_ONCE):
            whole += chunk.count(b"\n")
            _, found, last = chunk.rpartition(b"\n")
            rest = last if found else rest + last
    return whole, rest


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
