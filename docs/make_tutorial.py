"""Run every command of tutorial.md and write what it printed below it; with --check, say whether it still prints that.

Files of the tutorial are blocks after `<!-- file: NAME -->`; commands are the lines of console blocks that start with
`$`. Run ids, digests and times differ from run to run and are not compared.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).parent / "tutorial.md"
_BLOCK = re.compile(
    r"(?:<!-- file: (?P<file>\S+) -->\n)?```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
_VARIES = (
    (re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{8}"), "RUN"),
    (re.compile(r"\b[0-9a-f]{8,64}\b"), "HEX"),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), "DAY"),
    (re.compile(r"[\d,]+ bytes"), "N bytes"),
    (re.compile(r"hardware [^\n]*"), "hardware"),
)


def replay(page: str, folder: Path) -> str:
    """The page with every command run anew in `folder`."""

    def fresh(match: re.Match[str]) -> str:
        if match["file"]:
            (folder / match["file"]).parent.mkdir(parents=True, exist_ok=True)
            (folder / match["file"]).write_text(match["body"], encoding="utf-8")
        if match["kind"] != "console":
            return match[0]
        commands = [line for line in match["body"].splitlines() if line.startswith("$ ")]
        return "```console\n" + "".join(f"{line}\n{_run(line[2:], folder)}" for line in commands) + "```"

    return _BLOCK.sub(fresh, page)


def _run(command: str, folder: Path) -> str:
    """What a reader at a terminal sees, both streams in order."""
    here = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(folder / ".home")}
    author = {
        f"GIT_{who}_{what[0]}": what[1]
        for who in ("AUTHOR", "COMMITTER")
        for what in (("NAME", "A"), ("EMAIL", "a@example.org"))
    }
    environment = {**here, **author, "NO_COLOR": "1", "COLUMNS": "100"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    text = done.stdout.decode().replace(str(folder.resolve()) + "/", "")
    return text if text.endswith("\n") or not text else f"{text}\n"


def compared(page: str) -> str:
    """The page without what differs from run to run."""
    for pattern, name in _VARIES:
        page = pattern.sub(name, page)
    return re.sub(r"[ ─-]{2,}", " ", page)  # widths of tables follow the ids


def main() -> int:
    page = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        new = replay(page, Path(folder))
    if "--check" in sys.argv[1:]:
        return 0 if compared(page) == compared(new) else 1
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
