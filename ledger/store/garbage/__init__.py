"""Garbage collection: objects that nothing names any more. Looking only reads; what is removed was listed before.

An object stays while any sealed run, run in progress, branch, tag, stash, reflog entry, index or work tree names it, and
while it is younger than a grace period, since a seal stores objects before its manifest names them.
"""

from ledger.store.garbage.marks import mark
from ledger.store.garbage.sweep import GRACE, Garbage, look, remove

__all__ = ["GRACE", "Garbage", "look", "mark", "remove"]
