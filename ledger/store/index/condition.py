"""A filter as an SQL condition over `runs r`: every value bound, names only ever from fixed lists."""

from __future__ import annotations

from typing import Any

from ledger.errors import UsageError
from ledger.store.index.database import Index
from ledger.store.index.language import FIELDS, SCOPE, And, Compare, Expression, Not, Or
from ledger.store.index.query import COLUMNS, CONFIG

_SQL = {"==": "=", "!=": "<>", ">": ">", "<": "<", ">=": ">=", "<=": "<="}
# left to itself SQLite walks all rows of the metric again for each run
_OF_RUN = "metrics m indexed by metrics_of_run"

Sql = tuple[str, list[Any]]  # a condition, and the values for its question marks


def condition(tree: Expression) -> Sql:
    """What a run must fulfil."""
    return _compile(tree, [])


def scope(tree: Expression, alias: str) -> Sql:
    """What the outermost `and` says about split and dataset, as further conditions on a row of metrics."""
    return _scoped(alias, _scope(tree))


def _scope(tree: Expression) -> list[Compare]:
    parts = tree.parts if isinstance(tree, And) else (tree,)
    return [part for part in parts if isinstance(part, Compare) and part.name in SCOPE]


def _scoped(alias: str, parts: list[Compare]) -> Sql:
    tests = [_test(f"{alias}.{part.name}", part) for part in parts]
    return "".join(f" and {sql}" for sql, _ in tests), [value for _, values in tests for value in values]


def _compile(tree: Expression, around: list[Compare]) -> Sql:
    if isinstance(tree, Not):
        inner, values = _compile(tree.part, around)
        return f"not ({inner})", values
    if isinstance(tree, Or):
        return _joined(" or ", tree.parts, around)
    if isinstance(tree, And):
        return _joined(" and ", tree.parts, [*around, *_scope(tree)])
    return _comparison(tree, around)


def _joined(word: str, parts: tuple[Expression, ...], around: list[Compare]) -> Sql:
    compiled = [_compile(part, around) for part in parts]
    return word.join(f"({sql})" for sql, _ in compiled), [value for _, values in compiled for value in values]


def _comparison(tree: Compare, around: list[Compare]) -> Sql:
    if tree.name in COLUMNS:
        return _test(COLUMNS[tree.name], tree, number=tree.name == "seed")
    if tree.name.startswith(CONFIG):
        column = "c.value" if tree.number is not None and tree.operator != "~" else "c.shown"
        test, values = _test(column, tree, number=column == "c.value")
        key = tree.name.removeprefix(CONFIG)
        return f"exists(select 1 from config c where c.run=r.id and c.key=? and {test})", [key, *values]
    if tree.name in SCOPE:
        test, values = _test(f"m.{tree.name}", tree)
        return f"exists(select 1 from {_OF_RUN} where m.run=r.id and {test})", values
    test, values = _test("m.value", tree, number=True)
    limited, more = _scoped("m", around)
    sql = f"exists(select 1 from {_OF_RUN} where m.run=r.id and m.key=? and {test}{limited})"
    return sql, [tree.name, *values, *more]


def _test(column: str, tree: Compare, *, number: bool = False) -> Sql:
    """A comparison with a column of numbers (or of seeds, which may be text), or else of text as it was typed."""
    if tree.operator == "~":
        return f"instr({column}, ?) > 0", [tree.value]
    return f"{column} {_SQL[tree.operator]} ?", [tree.number if number and tree.number is not None else tree.value]


def check_names(index: Index, tree: Expression) -> None:
    """Raise UsageError when a name of the filter is no metric of any run: better said than an empty table."""
    if isinstance(tree, And | Or):
        for part in tree.parts:
            check_names(index, part)
    elif isinstance(tree, Not):
        check_names(index, tree.part)
    elif tree.name not in (*FIELDS, *SCOPE) and not tree.name.startswith(CONFIG) and not _is_metric(index, tree.name):
        known = [row[0] for row in index.rows("select distinct key from metrics order by key limit 12")]
        others = f"config.KEY, {', '.join((*FIELDS, *SCOPE))}"
        also = f"the metrics {', '.join(known)}, and {others}" if known else f"no metric yet, only {others}"
        raise UsageError(f"no run has a metric {tree.name!r}", where="--where", fix=f"there is {also}")


def _is_metric(index: Index, name: str) -> bool:
    return bool(index.rows("select 1 from metrics where key=? limit 1", (name,)))
