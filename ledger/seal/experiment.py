"""The name of an experiment, which is a folder's name on every file system that the project may come to."""

from __future__ import annotations

import re
import unicodedata

from ledger.errors import UsageError
from ledger.project import Project

_NAME = re.compile(r"\w[\w.+=,@-]*")
_LONGEST = 100  # bytes; a file name may have 255, and locks and temporary files add to it
_DEVICE = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\.|$)")  # what Windows takes for a device


def is_name(exp_id: str) -> bool:
    """Whether it is made of the letters that a name may have."""
    return _NAME.fullmatch(exp_id) is not None


def check_exp_id(project: Project, exp_id: str) -> None:
    """Raises UsageError when `exp_id` cannot be a folder's name on every file system, beside those that there are."""
    long = len(exp_id.encode("utf-8", "surrogatepass")) > _LONGEST
    if long or not is_name(exp_id) or exp_id.endswith(".") or _DEVICE.match(exp_id):
        raise UsageError(
            f"{exp_id!r} cannot name an experiment",
            fix=f"start with a letter or digit and use letters, digits and . _ - + = , @ ({_LONGEST} bytes at most)",
        )
    # one folder on a file system that does not tell case, or how an accent is composed
    for other in project.results.glob("*/runs"):
        if other.parent.name != exp_id and _folded(other.parent.name) == _folded(exp_id):
            fix = "use that name, or a more different one: many file systems take the two for one"
            raise UsageError(f"there is an experiment {other.parent.name!r} already", where=exp_id, fix=fix)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
