"""What people would use instead: how each is set up, takes data in and checks it, and why one is left out."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.store.measure import Arm, process
from benchmarks.store.place import BIN, Place

DVC = str(BIN / "dvc")
_DVC_INIT = (
    ["git", "init", "-q"],
    [DVC, "init", "-q"],
    [DVC, "config", "core.analytics", "false"],
    [DVC, "config", "core.check_update", "false"],
)


@dataclass(frozen=True)
class Peer:
    """A tool: `add` takes in the folder `data`, `check` verifies every byte of what it holds."""

    name: str
    programs: Sequence[str]
    init: Sequence[Sequence[str]]
    add: str  # shell
    check: str | None = None

    @property
    def folder(self) -> str:
        return self.name.replace(" ", "-")


PEERS = (
    Peer(
        "cp + sha256sum", ["cp", "sha256sum"], [],
        "cp -r data copy && find copy -type f -print0 | xargs -0 sha256sum > sums", "sha256sum --quiet -c sums",
    ),
    Peer("git", ["git"], [["git", "init", "-q"]], "git add data && git commit -qm x", "git fsck --full --no-progress"),
    Peer("dvc add", [DVC, "git"], _DVC_INIT, f"{DVC} add -q data"),
    Peer(
        "dvc add (hard links)", [DVC, "git"], (*_DVC_INIT, [DVC, "config", "cache.type", "hardlink"]),
        f"{DVC} add -q data",
    ),
    Peer(
        "restic", ["restic"], [["restic", "init", "-q", "-r", "repo"]], "restic backup -q -r repo data",
        "restic check -q --read-data -r repo",
    ),
    Peer("borg", ["borg"], [["borg", "init", "-e", "none", "repo"]], "borg create repo::a data", "borg check --verify-data repo"),
    Peer(
        "datalad save", ["datalad", "git-annex"], [["datalad", "-l", "error", "create", "-f", "."]],
        "datalad -l error save -m x",
    ),
)  # fmt: skip


def installed() -> tuple[list[Peer], list[str]]:
    """The peers that can run here, and one line for each that cannot."""
    there, skipped = [], []
    for peer in PEERS:
        absent = [name for name in peer.programs if shutil.which(name) is None]
        if absent:
            skipped.append(f"{peer.name}: {' and '.join(Path(name).name for name in absent)} not installed")
        else:
            there.append(peer)
    return there, skipped


def adding(place: Place, peer: Peer, source: Path, rounds: int) -> Arm:
    """Taking in a fresh copy of `source`."""
    return Arm(
        run=lambda: process(["sh", "-c", peer.add], place.root / f"peer-{peer.folder}", place.env),
        prepare=lambda: place.fresh(f"peer-{peer.folder}", init=peer.init, source=source),
        rounds=rounds,
    )


def checking(place: Place, peer: Peer, source: Path, rounds: int) -> Arm:
    """Verifying what it has taken in."""
    root = place.fresh(f"check-{peer.folder}", init=peer.init, source=source)
    process(["sh", "-c", peer.add], root, place.env)
    return Arm(run=lambda: process(["sh", "-c", str(peer.check)], root, place.env), rounds=rounds)
