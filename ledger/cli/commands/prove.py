"""`ledger prove` and `ledger check-proof`: a number that a stranger can check without the project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ledger.cli.common import HELP, find_project, say
from ledger.errors import InputError, UsageError
from ledger.evidence import proof

if TYPE_CHECKING:
    from ledger.project import Project
    from ledger.store.runs import Run

NO = 1
_LARGEST = 64 * 1024 * 1024  # bytes; a proof of a hundred runs is a few hundred kB


@click.command(context_settings=HELP, epilog="Example: ledger prove C1-main --output C1-main.proof.json")
@click.argument("what", metavar="RUN|CLAIM")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the proof to this file.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "tlog-proof"]),
    default="json",
    show_default=True,
    help="tlog-proof: of one run, signed with your key, for verifiers of transparency logs.",
)
def prove(what: str, output: Path | None, form: str) -> int:
    """Prove that a run or a claim rests on the log.

    A run is in the log; a claim's value follows from runs in the log. `ledger check-proof FILE` verifies the proof with nothing but the file and the log head. RUN is an id, a prefix, EXP, @last, @selected or @best:METRIC, as for `ledger show`.
    """
    from ledger.evidence.graph import load
    from ledger.store.atomic import write_bytes
    from ledger.store.runs import RunStore

    project = find_project()
    graph = load(project.evidence, shown="EVIDENCE.json")
    claim = graph.claim(what)
    if claim and form != "json":
        raise UsageError("a claim is proven as JSON only", where=what, fix="name one of its runs, or --format json")
    if claim:
        data, told = _as_json(proof.prove_claim(project, graph, claim))
    elif form == "json":
        data, told = _as_json(proof.prove_runs(project, [RunStore(project).resolve(what)]))
    else:
        data, told = _as_tlog_proof(project, RunStore(project).resolve(what))
    if output is None:
        click.echo(data.decode(), nl=False)
    else:
        write_bytes(output.absolute(), data, follow=True)
        say(f"wrote {output}: {told}")
    return 0


def _as_json(document: dict[str, Any]) -> tuple[bytes, str]:
    from ledger.canon import pretty

    return pretty(document), f"{len(document['runs'])} runs under the log head {document['head']}"


def _as_tlog_proof(project: Project, run: Run) -> tuple[bytes, str]:
    from ledger.store import tlog

    made = tlog.prove(project, run)
    return str(made).encode(), f"entry {made.index} of its segment; `ledger log key` prints the key that checks it"


@click.command(
    "check-proof",
    context_settings=HELP,
    epilog="Example: ledger check-proof C1-main.proof.json --head $(cat log-head.txt)",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--head", help="The log head that the proof must be under, as the paper prints it.")
@click.option("--key", help="The verifier key of whoever signed a tlog-proof.")
def check_proof(file: Path, head: str | None, key: str | None) -> int:
    """Check a proof with nothing but its file.

    With --head also that it is under the log head that you know; a tlog-proof needs the --key of its signer instead. Exits 1 when it does not hold.
    """
    try:
        if file.stat().st_size > _LARGEST:
            raise InputError(f"is larger than any proof ({file.stat().st_size:,} bytes)", where=file)
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=file) from error
    return _check_tlog_proof(file, data, key) if data.startswith(b"c2sp.org/") else _check_json(file, data, head)


def _check_json(file: Path, data: bytes, head: str | None) -> int:
    from ledger.canon import parse

    document = parse(data, file)
    problems = proof.check_proof(document, head)
    for problem in problems:
        click.echo(f"{file}: {problem}")
    if problems:
        return NO
    claim = document["claim"]
    said = ", ".join(f"{row['id']} = {row.get('value')!r}" for row in claim["rows"]) if claim else "the log entry"
    click.echo(f"holds: {said}; {len(document['runs'])} runs under the log head {document['head']}")
    if head is None:
        say("compare the log head with the one that the paper prints, or pass it as --head")
    return 0


def _check_tlog_proof(file: Path, data: bytes, key: str | None) -> int:
    from ledger.errors import IntegrityError
    from ledger.log.note import VerifierKey
    from ledger.store import tlog

    if key is None:
        fix = "pass what `ledger log key` printed for its author"
        raise UsageError("a tlog-proof is checked with the --key of its signer", where=file, fix=fix)
    try:
        entry, checkpoint = tlog.check(data.decode("utf-8", "replace"), VerifierKey.parse(key))
    except IntegrityError as error:
        click.echo(f"{file}: {error.message}")
        return NO
    except InputError as error:
        raise InputError(error.message, where=file, fix=error.fix) from error
    about = f"{entry.get('type')} of {entry.get('exp_id')}/{entry.get('run_id')} as {entry.get('address')}"
    click.echo(f"holds: {about}, {entry.get('time')}; under {checkpoint.origin} at {checkpoint.size} entries")
    return 0
