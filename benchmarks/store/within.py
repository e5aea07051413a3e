"""What is measured within one process of its own, without the interpreter's start: prints one number for each repetition.

python -m benchmarks.store.within query PROJECT | append ENTRIES | hash ENTRIES | journal ENTRIES | proof ENTRIES
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

REPEATS = 7


def microseconds(work: Callable[[], object], times: int) -> list[float]:
    """CPU microseconds of one call, in each of several repetitions of `times` calls."""
    out = []
    for _ in range(REPEATS):
        begun = time.process_time()
        for _ in range(times):
            work()
        out.append((time.process_time() - begun) / times * 1e6)
    return out


def query(root: str) -> list[float]:
    from ledger.project import at
    from ledger.store.index import Index, find
    from ledger.store.index.language import parse

    index = Index(at(Path(root)))
    tree = parse("m07>0.9")
    return microseconds(lambda: find(index, tree, sort="-m07", limit=20), 50)


LINE = b'{"address":"%s","exp_id":"many","run_id":"20260101T000000Z-00000000","type":"seal"}' % (b"0" * 64)


def hashing(_: str) -> list[float]:
    """Two sha256 calls on a log line."""

    def twice() -> None:
        hashlib.sha256(LINE).digest()
        hashlib.sha256(LINE).digest()

    return microseconds(twice, 20_000)


def append(entries: str) -> list[float]:
    """One more leaf on a tree of so many, by its peaks."""
    from ledger.log.merkle import Peaks, leaf_hash

    peaks = Peaks()
    for _ in range(int(entries)):
        peaks = peaks.append(leaf_hash(LINE))

    def one() -> None:
        nonlocal peaks
        peaks = peaks.append(leaf_hash(LINE))

    return microseconds(one, 4096)


def journal(entries: str) -> list[float]:
    """One more entry in a log of so many on disk, everything but the wait for the disk."""
    from ledger.project import at
    from ledger.store import atomic
    from ledger.store.journal import Journal

    with tempfile.TemporaryDirectory(dir=".") as folder, atomic.durability(False):
        root = Path(folder)
        (root / "EVIDENCE.json").write_text('{"project": "p", "claims": []}')
        log = Journal(at(root))
        body = {"type": "start", "exp_id": "many", "run_id": "20260101T000000Z-00000000"}
        for begin in range(0, int(entries), 10_000):
            log.append_all([body] * min(10_000, int(entries) - begin))
        return microseconds(lambda: log.append(body), 100)


def proof(entries: str) -> list[float]:
    """An inclusion proof in a log of so many entries, its stored hashes at hand."""
    from ledger.log import proof as proofs
    from ledger.log.merkle import leaf_hash

    size = int(entries)
    stored: list[bytes] = []
    for number in range(size):
        stored += proofs.append_hashes(number, leaf_hash(LINE + b"%d" % number), stored.__getitem__)
    numbers = (number * 7919 % size for number in count())  # all over the tree
    return microseconds(lambda: proofs.inclusion_proof(next(numbers), size, stored.__getitem__), 500)


WORK = {"query": query, "hash": hashing, "append": append, "journal": journal, "proof": proof}

if __name__ == "__main__":
    print(json.dumps(WORK[sys.argv[1]](sys.argv[2])))
