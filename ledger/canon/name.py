"""File names as text. A name may hold bytes that are no UTF-8, which Python shows as lone surrogates; JSON that is hashed
cannot hold those.
"""

from __future__ import annotations


def spelled(name: str) -> str:
    r"""The name with each byte that is no UTF-8 written as `\xff`; every other name as it is."""
    return name if name.isascii() else name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
