"""Reconcile: documents and the claim graph enter, findings leave.

Every number of a document that speaks of a claim is compared with the claim's value, at the precision in which
it is printed. Nothing here reads a disk but `expand`, nothing decides which side of a disagreement is wrong, and
no number is matched because its digits happen to be equal.
"""

from ledger.reconcile.check import Source, check
from ledger.reconcile.paths import expand

__all__ = ["Source", "check", "expand"]
