"""The ports: what the core asks of the outside, as narrow protocols. Adapters satisfy them; the core never
imports an adapter by statement but finds it through `ledger.registry`.
"""

from __future__ import annotations

from typing import Protocol

from ledger.model.document import Document


class Reader(Protocol):
    """Turns the bytes of one document format into a `Document`."""

    format: str

    def read(self, path: str, data: bytes) -> Document:
        """Parse `data`; `path` is only carried along.

        Raises:
            InputError: the bytes are not text of this format (the place is in `where`).

        """
        ...
