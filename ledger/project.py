"""Where the project is, what its paths are called, and how it is configured.

A project is the nearest folder upward that holds `EVIDENCE.json`, `ledger.toml` or `.ledger/`. Configuration comes
from `[tool.ledger]` in `pyproject.toml`, then `ledger.toml`, then `LEDGER_*` variables; later wins.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, cast

from ledger.errors import InputError, UsageError

Policy = Literal["disclose", "require-disclosure", "strict"]
POLICIES: tuple[Policy, ...] = ("disclose", "require-disclosure", "strict")

MARKERS = ("EVIDENCE.json", "ledger.toml", ".ledger")


@dataclass(frozen=True)
class Setting:
    """One configured value and where it came from."""

    value: Any
    source: str


@dataclass(frozen=True)
class Config:
    """What a project may configure; every key has a default that suits a fresh project."""

    # documents that `ledger reconcile` and `ledger gate` read when none are named (globs)
    documents: tuple[str, ...] = ("*.md", "*.tex", "paper/*.md", "paper/*.tex")
    policy: Policy = "disclose"
    # config keys that hold the seed: they count as the seed, not as the config
    seed_keys: tuple[str, ...] = ("seed",)
    # paths (globs) that are no code although git tracks them
    not_code: tuple[str, ...] = ()
    # environment variables that a run's provenance keeps, beside our own list
    keep_env: tuple[str, ...] = ()
    # seconds that one figure script may take
    figure_timeout: float = 600.0


@dataclass(frozen=True)
class Project:
    """The paths of one project. `root` is absolute; nothing here writes."""

    root: Path
    config: Config = field(default_factory=Config)
    sources: Mapping[str, str] = field(default_factory=dict)  # config key -> where its value came from
    warnings: tuple[str, ...] = ()

    @cached_property
    def evidence(self) -> Path:
        return self.root / "EVIDENCE.json"

    @cached_property
    def results(self) -> Path:
        return self.root / "results"

    @cached_property
    def private(self) -> Path:
        return self.root / ".ledger"

    @cached_property
    def running(self) -> Path:
        return self.private / "running"

    @cached_property
    def objects(self) -> Path:
        return self.private / "objects" / "sha256"

    @cached_property
    def log(self) -> Path:
        return self.private / "log"

    @cached_property
    def local(self) -> Path:
        """State of this clone on this host; ignored by git."""
        return self.private / "local"

    @cached_property
    def generated(self) -> Path:
        return self.root / "generated"

    @cached_property
    def cache(self) -> Path:
        """The project's folder in the user's cache (XDG); anything in it may be deleted at any time."""
        import hashlib

        base = Path(os.environ.get("XDG_CACHE_HOME") or Path(os.path.expanduser("~")) / ".cache")  # noqa: PTH111 (no home: no error)
        key = hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]
        return base / "evidence-ledger" / key

    def shown(self, path: Path) -> str:
        """A path as messages and files write it: relative to the project where possible, forward slashes."""
        try:
            return path.resolve().relative_to(self.root).as_posix()
        except (ValueError, RuntimeError, OSError):  # outside, or links that lead in a circle
            return path.as_posix()


def find(start: Path | None = None) -> Project:
    """The project around `start` (default: the working directory).

    Raises:
        UsageError: there is none, or its configuration is malformed.

    """
    here = (start or Path.cwd()).resolve()
    named = os.environ.get("LEDGER_PROJECT")
    if start is None and named:
        if not Path(named).is_dir():
            raise UsageError("there is no such folder", where=f"LEDGER_PROJECT={named}", fix="unset it, or correct it")
        return at(Path(named))
    for folder in (here, *here.parents):
        if any((folder / marker).exists() for marker in MARKERS):
            return at(folder)
    raise UsageError(
        "no project here (no EVIDENCE.json in this folder or above it)",
        where=here,
        fix="`ledger init` makes one; read-only commands take --evidence FILE instead",
    )


def at(root: Path) -> Project:
    """The project whose root is `root`, configured. Raises UsageError as `find` does."""
    root = root.resolve()
    settings: dict[str, Setting] = {}
    for name, section in (("pyproject.toml", ("tool", "ledger")), ("ledger.toml", ())):
        for key, value in _table(root / name, section).items():
            settings[key] = Setting(value, name)
    known = {item.name: item.type for item in fields(Config)}
    for key in known:
        variable = f"LEDGER_{key.upper()}"
        if variable in os.environ:
            settings[key] = Setting(os.environ[variable], variable)
    warnings = tuple(_unknown(key, setting, known) for key, setting in settings.items() if key not in known)
    values = {key: _checked(key, setting) for key, setting in settings.items() if key in known}
    return Project(root, Config(**values), {key: settings[key].source for key in values}, warnings)


def _table(path: Path, section: tuple[str, ...]) -> Mapping[str, Any]:
    if not path.is_file():
        return {}
    import tomllib

    try:
        table: Any = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"not TOML: {error}", where=path.name) from error
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=path.name) from error
    for key in section:
        table = table.get(key, {}) if isinstance(table, dict) else {}
    return cast("Mapping[str, Any]", table) if isinstance(table, dict) else {}


def _unknown(key: str, setting: Setting, known: Mapping[str, Any]) -> str:
    import difflib

    near = difflib.get_close_matches(key, known, n=1)
    hint = f"; did you mean `{near[0]}`?" if near else ""
    return f"{setting.source}: unknown key `{key}`{hint}"


def _checked(key: str, setting: Setting) -> Any:
    """The value in the type that `Config` has for `key`. Raises UsageError."""
    default = getattr(Config(), key)
    value = setting.value
    if isinstance(default, tuple):
        items = value.split(os.pathsep) if isinstance(value, str) else value
        if isinstance(items, list) and all(isinstance(item, str) for item in items):
            return tuple(items)
        raise UsageError(f"`{key}` must be a list of strings", where=setting.source)
    if isinstance(default, float):
        try:
            return float(value)
        except (TypeError, ValueError):
            raise UsageError(f"`{key}` must be a number, found {value!r}", where=setting.source) from None
    if key == "policy" and value not in POLICIES:
        raise UsageError(f"`policy` must be one of {', '.join(POLICIES)}, found {value!r}", where=setting.source)
    return value
