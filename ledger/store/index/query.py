"""Answer a filter from the index: the tree becomes SQL with every value bound, names only ever from fixed lists."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ledger.errors import UsageError
from ledger.store.index.build import Index
from ledger.store.index.language import FIELDS, SCOPE, And, Compare, Expression, Not, Or

_COLUMNS = {
    "exp_id": "r.exp_id",
    "run_id": "r.run_id",
    "status": "r.status",
    "seed": "r.seed",
    "created": "r.created",
    "group": "r.grouped",
}
_SQL = {"==": "=", "!=": "<>", ">": ">", "<": "<", ">=": ">=", "<=": "<="}


@dataclass(frozen=True)
class Row:
    """One run as a query answers it; `metrics` maps `metric`, `metric:split` or `metric:split:dataset` to its value."""

    exp_id: str
    run_id: str
    address: str
    status: str
    created: str
    seed: Any
    group: str
    metrics: dict[str, Any]


def find(
    index: Index,
    where: Expression | None = None,
    *,
    exp_id: str | None = None,
    sort: str | None = None,
    limit: int | None = None,
    finished: bool = False,
) -> list[Row]:
    """The runs that fit, in order of creation or sorted by a metric or field (`-psnr`: largest first).

    Raises:
        UsageError: a name that no run has.
    """
    condition, values = _compile(where, []) if where else ("1", [])
    if exp_id:
        condition, values = f"({condition}) and r.exp_id=?", [*values, exp_id]
    if finished:
        condition = f"({condition}) and r.status='finished'"
    source, order, ordering = _sorting(sort or "created", _scope(where))
    sql = f"select r.id, r.exp_id, r.run_id, r.address, r.status, r.created, r.seed, r.grouped from {source} where {condition} order by {order}"
    if limit is not None:
        sql += f" limit {int(limit)}"
    found = index.db.execute(sql, [*ordering, *values]).fetchall()
    if not found and where is not None:
        _check_names(index, where)
    return [
        Row(exp_id, run_id, address, status, created, seed, group, _metrics(index, run))
        for run, exp_id, run_id, address, status, created, seed, group in found
    ]


def _metrics(index: Index, run: int) -> dict[str, Any]:
    rows = index.db.execute(
        "select key, split, dataset, value, shown from metrics where run=? order by key, split", (run,)
    )
    return {
        ":".join(part for part in (key, split, dataset) if part): shown if value is None else value
        for key, split, dataset, value, shown in rows
    }


def _sorting(sort: str, scope: list[Compare]) -> tuple[str, str, list[Any]]:
    """What to join and how to order; a metric's own index makes the top of a large table cheap."""
    name = sort.removeprefix("-")
    way = "desc" if sort.startswith("-") else "asc"
    if name in _COLUMNS:
        return "runs r", f"{_COLUMNS[name]} {way}, r.created, r.run_id", []
    if name.startswith("config."):
        return "runs r", f"json_extract(r.config, {_quoted(_path(name))}) {way}, r.created, r.run_id", []
    limited, values = _scoped("s", scope)
    return (
        f"metrics s cross join runs r on r.id=s.run and s.key=? and s.value is not null{limited}",
        f"s.value {way}, r.created, r.run_id",
        [name, *values],
    )


def _scope(where: Expression | None) -> list[Compare]:
    """What the outermost `and` says about split and dataset."""
    parts = where.parts if isinstance(where, And) else ((where,) if where else ())
    return [part for part in parts if isinstance(part, Compare) and part.name in SCOPE]


def _compile(tree: Expression, scope: list[Compare]) -> tuple[str, list[Any]]:
    if isinstance(tree, Not):
        inner, values = _compile(tree.part, scope)
        return f"not ({inner})", values
    if isinstance(tree, Or):
        return _joined(" or ", tree.parts, scope)
    if isinstance(tree, And):
        return _joined(" and ", tree.parts, [*scope, *_scope(tree)])
    return _comparison(tree, scope)


def _joined(word: str, parts: tuple[Expression, ...], scope: list[Compare]) -> tuple[str, list[Any]]:
    compiled = [_compile(part, scope) for part in parts]
    return word.join(f"({sql})" for sql, _ in compiled), [value for _, values in compiled for value in values]


def _comparison(tree: Compare, scope: list[Compare]) -> tuple[str, list[Any]]:
    if tree.name in _COLUMNS:
        return _test(_COLUMNS[tree.name], tree)
    if tree.name.startswith("config."):
        return _test(f"json_extract(r.config, {_quoted(_path(tree.name))})", tree)
    if tree.name in SCOPE:
        test, values = _test(f"m.{tree.name}", tree)
        return f"exists(select 1 from metrics m where m.run=r.id and {test})", values
    test, values = _test("m.value", tree)
    limited, more = _scoped("m", scope)
    return f"exists(select 1 from metrics m where m.run=r.id and m.key=? and {test}{limited})", [
        tree.name,
        *values,
        *more,
    ]


def _scoped(alias: str, scope: list[Compare]) -> tuple[str, list[Any]]:
    tests = [_test(f"{alias}.{part.name}", part) for part in scope]
    return "".join(f" and {sql}" for sql, _ in tests), [value for _, values in tests for value in values]


def _test(column: str, tree: Compare) -> tuple[str, list[Any]]:
    if tree.operator == "~":
        return f"instr({column}, ?) > 0", [_text(tree.value)]
    value: Any = tree.value
    if isinstance(value, float) and column in {"r.exp_id", "r.run_id", "r.status", "r.created", "r.grouped"}:
        value = _text(value)
    if value in {"true", "false"} and column.startswith("json_extract"):
        value = value == "true"
    return f"{column} {_SQL[tree.operator]} ?", [value]


def _text(value: str | float) -> str:
    return f"{value:g}" if isinstance(value, float) else value


def _path(name: str) -> str:
    """`config.optimizer.lr` as an SQLite JSON path."""
    return "$" + "".join(f".{json.dumps(part)}" for part in name.split(".")[1:])


def _quoted(text: str) -> str:
    """An SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def _check_names(index: Index, tree: Expression) -> None:
    """Nothing was found: if a name is no metric of any run, say so rather than return an empty table."""
    if isinstance(tree, And | Or):
        for part in tree.parts:
            _check_names(index, part)
    elif isinstance(tree, Not):
        _check_names(index, tree.part)
    elif (
        tree.name not in (*FIELDS, *SCOPE) and not tree.name.startswith("config.") and not _is_metric(index, tree.name)
    ):
        known = [row[0] for row in index.db.execute("select distinct key from metrics order by key limit 12")]
        others = f"config.KEY, {', '.join((*FIELDS, *SCOPE))}"
        also = f"the metrics {', '.join(known)}, and {others}" if known else f"no metric yet, only {others}"
        raise UsageError(f"no run has a metric {tree.name!r}", where="--where", fix=f"there is {also}")


def _is_metric(index: Index, name: str) -> bool:
    return index.db.execute("select 1 from metrics where key=? limit 1", (name,)).fetchone() is not None
