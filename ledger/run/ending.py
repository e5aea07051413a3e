"""The end of a run: seal it, and where that fails keep how it ended and say what makes up for it."""

from __future__ import annotations

from ledger.errors import LedgerError
from ledger.model.run import Status
from ledger.project import Project
from ledger.seal import outcome, staging
from ledger.seal.publish import Sealed, seal


def end(project: Project, staged: staging.Staging, status: Status, exit_status: int | None) -> Sealed:
    """Seal the run that has ended.

    Raises:
        LedgerError: it could not be sealed; nothing is lost, and the message names the command that tries again.
    """
    try:
        return seal(project, staged, status, exit_status)
    except LedgerError as error:
        later = "`ledger fsck --repair` completes it"  # it is published and not logged
        if staged.path.is_dir():
            outcome.keep(staged.path, status, exit_status)
            later = f"`ledger seal {staged.run_id}` tries again"
        fix = f"{error.fix}; {later}" if error.fix else later
        raise type(error)(error.message, where=error.where, fix=fix) from error
