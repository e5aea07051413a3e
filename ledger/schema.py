"""The schemas of every file that the product writes, and full validation against them.

This is the one place that imports jsonschema, and only the command line and the gate may come here: reading a claim
graph uses the quick check in `ledger.evidence.graph`, and one suite of vectors holds both to the same answers.
It never changes what it is given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from ledger.canon import parse
from ledger.canon.position import position_of
from ledger.errors import InputError, UsageError
from ledger.model.version import refuse_newer

NAMES = ("evidence", "run", "provenance", "results", "selected", "figure", "report", "log", "split_manifest", "proof")
PREFIX = "evidence-ledger"


def validate(value: Any, name: str, text: str | None = None, where: object = None) -> None:
    """Hold a parsed file to the newest schema `name` that this version knows, `text` being what it was parsed from.

    Raises:
        NewerVersionError: `value` is of a newer version than this tool reads.
        InputError: it is not shaped as the schema says. With `text`, `where` is completed by line and column.
        UsageError: there is no schema of that name.

    """
    refuse_newer(value, f"{PREFIX}/{name}/v1", _place(text, where, ("schema",)))
    problems = sorted(_validator(name).iter_errors(value), key=lambda error: _order(text, error))
    if problems:
        pointer = tuple(problems[0].absolute_path)
        raise InputError(_sentence(problems[0], name), where=_place(text, where, pointer))


def load(name: str, major: int = 1) -> Mapping[str, Any]:
    """The schema as a mapping. Raises UsageError when there is none."""
    file = f"{name}.v{major}.schema.json"
    for folder in (resources.files("ledger").joinpath("_schemas"), Path(__file__).parents[1] / "schemas"):
        path = folder.joinpath(file)
        if path.is_file():
            raw: dict[str, Any] = parse(path.read_bytes(), file)
            return raw
    raise UsageError(f"there is no schema {name} v{major}", fix=f"the schemas are {', '.join(NAMES)}")


@cache
def _validator(name: str) -> Any:
    from jsonschema import Draft202012Validator, validators

    extend: Any = validators.extend
    return extend(Draft202012Validator, {"x-unique-key": _unique_key, "x-unique-row-ids": _unique_rows})(load(name))


def _unique_key(_validator: Any, key: str, items: Any, _schema: Any) -> Iterator[Any]:
    """Our own keyword: no two objects of a list have the same `key`. Other validators pass over it."""
    from jsonschema import ValidationError

    seen: set[str] = set()
    for i, item in enumerate(items if isinstance(items, list) else ()):
        found = item.get(key) if isinstance(item, dict) else None
        if isinstance(found, str) and found in seen:
            yield ValidationError(f"the {key} {found!r} is taken; it must be unique", path=(i, key))
        elif isinstance(found, str):
            seen.add(found)


def _unique_rows(_validator: Any, _wanted: Any, claims: Any, _schema: Any) -> Iterator[Any]:
    """Our own keyword: no two evidence rows have one id, given or by the place in their claim (C1, C1.1...)."""
    from jsonschema import ValidationError

    seen: set[str] = set()
    for i, claim in enumerate(claims if isinstance(claims, list) else ()):
        rows = claim.get("evidence") if isinstance(claim, dict) else None
        for j, row in enumerate(rows if isinstance(rows, list) else ()):
            own = row.get("id") if isinstance(row, dict) else None
            found = str(own or (f"{claim.get('id')}.{j}" if j else claim.get("id")))
            if found in seen:
                path = (i, "evidence", j, "id") if own else (i, "evidence", j)
                yield ValidationError(f"the row id {found!r} is taken; it must be unique", path=path)
            seen.add(found)


def _order(text: str | None, error: Any) -> tuple[Any, ...]:
    """First in the file, outer before inner; without the text, by path."""
    pointer = tuple(error.absolute_path)
    place = position_of(text, pointer) if text is not None else (0, 0)
    return (*place, len(pointer), [str(step) for step in pointer])


def _place(text: str | None, where: object, pointer: tuple[str | int, ...]) -> str | None:
    """`file:line:column` with the text, `file at a.0.b` without."""
    if text is not None:
        line, column = position_of(text, pointer)
        return f"{where}:{line}:{column}" if where is not None else f"{line}:{column}"
    inner = ".".join(str(step) for step in pointer)
    parts = [str(part) for part in (where, f"at {inner}" if inner else None) if part is not None]
    return " ".join(parts) or None


def _sentence(error: Any, name: str) -> str:
    """One clause on what is wrong; the library's own wording quotes whole files."""
    key = next((str(step) for step in reversed(error.absolute_path) if isinstance(step, str)), f"the {name} file")
    subject = f"`{key}`" if error.absolute_path else key
    expected = error.validator_value
    match error.validator:
        case "required":
            missing = [item for item in expected if item not in error.instance]
            return f"{subject} needs {', '.join(f'`{item}`' for item in missing)}"
        case "type":
            kinds = [expected] if isinstance(expected, str) else expected
            return f"{subject} must be {' or '.join(kinds)}, found {_shown(error.instance)}"
        case "enum" | "const":
            allowed = [expected] if error.validator == "const" else expected
            return f"{subject} must be {' or '.join(map(repr, allowed))}, found {_shown(error.instance)}"
        case "pattern":
            return f"{subject} is {_shown(error.instance)}, which is not of the form {expected}"
        case "anyOf":
            return f"{subject} is {_shown(error.instance)}, which fits none of the forms allowed here"
    return f"{subject}: {error.message[:200]}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
