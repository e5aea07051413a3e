"""Office files as an attacker or a broken disk would send them: read, or refused in one clear line."""

from __future__ import annotations

import contextlib
import io
import random
import zipfile
from collections.abc import Callable

import docx
import openpyxl
import pptx
import pytest

from ledger.errors import InputError, LedgerError
from ledger.registry import load


def word() -> bytes:
    document = docx.Document()
    document.add_paragraph("accuracy 81.3")
    document.add_table(rows=1, cols=2).cell(0, 0).text = "81.3"
    return saved(document.save)


def saved(save: Callable[[io.BytesIO], None]) -> bytes:
    out = io.BytesIO()
    save(out)
    return out.getvalue()


def slides() -> bytes:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "accuracy 81.3"
    slide.shapes.add_table(1, 2, *[pptx.util.Inches(1)] * 4).table.cell(0, 0).text = "81.3"
    return saved(deck.save)


def workbook() -> bytes:
    book = openpyxl.Workbook()
    book.active.append(["accuracy", 81.3])
    return saved(book.save)


# ending -> a good file, and its part that holds the text
GOOD: dict[str, tuple[bytes, str]] = {
    ".docx": (word(), "word/document.xml"),
    ".pptx": (slides(), "ppt/slides/slide1.xml"),
    ".xlsx": (workbook(), "xl/worksheets/sheet1.xml"),
}
each = pytest.mark.parametrize("ending", sorted(GOOD))


def changed(
    data: bytes, part: str, change: Callable[[bytes], bytes | None], *, packed: int = zipfile.ZIP_DEFLATED
) -> bytes:
    """The package with one part changed, or without it."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", packed) as new:
        for info in old.infolist():
            content: bytes | None = old.read(info)
            if info.filename == part:
                content = change(old.read(info))
            if content is not None:
                new.writestr(info.filename, content)
    return out.getvalue()


def refused(ending: str, data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        load("readers", ending).read(f"d{ending}", data)
    line = str(caught.value)
    assert line.startswith(f"d{ending}: ")
    assert "\n" not in line
    return line


def root_start(xml: bytes) -> int:
    """Where the root element of a part begins, behind the XML declaration."""
    return xml.index(b"<", max(xml.find(b"?>"), 0))


@each
def test_what_is_no_package(ending: str) -> None:
    for data in (b"", b"text", b"PK\x03\x04", bytes(1000)):
        assert "cannot be opened" in refused(ending, data)
    compound = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
    assert "older binary format" in refused(ending, compound)
    assert "encrypted" in refused(ending, compound + "EncryptedPackage".encode("utf-16-le"))


@each
def test_entities_and_document_types_are_refused(ending: str) -> None:
    data, part = GOOD[ending]
    for kind in (
        b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>',
        b'<!DOCTYPE x SYSTEM "file:///etc/passwd">',
        b'<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1/x.dtd"> %p;]>',
        b"<!--" + b" " * 200_000 + b"--><!DOCTYPE x>",
    ):
        hostile = changed(data, part, lambda xml, kind=kind: xml[: root_start(xml)] + kind + xml[root_start(xml) :])  # type: ignore[misc]
        assert "document type" in refused(ending, hostile)
    wide = changed(data, part, lambda xml: (xml[: root_start(xml)].replace(b"UTF-8", b"UTF-16") + b"<!DOCTYPE x>" + xml[root_start(xml) :]).decode().encode("utf-16"))  # fmt: skip
    assert "document type" in refused(ending, wide)


@each
def test_bombs_are_refused_before_they_fill_the_memory(ending: str) -> None:
    data, part = GOOD[ending]
    bomb = changed(data, part, lambda xml: xml.replace(b"81.3", b"1" * (80 << 20), 1))
    assert len(bomb) < 1 << 20
    assert "more than" in refused(ending, bomb)
    deep = changed(data, part, lambda xml: xml[: root_start(xml)] + b"<a>" * 100_000 + b"</a>" * 100_000)
    assert "too deeply" in refused(ending, deep)


@each
def test_broken_packages(ending: str) -> None:
    data, part = GOOD[ending]
    assert "no document part" in refused(ending, changed(data, "_rels/.rels", lambda _: None))
    lacking = refused(ending, changed(data, part, lambda _: None))
    assert "no document part" in lacking or "lacks" in lacking
    assert "well-formed" in refused(ending, changed(data, part, lambda xml: xml[:-20]))
    assert "well-formed" in refused(ending, changed(data, part, lambda _: b"\xff\xfe\x00"))
    assert "unusual way" in refused(ending, changed(data, part, lambda xml: xml, packed=zipfile.ZIP_BZIP2))


@each
def test_any_damage_is_survived(ending: str) -> None:
    data, part = GOOD[ending]
    chance = random.Random(7)
    whole = load("readers", ending)
    for _ in range(150):
        spoiled = bytearray(data)
        for _ in range(chance.randint(1, 20)):
            spoiled[chance.randrange(len(spoiled))] = chance.randrange(256)
        torn = changed(
            data, part, lambda xml: bytes(b if chance.random() > 0.001 else chance.randrange(32, 127) for b in xml)
        )
        for attempt in (bytes(spoiled), data[: chance.randrange(len(data))], torn):
            with contextlib.suppress(LedgerError):
                whole.read("d", attempt)
