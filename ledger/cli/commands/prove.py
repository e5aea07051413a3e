"""`ledger prove` and `ledger check-proof`: a number that a stranger can check without the project."""

from __future__ import annotations

from pathlib import Path

import click

from ledger.cli.common import HELP, find_project, say
from ledger.errors import InputError

NO = 1
_LARGEST = 64 * 1024 * 1024  # bytes; a proof of a hundred runs is a few hundred kB


@click.command(context_settings=HELP, epilog="Example: ledger prove C1-main --output C1-main.proof.json")
@click.argument("what", metavar="RUN|CLAIM")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the proof to this file.")
def prove(what: str, output: Path | None) -> int:
    """Prove that a run or a claim rests on the log.

    A run is in the log; a claim's value follows from runs in the log. `ledger check-proof FILE` verifies the proof with nothing but the file and the log head.
    """
    from ledger.canon import pretty
    from ledger.evidence import proof
    from ledger.evidence.graph import load
    from ledger.store.atomic import write_bytes
    from ledger.store.runs import RunStore

    project = find_project()
    graph = load(project.evidence, shown="EVIDENCE.json")
    claim = graph.claim(what)
    document = (
        proof.prove_claim(project, graph, claim)
        if claim
        else proof.prove_runs(project, [RunStore(project).resolve(what)])
    )
    data = pretty(document)
    if output is None:
        click.echo(data.decode(), nl=False)
    else:
        write_bytes(output.absolute(), data, follow=True)
        say(f"wrote {output}: {len(document['runs'])} runs under the log head {document['head']}")
    return 0


@click.command(
    "check-proof",
    context_settings=HELP,
    epilog="Example: ledger check-proof C1-main.proof.json --head $(cat log-head.txt)",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--head", help="The log head that the proof must be under, as the paper prints it.")
def check_proof(file: Path, head: str | None) -> int:
    """Check a proof with nothing but its file.

    With --head also that it is under the log head that you know. Exits 1 when it does not hold.
    """
    from ledger.canon import parse
    from ledger.evidence import proof

    try:
        if file.stat().st_size > _LARGEST:
            raise InputError(f"is larger than any proof ({file.stat().st_size:,} bytes)", where=file)
        document = parse(file.read_bytes(), file)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=file) from error
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
