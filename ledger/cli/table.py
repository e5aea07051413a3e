"""The table of commands, and the help text made from it.

Standard library only: `ledger --help` is answered from here, before click is imported.
"""

from __future__ import annotations


class Entry:  # a plain class: `typing` and `dataclasses` cost more than the whole help text
    """Where a command lives (`module:attribute`), under which heading, and what `--help` says of it."""

    __slots__ = ("help", "section", "target")

    def __init__(self, section: str, target: str, help: str) -> None:  # noqa: A002
        self.section = section
        self.target = target
        self.help = help


COMMANDS: dict[str, Entry] = {
    "run": Entry("RUN", "ledger.cli.commands.run:run", "Run a command as a run of an experiment and seal it."),
    "seal": Entry("STORE", "ledger.cli.commands.seal:seal", "Seal a folder, or what a killed run left behind."),
    "runs": Entry("STORE", "ledger.cli.commands.runs:runs", "List sealed runs with their metrics."),
    "show": Entry("STORE", "ledger.cli.commands.show:show", "Show one run: metrics, inputs, files."),
    "diff": Entry("STORE", "ledger.cli.commands.diff:diff", "Say what differs between two runs."),
    "select": Entry("STORE", "ledger.cli.commands.select:select", "Choose a run for its seed; logged, never destructive."),
    "log": Entry("STORE", "ledger.cli.commands.log:log", "Show the log, its head, and whether history was kept."),
    "prove": Entry("STORE", "ledger.cli.commands.prove:prove", "Prove that a run or a claim rests on the log."),
    "check-proof": Entry("STORE", "ledger.cli.commands.prove:check_proof", "Check a proof with nothing but its file."),
    "fsck": Entry("STORE", "ledger.cli.commands.fsck:fsck", "Check every byte of runs, objects and log."),
    "prune": Entry("STORE", "ledger.cli.commands.prune:prune", "Take derived files of sealed runs off the disk."),
    "gc": Entry("STORE", "ledger.cli.commands.gc:gc", "Remove objects that nothing names."),
    "evidence": Entry("DELIVER", "ledger.cli.commands.evidence:evidence", "Write or recompute the values of the claim graph."),
    "build": Entry("DELIVER", "ledger.cli.commands.build:build", "Generate macros, tables and disclosures."),
    "trace": Entry("DELIVER", "ledger.cli.commands.trace:trace", "Print the chain from a claim to its hashed conditions."),
    "figures": Entry("DELIVER", "ledger.cli.commands.figures:figures", "Build figures and check their pixels."),
    "reconcile": Entry("DELIVER", "ledger.cli.commands.reconcile:reconcile", "Find numbers in documents that disagree with their claims."),
    "gate": Entry("DELIVER", "ledger.cli.commands.gate:gate", "Five checks for every number that ships."),
    "disclose": Entry("DELIVER", "ledger.cli.commands.disclose:disclose", "Attach a disclosure to a claim or a finding."),
    "init": Entry("PROJECT", "ledger.cli.commands.init:init", "Make this folder a project."),
    "hook": Entry("PROJECT", "ledger.cli.commands.hook:hook", "Install the git pre-commit hook."),
    "config": Entry("PROJECT", "ledger.cli.commands.config:config", "Show each setting and where it comes from."),
}  # fmt: skip

_USAGE = """\
Usage: ledger [OPTIONS] COMMAND [ARGS]...

  Every number, table and figure of a paper as a function of sealed runs.

Options:
  --version   Show the version and exit.
  -h, --help  Show this message and exit.
"""

_END = """\
Example: ledger run ours --seed 0 -- python train.py --seed {seed}
`ledger COMMAND --help` explains a command.
"""


def help_text() -> str:
    """What `ledger --help` prints: the commands of the table, by section."""
    width = max(map(len, COMMANDS))
    parts = [_USAGE]
    for section in dict.fromkeys(entry.section for entry in COMMANDS.values()):
        lines = [f"  {name:<{width}}  {entry.help}" for name, entry in COMMANDS.items() if entry.section == section]
        parts.append("\n".join([f"{section}:", *lines, ""]))
    return "\n".join([*parts, _END])
