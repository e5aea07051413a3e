"""Office Open XML packages (docx, pptx, xlsx) as strangers send them: parts, relations and XML in bounded memory.

The parts are read with the standard library and not through python-docx, python-pptx or openpyxl: those build a
whole tree of the document, drop what we need (tracked insertions, text boxes, footnotes, number formats as shown) and
cost a heavy import. Safety: only stored and deflated members, sizes bounded before they are read, no DOCTYPE and so no
entities, a bound on nesting, macros and external targets are never opened.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, cast
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError, XMLPullParser
from xml.parsers import expat

from ledger.errors import InputError

_LIMIT = 1 << 30  # bytes of one part, unpacked; parts are streamed, so this bounds time
_WHOLE = 64 << 20  # bytes of a part that is needed as one tree
_ENTRY = 48 << 20  # bytes of XML of one paragraph, table or row
_DEPTH = 400
_CHUNK = 1 << 16
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@dataclass(frozen=True, slots=True)
class Relation:
    """A link from one part to another, or to the outside (`external`), which is only ever named."""

    kind: str  # the last word of its type: "styles", "hyperlink", "worksheet"
    target: str
    external: bool


def local(element: Element) -> str:
    """The name of an element without its namespace; strict and transitional documents differ only there."""
    return element.tag.rpartition("}")[2]


def attribute(element: Element, name: str) -> str | None:
    """The attribute `name`, whatever its namespace."""
    for key, value in element.attrib.items():
        if key == name or key.endswith(f"}}{name}"):
            return value
    return None


def reference(element: Element, name: str = "id") -> str | None:
    """The id of a relation that an element names (`r:id`, never its own `id`)."""
    return next((value for key, value in element.attrib.items() if key.endswith(f"}}{name}")), None)


def child(element: Element | None, *path: str) -> Element | None:
    """The first descendant along `path`, or None."""
    for name in path:
        element = next((e for e in element if local(e) == name), None) if element is not None else None
    return element


def value(element: Element | None, *path: str) -> str | None:
    """The attribute `val` of the first descendant along `path`."""
    found = child(element, *path)
    return attribute(found, "val") if found is not None else None


class Package:
    """The parts of one file.

    Raises:
        InputError: from every method, when the bytes are no such package, are encrypted or too large.
    """

    def __init__(self, path: str, data: bytes, ending: str) -> None:
        self.path = path
        if data.startswith(_COMPOUND):
            locked = "EncryptedPackage".encode("utf-16-le") in data
            self._refuse(
                "is encrypted" if locked else "is in the older binary format",
                f"save it as .{ending} without a password" if locked else f"save it as .{ending}",
            )
        try:
            self.archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError, OSError):
            self._refuse(f"is no .{ending} file (it cannot be opened as a zip archive)")
        self.names = {info.filename.lower(): info for info in self.archive.infolist()}

    def _refuse(self, why: str, fix: str | None = None) -> NoReturn:
        raise InputError(why, where=self.path, fix=fix)

    def main(self) -> str:
        """The name of the part that holds the document."""
        found = self.related("", "officeDocument")
        if not found or not self.has(found[0]):
            self._refuse("holds no document part")
        return found[0]

    def has(self, part: str) -> bool:
        return part.lower() in self.names

    def relations(self, part: str) -> dict[str, Relation]:
        """What `part` refers to, by id; targets inside the package are names of parts."""
        folder, name = posixpath.split(part)
        tree = self.tree(posixpath.join(folder, "_rels", f"{name}.rels"))
        out: dict[str, Relation] = {}
        for each in tree if tree is not None else ():
            kind, target, key = each.get("Type", ""), each.get("Target", ""), each.get("Id")
            external = each.get("TargetMode") == "External"
            if not external:
                target = posixpath.normpath(posixpath.join("/", folder, unquote(target))).lstrip("/")
            if key:
                out[key] = Relation(kind.rpartition("/")[2], target, external)
        return out

    def related(self, part: str, kind: str) -> list[str]:
        """The parts of one kind that `part` refers to."""
        return [each.target for each in self.relations(part).values() if each.kind == kind and not each.external]

    def tree(self, part: str) -> Element | None:
        """A part as one tree, or None when there is no such part."""
        if not self.has(part):
            return None
        if self.names[part.lower()].file_size > _WHOLE:
            self._refuse(f"holds a part of more than {_WHOLE >> 20} MiB ({part})")
        root: Element | None = None
        for _, element, _ in self._events(part):
            root = element if root is None else root
        return root

    def children(self, part: str) -> Iterator[tuple[str, Element]]:
        """Every element two levels below the root of a part (a paragraph of the body, a row of a sheet) with the name
        of its parent, one at a time: it is forgotten when the next one is asked for.
        """
        parents: list[Element] = []
        for event, element, depth in self._events(part):
            if event == "start" and depth < 2:
                parents[depth:] = [element]
            elif event == "end" and depth == 2:
                yield local(parents[1]), element
                parents[1].clear()
            elif event == "end" and depth == 1:
                parents[0].clear()

    def _events(self, part: str) -> Iterator[tuple[str, Element, int]]:
        """Starts and ends of elements, with their depth below the root."""
        parser: XMLPullParser[Any] = XMLPullParser(("start", "end"))
        depth, held = -1, 0
        for chunk in self._vetted(part):
            held += len(chunk)
            try:
                parser.feed(chunk) if chunk else parser.close()
                events = cast("list[tuple[str, Element]]", list(parser.read_events()))
            except (ParseError, ValueError, LookupError) as error:
                self._refuse(f"holds XML that is not well-formed ({part}: {error})")
            for event, element in events:
                depth += event == "start"
                yield event, element, depth
                if event == "end":
                    held = 0 if depth <= 2 else held
                    depth -= 1
            if depth > _DEPTH:
                self._refuse(f"is nested too deeply to be read ({part})")
            if held > _ENTRY:
                self._refuse(f"holds a single element of more than {_ENTRY >> 20} MiB ({part})")

    def _vetted(self, part: str) -> Iterator[bytes]:
        """The bytes of a part, an empty chunk at the end. What comes before the root element is looked at first: a
        document type, and with it every entity, is refused (the format forbids it).
        """
        guard = expat.ParserCreate()
        begun: list[str] = []
        guard.StartDoctypeDeclHandler = lambda *_: self._refuse(f"declares a document type, which is not read ({part})")
        guard.StartElementHandler = lambda name, _: begun.append(name)
        for chunk in self._chunks(part):
            if not begun:
                try:
                    guard.Parse(chunk, False)
                except (expat.ExpatError, ValueError, LookupError) as error:
                    if not begun:
                        self._refuse(f"holds XML that is not well-formed ({part}: {error})")
            yield chunk
        yield b""

    def _chunks(self, part: str) -> Iterator[bytes]:
        info = self.names.get(part.lower())
        if info is None:
            self._refuse(f"lacks the part {part}")
        if info.flag_bits & 1:
            self._refuse("is encrypted", "save it without a password")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.file_size > _LIMIT:
            self._refuse(f"holds a part that is too large or packed in an unusual way ({part})")
        try:
            with self.archive.open(info) as stream:
                while chunk := stream.read(_CHUNK):
                    yield chunk
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError):
            self._refuse(f"is damaged ({part} cannot be unpacked)")
