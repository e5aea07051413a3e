"""The log: an append beside two sha256 calls, flat or not from a thousand to a million entries; a proof."""

from __future__ import annotations

from benchmarks.store.measure import Spread, exponent, within
from benchmarks.store.place import Place
from benchmarks.store.report import Row

APPEND, GROWTH, PROOF = 3, 0.05, 50


def run(place: Place) -> tuple[list[Row], list[str]]:
    sizes = [1_000, 5_000] if place.quick else [1_000, 10_000, 100_000, 1_000_000]
    rows = []
    appends, journals = [], []
    for size in sizes:
        limit = within(place, "hash", str(size))
        append = within(place, "append", str(size))
        appends.append(append.value)
        rows.append(
            Row("cpu_ratio", f"append to {size:,} entries, in memory / two sha256", over(append, limit), goal=APPEND)
        )
        journal = within(place, "journal", str(size))
        journals.append(journal.value)
        rows.append(Row("cpu_us", f"append to {size:,} entries on disk, without fsync", journal, unit="us"))
    for name, values in (("in memory", appends), ("on disk", journals)):
        grown = exponent(sizes, values)
        rows.append(
            Row(
                "growth_exponent",
                f"append {name} over all sizes",
                Spread(grown, grown, grown, len(sizes)),
                goal=GROWTH,
                unit="",
            )
        )
    proof = within(place, "proof", str(sizes[-1]))
    rows.append(Row("cpu_us", f"proof in {sizes[-1]:,} entries", proof, goal=PROOF, unit="us"))
    return rows, []


def over(ours: Spread, limit: Spread) -> Spread:
    return Spread(ours.value / limit.value, ours.low / limit.value, ours.high / limit.value, ours.n)
