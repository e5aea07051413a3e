"""Hashing large files side by side: hashlib lets other threads run meanwhile, so each core takes one.

Below a megabyte threads cost more than they give, and one file is one thread's work.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

LARGE = 1024 * 1024  # bytes; from here on a file is worth a thread
_MOST = 4  # threads; more wait for the disk


def largest_first(work: Callable[[T], R], items: Sequence[tuple[int, T]]) -> list[R]:
    """`work` on the item of each (bytes, item), the largest first so that none is left over at the end; results in the
    order of `items`. What one raises is raised, and what has not begun is left.
    """
    threads = min(_cores(), _MOST, len(items))
    if threads < 2:
        return [work(item) for _, item in items]
    from concurrent.futures import ThreadPoolExecutor  # it costs as much as a bare interpreter

    order = sorted(range(len(items)), key=lambda place: -items[place][0])
    with ThreadPoolExecutor(threads) as pool:
        begun = {place: pool.submit(work, items[place][1]) for place in order}
        try:
            return [begun[place].result() for place in range(len(items))]
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _cores() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
