"""What the demo tells at its end: plain text, at most 80 columns and 40 lines, read from the project's own files."""

import json
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

WIDTH = 79
Run = Callable[..., str]


def cut(text: str, width: int = WIDTH) -> str:
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def claims(root: Path) -> list[dict[str, Any]]:
    """The claims as EVIDENCE.json has them now."""
    loaded: list[dict[str, Any]] = json.loads((root / "EVIDENCE.json").read_text(encoding="utf-8"))["claims"]
    return loaded


def per_seed(root: Path, row: dict[str, Any]) -> dict[int, float]:
    """Seed -> value of the runs that a row rests on."""
    out = {}
    for source in row["from"]:
        run = root / "results" / row["exp_id"] / "runs" / source["run"]
        seed = json.loads((run / "provenance.json").read_text(encoding="utf-8"))["hash_inputs"]["seed"]["value"]
        for metric in json.loads((run / "results.json").read_text(encoding="utf-8"))["metrics"]:
            if (metric["metric"], metric["split"]) == (row["metric"], row["split"]):
                out[seed] = metric["value"]
    return out


def fill(template: str, root: Path) -> str:
    """`{{C1-main}}` and `.std`, `.n` as a person would copy them; `.stale` is the best seed taken for the mean."""
    rows = {claim["id"]: claim["evidence"][0] for claim in claims(root)}

    def number(match: re.Match[str]) -> str:
        row, form = rows[match[1]], match[2]
        if form == "n":
            return str(row["n"])
        value = {
            "std": lambda: row["variance"]["value"],
            "stale": lambda: max(per_seed(root, row).values()),
            None: lambda: row["value"],
        }[form]()
        return f"{100 * value:.1f}"

    return re.sub(r"\{\{([\w-]+)(?:\.(\w+))?\}\}", number, template)


def tell(root: Path, shown: Path, run: Run, seconds: float) -> list[str]:
    """The whole story, line by line."""
    fsck = run("ledger", "fsck").strip().splitlines()[-1].removeprefix("fsck: ")
    runs = re.search(r"\d+(?= runs)", fsck)
    return [
        "",
        f"Done in {seconds:.0f} s. What {runs[0] if runs else 'the'} sealed runs say (mean ± std over seeds, test split):",
        "",
        *claims_table(claims(root)),
        "",
        f"Paper    {shown / 'paper' / 'paper.pdf'}{latex(root)}",
        f"Figure   {shown / 'figures' / 'accuracy' / 'output' / 'accuracy.png'}  {pixels(root)}",
        "",
        *drift(root),
        "",
        *trace(run("ledger", "trace", "C1-main")),
        "",
        "$ ledger fsck",
        *wrap(fsck, indent=2, first=2),
        "",
        "Next, on a paper of your own (the first needs no set-up and writes nothing):",
        "  ledger reconcile paper.tex README.md --evidence EVIDENCE.json",
        "  ledger init",
    ]


def claims_table(claims: list[dict[str, Any]]) -> list[str]:
    """One line for each claim, then the disclosures that ride with them."""
    lines, notes = [], []
    for claim in claims:
        row = claim["evidence"][0]
        said = claim.get("disclosure")
        mark = ""
        if said:
            notes.append(said)
            mark = f"[{len(notes)}]"
        variance = row.get("variance")
        unit = row["display"].get("unit", "%")
        value = f"{100 * row['value']:.1f}" + (f" ± {100 * variance['value']:.1f}" if variance else "")
        counts = f"{variance['seeds']} seeds, n = {row['n']}" if variance else "derived"
        lines.append(f"  {claim['id']:<16} {claim['aliases'][0]:<25} {value:>10} {unit:<2} {mark:<3} {counts}")
    for i, note in enumerate(notes, 1):
        lines += wrap(f"[{i}] {note}", indent=6, first=2)
    return [cut(line) for line in lines]


def latex(root: Path) -> str:
    report = (root / "reports" / "latex.txt").read_text(encoding="utf-8").strip()
    return ", paper-latex.pdf" if "built" in report else "  (no LaTeX here: paper.tex skipped)"


def pixels(root: Path) -> str:
    """What the pixel check of the figure said."""
    sidecar = root / "figures" / "accuracy" / "accuracy.provenance"
    check = json.loads(sidecar.read_text(encoding="utf-8")).get("pixel_check") or {}
    if check.get("passed"):
        return "(pixels checked)"
    return f"(pixel check: {len(check.get('findings', []))} findings)"


def drift(root: Path) -> list[str]:
    """What reconcile found in the documents."""
    report = json.loads((root / "reports" / "reconcile.json").read_text(encoding="utf-8"))
    matched = len(report.get("mentions") or [])
    wrong = [finding for finding in report["findings"] if finding["rule"] == "drift"]
    lines = ["$ ledger reconcile README.md slides.md paper/paper.tex"]
    lines.append(f"  {matched} numbers matched to claims, {len(wrong)} wrong:")
    for finding in wrong[:2]:
        place = finding["location"]
        lines += wrap(f"{place['path']}:{place['line']}:{place['column']}: {finding['message']}", indent=4, first=2)
        lines += wrap(f"fix: {finding['fix']}", indent=4, first=4)
    if not wrong:
        lines[-1] += " (this time no seed differs from the mean in one decimal)"
    return lines


def trace(text: str) -> list[str]:
    """`ledger trace`, cut to the screen: every run of the claim, and the hashed conditions of the first."""
    kept: list[str] = []
    for line in text.splitlines()[1:]:
        if re.match(r"\s+(stated in|disclosure|stored)", line):
            continue
        kind = line.split()[0]
        if kind in ("run", "provenance") and any(kind in seen.split()[:1] for seen in kept):
            continue
        kept.append(cut(line))
    return ["$ ledger trace C1-main", *kept]


def brief(words: str, width: int) -> str:
    """A check's summary, cut from its middle: what it looked at gives way, its verdict stays."""
    words = re.sub(r"; written to \S+$", "", words).removeprefix("checked ")
    counts, colon, verdict = words.rpartition(": ")
    if len(words) <= width or not colon:
        return cut(words, width)
    items = [item for item in counts.split(", ") if not item.startswith("0 ")]
    while len(items) > 1 and len(", ".join(items)) + len(verdict) + 2 > width:
        items.pop()
    return cut(f"{', '.join(items)}: {verdict}", width)


def wrap(text: str, indent: int = 2, first: int = 0) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=" " * first, subsequent_indent=" " * indent)
