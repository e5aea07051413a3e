"""Re-opening rendered rasters: guarded against decompression bombs, and a few questions that pixels can answer."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ledger.pixelgate.record import Box

RASTERS = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif"})
MAX_PIXELS = 120_000_000  # above it a picture is not decoded: 4 bytes for each pixel, several times over
SAME = 10  # levels of 255 within which two colours are one


class UnreadableError(Exception):
    """The file is no picture, is damaged, or is too large; the message is one clause for a finding."""


@dataclass(frozen=True)
class Picture:
    """A decoded raster."""

    path: Path
    size: tuple[int, int]
    dpi: float | None  # as the file states it
    image: Any

    @cached_property
    def array(self) -> Any:
        """Height x width x 3, integers from 0 to 255, transparency laid on white."""
        import numpy as np
        from PIL import Image

        rgba = self.image.convert("RGBA")
        ground = Image.new("RGBA", rgba.size, (255, 255, 255, 255))
        return np.asarray(Image.alpha_composite(ground, rgba).convert("RGB"), dtype=np.int16)

    def cut(self, box: Box) -> Any:
        """The pixels of a box, as far as they are inside the picture."""
        left, top = max(0, round(box[0])), max(0, round(box[1]))
        return self.array[top : max(top, round(box[3])), left : max(left, round(box[2]))]


def open_picture(path: Path) -> Picture:
    """Decode a raster file whole, so that a truncated one is noticed.

    Raises:
        UnreadableError: it cannot be, or should not be, decoded.

    """
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                width, height = image.size
                if width * height > MAX_PIXELS:
                    raise UnreadableError(
                        f"claims {width} x {height} pixels, more than {MAX_PIXELS / 1e6:g} million, and was not decoded"
                    )
                image.load()
                stated = image.info.get("dpi")
                dpi = float(stated[0]) if isinstance(stated, tuple) and stated[0] else None
                return Picture(path, (width, height), dpi, image.copy())
    except UnreadableError:
        raise
    except (Image.DecompressionBombError, UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError) as error:
        if isinstance(error, Image.DecompressionBombError):
            raise UnreadableError("claims far more pixels than a figure has, and was not decoded") from None
        problem = "is no picture" if isinstance(error, UnidentifiedImageError) else f"is damaged ({error})"
        raise UnreadableError(problem) from None


def ground_of(array: Any) -> Any:
    """The commonest colour."""
    import numpy as np

    flat = array.reshape(-1, 3)
    codes = (flat[:, 0].astype(np.int64) << 16) | (flat[:, 1].astype(np.int64) << 8) | flat[:, 2]
    values, counts = np.unique(codes, return_counts=True)
    code = int(values[counts.argmax()])
    return np.array([code >> 16, (code >> 8) & 255, code & 255], dtype=np.int16)


def differs(array: Any, ground: Any) -> Any:
    """Which pixels are visibly another colour than `ground`."""
    import numpy as np

    return np.abs(array - ground).max(axis=-1) > SAME
