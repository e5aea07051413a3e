"""Objects: one copy of equal bytes, and a damaged one never takes the place of good ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ledger.canon import file_digest, sha256
from ledger.project import Project
from ledger.store import fsck
from ledger.store.objects import ObjectStore
from ledger.store.runs import Run

WEIGHTS = b"weights of many hours"


def spoil(objects: ObjectStore, digest: str) -> None:
    path = objects.path(digest)
    path.chmod(0o644)
    path.write_bytes(b"spoiled in place")


def test_a_damaged_object_is_no_reason_to_lose_good_bytes(here: Project, make_run: Callable[..., Run]) -> None:
    objects = ObjectStore(here.objects)
    make_run(here, files={"checkpoints/best.pt": WEIGHTS})
    spoil(objects, sha256(WEIGHTS))
    again = make_run(here, seed=1, files={"checkpoints/best.pt": WEIGHTS})
    assert (again.path / "checkpoints/best.pt").read_bytes() == WEIGHTS
    assert objects.path(sha256(WEIGHTS)).read_bytes() == WEIGHTS
    damaged = [f for f in fsck.check(here).findings if f.severity == "error"]
    assert [finding.rule for finding in damaged] == ["hash-mismatch"]
    assert again.run_id not in damaged[0].message


def test_stored_bytes_are_whole_even_where_a_damaged_object_lies(here: Project) -> None:
    objects = ObjectStore(here.objects)
    digest = objects.put_bytes(b"a difference")
    spoil(objects, digest)
    assert objects.put_bytes(b"a difference") == digest
    assert objects.path(digest).read_bytes() == b"a difference"


@pytest.mark.parametrize("data", [b"", b"x", bytes(range(256)) * 5000])
def test_what_is_fetched_is_what_was_put(here: Project, data: bytes) -> None:
    objects = ObjectStore(here.objects)
    digest = objects.put_bytes(data)
    target = here.root / "deep" / "er" / "copy"
    objects.fetch(digest, target)
    assert file_digest(target) == (digest, len(data))
    assert [path.name for path in target.parent.iterdir()] == ["copy"]
    assert not list(here.objects.rglob(".ledger-tmp-*"))
