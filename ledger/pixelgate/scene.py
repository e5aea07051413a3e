"""What one rule looks at: one saved picture with its record, its pixels and its words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ledger.model.finding import Finding, Location, Severity
from ledger.pixelgate.pixels import Picture
from ledger.pixelgate.record import Box, Panel, Saved
from ledger.pixelgate.truth.table import Table


@dataclass(frozen=True)
class Scene:
    """One saved picture. `path` is how findings call its file; `said` holds the figure's disclosures."""

    path: str
    saved: Saved
    picture: Picture | None = None
    said: tuple[str, ...] = ()
    files: tuple[str, ...] = ()  # every format of this same picture, as findings call them
    group: tuple[Saved, ...] = ()  # the records of those files
    type3: tuple[str, ...] = ()  # those of the files that embed Type 3 fonts
    table: Table | None = None
    memo: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)  # what several rules need, done once

    @property
    def pixels(self) -> Picture | None:
        """The raster, if it is the one that the record's boxes speak of."""
        if self.picture is None:
            return None
        width, height = self.saved.size
        same = abs(self.picture.size[0] - width) <= 1 and abs(self.picture.size[1] - height) <= 1
        return self.picture if same else None

    @property
    def words(self) -> str:
        """All words of the picture, lower case."""
        return self.saved.words

    def finding(
        self, rule: str, severity: Severity, message: str, fix: str, *, box: Box | None = None, **values: Any
    ) -> Finding:
        """A finding about this picture; `where` among the values tells findings of one rule apart."""
        rounded = None
        if box is not None:
            width, height = self.saved.size
            left, top, right, bottom = box
            cut = (max(0.0, left), max(0.0, top), min(width, right), min(height, bottom))
            rounded = (round(cut[0], 1), round(cut[1], 1), round(cut[2], 1), round(cut[3], 1))
        return Finding(rule, severity, message, Location(self.path, box=rounded), None, values, fix)

    def panel_name(self, panel: Panel) -> str:
        """How a message calls a panel: nothing when there is only one."""
        plots = [one for one in self.saved.panels if one.role != "colorbar"]
        if len(plots) < 2:
            return "the panel"
        title = f" ({panel.title!r})" if panel.title.strip() else ""
        return f"panel {[one.index for one in plots].index(panel.index) + 1} of {len(plots)}{title}"


def number(value: float) -> str:
    """A number as a message shows it."""
    return f"{value:.6g}"


def listed(items: list[str], limit: int = 4) -> str:
    """The first few, and how many more there are."""
    more = f" and {len(items) - limit} more" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more
