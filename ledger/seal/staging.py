"""Staging: the folder `.ledger/running/<run_id>/` in which a run in progress is written.

Beside it lies `<run_id>.json`, the start record made before the training began; it is what lets a later process seal
what a killed one left behind.
"""

from __future__ import annotations

import contextlib
import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ledger.canon import finite, listing, parse
from ledger.errors import InputError, UsageError
from ledger.model.run import HASH_INPUTS
from ledger.project import Project
from ledger.seal import data, gaps, provenance
from ledger.store import atomic
from ledger.store.digests import Digests
from ledger.store.journal import Journal, host, now
from ledger.store.objects import ObjectStore
from ledger.store.runs import is_certificate

# what `run.log` and `run.result` append to; hidden names, since a training has its own results.jsonl
HISTORY_JOURNAL = ".ledger-history.jsonl"
RESULTS_JOURNAL = ".ledger-results.jsonl"
PACKAGES = "packages.txt"
LARGEST_SOURCE = 10 * 1024 * 1024  # bytes; an untracked file beyond it is data that nobody ignored, and is not stored

_EXP_ID = re.compile(r"\w[\w.+=,@-]*")
_LONGEST = 100  # bytes; a file name may have 255, and locks and temporary files add to it
_DEVICE = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\.|$)")  # what Windows takes for a device


@dataclass(frozen=True, slots=True)
class Staging:
    """A run in progress: its folder and its start record."""

    path: Path
    start: Mapping[str, Any]

    @property
    def run_id(self) -> str:
        return str(self.start["run_id"])

    @property
    def exp_id(self) -> str:
        return str(self.start["exp_id"])

    @property
    def provenance(self) -> Mapping[str, Any]:
        return self.start["provenance"]  # type: ignore[no-any-return]

    @property
    def config(self) -> Mapping[str, Any]:
        return self.start["config"]  # type: ignore[no-any-return]

    def alive(self) -> bool:
        """Whether the process that started it still runs; on another host that cannot be known and counts as yes."""
        if self.start.get("host") != host():
            return True
        return _process_started(int(self.start["pid"])) == self.start.get("process_started")

    def writers(self) -> list[int]:
        """Processes that were told to write here and still run: a training outlives a launcher that was killed. Known
        on Linux only, and of one's own processes.
        """
        told = b"LEDGER_RUN_DIR=" + os.fsencode(self.path)
        found = []
        for around in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if told in around.read_bytes().split(b"\0"):
                    found.append(int(around.parent.name))
        return sorted(set(found) - {os.getpid()})


@dataclass(frozen=True)
class Kept:
    """What was stored of the surroundings: untracked sources (path, digest), and the package list's object; `large` were
    not stored.
    """

    untracked: tuple[dict[str, str], ...]
    large: tuple[str, ...]
    packages: str


def check_exp_id(project: Project, exp_id: str) -> None:
    """Raises UsageError when `exp_id` cannot be a folder's name on every file system, beside those that there are."""
    long = len(exp_id.encode("utf-8", "surrogatepass")) > _LONGEST
    if long or not _EXP_ID.fullmatch(exp_id) or exp_id.endswith(".") or _DEVICE.match(exp_id):
        raise UsageError(
            f"{exp_id!r} cannot name an experiment",
            fix=f"start with a letter or digit and use letters, digits and . _ - + = , @ ({_LONGEST} bytes at most)",
        )
    # one folder on a file system that does not tell case, or how an accent is composed
    for other in project.results.glob("*/runs"):
        if other.parent.name != exp_id and _folded(other.parent.name) == _folded(exp_id):
            fix = "use that name, or a more different one: many file systems take the two for one"
            raise UsageError(f"there is an experiment {other.parent.name!r} already", where=exp_id, fix=fix)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def begin(
    project: Project,
    exp_id: str,
    *,
    config: Mapping[str, Any] | None = None,
    otherwise: Mapping[str, Any] | None = None,
    seed: Any = None,
    data: Path | None = None,
    dataset: str | None = None,
    command: Sequence[str] = (),
) -> Staging:
    """Capture the six inputs, make the staging folder, log the start.

    `otherwise` is the config as long as nobody, not even a nested start, declares one.

    Raises:
        UsageError: `exp_id` or `data` make no sense.
        StoreError: the disk refused.
    """
    check_exp_id(project, exp_id)
    around = provenance.surroundings(project, data_path=data, dataset=dataset, command=command)
    kept = keep(project, around)
    born = conditions(
        project, exp_id, around, kept, config=config, otherwise=otherwise, seed=seed, command=command
    )  # fmt: skip
    staged = stage(project, born)
    log_starts(project, [staged])
    return staged


def conditions(
    project: Project,
    exp_id: str,
    around: provenance.Surroundings,
    kept: Kept,
    *,
    config: Mapping[str, Any] | None,
    otherwise: Mapping[str, Any] | None = None,
    seed: Any = None,
    command: Sequence[str] = (),
) -> dict[str, Any]:
    """The start record of any run that begins now under these conditions; its id is still open."""
    declared = bool(config)
    config = finite(dict(config or otherwise or {}))
    seed = provenance.seed_of(config, project.config.seed_keys) if seed is None else seed
    record = provenance.certificate(project, around, config=config, seed=seed, command=command)
    record.update(exp_id=exp_id, started=now(), untracked=list(kept.untracked))
    if kept.large:
        record["not_stored"] = list(kept.large)
    return {
        "exp_id": exp_id,
        "run_id": None,
        "config": config,
        "config_declared": declared,
        "provenance": record,
        "packages": kept.packages,
        "host": host(),
        "pid": os.getpid(),
        "process_started": _process_started(os.getpid()),
    }


def stage(project: Project, born: Mapping[str, Any], *, beside: Staging | None = None, durable: bool = True) -> Staging:
    """Make the staging folder of a run, and its start record: another name for that of `beside`, which began under the
    same conditions.
    """
    path = _claim_folder(project, str(born["provenance"]["provenance_hash"]))
    record = _start_record(path)
    if beside is None or not _linked(_start_record(beside.path), record):
        atomic.write_bytes(Path(record), listing(dict(born)), durable=durable)
    return Staging(path, _named(born, path.name))


def _linked(source: str, target: str) -> bool:
    try:
        os.link(source, target)
    except OSError:  # a file system without links, or a file with as many names as it may have
        return False
    return True


def _named(born: Mapping[str, Any], run_id: str) -> dict[str, Any]:
    """The start record of this run: runs that are sealed together share one, and the file's name says the id."""
    return {**born, "run_id": run_id, "provenance": {**born["provenance"], "run_id": run_id}}


def log_starts(project: Project, many: Sequence[Staging]) -> None:
    """Log that these runs began, so that abandoned ones stay countable."""
    Journal(project).append_all(
        [
            {
                "type": "start",
                "exp_id": staged.exp_id,
                "run_id": staged.run_id,
                "provenance_hash": staged.provenance["provenance_hash"],
            }
            for staged in many
        ]
    )


def load(path: Path) -> Staging:
    """The staging in `path`. Raises InputError when its start record is gone or damaged."""
    record = Path(_start_record(path))
    try:
        raw = parse(record.read_bytes(), record)
    except OSError as error:
        raise InputError(
            "staging without a start record", where=path, fix="look into it, then delete it by hand"
        ) from error
    if not isinstance(raw, dict) or not _is_start(raw, path.name):
        raise InputError("not a start record", where=record, fix="look into it, then delete the folder by hand")
    return Staging(path, _named(raw, path.name))


def _is_start(raw: Mapping[str, Any], run_id: str) -> bool:
    """Whether everything that sealing relies on is there."""
    record = raw.get("provenance")
    return (
        raw.get("run_id") in {None, run_id}
        and _EXP_ID.fullmatch(str(raw.get("exp_id"))) is not None
        and isinstance(raw.get("config"), dict)
        and type(raw.get("pid")) is int
        and re.fullmatch("[0-9a-f]{64}", str(raw.get("packages"))) is not None
        and isinstance(record, dict)
        and is_certificate(record)
        and isinstance(record.get("untracked"), list)
        and set(HASH_INPUTS) <= record.get("hash_inputs", {}).keys()
    )


def amend(
    project: Project,
    staging: Staging,
    *,
    config: Mapping[str, Any] | None,
    seed: Any,
    data_path: Path | None = None,
    dataset: str | None = None,
) -> Staging:
    """Complete what the launcher left open: a nested start that knows the config, the seed or the data says so here.

    What was declared at launch stays; the id keeps the prefix that it was born with.
    """
    start = dict(staging.start)
    record = dict(staging.provenance)
    inputs = {key: dict(value) for key, value in record["hash_inputs"].items()}
    if config and not start["config_declared"]:
        start["config"] = finite(dict(config))
        start["config_declared"] = True
        inputs["config"] = provenance.config_input(start["config"], project.config.seed_keys)
        seed = provenance.seed_of(start["config"], project.config.seed_keys) if seed is None else seed
    if inputs["seed"]["value"] is None:
        inputs["seed"]["value"] = finite(seed)
    if inputs["data"]["sha256"] is None and data_path is not None:
        with Digests(project.cache) as digests:
            read = data.capture(data_path, dataset or inputs["data"]["dataset"], digests)
        inputs["data"] = read.record
        if read.gaps:
            record[gaps.KEY] = [*record.get(gaps.KEY, ()), *(gap.to_json() for gap in read.gaps)]
    elif inputs["data"]["dataset"] is None:
        inputs["data"]["dataset"] = dataset
    record["hash_inputs"] = inputs
    record["provenance_hash"], record["group_hash"] = provenance.hashes(inputs)
    start["provenance"] = record
    atomic.write_bytes(Path(_start_record(staging.path)), listing(start))
    return Staging(staging.path, start)


def leftovers(project: Project) -> list[Path]:
    """Folders of runs in progress, dead or alive."""
    return sorted(path for path in project.running.glob("*") if path.is_dir())


def _claim_folder(project: Project, provenance_hash: str) -> Path:
    """A staging folder of a new id; making the folder is what claims the id, so two starts in one second differ."""
    base = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{provenance_hash[:8]}"
    running, results = os.fspath(project.running), os.fspath(project.results)
    with atomic.explained(project.running):
        atomic.make_folder(project.running)
        experiments = os.listdir(results) if project.results.is_dir() else []  # noqa: PTH208 (names are enough)
        name = base
        for _ in range(1000):
            if not any(os.path.lexists(f"{results}/{exp_id}/runs/{name}") for exp_id in experiments):
                try:
                    os.mkdir(f"{running}/{name}")  # noqa: PTH102 (as text: runs are sealed by the thousand)
                except FileExistsError:
                    pass
                else:
                    return project.running / name
            name = f"{base}-{os.urandom(3).hex()}"
    raise UsageError("no free run id was found", where=project.running, fix="try again in a second")


def keep(project: Project, around: provenance.Surroundings) -> Kept:
    """Store what git does not hold of the source tree, so that the code can be rebuilt, and the package list."""
    objects = ObjectStore(project.objects)
    source = around.source
    if source.diff:
        objects.put_bytes(source.diff)
    untracked, large = [], []
    for name in source.untracked:
        file = project.root / name
        if file.is_symlink() or not file.is_file():
            continue
        with atomic.explained(file):
            with file.open("rb") as stream:
                size = os.fstat(stream.fileno()).st_size
                if size > LARGEST_SOURCE:
                    large.append(name)
                    continue
                data = stream.read(size)  # and no more, of a log that somebody still writes
            untracked.append({"path": name, "sha256": objects.put_bytes(data)})
    return Kept(
        tuple(untracked), tuple(large), objects.put_bytes("".join(f"{name}\n" for name in around.packages).encode())
    )


def flush(project: Project, many: Sequence[Staging]) -> None:
    """Make start records durable that were written without. Raises StoreError."""
    with atomic.explained(project.running):
        atomic.fsync_trees([(project.running, [f"{staged.path.name}.json" for staged in many])])


def forget(staged: Staging) -> None:
    """Remove the start record of a run that is sealed now."""
    with atomic.explained(staged.path), contextlib.suppress(FileNotFoundError):
        os.unlink(_start_record(staged.path))  # noqa: PTH108


def _start_record(path: Path) -> str:
    return f"{path}.json"


def _process_started(pid: int) -> str | None:
    """When a process began, in the kernel's ticks, so that a reused pid is not taken for it; None when it is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except FileNotFoundError:
        if Path("/proc/self/stat").exists():
            return None
    except OSError:
        return None
    else:
        return stat.rpartition(")")[2].split()[19]
    try:  # no /proc: the pid alone has to do
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return "alive"
