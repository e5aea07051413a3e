"""A run's config as flat keys with dotted names: what is compared and what is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ledger.errors import InputError
from ledger.store.atomic import explained


def read_config(path: Path) -> Any:
    """The config in this file; an empty mapping when there is no file.

    Raises:
        InputError: it is not YAML, or holds what no value stands for (the 30th of February).
        StoreError: it cannot be read.
    """
    import yaml

    if not path.is_file():
        return {}
    with explained(path):
        data = path.read_bytes()
    try:
        loaded = yaml.load(data, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 (both are safe)
    except (
        yaml.YAMLError,
        ValueError,
        RecursionError,
    ) as error:  # ValueError: a date that is none, an anchor in itself
        raise InputError("is not YAML", where=path, fix="`ledger fsck` says whether it was altered") from error
    return {} if loaded is None else loaded


def flatten(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """(dotted name, value) of everything that is no mapping; keys that are no text are written as Python shows them."""
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from flatten(item, f"{prefix}.{key}" if prefix else str(key))
    elif prefix:
        yield prefix, value
