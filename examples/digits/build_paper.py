"""Build the paper: `python build_paper.py typst` (the `typst` package, nothing to install beside it) or `latex`
(pdflatex, where this machine has it; otherwise it says so and ends well).

Both read generated/ and the figure, and embed no time of day, so the same evidence gives the same bytes.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PAPER = Path("paper")
REPORT = Path("reports/latex.txt")


def build_typst() -> str:
    import typst

    typst.compile(PAPER / "paper.typ", output=PAPER / "paper.pdf", root=".")
    return f"{PAPER / 'paper.pdf'}: built with typst"


def build_latex() -> str:
    """Two passes, so that references resolve. LaTeX runs in paper/, as people run it."""
    if shutil.which("pdflatex") is None:
        return f"{PAPER / 'paper.tex'}: skipped, this machine has no pdflatex"
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-jobname=paper-latex", "paper.tex"]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1"}
    for _ in range(2):
        done = subprocess.run(command, cwd=PAPER, env=environment, capture_output=True, text=True, errors="replace")
        if done.returncode:
            errors = [line for line in done.stdout.splitlines() if line.startswith(("!", "l."))]
            raise SystemExit("paper/paper.tex: pdflatex failed: " + " ".join(errors[:4]))
    return f"{PAPER / 'paper-latex.pdf'}: built with pdflatex"


def main() -> None:
    which = sys.argv[1] if len(sys.argv) > 1 else "typst"
    if which not in ("typst", "latex"):
        raise SystemExit(f"build_paper.py: {which!r} is neither typst nor latex")
    said = build_typst() if which == "typst" else build_latex()
    print(said)
    if which == "latex":
        REPORT.parent.mkdir(exist_ok=True)
        REPORT.write_text(said + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
