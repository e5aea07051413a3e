"""Read and write EVIDENCE.json.

The shape check here is the fast one, in plain Python, with messages that name line and column; the schema
`schemas/evidence.v1.schema.json` says the same at length, and one vector suite holds both to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ledger.canon import parse, pretty, read_record
from ledger.canon.position import position_of
from ledger.errors import InputError
from ledger.model.claim import Claim
from ledger.model.version import newer, refuse_newer

FILE = "EVIDENCE.json"
SCHEMA = "evidence-ledger/evidence/v1"


@dataclass(frozen=True, slots=True)
class ClaimGraph:
    """All claims of a project, in file order."""

    path: str
    raw: Mapping[str, Any]
    claims: tuple[Claim, ...]

    @property
    def project(self) -> str:
        return str(self.raw.get("project", ""))

    def claim(self, claim_id: str) -> Claim | None:
        return next((claim for claim in self.claims if claim.id == claim_id), None)


def load(path: Path, *, shown: str | None = None) -> ClaimGraph:
    """The claim graph in `path`; `shown` is how messages call the file.

    Raises:
        InputError: absent, not JSON, or not shaped as a claim graph; line and column are named.

    """
    shown = shown or path.name
    try:
        data = read_record(path)
    except FileNotFoundError:
        raise InputError("there is no such file", where=shown, fix="`ledger init` starts a project") from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=shown) from error
    return from_bytes(data, shown)


def from_bytes(data: bytes, shown: str = FILE) -> ClaimGraph:
    """The claim graph in these bytes. Raises InputError as `load` does."""
    raw = parse(data, shown)
    if newer(raw, SCHEMA):
        line, column = position_of(data.decode("utf-8-sig"), ("schema",))
        refuse_newer(raw, SCHEMA, f"{shown}:{line}:{column}")
    for pointer, problem in _shape(raw):
        line, column = position_of(data.decode("utf-8-sig"), pointer)
        raise InputError(problem, where=f"{shown}:{line}:{column}")
    claims = tuple(Claim(str(claim["id"]), claim, i) for i, claim in enumerate(raw["claims"]))
    return ClaimGraph(shown, raw, claims)


def to_bytes(raw: Mapping[str, Any]) -> bytes:
    """The file's bytes: keys stay in the order in which they were read, unknown ones included."""
    return pretty(raw)


Pointer = tuple[str | int, ...]


def _shape(raw: Any) -> list[tuple[Pointer, str]]:
    """Where and how `raw` is not a claim graph; the first problem is enough."""
    if not isinstance(raw, dict):
        return [((), f"expected an object with `project` and `claims`, found {_kind(raw)}")]
    declared = raw.get("schema", SCHEMA)
    if declared != SCHEMA:
        return [(("schema",), f"schema {declared!r} is not one that this version reads ({SCHEMA})")]
    if not isinstance(raw.get("project", ""), str):
        return [(("project",), f"`project` must be a string, found {_kind(raw['project'])}")]
    if not isinstance(raw.get("claims"), list):
        return [(("claims",) if "claims" in raw else (), "`claims` must be a list of claims")]
    seen: dict[str, int] = {}
    for i, claim in enumerate(raw["claims"]):
        problems = _claim_shape(claim, ("claims", i), seen)
        if problems:
            return problems
    return _taken_row_ids([Claim(claim["id"], claim, i) for i, claim in enumerate(raw["claims"])])


def _taken_row_ids(claims: list[Claim]) -> list[tuple[Pointer, str]]:
    """A row whose id another row has: macros and derived rows could not tell them apart."""
    taken: dict[str, str] = {}
    for claim in claims:
        for row in claim.rows:
            if row.id in taken:
                at: Pointer = ("claims", claim.index, "evidence", row.index)
                problem = f"the row id {row.id!r} is taken by a row of claim {taken[row.id]}; ids must be unique"
                return [((*at, "id") if row.raw.get("id") else at, problem)]
            taken[row.id] = claim.id
    return []


def _claim_shape(claim: Any, at: Pointer, seen: dict[str, int]) -> list[tuple[Pointer, str]]:
    if not isinstance(claim, dict):
        return [(at, f"a claim must be an object, found {_kind(claim)}")]
    claim_id = claim.get("id")
    if not isinstance(claim_id, str) or not claim_id.strip():
        return [((*at, "id") if "id" in claim else at, "a claim needs an `id` that is a non-empty string")]
    if claim_id in seen:
        return [
            ((*at, "id"), f"the id {claim_id!r} is taken by claim {seen[claim_id] + 1} of the list; ids must be unique")
        ]
    seen[claim_id] = int(at[-1])
    rows = claim.get("evidence", [])
    if not isinstance(rows, list):
        return [((*at, "evidence"), f"`evidence` of claim {claim_id} must be a list, found {_kind(rows)}")]
    for i, row in enumerate(rows):
        here = (*at, "evidence", i)
        if not isinstance(row, dict):
            return [(here, f"an evidence row of claim {claim_id} must be an object, found {_kind(row)}")]
        problems = _row_shape(row, here, claim_id)
        if problems:
            return problems
    return _types(claim, at, _CLAIM_TYPES, claim_id)


def _row_shape(row: Mapping[str, Any], at: Pointer, claim_id: str) -> list[tuple[Pointer, str]]:
    if "metric" not in row and row.get("derive") is None:
        return [(at, f"an evidence row of claim {claim_id} needs a `metric`")]
    if not isinstance(row.get("metric", ""), str):
        return [((*at, "metric"), f"`metric` of claim {claim_id} must be a string, found {_kind(row['metric'])}")]
    value = row.get("value")
    if not isinstance(value, int | float | str | None) or isinstance(value, bool):
        return [((*at, "value"), f"`value` of claim {claim_id} must be a number, found {_kind(value)}")]
    problems = _types(row, at, _ROW_TYPES, claim_id)
    display = row.get("display")
    return problems or (_types(display, (*at, "display"), _DISPLAY_TYPES, claim_id) if display else [])


def _types(
    raw: Mapping[str, Any], at: Pointer, types: Mapping[str, tuple[type, ...]], claim_id: str
) -> list[tuple[Pointer, str]]:
    """The first known key whose value is of another type; null is as good as absent."""
    for key, allowed in types.items():
        value = raw.get(key)
        whole = isinstance(value, float) and value.is_integer() and int in allowed  # 3.0 is an integer in JSON
        whole = whole or (type(value) is int and float in allowed)
        if value is not None and not whole and (isinstance(value, bool) or not isinstance(value, allowed)):
            wanted = " or ".join(_NAMES[kind] for kind in allowed)
            return [((*at, key), f"`{key}` of claim {claim_id} must be {wanted}, found {_kind(value)}")]
    return []


_NAMES: Mapping[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a string",
    int: "a whole number",
    float: "a number",
}
_CLAIM_TYPES: Mapping[str, tuple[type, ...]] = {
    "statement": (str,), "paper_anchor": (str, list), "repo_implementation": (str,), "disclosure": (str, list),
    "disclosed_for": (dict,), "aliases": (str, list),
}  # fmt: skip
_ROW_TYPES: Mapping[str, tuple[type, ...]] = {
    "id": (str,), "exp_id": (str,), "run": (str, list), "direction": (str,), "unit": (str,), "split": (str,),
    "dataset": (str,), "n": (int,), "variance": (dict,), "results_json": (str,), "figure": (str,),
    "aliases": (str, list), "display": (dict,), "aggregate": (str,), "derive": (str,), "from": (list,),
}  # fmt: skip


_DISPLAY_TYPES: Mapping[str, tuple[type, ...]] = {
    "decimals": (int,), "significant": (int,), "scale": (float,), "style": (str,), "unit": (str,),
}  # fmt: skip


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
