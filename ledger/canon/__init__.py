"""Canonical bytes and digests.

What is hashed is RFC 8785 JSON; what people read is `pretty`, which is just as deterministic. Integers beyond
2^53 and numbers that are not finite have no canonical form and must be strings before they come here.
"""

from ledger.canon.digest import DIGEST_BYTES, file_digest, handle_digest, sha256
from ledger.canon.json import canonical, digest, finite, listing, parse, pretty
from ledger.canon.name import spelled
from ledger.canon.regular import read_record

__all__ = [
    "DIGEST_BYTES",
    "canonical",
    "digest",
    "file_digest",
    "finite",
    "handle_digest",
    "listing",
    "parse",
    "pretty",
    "read_record",
    "sha256",
    "spelled",
]
