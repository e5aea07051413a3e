"""Where the parts of a figure are: `figures/<name>/` and what stands in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ledger.errors import UsageError

FIGURES = "figures"
SCRIPT = "script.py"
DATA = "source_data.csv"
OUTPUT = "output"
SUFFIX = ".provenance"


@dataclass(frozen=True, slots=True)
class Folder:
    """One figure's folder. `root` is the project's root, `name` the folder's name."""

    root: Path
    name: str

    @property
    def path(self) -> Path:
        return self.root / FIGURES / self.name

    @property
    def script(self) -> Path:
        return self.path / SCRIPT

    @property
    def data(self) -> Path:
        return self.path / DATA

    @property
    def output(self) -> Path:
        return self.path / OUTPUT

    @property
    def sidecar(self) -> Path:
        return self.path / f"{self.name}{SUFFIX}"

    @property
    def readme(self) -> Path:
        return self.path / "README.md"

    @property
    def builders(self) -> list[Path]:
        """The steps that write source_data.csv, in the order in which they run."""
        return sorted(self.path.glob("_build_*.py"))

    def rendered(self) -> list[Path]:
        """Every file under output/, sorted; names that begin with a dot are not figures."""
        if not self.output.is_dir():
            return []
        return sorted(p for p in self.output.rglob("*") if p.is_file() and not p.name.startswith("."))

    def shown(self, path: Path) -> str:
        """A path as findings write it: relative to the project where it is inside, forward slashes."""
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            pass
        try:
            return path.resolve().relative_to(self.root.resolve()).as_posix()
        except ValueError:
            return path.as_posix()


def names(root: Path) -> list[str]:
    """The figures of a project: folders under `figures/` that hold a script or a sidecar, sorted."""
    base = root / FIGURES
    if not base.is_dir():
        return []
    return sorted(
        folder.name
        for folder in base.iterdir()
        if folder.is_dir() and ((folder / SCRIPT).is_file() or (folder / f"{folder.name}{SUFFIX}").is_file())
    )


def find(root: Path, name: str) -> Folder:
    """The folder of the figure `name`.

    Raises:
        UsageError: there is none; the message lists those that exist.

    """
    folder = Folder(root.absolute(), name)
    if name in {"", ".", ".."} or "/" in name or "\\" in name or not folder.path.is_dir():
        known = ", ".join(names(root)) or "none yet"
        raise UsageError(f"no figure is called {name!r}", where=root / FIGURES, fix=f"there are: {known}")
    return folder
