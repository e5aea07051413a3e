"""The log on disk: nothing is lost, nothing is rewritten, and a new segment begins whenever continuing would be a guess."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import project
from ledger.errors import IntegrityError
from ledger.log import merkle
from ledger.log.segment import encode, opening, read
from ledger.project import Project
from ledger.store import fsck, journal
from ledger.store.journal import Journal
from ledger.store.runs import Run


def entries(found: Project) -> list[dict[str, object]]:
    return [dict(entry.body) for entry in Journal(found).entries() if entry.type != "open"]


def append_many(root: str, name: str, count: int) -> None:
    log = Journal(project.at(Path(root)))
    for number in range(count):
        log.append({"type": "start", "exp_id": name, "run_id": str(number)})


def test_entries_come_back_in_order_and_the_root_is_the_definition(here: Project) -> None:
    log = Journal(here)
    for number in range(20):
        head = log.append({"type": "start", "exp_id": "e", "run_id": str(number)})
    assert [body["run_id"] for body in entries(here)] == [str(number) for number in range(20)]
    lines = log.files()[0].read_bytes().split(b"\n")[:-1]
    assert head.size == len(lines) == 21
    assert head.root == merkle.root([merkle.leaf_hash(line) for line in lines]).hex()


def test_processes_that_append_at_once_lose_nothing(here: Project) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=append_many, args=(str(here.root), f"w{number}", 20)) for number in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 6
    assert len(Journal(here).files()) == 1
    seen = {(body["exp_id"], body["run_id"]) for body in entries(here)}
    assert len(seen) == len(entries(here)) == 120


def test_a_crash_between_the_line_and_what_we_remember_of_it_is_recovered(here: Project) -> None:
    log = Journal(here)
    log.append({"type": "start", "exp_id": "a", "run_id": "1"})
    remembered = (here.local / "segment.json").read_bytes()
    log.append({"type": "start", "exp_id": "a", "run_id": "2"})
    (here.local / "segment.json").write_bytes(remembered)
    log.append({"type": "start", "exp_id": "a", "run_id": "3"})
    assert [body["run_id"] for body in entries(here)] == ["1", "2", "3"]
    assert len(log.files()) == 1


def test_an_entry_counts_although_we_could_not_remember_it(here: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its line is on the disk; an error here would say that it is not."""
    log = Journal(here)
    log.append({"type": "start", "exp_id": "a", "run_id": "1"})
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        log.append({"type": "start", "exp_id": "a", "run_id": "2"})
    log.append({"type": "start", "exp_id": "a", "run_id": "3"})
    assert [body["run_id"] for body in entries(here)] == ["1", "2", "3"]
    assert len(log.files()) == 1


@pytest.mark.parametrize("cut", [1, 5, 30])
def test_a_torn_line_of_our_own_is_cut_off_and_the_segment_goes_on(here: Project, cut: int) -> None:
    log = Journal(here)
    log.append({"type": "start", "exp_id": "a", "run_id": "1"})
    with log.files()[0].open("ab") as stream:
        stream.write(encode({"type": "start", "exp_id": "a", "run_id": "torn", "time": "x"})[:-cut])
    log.append({"type": "start", "exp_id": "a", "run_id": "2"})
    assert [body["run_id"] for body in entries(here)] == ["1", "2"]
    assert len(log.files()) == 1


def replaced(found: Project) -> None:
    """What git does at a checkout: the same bytes in a new file."""
    path = Journal(found).files()[0]
    data = path.read_bytes()
    path.with_suffix(".new").write_bytes(data)
    path.with_suffix(".new").replace(path)


def truncated(found: Project) -> None:
    path = Journal(found).files()[0]
    lines = path.read_bytes().split(b"\n")
    os.truncate(path, len(b"\n".join(lines[:-2])) + 1)


def gone(found: Project) -> None:
    Journal(found).files()[0].unlink()


def rewritten(found: Project) -> None:
    """In place: same inode, same size, another last line."""
    path = Journal(found).files()[0]
    data = path.read_bytes().replace(b'"run_id":"1"', b'"run_id":"9"')
    with path.open("r+b") as stream:
        stream.write(data)


def other_host(found: Project) -> None:
    path = found.local / "segment.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "host": "elsewhere"}))


def forgotten(found: Project) -> None:
    (found.local / "segment.json").unlink()


def garbled(found: Project) -> None:
    (found.local / "segment.json").write_text("{")


def nonsense(found: Project) -> None:
    """Of the right form, with a length that no such line can end at."""
    path = found.local / "segment.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "length": 3}))


@pytest.mark.parametrize("change", [replaced, truncated, gone, rewritten, other_host, forgotten, garbled, nonsense])
def test_a_segment_that_is_not_surely_ours_is_not_continued(here: Project, change: Callable[[Project], None]) -> None:
    log = Journal(here)
    log.append({"type": "start", "exp_id": "a", "run_id": "1"})
    change(here)
    before = {path.name: path.read_bytes() for path in log.files()}
    log.append({"type": "start", "exp_id": "a", "run_id": "2"})
    after = {path.name: path.read_bytes() for path in log.files()}
    assert {name: after[name] for name in before} == before
    assert len(after) == len(before) + 1
    new = read(*next((Path(name).stem, data) for name, data in after.items() if name not in before))
    known = [(item["segment"], item["size"]) for item in new.entries[0].body["knows"]]  # type: ignore[attr-defined]
    assert known == [(read(Path(name).stem, data).id, len(data.splitlines())) for name, data in before.items()]


def test_a_copied_folder_begins_a_segment_of_its_own(here: Project, tmp_path: Path) -> None:
    Journal(here).append({"type": "start", "exp_id": "a", "run_id": "1"})
    copy = project.at(shutil.copytree(here.root, tmp_path / "copy"))
    Journal(copy).append({"type": "start", "exp_id": "a", "run_id": "copy"})
    Journal(here).append({"type": "start", "exp_id": "a", "run_id": "original"})
    assert len(Journal(here).files()) == 1
    assert len(Journal(copy).files()) == 2


def test_branches_that_both_sealed_runs_merge_without_a_hand(
    in_git: Project, git: Callable[..., str], make_run: Callable[..., Run]
) -> None:
    make_run(in_git, "base")
    git("add", "-A")
    git("commit", "-qm", "base")
    git("checkout", "-qb", "side")
    make_run(in_git, "side")
    git("add", "-A")
    git("commit", "-qm", "side")
    git("checkout", "-q", "main")
    make_run(in_git, "main")
    git("add", "-A")
    git("commit", "-qm", "main")
    git("merge", "-q", "side", "-m", "both")
    report = fsck.check(in_git)
    assert report.checked["runs"] == 3
    assert [finding.rule for finding in report.findings if finding.severity != "note"] == []
    make_run(in_git, "after")
    assert [
        finding.rule for finding in fsck.check(in_git, against="HEAD").findings if finding.severity == "error"
    ] == []


def test_a_branch_switch_while_a_run_is_in_progress_loses_nothing(in_git: Project, git: Callable[..., str]) -> None:
    from ledger.seal import staging
    from ledger.seal.publish import seal

    git("checkout", "-qb", "side")
    staged = staging.begin(in_git, "exp")
    (staged.path / "out.txt").write_text("hours of work")
    git("stash", "-q", "--include-untracked")
    git("checkout", "-q", "main")
    run = seal(in_git, staged, "finished", 0).run
    assert (run.path / "out.txt").read_text() == "hours of work"
    assert [f.rule for f in fsck.check(in_git).findings if f.severity == "error"] == []


bodies = st.lists(
    st.fixed_dictionaries({"type": st.sampled_from(["note", "mark"]), "time": st.just("t"), "n": st.integers(0, 9)}),
    min_size=1,
    max_size=6,
)


@given(bodies, st.data())
def test_any_flipped_bit_of_a_segment_is_seen(many: list[dict[str, object]], data: st.DataObject) -> None:
    lines = [encode(opening("s" * 16, [], "2026-01-01T00:00:00.000Z")), *map(encode, many)]
    whole = b"".join(line + b"\n" for line in lines)
    root = read("s" * 16, whole).head.root
    place = data.draw(st.integers(0, len(whole) - 1))
    bit = data.draw(st.integers(0, 7))
    flipped = bytearray(whole)
    flipped[place] ^= 1 << bit
    with contextlib.suppress(IntegrityError):
        assert read("s" * 16, bytes(flipped)).head.root != root


def test_the_host_is_part_of_what_makes_a_segment_ours(here: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    Journal(here).append({"type": "start", "exp_id": "a", "run_id": "1"})
    monkeypatch.setattr(journal, "host", lambda: "another machine on the same disk")
    Journal(here).append({"type": "start", "exp_id": "a", "run_id": "2"})
    assert len(Journal(here).files()) == 2
