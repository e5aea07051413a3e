"""The query index: what the filter language means, and that the index follows the log through whatever git does."""

from __future__ import annotations

import json
import math
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import project
from ledger.errors import StoreError, UsageError
from ledger.project import Project
from ledger.seal import staging
from ledger.seal.publish import seal
from ledger.store.index import Index, find, update
from ledger.store.index.database import VERSION
from ledger.store.index.language import And, Compare, Not, Or, parse
from ledger.store.runs import Run

RUNS = [
    # experiment and seed, lr, status, then metric, value and split of each result
    ("base", 0, 0.1, "finished", [("psnr", 30.0, "test"), ("psnr", 33.0, "val")]),
    ("base", 1, 0.1, "finished", [("psnr", 30.5, "test"), ("psnr", 32.0, "val")]),
    ("ours", 0, 3e-4, "finished", [("psnr", 31.5, "test"), ("psnr", 31.0, "val"), ("odd name", 1, "")]),
    ("ours", 1, 3e-4, "failed", [("psnr", math.nan, "test")]),
]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "project"
    root.mkdir()
    (root / "EVIDENCE.json").write_text('{"project": "p", "claims": []}')
    found = project.at(root)
    for run in RUNS:
        add(found, *run)
    return found


def add(found: Project, exp: str, seed: int, lr: float, status: str, metrics: list[tuple[str, float, str]]) -> str:
    staged = staging.begin(found, exp, config={"lr": lr, "model": {"width": 64}, "on": True}, seed=seed)
    rows = [{"metric": m, "value": v if math.isfinite(v) else "NaN", "split": s} for m, v, s in metrics]
    (staged.path / "results.json").write_text(json.dumps({"metrics": rows}))
    return seal(found, staged, status, 0).run.run_id  # type: ignore[arg-type]


def ask(found: Project, where: str, **options: object) -> list[tuple[str, int]]:
    index = Index(found)
    try:
        return [(row.exp_id, row.seed) for row in find(index, parse(where), **options)]  # type: ignore[arg-type]
    finally:
        index.close()


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("psnr>31", [("base", 0), ("base", 1), ("ours", 0)]),  # any split
        ("psnr>31 and split==test", [("ours", 0)]),  # the same row must fit both
        ("split==test and (psnr>31 or psnr<30.2)", [("base", 0), ("ours", 0)]),
        ("psnr>31 and split==test or seed==1", [("base", 1), ("ours", 0), ("ours", 1)]),
        ("not psnr>0", [("ours", 1)]),  # NaN is no number above anything
        ("config.lr==3e-4", [("ours", 0), ("ours", 1)]),
        ("config.model.width>=64 and exp_id~as", [("base", 0), ("base", 1)]),
        ("config.on==true and status!=finished", [("ours", 1)]),
        ("'odd name'=1", [("ours", 0)]),
        ("config.absent>1", []),
    ],
)
def test_a_filter_means_what_it_says(store: Project, where: str, expected: list[tuple[str, int]]) -> None:
    assert ask(store, where) == expected


CONFIG = r"""
2024-01-01: a date for a key
limit: .inf
written: 3e-4
größe: 5
"with \"quotes\" and 'more'": 6
deep: {list: [1, 2], nothing: null, text: "7"}
1: one
"""


@pytest.mark.parametrize(
    ("where", "fits"),
    [
        ("config.limit==inf", False),  # no number that anything is compared with
        ("config.written==3e-4", True),
        ("config.written<0.001", True),
        ("config.written=='3e-4'", True),
        ("config.größe==5", True),
        ("config.deep.text==7", True),
        ("config.deep.nothing==null", True),
        ("config.deep.list~2", True),
        ("config.2024-01-01~date", True),
        ("config.1==one", True),
        ("config.deep==1", False),
    ],
)
def test_any_config_can_be_asked(here: Project, make_run: Callable[..., Run], where: str, fits: bool) -> None:
    run = make_run(here, seed=3)
    (run.path / "config.resolved.yaml").chmod(0o644)
    (run.path / "config.resolved.yaml").write_text(CONFIG, "utf-8")
    assert ask(here, where) == ([("ours", 3)] if fits else [])


def test_names_that_look_like_numbers_are_names(here: Project, make_run: Callable[..., Run]) -> None:
    for exp in ("1234567", "1e3", "0012"):
        make_run(here, exp)
        assert ask(here, f"exp_id=={exp}") == [(exp, 0)]
        assert ask(here, f"exp_id~{exp}") == [(exp, 0)]
    assert ask(here, "exp_id==1000") == []


def test_a_run_that_came_after_its_log_entry_is_found(here: Project, make_run: Callable[..., Run]) -> None:
    run = make_run(here)
    away = here.root / "away"
    run.path.rename(away)
    assert ask(here, "exp_id==ours") == []
    away.rename(run.path)
    assert ask(here, "exp_id==ours") == [("ours", 0)]


def test_a_database_that_breaks_under_a_question_is_made_anew(here: Project, make_run: Callable[..., Run]) -> None:
    make_run(here)
    Index(here).close()
    index = Index(here)
    index.db.execute("drop table metrics")
    assert [row.metrics for row in find(index)] == [{"acc:test:toy": 0.9}]
    index.close()


@pytest.mark.parametrize("obstacle", ["a file for a folder", "a folder for the file"])
def test_a_cache_that_cannot_be_kept_is_one_line(here: Project, obstacle: str) -> None:
    if obstacle == "a file for a folder":
        here.cache.parent.mkdir(parents=True)
        here.cache.write_bytes(b"")
    else:
        here.cache.joinpath(f"index-{VERSION}.sqlite").mkdir(parents=True)
    with pytest.raises(StoreError, match="XDG_CACHE_HOME"):
        Index(here)


def test_a_run_is_listed_once_whichever_rows_it_has(store: Project) -> None:
    index = Index(store)
    assert [(row.exp_id, row.seed) for row in find(index, sort="-psnr")] == [("base", 0), ("base", 1), ("ours", 0)]
    assert [(row.exp_id, row.seed) for row in find(index, sort="-psnr", limit=2)] == [("base", 0), ("base", 1)]
    index.close()


def test_sorting_by_a_metric_uses_the_rows_of_the_split_that_was_asked_for(store: Project) -> None:
    assert ask(store, "split==val", sort="-psnr") == [("base", 0), ("base", 1), ("ours", 0)]
    assert ask(store, "split==test", sort="-psnr") == [("ours", 0), ("base", 1), ("base", 0)]
    assert ask(store, "split==test", sort="psnr", limit=1) == [("base", 0)]
    assert ask(store, "psnr>0 and split==test", sort="-config.lr", limit=2) == [("base", 0), ("base", 1)]


@pytest.mark.parametrize(
    "where", ["", "psnr", "psnr>", "psnr>>1", "(psnr>1", "psnr>1)", "psnr>1 psnr<2", ">1", "not", "(" * 99]
)
def test_a_broken_filter_is_named_with_its_column(where: str) -> None:
    with pytest.raises(UsageError, match="--where column"):
        parse(where)


def test_a_metric_that_no_run_has_is_named_with_those_there_are(store: Project) -> None:
    with pytest.raises(UsageError, match=r"no run has a metric 'pnsr'.*psnr"):
        ask(store, "pnsr>1")


def test_values_never_become_sql(store: Project) -> None:
    assert ask(store, 'exp_id=="x\' or 1=1 --"') == []
    assert ask(store, '"config.a\')) or 1=1 --"==1') == []


words = st.text(st.characters(blacklist_characters="\"'()=!<>~", blacklist_categories=["Z", "C"]), min_size=1).filter(
    lambda word: word.lower() not in {"and", "or", "not"}
)
operators = st.sampled_from(["==", "!=", ">", "<", ">=", "<=", "~"])
numbers = st.builds(lambda name, way, x: Compare(name, way, repr(x), x), words, operators, st.floats(allow_nan=False))
quoted = st.builds(Compare, words, operators, st.text(st.characters(exclude_characters="'", exclude_categories=["C"])))
leaves = st.one_of(numbers, quoted)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(lambda parts: And(tuple(parts)), st.lists(inner, min_size=2, max_size=3)),
        st.builds(lambda parts: Or(tuple(parts)), st.lists(inner, min_size=2, max_size=3)),
    ),
    max_leaves=8,
)


def written(tree: Compare | And | Or | Not) -> str:
    if isinstance(tree, Compare):
        return f"{tree.name} {tree.operator} " + (tree.value if tree.number is not None else f"'{tree.value}'")
    if isinstance(tree, Not):
        return f"not ({written(tree.part)})"
    return (" and " if isinstance(tree, And) else " or ").join(f"({written(part)})" for part in tree.parts)


@given(trees)
def test_a_written_tree_is_read_back(tree: Compare | And | Or | Not) -> None:
    assert parse(written(tree)) == tree


def test_only_new_entries_are_read(store: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    Index(store).close()
    add(store, "late", 7, 1.0, "finished", [("psnr", 40.0, "test")])
    taken: list[str] = []
    original = update._take
    monkeypatch.setattr(update, "_take", lambda *given: (taken.append(given[-1]["type"]), original(*given))[1])
    assert ask(store, "psnr>39") == [("late", 7)]
    assert taken == ["start", "seal", "select"]
    taken.clear()
    assert ask(store, "psnr>39") == [("late", 7)]
    assert taken == []


@pytest.mark.parametrize("damage", ["deleted", "garbage", "truncated", "another version", "emptied"])
def test_a_lost_or_damaged_index_is_rebuilt(store: Project, damage: str) -> None:
    index = Index(store)
    path = index.path
    index.close()
    if damage == "deleted":
        path.unlink()
    elif damage == "garbage":
        path.write_bytes(b"not a database" * 1000)
    elif damage == "truncated":
        path.write_bytes(path.read_bytes()[:5000])
    elif damage == "another version":
        with sqlite3.connect(path) as db:
            db.execute("pragma user_version=999")
        db.close()
    else:
        path.write_bytes(b"")
    assert ask(store, "psnr>31 and split==test") == [("ours", 0)]


def test_the_index_follows_a_checkout(store: Project) -> None:
    def git(*args: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *args], cwd=store.root, check=True, capture_output=True
        )

    git("init", "-q", "-b", "main")
    (store.root / ".gitignore").write_text(".ledger/local/\n.ledger/running/\n.ledger/objects/\n")
    git("add", "-A")
    git("commit", "-qm", "four runs")
    git("checkout", "-qb", "side")
    add(store, "side", 0, 1.0, "finished", [("psnr", 50.0, "test")])
    git("add", "-A")
    git("commit", "-qm", "one more")
    assert ask(store, "psnr>49") == [("side", 0)]
    git("checkout", "-q", "main")
    assert ask(store, "psnr>49") == []
    add(store, "main", 0, 1.0, "finished", [("psnr", 60.0, "test")])
    git("add", "-A")
    git("commit", "-qm", "here too")
    git("merge", "-q", "side", "-m", "both")
    assert sorted(ask(store, "psnr>49")) == [("main", 0), ("side", 0)]


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_locked_index_is_gone_around_and_said(
    store: Project, shell: Callable[..., subprocess.CompletedProcess[str]], mode: str
) -> None:
    """By a process that hangs, or a network mount: whoever asks gets the answer of the log, soon."""
    before = ask(store, "psnr>31", finished=True)
    path = next(store.cache.glob("index-*.sqlite"))
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute(f"pragma journal_mode={mode}")
    holder.execute("pragma locking_mode=exclusive")
    holder.execute("begin exclusive")
    holder.execute("delete from segments")  # so that there is something to write, and in WAL mode too
    try:
        add(store, "late", 7, 0.1, "finished", [("psnr", 40.0, "test")])
        begun = time.monotonic()
        assert ask(store, "psnr>31", finished=True) == [*before, ("late", 7)]
        assert time.monotonic() - begun < 10
        done = shell("runs", at=store.root)
        assert done.returncode == 0
        assert " late " in done.stdout
        assert f"note: {path} is locked by another process, so the log was read instead" in done.stderr
        assert shell("run", "more", "--", "true", at=store.root).returncode == 0
        assert path.exists()
    finally:
        holder.close()
    done = shell("runs", at=store.root)
    assert " late " in done.stdout
    assert " more " in done.stdout
    assert "locked" not in done.stderr
