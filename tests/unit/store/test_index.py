"""The query index: what the filter language means, and that the index follows the log through whatever git does."""

from __future__ import annotations

import json
import math
import sqlite3
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import project
from ledger.errors import UsageError
from ledger.project import Project
from ledger.seal import staging
from ledger.seal.publish import seal
from ledger.store.index import Index, find
from ledger.store.index.language import And, Compare, Not, Or, parse

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
leaves = st.builds(Compare, words, st.sampled_from(["==", "!=", ">", "<", ">=", "<=", "~"]), st.floats(allow_nan=False))
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
        return f"{tree.name} {tree.operator} {tree.value!r}"
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
    original = Index._take
    monkeypatch.setattr(
        Index, "_take", lambda self, segment, body: (taken.append(body["type"]), original(self, segment, body))[1]
    )
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
