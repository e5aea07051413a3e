"""Failures that a user can act on, by whose turn it is to act.

Every class carries its exit status (docs/reference/exit-status.md). A mismatch that a check finds is a
`Finding`, never an exception; what is raised here means that the tool could not do its work.
"""

import re

# control characters, line and paragraph separators, bidirectional overrides, bytes of a name that are no UTF-8
_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    """One line of text with its control characters escaped: names and documents come from strangers, and what they
    hold must neither break a line nor steer a terminal.
    """
    return text if text.isprintable() else _STEERING.sub(lambda match: ascii(match[0])[1:-1], text)


class LedgerError(Exception):
    """Base of all expected failures: what happened, where, and what to do about it."""

    exit_status = 3

    def __init__(self, message: str, *, where: object = None, fix: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = None if where is None else str(where)
        self.fix = fix

    def __str__(self) -> str:
        """One line: place, fact, next step."""
        line = f"{self.where}: {self.message}" if self.where else self.message
        return visible(f"{line}; {self.fix}" if self.fix else line)


class UsageError(LedgerError):
    """The command line, the configuration or a reference (a run, a claim) does not make sense."""

    exit_status = 2


class InputError(LedgerError):
    """A file of the user's cannot be read as what it should be."""


class NewerVersionError(InputError):
    """A file of ours that a newer version of this tool wrote: whole, as far as anybody can tell, and not readable here."""


class StoreError(LedgerError):
    """The disk refused: permission, space, a path in the way."""


class IntegrityError(LedgerError):
    """Evidence is not what its hash says, or would have to be overwritten."""
