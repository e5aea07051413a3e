"""A run's config as flat keys with dotted names: what is compared and what is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ledger.errors import InputError
from ledger.store.atomic import explained


def read_config(path: Path) -> dict[str, Any]:
    """The config in this file, its keys and values as every file of ours writes them; an empty mapping when there is no
    file.

    Raises:
        InputError: it is not YAML, or no mapping.
        StoreError: it cannot be read.
    """
    if not path.is_file():
        return {}
    from ledger.canon.yaml import parse_config

    with explained(path):
        data = path.read_bytes()
    try:
        return parse_config(data, path)
    except InputError as error:
        fix = error.fix or "`ledger fsck` says whether it was altered"
        raise InputError(error.message, where=path, fix=fix) from error


def flatten(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """(dotted name, value) of everything that is no mapping; none of an empty config."""
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from flatten(item, f"{prefix}.{key}" if prefix else str(key))
    elif prefix:
        yield prefix, value
