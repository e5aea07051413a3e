"""A segment: one append-only file of canonical JSON lines.

The first entry opens the segment and names the heads its writer knew, so a later reader sees when a segment it
should have is gone. A leaf of the tree is a line without its newline.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ledger.canon import canonical, parse
from ledger.errors import InputError, IntegrityError
from ledger.log.merkle import Peaks, leaf_hash
from ledger.model.version import refuse_newer

SCHEMA = "evidence-ledger/log/v1"


@dataclass(frozen=True, slots=True)
class Head:
    """One segment's id, number of entries and Merkle root (hex)."""

    segment: str
    size: int
    root: str

    def to_json(self) -> dict[str, Any]:
        return {"segment": self.segment, "size": self.size, "root": self.root}


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log: its place and its content."""

    segment: str
    index: int
    body: Mapping[str, Any]

    @property
    def type(self) -> str:
        return str(self.body.get("type", ""))


@dataclass(frozen=True, slots=True)
class Segment:
    """A parsed segment with the state an append to it needs."""

    id: str
    entries: tuple[Entry, ...]
    leaves: tuple[bytes, ...]  # leaf hash of each entry
    peaks: Peaks
    last_line: bytes

    @property
    def head(self) -> Head:
        return Head(self.id, self.peaks.size, self.peaks.root().hex())


def in_order(segments: Iterable[Segment]) -> list[Entry]:
    """All entries, in the order of their times; entries of one segment keep their order."""
    entries: list[tuple[str, Entry]] = []
    for segment in segments:
        latest = ""  # a clock that was set back reorders nothing
        for entry in segment.entries:
            latest = max(latest, str(entry.body.get("time", "")))
            entries.append((latest, entry))
    return [entry for _, entry in sorted(entries, key=lambda pair: pair[0])]


def opening(segment: str, known: Iterable[Head], time: str) -> dict[str, Any]:
    """The first entry of a new segment."""
    heads = sorted(known, key=lambda head: head.segment)
    return {"type": "open", "schema": SCHEMA, "segment": segment, "time": time, "knows": [h.to_json() for h in heads]}


def encode(body: Mapping[str, Any]) -> bytes:
    """The line of an entry, without its newline."""
    return canonical(dict(body))


# what an entry of each type must say, as text; readers pass over types that they do not know
_SAYS = {
    "open": ("segment",),
    "start": ("exp_id", "run_id"),
    "seal": ("exp_id", "run_id", "address", "status"),
    "select": ("exp_id", "run_id"),
    "disclose": ("text",),
    "prune": ("exp_id", "run_id", "address"),
}


def malformed(body: Any) -> str | None:
    """How `body` fails to be an entry that can be relied on, or None."""
    if not isinstance(body, Mapping):
        return "an entry that is no object"
    kind = body.get("type")
    if not isinstance(kind, str) or kind not in _SAYS:
        return None
    for key in ("time", *_SAYS[kind]):
        value = body.get(key)
        if not isinstance(value, str):
            return f"an entry of type {kind!r} without `{key}`"
        # they name folders: nothing that a log says leads out of the results
        if key in {"exp_id", "run_id"} and (value in {"", ".", ".."} or set("/\\\0") & set(value)):
            return f"an entry of type {kind!r} whose `{key}` is no name"
    if kind == "open" and not (isinstance(known := body.get("knows"), list) and all(map(_is_head, known))):
        return "an entry of type 'open' without `knows`, a list of segment heads"
    replaced = body.get("replaced") or []
    if kind == "select" and not (isinstance(replaced, list) and all(isinstance(run, str) for run in replaced)):
        return "an entry of type 'select' whose `replaced` is no list of runs"
    if kind == "prune" and not (
        isinstance(files := body.get("files"), list) and all(isinstance(f, str) for f in files)
    ):
        return "an entry of type 'prune' whose `files` is no list of paths"
    return None


def _is_head(raw: Any) -> bool:
    """Whether it is the head of a segment, as `Head.to_json` writes it."""
    kinds = {"segment": str, "size": int, "root": str}
    return isinstance(raw, Mapping) and all(type(raw.get(key)) is kind for key, kind in kinds.items())


def read(segment: str, data: bytes) -> Segment:
    """Parse a segment's bytes.

    Raises:
        IntegrityError: a line is torn, not canonical JSON, or the first does not open this segment.
        NewerVersionError: a newer version of this tool opened it.

    """
    where = f"{segment}.jsonl"
    if data and not data.endswith(b"\n"):
        line_number = data.count(b"\n") + 1
        raise IntegrityError("the last line is torn", where=f"{where}:{line_number}")
    peaks = Peaks()
    entries: list[Entry] = []
    leaves: list[bytes] = []
    line = b""
    for index, line in enumerate(data.split(b"\n")[:-1]):
        try:
            body = parse(line, where)
        except InputError as error:
            raise IntegrityError(f"not a log entry ({error.message})", where=f"{where}:{index + 1}") from error
        if not isinstance(body, dict) or encode(body) != line:
            raise IntegrityError("not a canonical log entry", where=f"{where}:{index + 1}")
        if body.get("type") == "open":
            refuse_newer(body, SCHEMA, where)
        if problem := malformed(body):
            raise IntegrityError(problem, where=f"{where}:{index + 1}")
        entries.append(Entry(segment, index, body))
        leaves.append(leaf_hash(line))
        peaks = peaks.append(leaves[-1])
    if not entries or entries[0].type != "open" or entries[0].body.get("segment") != segment:
        raise IntegrityError("the first entry does not open this segment", where=f"{where}:1")
    return Segment(segment, tuple(entries), tuple(leaves), peaks, line)
