"""One more name for the bytes of an object: in one step, whatever stood there, with or without reflinks."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from ledger.store import objects


@pytest.mark.parametrize("there", [None, b"old"])
@pytest.mark.parametrize("links", [True, False])
def test_a_name_is_given_or_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bytes | None, links: bool
) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(b"bytes")
    if there is not None:
        target.write_bytes(there)
    if not links:

        def refuse(*_: object) -> None:
            raise OSError(errno.EPERM, "no links here")

        monkeypatch.setattr("os.link", refuse)
    objects.share(source, target)
    assert target.read_bytes() == b"bytes"
    assert target.stat().st_mode & 0o777 == objects.READ_ONLY
    assert sorted(path.name for path in tmp_path.iterdir()) == ["source", "target"]


@pytest.mark.skipif(objects.sys.platform != "linux", reason="reflinks are asked for on Linux only")
@pytest.mark.parametrize(("number", "tries"), [(errno.EOPNOTSUPP, 1), (errno.ENOSPC, 3)])
def test_a_file_system_without_reflinks_is_asked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, tries: int
) -> None:
    asked = []

    def refuse(*_: object) -> None:
        asked.append(1)
        raise OSError(number, "refused")

    monkeypatch.setattr("fcntl.ioctl", refuse)
    monkeypatch.setattr(objects, "_without_reflinks", set())
    (tmp_path / "source").write_bytes(b"bytes")
    for name in "abc":
        objects.clone(tmp_path / "source", tmp_path / name)
        assert (tmp_path / name).read_bytes() == b"bytes"
    assert len(asked) == tries
