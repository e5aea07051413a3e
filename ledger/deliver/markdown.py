"""Markdown: the results table with its disclosures, to be shown or included."""

from __future__ import annotations

import re

from ledger.deliver.entries import Entry

_SPECIAL = re.compile(r"[\\`*\[\]<>|~$]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)")
_BLANK = re.compile(r"[\x00-\x20\x7f]+")
_COLUMNS = ("Method", "Metric", "Split", "n", "Value", "Seeds")


def render(entries: list[Entry], disclosures: list[tuple[str, str]], note: str) -> str:
    lines = [f"<!-- {note} -->", "", "| " + " | ".join(_COLUMNS) + " |", "|:--|:--|:--|--:|--:|--:|"]
    for entry in entries:
        mark = f"<sup>{entry.mark}</sup>" if entry.mark else ""
        seeds = entry.row.variance.count if entry.row.variance else None
        cells = [entry.method, entry.row.metric or "derived", entry.row.split or "–", str(entry.row.n or "–")]
        lines.append(
            "| " + " | ".join([*map(escape, cells), escape(entry.with_spread) + mark, str(seeds or "–")]) + " |"
        )
    lines += ["", *(f"<sup>{mark}</sup> {escape(text)}  " for mark, text in disclosures)]
    return "\n".join(lines).rstrip() + "\n"


def escape(text: str) -> str:
    """Plain text as Markdown on one line; underscores within a word need no escape."""
    return _SPECIAL.sub(r"\\\g<0>", _BLANK.sub(" ", text))
