"""Reconcile: accuracy on a corpus of documents with known drifts, and speed against claims and document size.

    python benchmarks/reconcile.py accuracy SCORER CORPUS [CORPUS ...] [--only '*.m?'] [-- MORE]
    python benchmarks/reconcile.py speed [--claims 10 100 1000 10000] [--megabytes 1]

SCORER is the script that comes with a corpus: it fills {evidence}, {report} and {docs} into a command, runs it in each
case's folder and prints recall, precision, false alarms per 1,000 numbers and coverage; what follows `--` goes to it.
`speed` prints CPU seconds of one pass in this process, without the interpreter's start; documents and claims are made up.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from pathlib import Path

from ledger.evidence.graph import ClaimGraph, from_bytes
from ledger.reconcile import Source, check

COMMAND = "{ledger} reconcile --evidence {{evidence}} --format json --mentions --output {{report}} {{docs}}"
METRICS = ["PSNR", "SSIM", "top-1 accuracy", "box AP", "mIoU"]
WORDS = (
    "the",
    "model",
    "was",
    "trained",
    "with",
    "a",
    "cosine",
    "schedule",
    "and",
    "evaluated",
    "while",
    "weights",
    "decayed",
)


def accuracy(scorer: str, corpora: list[str], only: str, more: list[str]) -> int:
    """Run the corpus' own scorer on the installed command."""
    command = COMMAND.format(ledger=Path(sys.executable).with_name("ledger"))
    return subprocess.run(
        [sys.executable, scorer, "--corpus", *corpora, "--only", only, "--cmd", command, *more], check=False
    ).returncode


def claims(count: int, rng: random.Random) -> ClaimGraph:
    """Claims of invented networks, one metric each."""
    out = []
    for i in range(count):
        row = {
            "exp_id": f"net{i:05d}-{rng.randint(10, 99)}",
            "metric": METRICS[i % 5],
            "value": round(rng.uniform(10, 95), 4),
        }
        out.append({"id": f"C{i}", "evidence": [row]})
    return from_bytes(json.dumps({"project": "speed", "claims": out}).encode())


def document(graph: ClaimGraph, size: int, rng: random.Random) -> bytes:
    """Tables and prose of about `size` bytes; a tenth of the rows and a third of the sentences name a claim."""
    parts: list[str] = []
    length = 0
    while length < size:
        lines = ["## Section", "", "| Method | Params (M) | Score | Epochs |", "|---|---|---|---|"]
        for _ in range(20):
            row = rng.choice(graph.claims).rows[0]
            name, value = (
                (row.exp_id, row.value or 0.0) if rng.random() < 0.1 else (f"other{rng.random()}", rng.uniform(10, 95))
            )
            lines.append(f"| {name} | {rng.uniform(1, 300):.1f} | {value:.2f} | {rng.randint(10, 300)} |")
        for _ in range(6):
            row = rng.choice(graph.claims).rows[0]
            tail = f" and {row.exp_id} reaches {row.value:.2f} {row.metric}" if rng.random() < 0.3 else ""
            lines += ["", " ".join(rng.choices(WORDS, k=14)) + tail + "."]
        parts.append("\n".join(lines) + "\n")
        length += len(parts[-1])
    return "\n".join(parts).encode()


def speed(counts: list[int], megabytes: float) -> None:
    print(f"{'claims':>8}{'MB':>8}{'CPU s':>8}{'MB/s':>8}{'numbers':>9}{'matched':>9}{'drifts':>8}")
    for count in counts:
        rng = random.Random(count)
        graph = claims(count, rng)
        data = document(graph, int(megabytes * 1e6), rng)
        started = time.process_time()
        report = check([Source("doc.md", data)], graph)
        spent = time.process_time() - started
        drifts = sum(found.rule == "drift" for found in report.findings)
        size = len(data) / 1e6
        print(
            f"{count:>8}{size:>8.2f}{spent:>8.2f}{size / spent:>8.2f}{report.checked['numbers']:>9}{report.checked['matched']:>9}{drifts:>8}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    accurate = commands.add_parser("accuracy")
    accurate.add_argument("scorer")
    accurate.add_argument("corpora", nargs="+")
    accurate.add_argument("--only", default="*")
    fast = commands.add_parser("speed")
    fast.add_argument("--claims", nargs="+", type=int, default=[10, 100, 1000, 10000])
    fast.add_argument("--megabytes", type=float, default=1.0)
    arguments = sys.argv[1:]
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    given = parser.parse_args(arguments[:cut])
    if given.command == "speed":
        speed(given.claims, given.megabytes)
        return 0
    return accuracy(given.scorer, given.corpora, given.only, arguments[cut + 1 :])


if __name__ == "__main__":
    sys.exit(main())
