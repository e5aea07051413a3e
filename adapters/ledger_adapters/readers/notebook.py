"""Jupyter notebooks of format 3 and 4: Markdown cells, and what code cells put out.

A place is a cell (from 0) and a line and column in it (from 1). The lines of outputs count on from the last line of
the cell's source, as the page shows them. Code and raw cells are left alone, pictures are dropped before JSON is
parsed, so that they cost neither memory nor time.
"""

from __future__ import annotations

import json
import re
from typing import Any

from ledger.errors import InputError
from ledger.model.document import Document
from ledger.model.finding import Location
from ledger_adapters.readers.markdown import Builder
from ledger_adapters.readers.source import Source, decode

# a picture, sound or program among the outputs or attachments: one string, or a list of its lines
_HEAVY = re.compile(
    rb'("(?:(?:image|audio|video|application)/[\w.+-]++|png|jpeg|svg|pdf)"\s*+:\s*+)'
    rb'(?:"(?:[^"\\]++|\\.)*+"|\[(?:\s*+"(?:[^"\\]++|\\.)*+"\s*+,?+)*+\s*+\])',
    re.DOTALL,
)
_COMMENT = re.compile(r"^[ \t]*#[ \t]*(ledger:[^\n]*)", re.MULTILINE)
_RICHEST = (("text/html", "html"), ("text/markdown", "markdown"), ("text/plain", "text"))


class NotebookReader:
    """Reads `.ipynb`."""

    format = "notebook"

    def read(self, path: str, data: bytes) -> Document:
        """The document in `data`.

        Raises:
            InputError: not UTF-8, not JSON, or no notebook.
        """
        cells = _cells(path, _parse(path, data))
        builder = Builder()
        for number, cell in enumerate(cells):
            if not isinstance(cell, dict):
                builder.notes.append(f"cell {number} is no object")
                continue
            _read_cell(builder, cell, Location(path, cell=number))
        return builder.document(path, self.format)


def _parse(path: str, data: bytes) -> Any:
    slim = _HEAVY.sub(rb'\1""', data)
    try:
        return json.loads(decode(path, slim))
    except InputError:
        decode(path, data)  # says where in the file itself
        raise
    except RecursionError:
        raise InputError("is nested too deeply to be a notebook", where=path) from None
    except ValueError as error:
        reason = str(error)
        try:
            json.loads(decode(path, data))
        except ValueError as in_full:
            reason = str(in_full)
        raise InputError(f"is not valid JSON: {reason}", where=path, fix="save the notebook again") from None


def _cells(path: str, top: Any) -> list[Any]:
    if isinstance(top, dict):
        sheets = top.get("worksheets")  # format 3
        parts = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)] if isinstance(sheets, list) else []
        lists = [part for part in (top.get("cells"), *parts) if isinstance(part, list)]
        if lists:
            return [cell for part in lists for cell in part]
    raise InputError("is no notebook: it has no list of cells", where=path)


def _read_cell(builder: Builder, cell: dict[str, Any], within: Location) -> None:
    kind = cell.get("cell_type")
    text = _joined(cell.get("source", cell.get("input")))
    if kind == "markdown":
        builder.read(Source(text, within))
    elif kind == "heading" and isinstance(cell.get("level"), int):  # format 3
        builder.heading(cell["level"], Source(text, within))
    elif kind == "html":  # format 2 and 3
        builder.html(Source(text, within))
    elif kind == "code":
        source = Source(text, within)
        for match in _COMMENT.finditer(text):
            builder.direct(match.group(1), source, match.start())
        _read_outputs(builder, cell.get("outputs"), source)


def _read_outputs(builder: Builder, outputs: Any, code: Source) -> None:
    first = len(code.starts) + 1
    for output in outputs if isinstance(outputs, list) else []:
        if not isinstance(output, dict):
            continue
        kind, text = _richest(output)
        source = Source(text, code.within, first)
        if kind == "html":
            builder.html(source)
        elif kind == "markdown":
            builder.read(source)
        first += len(source.starts)


def _richest(output: dict[str, Any]) -> tuple[str, str]:
    """The kind and text of the one form of an output that the page shows."""
    if output.get("output_type") in ("error", "pyerr"):
        return "", ""
    bundle = output.get("data")
    if isinstance(bundle, dict):
        for mime, kind in _RICHEST:
            if mime in bundle:
                return kind, _joined(bundle[mime])
    elif "html" in output:
        return "html", _joined(output["html"])
    return "text", _joined(output.get("text"))


def _joined(text: Any) -> str:
    """The text of a string or of a list of its lines."""
    if isinstance(text, list):
        return "".join(part for part in text if isinstance(part, str))
    return text if isinstance(text, str) else ""


READER = NotebookReader()
