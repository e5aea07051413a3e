"""The figure sidecar `<name>.provenance`: what it shows, from which bytes, and that its pixels were looked at.

Written only when its content changes; the user's `disclosure`, `supports_claims` and unknown keys survive a build.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ledger.canon import finite, parse, pretty
from ledger.errors import InputError
from ledger.model.finding import Finding, Location
from ledger.model.version import refuse_newer
from ledger.pixelgate.folder import Folder
from ledger.store import atomic

SCHEMA = "evidence-ledger/figure/v1"


def read(folder: Folder) -> Mapping[str, Any] | None:
    """The sidecar as it is, None when there is none.

    Raises:
        InputError: it is not JSON, no object, or of a newer schema.

    """
    shown = folder.shown(folder.sidecar)
    try:
        data = folder.sidecar.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=shown) from error
    raw = parse(data, shown)
    if not isinstance(raw, dict):
        raise InputError("a sidecar must be a JSON object", where=shown, fix="delete it and build the figure again")
    refuse_newer(raw, SCHEMA, shown)
    declared = raw.get("schema", SCHEMA)
    if declared != SCHEMA:
        raise InputError(f"schema {declared!r} is not one that this version reads ({SCHEMA})", where=shown)
    return raw


def write(folder: Folder, content: Mapping[str, Any]) -> bool:
    """Write the sidecar if its content changed; says whether it did. Raises StoreError."""
    return atomic.write_if_changed(folder.sidecar, pretty(finite(dict(content))))


def disclosures(raw: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The sentences of the sidecar's `disclosure`: a string, a list or nothing."""
    value = (raw or {}).get("disclosure")
    items = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(text for text in items if isinstance(text, str) and text.strip())


def binding(raw: Mapping[str, Any] | None, data: str | None, built_from: list[dict[str, Any]]) -> dict[str, Any] | None:
    """What the sidecar's sentences hold for: the digest of source_data.csv and the run addresses; None without any."""
    said = disclosures(raw)
    addresses = sorted({str(item["run_address"]) for item in built_from if item.get("run_address")})
    return {"disclosure": list(said), "source_data": data, "from": addresses} if said else None


def expired(folder: Folder, raw: Mapping[str, Any] | None, now: Mapping[str, Any] | None) -> Finding | None:
    """The finding for sentences that were said of other data or runs; a sentence that was reworded since is said anew."""
    then = (raw or {}).get("disclosed_for")
    if now is None or not isinstance(then, Mapping) or then == now or then.get("disclosure") != now["disclosure"]:
        return None
    moved = [name for key, name in (("source_data", "source data"), ("from", "runs")) if then.get(key) != now[key]]
    shown = folder.shown(folder.sidecar)
    message = f"the disclosure of figures/{folder.name} was made for other {' and '.join(moved)}"
    fix = "reword `disclosure` in the sidecar, or remove `disclosed_for` if it still holds"
    values = {"reported": dict(then), "expected": dict(now)}
    return Finding("disclosure-expired", "warning", message, Location(shown), None, values, fix)


def rendered(raw: Mapping[str, Any] | None) -> dict[str, str]:
    """Path -> sha256 of the rendered files; a file listed without its digest has an empty one."""
    out: dict[str, str] = {}
    items = (raw or {}).get("rendered")
    for item in items if isinstance(items, list) else []:
        if isinstance(item, Mapping):
            out[str(item.get("path", ""))] = str(item.get("sha256") or "")
        elif isinstance(item, str):
            out[item] = ""
    return out
