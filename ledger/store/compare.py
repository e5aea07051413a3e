"""What differs between two runs: which of the six inputs, and which config keys.

Runs that differ in the seed alone are repeats; others are comparable only in the keys that were meant to differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ledger.model.run import HASH_INPUTS
from ledger.store.config import flatten, read_config
from ledger.store.runs import CONFIG, Run

# of these inputs only what decides equality counts, as in the provenance hash: a commit moves without the code
_DECIDING: Mapping[str, tuple[str, ...]] = {"code": ("tree_sha256",), "data": ("sha256", "split_manifest")}


@dataclass(frozen=True)
class Difference:
    """One value that differs, by its dotted name; None where one side has none."""

    name: str
    first: Any
    second: Any


@dataclass(frozen=True)
class Comparison:
    """Inputs that differ by name, their differing values, and the config keys that differ."""

    inputs: tuple[str, ...]
    values: tuple[Difference, ...]
    config: tuple[Difference, ...]

    @property
    def verdict(self) -> str:
        """One line for people."""
        if not self.inputs:
            return "same conditions: equal provenance hash"
        if self.inputs == ("seed",):
            return "repeats of one another: they differ in the seed alone"
        return f"they differ in {self.differing}"

    @property
    def differing(self) -> str:
        """The inputs that differ, the config with its keys: `config (lr), code`."""
        keys = f" ({', '.join(item.name for item in self.config)})" if self.config else ""
        return ", ".join(f"config{keys}" if name == "config" else name for name in self.inputs)


def inputs_of(run: Run) -> Mapping[str, Any]:
    """The six inputs as the run's provenance has them; empty when it has none."""
    inputs = run.provenance.get("hash_inputs", {})
    return inputs if isinstance(inputs, dict) else {}


def differing_inputs(runs: Sequence[Run]) -> list[str]:
    """Names of the inputs in which these runs are not all alike."""
    return [name for name in HASH_INPUTS if len({repr(_deciding(run, name)) for run in runs}) > 1]


def compare(first: Run, second: Run) -> Comparison:
    """Compare two runs. Raises InputError when a config cannot be read."""
    inputs = tuple(differing_inputs([first, second]))
    values = [
        Difference(f"{name}.{key}", dict(_deciding(first, name)).get(key), dict(_deciding(second, name)).get(key))
        for name in inputs
        if name != "config"  # said key by key below
        for key in sorted({*dict(_deciding(first, name)), *dict(_deciding(second, name))})
    ]
    one, other = (dict(flatten(read_config(run.path / CONFIG))) for run in (first, second))
    keys = sorted(one.keys() | other.keys())
    config = [Difference(key, one.get(key), other.get(key)) for key in keys if one.get(key) != other.get(key)]
    return Comparison(inputs, tuple(value for value in values if value.first != value.second), tuple(config))


def _deciding(run: Run, name: str) -> list[tuple[str, Any]]:
    part = inputs_of(run).get(name) or {}
    return [(key, part.get(key)) for key in _DECIDING.get(name, tuple(sorted(part)))]
