"""Typst: `#ev("ID")`, `#ev("ID", form: "pm")`, `#evtable`, `#evdisclosures`.

Asking for an unknown id stops the build with a message, never with an empty place.
"""

from __future__ import annotations

import re

from ledger.deliver.entries import Entry

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

_FUNCTIONS = """
#let evmark(mark) = if mark == "" { [] } else { super(mark) }

#let ev(id, form: "plain") = {
  assert(id in ledger-rows, message: "no evidence row '" + id + "'; run `ledger build`, or correct the id")
  let row = ledger-rows.at(id)
  assert(form in row, message: "no form '" + form + "'; known are bare, plain, pm, full")
  [#row.at(form)#if form != "bare" { evmark(row.mark) }]
}

#let evtable = table(
  columns: (auto, auto, auto, auto, auto, auto),
  align: (left, left, left, right, right, right),
  stroke: none,
  table.hline(),
  table.header([*Method*], [*Metric*], [*Split*], [*n*], [*Value*], [*Seeds*]),
  table.hline(stroke: 0.5pt),
  ..ledger-table.map(row => (
    row.method, row.metric, row.split, row.n, [#row.value#evmark(row.mark)], row.seeds,
  )).flatten(),
  table.hline(),
)

#let evdisclosures = for (mark, text) in ledger-disclosures { [#super(mark) #text #linebreak()] }
"""


def quote(text: str) -> str:
    """A Typst string literal."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + _CONTROL.sub(lambda match: f"\\u{{{ord(match[0]):x}}}", escaped) + '"'


def shown(text: str) -> str:
    """A string literal that is printed: a value and its spread stay on one line."""
    return quote(text.replace(" ± ", "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}"))


def render(entries: list[Entry], disclosures: list[tuple[str, str]], note: str) -> str:
    lines = [f"// {note}", "#let ledger-rows = ("]
    lines += [] if entries else ["  :"]  # the empty dictionary
    for entry in entries:
        forms = {
            "bare": entry.plain,
            "plain": entry.plain,
            "pm": entry.with_spread,
            "full": entry.full,
            "mark": entry.mark,
        }
        inner = ", ".join(f"{name}: {shown(text)}" for name, text in forms.items())
        lines.append(f"  {quote(entry.row.id)}: ({inner}),")
    lines += [")", "#let ledger-table = ("]
    for entry in entries:
        seeds = entry.row.variance.count if entry.row.variance else None
        cells = {
            "method": entry.method,
            "metric": entry.row.metric or "derived",
            "split": entry.row.split or "–",
            "n": str(entry.row.n or "–"),
            "value": entry.with_spread,
            "mark": entry.mark,
            "seeds": str(seeds or "–"),
        }
        lines.append("  (" + ", ".join(f"{name}: {shown(text)}" for name, text in cells.items()) + "),")
    lines += [")", "#let ledger-disclosures = ("]
    lines += [f"  ({quote(mark)}, {quote(text)})," for mark, text in disclosures]
    return "\n".join([*lines, ")", _FUNCTIONS])
