"""A config in YAML (of which JSON is a part), read safely and as far as it can be read at all."""

from __future__ import annotations

from functools import cache
from typing import Any

from ledger.canon.json import finite
from ledger.errors import InputError


def parse_config(data: bytes, where: object = None) -> dict[str, Any]:
    """The mapping in a config file, as `finite` writes it: every key is text, dates, NaN and infinities too.

    What looks like a date or a number and is none (the 30th of February) is the text that it is written as. An empty
    file is an empty mapping.

    Raises:
        InputError: not YAML, no mapping, two keys that are written alike, or nested too deeply.
    """
    import yaml

    try:
        raw = yaml.load(data, Loader=_loader())  # noqa: S506 (a safe loader)
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())
        raise InputError(f"not YAML: {problem}", where=where) from error
    except RecursionError:
        raise InputError("nested too deeply to be read", where=where) from None
    except (ValueError, TypeError) as error:  # an anchor in itself, a key that is no value
        raise InputError(f"not YAML that can be read: {error}", where=where) from error
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        raise InputError("a config must be a mapping of keys to values", where=where)
    try:
        return finite(raw)  # type: ignore[no-any-return]
    except InputError as error:
        raise InputError(error.message, where=where, fix=error.fix) from error


@cache
def _loader() -> Any:
    """A safe loader whose scalars never raise."""
    import yaml

    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    loader: Any = type("Loader", (base,), {})
    for tag in ("timestamp", "int", "float"):
        name = f"tag:yaml.org,2002:{tag}"
        loader.add_constructor(name, _tolerant(base.yaml_constructors[name]))
    return loader


def _tolerant(construct: Any) -> Any:
    def value(loader: Any, node: Any) -> Any:
        try:
            return construct(loader, node)
        except (ValueError, OverflowError, KeyError, AttributeError):
            return loader.construct_scalar(node)

    return value
