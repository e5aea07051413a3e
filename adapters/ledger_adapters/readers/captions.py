"""Which caption belongs to which table, where the format keeps captions as paragraphs beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ledger.model.document import Paragraph, Table

_NUMBERED = re.compile(
    r"^\s*(?:(?:supplementary|extended data)\s+)?(?:table|tab\.|tabelle|tableau|tabla)\s*\w{1,6}\s*[.:–—|-]",
    re.IGNORECASE,
)
_OTHER = re.compile(r"^\s*(?:fig|abb|listing|algorithm|equation)", re.IGNORECASE)

Block = Table | Paragraph


def attach(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks with captions at their tables. One that is styled or worded as a caption is the table's own, on the
    side where this document has most of them; else the paragraph before a table speaks for it, as in Markdown.
    """
    out = list(blocks)
    tables = [i for i, block in enumerate(out) if isinstance(block, Table) and block.caption is None]
    sides = {step: sum(_own(_at(out, i + step)) for i in tables) for step in (-1, 1)}
    first = -1 if sides[-1] >= sides[1] else 1
    for i in tables:
        table, before = out[i], _at(blocks, i - 1)
        assert isinstance(table, Table)
        near, far = _at(blocks, i + first), _at(blocks, i - first)
        # on the unusual side it may be the caption of the table beyond it
        own = near if _own(near) else far if _own(far) and not isinstance(_at(blocks, i - 2 * first), Table) else None
        if isinstance(own, Paragraph):
            out[i] = replace(table, caption=own.text, caption_is_own=True)
        elif isinstance(before, Paragraph) and before.kind in ("text", "item") and before.headings == table.headings:
            out[i] = replace(table, caption=before.text)
    return tuple(out)


def _at(blocks: Sequence[Block], i: int) -> Block | None:
    return blocks[i] if 0 <= i < len(blocks) else None


def _own(block: Block | None) -> bool:
    if not isinstance(block, Paragraph) or block.kind == "heading" or _OTHER.match(block.text.text):
        return False
    return block.kind == "caption" or (len(block.text.text) < 400 and bool(_NUMBERED.match(block.text.text)))
