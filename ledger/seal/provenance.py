"""The birth certificate: six inputs, the provenance hash over them, the group hash without the seed."""

from __future__ import annotations

import getpass
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ledger.canon import digest, finite, spelled
from ledger.model.run import HASH_INPUTS, PROVENANCE_SCHEMA
from ledger.project import Project
from ledger.seal import code, data, environment, gaps
from ledger.seal.gaps import Gap
from ledger.store.digests import Digests
from ledger.store.journal import host

_HIDDEN = "***"
# `--max-tokens` and `--tokenizer` decide a result and are no secret; nor are the special tokens of a tokenizer
_NAME = r"(?i:[\w.-]*(?:secret|passw|api[-_]?key|credential)[\w.-]*|[\w.-]*token)"
_SPECIAL = re.compile(r"(?i)(^|[-_.])(pad|eos|bos|unk|mask|sep|cls|start|end|stop|blank|image|special)[-_.]?token$")
_ASSIGNED = re.compile(rf"(-*{_NAME})=")
_WITHIN = re.compile(rf"""(?<![\w.-])({_NAME})(["']?\s*[:=]\s*|\s+)("[^"]*"|'[^']*'|[^\s;|&"']+)""")


def config_input(config: Mapping[str, Any], seed_keys: Sequence[str]) -> dict[str, Any]:
    """The config input: a digest of the resolved config without its seed, which is an input of its own."""
    return {"sha256": digest(finite({key: value for key, value in config.items() if key not in seed_keys}))}


def seed_of(config: Mapping[str, Any], seed_keys: Sequence[str]) -> Any:
    """The seed that a config names, or None."""
    return next((config[key] for key in seed_keys if key in config), None)


def hashes(inputs: Mapping[str, Any]) -> tuple[str, str]:
    """Provenance hash and group hash. Only digests and values that make conditions equal enter: of the code its
    tree, not its commit; of the data their content, not their name.
    """
    hashed = {
        "config": inputs["config"]["sha256"],
        "code": inputs["code"]["tree_sha256"],
        "data": [inputs["data"]["sha256"], inputs["data"]["split_manifest"]],
        "seed": [inputs["seed"]["value"], inputs["seed"]["determinism_flags"]],
        "env_lock": inputs["env_lock"]["sha256"],
        "hardware": inputs["hardware"],
    }
    assert tuple(hashed) == HASH_INPUTS
    return digest(hashed), digest({**hashed, "seed": inputs["seed"]["determinism_flags"]})


@dataclass(frozen=True)
class Surroundings:
    """The inputs that several runs of one moment share: code, data, environment and hardware. Costly to capture."""

    source: code.Code
    data: Mapping[str, Any]
    packages: tuple[str, ...]
    env_lock: Mapping[str, Any]
    hardware: Mapping[str, Any]
    gaps: tuple[Gap, ...] = ()


def surroundings(
    project: Project, *, data_path: Path | None, dataset: str | None, command: Sequence[str]
) -> Surroundings:
    """Capture what surrounds a run now.

    Raises:
        UsageError: there is nothing at `data_path`.
        InputError: it is a file that cannot be read.
    """
    installed = environment.packages(command)
    hardware, gpu_gaps = environment.hardware(installed)
    with Digests(project.cache) as digests:
        source = code.capture(project, digests)
        read = data.capture(data_path, dataset, digests)
    return Surroundings(
        source=source,
        data=read.record,
        packages=tuple(installed.names),
        env_lock=environment.env_lock(installed),
        hardware=hardware,
        gaps=(*source.gaps, *read.gaps, *installed.gaps, *gpu_gaps),
    )


def certificate(
    project: Project, around: Surroundings, *, config: Mapping[str, Any], seed: Any, command: Sequence[str]
) -> dict[str, Any]:
    """Everything about a run that is known before it starts; ids and times are filled in by whoever has them."""
    inputs = {
        "config": config_input(config, project.config.seed_keys),
        "code": around.source.record,
        "data": dict(around.data),
        "seed": {"value": finite(seed), "determinism_flags": environment.determinism_flags()},
        "env_lock": dict(around.env_lock),
        "hardware": dict(around.hardware),
    }
    if observed := environment.observed_flags():
        inputs["seed"]["observed"] = observed
    provenance_hash, group_hash = hashes(inputs)
    return {
        "schema": PROVENANCE_SCHEMA,
        "exp_id": None,
        "run_id": None,
        "provenance_hash": provenance_hash,
        "group_hash": group_hash,
        "hash_inputs": inputs,
        "untracked": [],
        **({gaps.KEY: [gap.to_json() for gap in around.gaps]} if around.gaps else {}),
        "tracker": None,
        "command": scrub(relative(project, command)),
        "cwd": project.shown(Path.cwd()),
        "env": environment.kept_variables(project.config.keep_env),
        "host": host(),
        "user": _user(),
        "started": None,
        "ended": None,
        "exit_status": None,
        "resumed_from": None,
        "created": None,
    }


def relative(project: Project, command: Sequence[str]) -> list[str]:
    """A command line as it is stored: paths of the project relative to it, the program outside by its name alone."""
    out = []
    for place, part in enumerate(command):
        path = Path(part)
        if path.is_absolute() and path.is_relative_to(project.root):
            out.append(path.relative_to(project.root).as_posix())
        else:
            out.append(path.name if place == 0 and path.is_absolute() else part)
    return list(map(spelled, out))


def scrub(command: Sequence[str]) -> list[str]:
    """A command line without secrets: the values of options and variables whose names sound like one are hidden, also
    within a line for the shell; so are passwords in URLs and bearer tokens.
    """
    out: list[str] = []
    hide = False
    for before, part in zip(["", *command], command, strict=False):
        shell = re.fullmatch(r"-\w*c", before)  # `sh -c LINE`: several words in one argument
        assigned = None if shell else _ASSIGNED.match(part)
        if hide and not part.startswith("-"):
            out.append(_HIDDEN)
        elif assigned and not _SPECIAL.search(assigned[1]):
            out.append(f"{assigned[0]}{_HIDDEN}")
        else:
            part = re.sub(r"(://[^/:@\s]+:)[^@\s]+@", rf"\1{_HIDDEN}@", part)
            part = re.sub(r"(?i)(\bbearer\s+)[^\s\"']+", rf"\1{_HIDDEN}", part)
            out.append(_WITHIN.sub(_hidden, part))
        hide = part.startswith("-") and bool(re.fullmatch(_NAME, part)) and not _SPECIAL.search(part)
    return out


def _hidden(match: re.Match[str]) -> str:
    """A name and its value within a longer text, the value hidden if it is one."""
    name, between, value = match.groups()
    follows = between.isspace()
    if _SPECIAL.search(name) or (follows and (not name.startswith("-") or value.startswith("-"))):
        return match[0]
    return f"{name}{between}{_HIDDEN}"


def _user() -> str | None:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no entry in the password database: containers
        return None
