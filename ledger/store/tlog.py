"""A run's place in the log as a C2SP tlog-proof, under a checkpoint that this user signs; and the check of one."""

from __future__ import annotations

from typing import Any

from ledger.canon import parse
from ledger.errors import InputError, IntegrityError
from ledger.log import proof
from ledger.log.checkpoint import Checkpoint, TlogProof
from ledger.log.hashes import NodeHashes
from ledger.log.merkle import leaf_hash
from ledger.log.note import VerifierKey, open_note
from ledger.log.seals import entry_of, seals
from ledger.log.segment import encode
from ledger.project import Project
from ledger.store.journal import Journal
from ledger.store.runs import Run
from ledger.store.signing import sign_checkpoint


def prove(project: Project, run: Run) -> TlogProof:
    """A proof that the run is in its segment of the log; its extra data is the log entry.

    Raises:
        UsageError: the run is not in the log, or nothing can be signed here.
        IntegrityError: the log is damaged, or speaks of other bytes of the run.
    """
    segments = {segment.id: segment for segment in Journal(project).segments()}
    logged = seals(entry for segment in segments.values() for entry in segment.entries)
    entry = entry_of(run.key, run.address, logged)
    segment = segments[entry.segment]
    path = NodeHashes(segment.leaves).inclusion(entry.index)
    return TlogProof(entry.index, path, sign_checkpoint(segment.head), encode(entry.body))


def check(text: str, key: VerifierKey) -> tuple[dict[str, Any], Checkpoint]:
    """The log entry that a tlog-proof proves, and the checkpoint it is under, which `key` signed.

    Raises:
        InputError: it is no such proof, or carries no entry of ours.
        IntegrityError: it does not hold.
    """
    stated = TlogProof.parse(text)
    try:
        checkpoint = Checkpoint.parse(open_note(stated.checkpoint.encode(), key))
    except InputError as error:
        raise IntegrityError(f"its checkpoint {error.message}") from error
    if checkpoint.origin != key.name:
        raise IntegrityError(f"its checkpoint is of {checkpoint.origin}, the key of {key.name}")
    leaf = leaf_hash(stated.extra)
    if not proof.verify_inclusion(stated.index, checkpoint.size, leaf, stated.path, checkpoint.root):
        raise IntegrityError(f"its entry is not number {stated.index} of the log under that checkpoint")
    entry = parse(stated.extra, "its entry")
    if not isinstance(entry, dict) or encode(entry) != stated.extra:
        raise InputError("carries no log entry")
    return entry, checkpoint
