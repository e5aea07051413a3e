"""The query index: what the log and the sealed runs say, in an SQLite file of the user's cache folder.

Disposable: it is rebuilt whenever it is absent, damaged, of another version, or no longer a continuation of what
the log says. Nothing is ever read from it that could not be read from the runs.
"""

from ledger.store.index.database import Index
from ledger.store.index.query import Row, find

__all__ = ["Index", "Row", "find"]
