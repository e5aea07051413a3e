"""Markdown: the results table with its disclosures, to be shown or included."""

from __future__ import annotations

from ledger.deliver.entries import Entry

_COLUMNS = ("Method", "Metric", "Split", "n", "Value", "Seeds")


def render(entries: list[Entry], disclosures: list[tuple[str, str]], note: str) -> str:
    lines = [f"<!-- {note} -->", "", "| " + " | ".join(_COLUMNS) + " |", "|:--|:--|:--|--:|--:|--:|"]
    for entry in entries:
        mark = f"<sup>{entry.mark}</sup>" if entry.mark else ""
        seeds = entry.row.variance.count if entry.row.variance else None
        cells = [entry.method, entry.row.metric or "derived", entry.row.split or "–", str(entry.row.n or "–")]
        lines.append("| " + " | ".join([*map(_cell, cells), _cell(entry.with_spread) + mark, str(seeds or "–")]) + " |")
    lines += ["", *(f"<sup>{mark}</sup> {text}  " for mark, text in disclosures)]
    return "\n".join(lines).rstrip() + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
