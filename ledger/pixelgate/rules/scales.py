"""undisclosed-log-axis: an axis or a colour scale that is not linear, and no word that says so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ledger.model.finding import Finding
from ledger.pixelgate.record import Panel
from ledger.pixelgate.scene import Scene

# "log-likelihood" names a quantity, not a scale
_QUANTITY = re.compile(
    r"\blog[-\s]?(likelihood|odds|prob\w*|loss|lik|evidence|posterior|density|fold\w*|determinant)\b"
)
_WORDS = {
    "log": re.compile(r"\blog\b|\blog\d|log₁₀|log₂|\\log|\blog[-_ ]|logarithm|semilog|loglog|\bdecades\b"),
    "symlog": re.compile(r"\blog\b|logarithm|symlog|symmetric"),
    "logit": re.compile(r"\blogit\b|\blog\b|log-odds"),
}
_OTHER = re.compile(r"\blog\b|logarithm|scale|axis|square root|power|reciprocal|asinh|transform")
_NORMS = {"LogNorm": "log", "SymLogNorm": "symlog", "PowerNorm": "power", "AsinhNorm": "asinh", "FuncNorm": "function"}
FIX = "say it in the axis label, as in 'Time (s, log scale)', or disclose it"


def check(scene: Scene) -> Iterator[Finding]:
    words = _QUANTITY.sub(" ", scene.words)
    told: set[tuple[str, str]] = set()
    for panel in scene.saved.panels:
        for letter in "xy":
            axis = panel.axis(letter)
            family = min((panel.index, *panel.twin)) if letter == "x" else panel.index
            if axis.scale in {"linear", "date"} or not panel.frame or (f"{family}", letter) in told:
                continue
            told.add((f"{family}", letter))
            if panel.role == "colorbar":
                continue  # its scale is its image's
            if not _says(axis.scale, words):
                low, high = axis.limits
                message = (
                    f"{scene.panel_name(panel)} has a {axis.scale} {letter} axis from {low:.4g} to {high:.4g}, "
                    f"and no label, title or disclosure says so"
                )
                yield scene.finding(
                    "undisclosed-log-axis", "warning", message, FIX, box=panel.box, axis=letter, scale=axis.scale,
                    where=panel.index,
                )  # fmt: skip
        yield from _colors(scene, panel, words)


def _colors(scene: Scene, panel: Panel, words: str) -> Iterator[Finding]:
    scales = {_NORMS[mark.norm] for mark in panel.marks if mark.norm in _NORMS}
    for scale in sorted(scales):
        if not _says(scale, words):
            message = f"{scene.panel_name(panel)} has a {scale} colour scale, and no label, title or disclosure says so"
            yield scene.finding(
                "undisclosed-log-axis", "warning", message, FIX, box=panel.box, axis="color", scale=scale,
                where=panel.index,
            )  # fmt: skip


def _says(scale: str, words: str) -> bool:
    return bool(_WORDS.get(scale, _OTHER).search(words))
