"""SHA-256 of files: against known answers at every way of reading, and of files that do not hold still."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from ledger.canon import file_digest, handle_digest

BUFFER = 256 * 1024


@pytest.mark.parametrize("size", [0, 1, BUFFER - 1, BUFFER, BUFFER + 1, 2 * BUFFER, 2 * BUFFER + 7])
@pytest.mark.parametrize("expected", [None, 0, 1, BUFFER, BUFFER + 1])
def test_every_way_of_reading_gives_the_digest_of_the_bytes(tmp_path: Path, size: int, expected: int | None) -> None:
    path = tmp_path / "file"
    data = os.urandom(size)
    path.write_bytes(data)
    if expected is None:
        assert file_digest(path) == (hashlib.sha256(data).hexdigest(), size)
        return
    with path.open("rb") as stream:
        digest, read = handle_digest(stream.fileno(), expected)
    assert digest == hashlib.sha256(data[:read]).hexdigest()
    assert read == size or read > expected  # whole, or plainly longer than it should be


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no device here never ends")
@pytest.mark.parametrize("expected", [0, 1, BUFFER, BUFFER + 1, 5 * BUFFER])
def test_what_grows_as_fast_as_it_is_read_keeps_nobody_for_ever(expected: int) -> None:
    with Path("/dev/zero").open("rb") as stream:
        digest, size = handle_digest(stream.fileno(), expected)
    assert expected < size <= expected + 3 * BUFFER
    assert digest == hashlib.sha256(bytes(size)).hexdigest()
