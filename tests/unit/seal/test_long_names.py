"""A name whose wrong bytes are written out may be longer than file systems take."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.project import Project
from ledger.seal import staging
from ledger.seal.publish import seal
from ledger.store import fsck
from ledger.store.runs import Run


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX only")
def test_names_that_become_too_long_are_cut_and_stay_apart(here: Project, make_run: Callable[..., Run]) -> None:
    staged = staging.begin(here, "exp")
    contents = set()
    for last in (b"\xfe", b"\xff"):
        path = os.fsencode(staged.path) + b"/" + b"\xff" * 254 + last
        try:
            Path(os.fsdecode(path)).write_bytes(last)
        except OSError:
            pytest.skip("this file system takes UTF-8 only")
        contents.add(last)
    run = seal(here, staged, "finished", 0).run
    long = [file.path for file in run.manifest.files if file.path.startswith("\\xff")]
    assert {(run.path / name).read_bytes() for name in long} == contents
    assert all(len(name.encode()) <= 255 for name in long)
    assert [each for each in fsck.check(here).findings if each.severity == "error"] == []
