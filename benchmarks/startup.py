"""Start-up cost: CPU time of whole commands beside a bare interpreter in the same rounds, and what they import.

    python benchmarks/startup.py [--rounds 25] [--seal REPEAT]

Arms are interleaved, each round once each; the ratio is the arm's least CPU time (user + system) over that of
`python -c pass`, so that a busy machine inflates both or neither. `--seal` seals the numbers as one run of the
experiment `bench-startup` (REPEAT is its seed).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
BIN = Path(sys.executable).parent
ARMS = {
    "bare": [sys.executable, "-c", "pass"],
    "version": [str(BIN / "ledger"), "--version"],
    "help": [str(BIN / "ledger"), "--help"],
    "hook": [str(BIN / "ledger-hook"), "all"],
    "import_click": [sys.executable, "-c", "import click"],
}
PEERS = {"dvc_version": [str(BIN / "dvc"), "--version"]}
LABELS = {
    "version": "ledger --version",
    "help": "ledger --help",
    "hook": "pre-commit hook",
    "import_click": "import click",
    "dvc_version": "dvc --version",
}
CALLS = {
    "version": "sys.argv=['ledger','--version']; from ledger.cli.main import main; main()",
    "help": "sys.argv=['ledger','--help']; from ledger.cli.main import main; main()",
    "hook": "sys.argv=['ledger-hook','all']; from ledger.hook import main; main()",
}


def cpu_seconds(command: list[str], cwd: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def repository(folder: Path) -> None:
    """An unchanged git tree of a small project, for the hook to look at."""
    for command in (["git", "init", "-q"], ["git", "config", "user.email", "a@b"], ["git", "config", "user.name", "a"]):
        subprocess.run(command, cwd=folder, check=True)
    (folder / "EVIDENCE.json").write_text(json.dumps({"project": "empty", "claims": []}))
    subprocess.run(["git", "add", "-A"], cwd=folder, check=True)
    subprocess.run(["git", "commit", "-qm", "start"], cwd=folder, check=True)


def third_party(call: str, cwd: Path) -> list[str]:
    """Top-level modules from site-packages that the call imports and a bare interpreter does not."""
    code = (
        "import sys; bare=set(sys.modules)\n"
        "try:\n exec(CALL)\nexcept SystemExit: pass\n"
        "import sysconfig; lib=sysconfig.get_paths()['purelib']\n"
        "new={n.split('.')[0] for n,m in list(sys.modules.items()) if n not in bare and (getattr(m,'__file__',None) or '').startswith(lib)}\n"
        "print('\\n@'+','.join(sorted(new-{'ledger','ledger_adapters'})))"
    ).replace("CALL", repr(call))
    done = subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.rpartition("@")[2].strip().split(",") if name]


def measure(rounds: int) -> dict[str, float]:
    """Least CPU seconds of each arm over interleaved rounds."""
    arms = {**ARMS, **{name: command for name, command in PEERS.items() if Path(command[0]).exists()}}
    best = dict.fromkeys(arms, float("inf"))
    with tempfile.TemporaryDirectory() as name:
        repository(Path(name))
        for turn in range(rounds + 1):
            for arm, command in arms.items():
                if arm in PEERS and turn > 5:  # seconds each; their floor shows early
                    continue
                seconds = cpu_seconds(command, Path(name))
                if turn:  # the first round warms the page cache and the bytecode
                    best[arm] = min(best[arm], seconds)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--seal", type=int, metavar="REPEAT")
    options = parser.parse_args()
    best = measure(options.rounds)
    ratios = {arm: seconds / best["bare"] for arm, seconds in best.items() if arm != "bare"}
    modules = {name: third_party(call, HERE) for name, call in CALLS.items()}
    print(f"bare interpreter: {best['bare'] * 1000:.1f} ms of CPU, least of {options.rounds}")
    for arm, ratio in ratios.items():
        loaded = f"; third-party modules: {', '.join(modules[arm]) or 'none'}" if arm in modules else ""
        print(f"{arm:>13}: {ratio:5.2f}x{loaded}")
    if options.seal is not None:
        seal(options, ratios, modules)


def seal(options: argparse.Namespace, ratios: dict[str, float], modules: dict[str, list[str]]) -> None:
    import ledger

    os.chdir(HERE.parent)
    config = {"rounds": options.rounds, "arms": sorted(ratios)}
    source = HERE / "startup.py"
    about = {"split": "whole process", "direction": "lower_is_better"}
    with ledger.start("bench-startup", config=config, seed=options.seal, data=source, dataset="startup arms") as run:
        for arm, ratio in ratios.items():
            run.result("cpu_ratio", ratio, dataset=LABELS[arm], n=options.rounds, **about)
        for call, names in modules.items():
            run.result("third_party_modules", len(names), dataset=LABELS[call], **about)


if __name__ == "__main__":
    main()
