"""The tamper-evident log as mathematics and bytes: RFC 9162 hashes, segments of entries, heads.

Pure: no disk, no clock, no network. `ledger.store.journal` keeps segments on disk.
"""
