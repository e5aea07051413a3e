"""Answer a question from the index: which runs fit, in which order, with their metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ledger.store.index.database import Index

if TYPE_CHECKING:  # a question without a filter needs no parser
    from ledger.store.index.language import Expression

COLUMNS = {
    "exp_id": "r.exp_id",
    "run_id": "r.run_id",
    "status": "r.status",
    "seed": "r.seed",
    "created": "r.created",
    "group": "r.grouped",
}
CONFIG = "config."


class Row(NamedTuple):
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
    """The runs that fit, in order of creation or sorted by a metric or field (`-psnr`: largest first). Runs without a
    value to sort by come last, or for a metric not at all.

    Raises:
        UsageError: a name that no run has.
        StoreError: the index cannot be read.
    """
    tests: list[str] = ["1"]
    values: list[Any] = []
    scope: tuple[str, list[Any]] = ("", [])
    if where:
        from ledger.store.index import condition

        sql, values = condition.condition(where)
        tests.append(f"({sql})")
        scope = condition.scope(where, "s")
    if exp_id:
        tests.append("r.exp_id=?")
        values = [*values, exp_id]
    if finished:
        tests.append("r.status='finished'")
    source, order, ordering = _sorting(sort or "created", *scope)
    # sorted by a metric, a run comes once for each of its rows; the first is the one that counts
    columns = "r.id, r.exp_id, r.run_id, r.address, r.status, r.created, r.seed, r.grouped"
    question = f"select {columns} from {source} where {' and '.join(tests)} order by {order}"
    found = index.distinct(question, [*ordering, *values], limit)
    if not found and where:
        condition.check_names(index, where)
    return [Row._make((*about, _metrics(index, run))) for run, *about in found]


MEASUREMENT = ("exp_id", "run_id", "status", "seed", "metric", "split", "dataset", "n", "value")


def measurements(index: Index, exp_id: str | None = None) -> list[tuple[Any, ...]]:
    """Every row of every run's results, as `MEASUREMENT` names its parts; `value` is None where it is no finite number."""
    only, values = ("where r.exp_id=?", (exp_id,)) if exp_id else ("", ())
    columns = "r.exp_id, r.run_id, r.status, r.seed, m.key, m.split, m.dataset, m.n, m.value"
    order = "r.exp_id, r.run_id, m.rowid"
    return index.rows(f"select {columns} from runs r join metrics m on m.run=r.id {only} order by {order}", values)


def _metrics(index: Index, run: int) -> dict[str, Any]:
    rows = index.rows("select key, split, dataset, value, shown from metrics where run=? order by key, split", (run,))
    return {
        ":".join(part for part in (key, split, dataset) if part): shown if value is None else value
        for key, split, dataset, value, shown in rows
    }


def _sorting(sort: str, scope: str, values: list[Any]) -> tuple[str, str, list[Any]]:
    """What to join and how to order; a metric's own index makes the top of a large table cheap."""
    name = sort.removeprefix("-")
    way = "desc" if sort.startswith("-") else "asc"
    if name in COLUMNS:
        by = dict.fromkeys((COLUMNS[name], "r.created", "r.run_id"))  # named twice, the order of an index is not seen
        return "runs r", ", ".join(f"{column} {way}" for column in by), []
    if name.startswith(CONFIG):
        source = "runs r left join config c on c.run=r.id and c.key=?"
        order = f"c.value {way} nulls last, c.shown {way} nulls last, r.created, r.run_id"
        return source, order, [name.removeprefix(CONFIG)]
    return (
        f"metrics s cross join runs r on r.id=s.run and s.key=? and s.value is not null{scope}",
        f"s.value {way}, r.created, r.run_id",
        [name, *values],
    )
