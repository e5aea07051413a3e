"""tofu: a character that no font of its text has, so that a box stands in its place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ledger.model.finding import Finding
from ledger.pixelgate.record import Text
from ledger.pixelgate.scene import Scene, listed

NAMES = {
    "title": "title", "suptitle": "figure title", "xlabel": "x label", "ylabel": "y label", "zlabel": "z label",
    "xtick": "x tick label", "ytick": "y tick label", "ztick": "z tick label", "legend": "legend", "annotation": "text",
}  # fmt: skip


def check(scene: Scene) -> Iterator[Finding]:
    groups: dict[tuple[int | None, str], list[Text]] = defaultdict(list)
    for text in scene.saved.texts:
        if text.missing:
            groups[text.panel, text.role].append(text)
    for (panel, role), texts in groups.items():
        codes = list(dict.fromkeys(f"U+{ord(char):04X}" for text in texts for char in text.missing))
        count = sum(len(text.missing) for text in texts)
        shown = listed([f"{text.text!r}" for text in texts], 3)
        fonts = ", ".join(dict.fromkeys(font for text in texts for font in text.fonts)) or "its font"
        what = f"{len(texts)} {NAMES[role]}s" if len(texts) > 1 else f"the {NAMES[role]}"
        plural = "character is" if count == 1 else "characters are"
        message = f"{count} {plural} drawn as a missing-glyph box in {what} ({shown}): {fonts} lacks {listed(codes, 6)}"
        box = (
            min(text.box[0] for text in texts), min(text.box[1] for text in texts),
            max(text.box[2] for text in texts), max(text.box[3] for text in texts),
        )  # fmt: skip
        fix = f"choose a font that has {listed(codes, 3)}: rcParams['font.family'] = ['...', 'DejaVu Sans']"
        yield scene.finding(
            "tofu", "error", message, fix, box=box, text=[text.text for text in texts][:8], codepoints=codes,
            where=f"{panel} {role}",
        )  # fmt: skip
