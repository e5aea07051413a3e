"""`ledger log`: what happened, the head that pins it, and whether history was kept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from ledger.cli.common import HELP, find_project, say

if TYPE_CHECKING:
    from ledger.log.segment import Segment

NO = 1


@click.group(context_settings=HELP, invoke_without_command=True)
@click.option("--limit", type=click.IntRange(min=1), help="Only the last so many entries.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def log(ctx: click.Context, limit: int | None, form: str) -> int:
    """Show the log, its head, and whether history was kept.

    Without a command: starts, seals, selections and disclosures, oldest first. `ledger log head` prints a short string that pins the whole history, fit for a footnote of the paper.
    """
    if ctx.invoked_subcommand:
        return 0
    from ledger.store.journal import Journal

    entries = list(Journal(find_project()).entries())
    for entry in entries[-limit:] if limit else entries:
        if form == "json":
            click.echo(json.dumps({"segment": entry.segment, "index": entry.index, **entry.body}, ensure_ascii=False))
        else:
            click.echo(f"{entry.body.get('time')}  {entry.type:<8}  {_about(entry.body)}")
    return 0


@log.command(context_settings=HELP, epilog="Example: ledger log head > paper/log-head.txt")
def head() -> int:
    """Print the log head. Whoever has it can check later that nothing before it was altered."""
    from ledger.store.journal import Journal

    click.echo(Journal(find_project()).head())
    return 0


@log.command(context_settings=HELP, epilog="Example: ledger log checkpoint > paper/log.checkpoint")
@click.argument("segment", required=False)
def checkpoint(segment: str | None) -> int:
    """Print the head of a segment as a signed checkpoint.

    A signed note in the format C2SP tlog-checkpoint, for verifiers and witnesses of transparency logs. SEGMENT is the id of a segment or a prefix of it; the only one needs no name. The signing key is yours alone, made at the first use; `ledger log key` prints what others check it with.
    """
    from ledger.store.signing import sign_checkpoint

    click.echo(sign_checkpoint(_segment(segment).head), nl=False)
    return 0


@log.command(context_settings=HELP, epilog="Example: ledger log key >> README.md")
@click.argument("segment", required=False)
def key(segment: str | None) -> int:
    """Print the verifier key of your checkpoints of a segment, for others to keep."""
    from ledger.store.signing import verifier_key

    click.echo(verifier_key(_segment(segment).id))
    return 0


def _segment(name: str | None) -> Segment:
    """The segment whose id begins with `name`. Raises UsageError unless exactly one does."""
    from ledger.errors import UsageError
    from ledger.store.journal import Journal

    segments = Journal(find_project()).segments()
    fits = [segment for segment in segments if segment.id.startswith(name or "")]
    if len(fits) == 1:
        return fits[0]
    if not segments:
        raise UsageError("the log is empty", fix="`ledger run` begins it")
    known = ", ".join(f"{segment.id} ({len(segment.entries)} entries)" for segment in (fits or segments)[:8])
    what = f"{name!r} fits {len(fits)} segments" if name else f"the log has {len(fits)} segments"
    raise UsageError(what, fix=f"name one of {known}")


@log.command(context_settings=HELP, epilog="Example: ledger log verify --since $(cat paper/log-head.txt)")
@click.option("--since", metavar="HEAD", help="A log head of earlier; without one the log is checked against itself.")
def verify(since: str | None) -> int:
    """Check that the log holds together, and that it continues the history that HEAD pinned. Exits 1 if not."""
    from collections import Counter

    from ledger.log.head import continues, log_head, parse_head
    from ledger.store.fsck.log import read_log

    pinned = parse_head(since) if since else None
    segments, findings = read_log(find_project())
    for finding in findings:
        click.echo(f"{finding.location}: {finding.message} [{finding.rule}]")
    kept = pinned is None or continues(segments, pinned)
    if not kept:
        click.echo(f"this log does not continue {since}: entries from before it were altered or are gone")
    if not kept or any(finding.severity == "error" for finding in findings):
        return NO
    now = sum(len(segment.entries) for segment in segments)
    if pinned is not None:
        say(f"{pinned.size} entries then, {now} now; nothing before {since} was altered")
    else:
        many = f"{len(segments)} segment{'' if len(segments) == 1 else 's'}"
        kinds = Counter(str(entry.body.get("type")) for segment in segments for entry in segment.entries)
        counted = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        say(f"{now} entries in {many} hold together ({counted or 'none'}); head {log_head(s.head for s in segments)}")
    return 0


def _about(body: Any) -> str:
    kind = body.get("type")
    if kind == "open":
        return f"segment {body.get('segment')} ({len(body.get('knows', []))} known before)"
    run = f"{body.get('exp_id')}/{body.get('run_id')}"
    if kind == "seal":
        return f"{run}  {body.get('status')}  {str(body.get('address'))[:12]}"
    if kind == "select":
        replaced = ", ".join(body.get("replaced") or [])
        return f"{run}" + (f"  instead of {replaced}" if replaced else "")
    if kind == "prune":
        return f"{run}  {len(body.get('files', []))} derived files"
    if kind == "disclose":
        return f"{body.get('claim') or body.get('rule') or ''}  {body.get('text')}"
    return run
