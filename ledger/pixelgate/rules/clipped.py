"""clipped-text: ink of a text that is cut by the edge of the page or by a clip box, or lies wholly off the page."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.model.finding import Finding
from ledger.pixelgate.pixels import differs, ground_of
from ledger.pixelgate.record import Box, Text
from ledger.pixelgate.rules.tofu import NAMES
from ledger.pixelgate.scene import Scene, listed

SLACK = 0.6  # points that a glyph may reach over an edge before it counts: outlines are not pixel exact


def check(scene: Scene) -> Iterator[Finding]:
    saved = scene.saved
    slack = SLACK * saved.dpi / 72
    page = (0.0, 0.0, *saved.size)
    groups: dict[tuple[int | None, str, str], list[tuple[Text, float, str]]] = {}
    for text in saved.texts:
        cut = _cut_by_page(scene, text, page, slack) or _cut_by_clip(text, page, slack)
        if cut:
            by, sides, amount = cut
            groups.setdefault((text.panel, text.role, by), []).append((text, amount, sides))
    for (panel, role, by), cuts in groups.items():
        texts = [text for text, _, _ in cuts]
        most = max(amount for _, amount, _ in cuts) * 72 / saved.dpi
        sides = listed(list(dict.fromkeys(side for _, _, named in cuts for side in named.split(" and "))))
        what = f"{len(texts)} {NAMES[role]}s are" if len(texts) > 1 else f"the {NAMES[role]} is"
        shown = listed([repr(text.text) for text in texts], 3)
        message = f"{what} cut at the edge of {by} ({sides}) by up to {most:.0f} pt: {shown}"
        fix = "use layout='constrained', save with bbox_inches='tight', or give the text more room"
        box = texts[0].ink or texts[0].box
        yield scene.finding(
            "clipped-text", "error", message, fix, box=box, text=[text.text for text in texts][:8],
            where=f"{panel} {role} {sides}",
        )  # fmt: skip


def _cut_by_page(scene: Scene, text: Text, page: Box, slack: float) -> tuple[str, str, float] | None:
    ink = text.ink or text.box
    over = _over(ink, page)
    if max(over.values()) <= slack or text.color[3] == 0:
        return None
    outside = ink[2] <= page[0] or ink[0] >= page[2] or ink[3] <= page[1] or ink[1] >= page[3]
    if outside and text.role.endswith("tick"):
        return None  # labels of an axis that the page leaves out, as with a picture that fills it
    slight = max(over.values()) < 0.3 * text.size * scene.saved.dpi / 72
    if slight and not outside and not _ink_at_edge(scene, ink, over):
        return None  # outlines are not pixel exact; a deep cut may well fall between two letters
    return "the page", _sides(over, slack), max(over.values())


def _cut_by_clip(text: Text, page: Box, slack: float) -> tuple[str, str, float] | None:
    if text.clip is None or text.ink is None:
        return None
    over = _over(text.ink, text.clip)
    # text whose place is out of view is hidden whole, as a zoom does
    hidden = (
        text.ink[2] <= text.clip[0] + slack or text.ink[0] >= text.clip[2] - slack
        or text.ink[3] <= text.clip[1] + slack or text.ink[1] >= text.clip[3] - slack
    )  # fmt: skip
    if hidden or max(over.values()) <= slack:
        return None
    return ("its panel" if text.clip != page else "the page"), _sides(over, slack), max(over.values())


def _over(ink: Box, frame: Box) -> dict[str, float]:
    return {
        "left": frame[0] - ink[0], "top": frame[1] - ink[1], "right": ink[2] - frame[2], "bottom": ink[3] - frame[3],
    }  # fmt: skip


def _sides(over: dict[str, float], slack: float) -> str:
    return " and ".join(side for side, amount in over.items() if amount > slack)


def _ink_at_edge(scene: Scene, ink: Box, over: dict[str, float]) -> bool:
    """Whether the pixels beside the edge hold ink where the text crosses it; True when there are no pixels."""
    picture = scene.pixels
    if picture is None:
        return True
    width, height = picture.size
    strips = {
        "left": (0, ink[1], 3, ink[3]), "right": (width - 3, ink[1], width, ink[3]),
        "top": (ink[0], 0, ink[2], 3), "bottom": (ink[0], height - 3, ink[2], height),
    }  # fmt: skip
    for side, amount in over.items():
        strip = picture.cut(strips[side]) if amount > 0 else None
        if strip is not None and strip.size and bool(differs(strip, ground_of(picture.array)).any()):
            return True
    return False
