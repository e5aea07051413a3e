"""One pass of reconcile: documents in, report out."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Context, localcontext
from pathlib import PurePosixPath

from ledger.errors import LedgerError
from ledger.evidence.graph import ClaimGraph
from ledger.model.document import Document, Paragraph, Table, Text
from ledger.model.finding import Finding, Location, Report
from ledger.reconcile.binding import Bindings
from ledger.reconcile.disclosures import missing
from ledger.reconcile.index import Index
from ledger.reconcile.matching import Match
from ledger.reconcile.prose import ProseReader
from ledger.reconcile.quantity import Quantity
from ledger.reconcile.signals import Sense
from ledger.reconcile.suppress import suppress
from ledger.reconcile.tables import Setting, TableReader
from ledger.reconcile.verdicts import Verdict, judge, spread_of
from ledger.reconcile.wording import finding, mention
from ledger.registry import load


@dataclass(frozen=True, slots=True)
class Source:
    """A document to check: its path as reports show it (forward slashes) and its bytes."""

    path: str
    data: bytes


# digits: enough to print the largest double to the place of the smallest number that a document may hold
_EXACT = Context(prec=3000)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one document came to."""

    findings: tuple[Finding, ...] = ()
    mentions: tuple[Finding, ...] = ()
    numbers: int = 0
    unreadable: str = ""
    notes: tuple[str, ...] = ()


def check(documents: Sequence[Source], graph: ClaimGraph) -> Report:
    """Compare every number of `documents` that speaks of a claim with the claim's stored value.

    A document that cannot be read is a finding (`document-unreadable`), never an error. Findings and mentions
    come in the order of the documents and of the places in them.
    """
    index = Index(graph)
    sense = Sense(index)
    with localcontext(_EXACT), _uncollected():
        seen = [_check_one(source, index, sense) for source in documents]
    mentions = tuple(mention for one in seen for mention in one.mentions)
    checked = {
        "paths": [source.path for source in documents],
        "numbers": sum(one.numbers for one in seen),
        "matched": len(mentions),
        "unreadable": [one.unreadable for one in seen if one.unreadable],
    }
    left = [note for one in seen for note in one.notes]
    if left:
        checked["not_judged"] = left
    findings = tuple(found for one in seen for found in one.findings)
    return Report("reconcile", checked, findings, mentions)


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Without the collector of reference cycles: blocks and tokens make none, and looking for some costs half the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _check_one(source: Source, index: Index, sense: Sense) -> _Seen:
    reader = load("readers", PurePosixPath(source.path).suffix.lower())
    if reader is None:
        return _unreadable(source.path, "is of a kind that no reader knows", "convert it, or name it by a known ending")
    try:
        document: Document = reader.read(source.path, source.data)
    except LedgerError as error:
        return _unreadable(source.path, error.message, error.fix)
    except RecursionError:
        return _unreadable(source.path, "is nested too deeply to be read", None)
    setting = Setting(sense.of(document.title), sense.of(_path_words(source.path)), document.comma)
    bindings = Bindings(document, index)
    findings: list[Finding] = []
    mentions: list[Finding] = []
    judged: list[tuple[Match, Verdict]] = []
    places: set[tuple[Location | None, int, int, str]] = set()
    numbers = 0
    for quantity, text, match in bindings.apply(_matches(document, sense, setting)):
        numbers += 1 + (quantity.spread is not None)
        for found, verdict in _judged(match):
            key = (text.within, *text.place(found.quantity.start), verdict.candidate.entry.claim.id)
            if key in places:  # a macro's value is typed once and shown often
                continue
            places.add(key)
            judged.append((found, verdict))
            if verdict.kind != "ambiguous":
                mentions.append(mention(found, verdict, source.path))
            said = finding(found, verdict, source.path, index)
            findings += [said] if said else []
    findings += bindings.findings(source.path)
    findings += missing(document, judged, source.path)
    notes = tuple(f"{source.path}: {note}" for note in document.notes)
    return _Seen(tuple(suppress(findings, document)), tuple(mentions), numbers, notes=notes)


def _judged(match: Match | None) -> Iterator[tuple[Match, Verdict]]:
    """A match with its verdict, then the uncertainty beside it with its own."""
    verdict = judge(match) if match else None
    if match is None or verdict is None:
        return
    yield match, verdict
    beside = spread_of(match.quantity, verdict)
    if beside is not None and match.quantity.spread is not None:
        yield replace(match, quantity=match.quantity.spread, candidates=(beside.candidate,)), beside


def _matches(document: Document, sense: Sense, setting: Setting) -> Iterator[tuple[Quantity, Text, Match | None]]:
    for i, block in enumerate(document.blocks):
        if isinstance(block, Table):
            yield from TableReader(sense, block, setting, i).read()
        elif isinstance(block, Paragraph):
            yield from ProseReader(sense, document, i, setting).read()


def _path_words(path: str) -> str:
    """A path as words: its folders and its name without ending."""
    return " / ".join(PurePosixPath(path).with_suffix("").parts)


def _unreadable(path: str, reason: str, fix: str | None) -> _Seen:
    found = Finding(
        "document-unreadable",
        "warning",
        f"the document {reason}; none of its numbers was checked",
        Location(path),
        fix=fix,
    )
    return _Seen((found,), unreadable=path)
