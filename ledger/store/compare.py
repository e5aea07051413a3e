"""What differs between two runs: which of the six inputs, and which config keys.

Runs that differ in the seed alone are repeats; others are comparable only in the keys that were meant to differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ledger.canon import canonical
from ledger.model.run import HASH_INPUTS
from ledger.store.config import flatten, read_config
from ledger.store.runs import CONFIG, Run

# of these inputs only what decides equality counts, as in the provenance hash: a commit moves without the code
_DECIDING: Mapping[str, tuple[str, ...]] = {
    "code": ("tree_sha256",),
    "data": ("sha256", "split_manifest"),
    "seed": ("value", "determinism_flags"),
}


class _Absent(Enum):
    ABSENT = "absent"


ABSENT = _Absent.ABSENT


@dataclass(frozen=True)
class Difference:
    """One value that differs, by its dotted name; ABSENT where one side has none (null is a value)."""

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
    return [name for name in HASH_INPUTS if len({canonical(_deciding(run, name)) for run in runs}) > 1]


def compare(first: Run, second: Run) -> Comparison:
    """Compare two runs. Raises InputError when a config cannot be read."""
    inputs = tuple(differing_inputs([first, second]))
    values = []
    for name in inputs:
        if name != "config":  # said key by key below
            values += _differences(_deciding(first, name), _deciding(second, name), f"{name}.")
    one, other = (dict(flatten(read_config(run.path / CONFIG))) for run in (first, second))
    return Comparison(inputs, tuple(values), tuple(_differences(one, other)))


def _differences(first: Mapping[str, Any], second: Mapping[str, Any], prefix: str = "") -> list[Difference]:
    """What differs by the form that is hashed: 1 and 1.0 are one number there, 1 and true are two values."""
    out = []
    for key in sorted(first.keys() | second.keys()):
        one, other = first.get(key, ABSENT), second.get(key, ABSENT)
        if ABSENT in (one, other) or canonical(one) != canonical(other):
            out.append(Difference(prefix + key, one, other))
    return out


def _deciding(run: Run, name: str) -> dict[str, Any]:
    part = inputs_of(run).get(name) or {}
    return {key: part.get(key) for key in _DECIDING.get(name, tuple(sorted(part)))}
