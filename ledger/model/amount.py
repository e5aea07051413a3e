"""Counted things in words: `1 file`, `1,200 files`."""

from __future__ import annotations


def amount(number: int, noun: str) -> str:
    """So many of `noun`, which is given in the singular."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """`files`, `entries`, `series`, `branches`."""
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    if noun.endswith("series"):
        return noun
    return f"{noun}es" if noun.endswith(("s", "sh", "ch", "x")) else f"{noun}s"
