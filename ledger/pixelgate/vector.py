"""Looking into PDF files for what print refuses: bytes only, nothing is run, followed or rendered."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

MAX_BYTES = 64 * 1024 * 1024
_TYPE3 = re.compile(rb"/Subtype\s*/Type3\b")
_OBJECTS = re.compile(rb"/Type\s*/ObjStm\b.{0,400}?stream\r?\n(.*?)endstream", re.DOTALL)


def has_type3(path: Path) -> bool | None:
    """Whether a PDF embeds a Type 3 font; None when it is too large, or cannot be read."""
    try:
        if path.stat().st_size > MAX_BYTES:
            return None
        data = path.read_bytes()
    except OSError:
        return None
    if _TYPE3.search(data):
        return True
    for packed in _OBJECTS.finditer(data):
        try:
            objects = zlib.decompressobj().decompress(packed[1], MAX_BYTES)
        except zlib.error:
            continue
        if _TYPE3.search(objects):
            return True
    return False
