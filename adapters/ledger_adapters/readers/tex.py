r"""LaTeX: tables, captions, headings and paragraphs with exact places.

Comments, verbatim text, drawings and the bibliography are left alone. A simple `\newcommand` shows its value at
the place where its digits are typed. See `tex_inline` for why the tokenizer is our own.
"""

from __future__ import annotations

import re

from ledger.model.document import Directive, Document, Paragraph, Table, Text
from ledger_adapters.readers.directives import parse as parse_directive
from ledger_adapters.readers.source import Source, Visible, decode, word_set
from ledger_adapters.readers.tex_inline import TexInline, group, option, undress
from ledger_adapters.readers.tex_tables import TABULARS, body_start, read_rows

_SECTIONS = {
    "part": 0,
    "chapter": 1,
    "section": 2,
    "subsection": 3,
    "subsubsection": 4,
    "paragraph": 5,
    "subparagraph": 6,
}
_LEFT_ALONE = word_set(
    "verbatim verbatim* Verbatim lstlisting minted comment tikzpicture filecontents filecontents* thebibliography algorithmic pgfpicture"
)
_FLOATS = word_set(
    "table table* figure figure* wraptable wrapfigure subtable subfigure sidewaystable sidewaystable* longtable"
)
_BLOCK = re.compile(
    r"(?P<comment>(?<!\\)%[^\n]*)|(?P<blank>\n[ \t]*\r?\n\s*)"
    r"|\\(?P<command>begin|end|item|caption\*?|title|par|part|chapter|section|subsection|subsubsection|paragraph|subparagraph)\b(?P<star>\*?)"
)
_DEFINITION = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand)\*?\s*\{?\s*\\(?P<name>[A-Za-z@]+)\s*\}?\s*(?=\{)|\\def\s*\\(?P<def>[A-Za-z@]+)\s*(?=\{)"
)


class TexReader:
    """Reads `.tex`."""

    format = "latex"

    def read(self, path: str, data: bytes) -> Document:
        """The document in `data`.

        Raises:
            InputError: not UTF-8.
        """
        source = Source(decode(path, data))
        builder = _Builder(source)
        builder.define()
        text = source.text
        begin = re.search(r"^[^%\n]*?\\begin\s*\{document\}", text, re.MULTILINE)
        start = begin.end() if begin else 0
        stop = text.find("\\end{document}", start)
        title = re.search(r"\\title\b", text[:start])
        if title and (inner := group(text, option(text, title.end(), start), start)):
            builder.title = builder.show(inner[0], inner[1])[0].text
        builder.walk(start, stop if stop >= 0 else len(text))
        return Document(path, self.format, tuple(builder.blocks), builder.title, tuple(builder.directives))


class _Builder:
    """Walks over the blocks of a document body."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.macros: dict[str, tuple[int, int]] = {}
        self.blocks: list[Table | Paragraph] = []
        self.directives: list[Directive] = []
        self.heads: list[tuple[int, str]] = []
        self.title = ""
        self.tables = 0
        self.kind = "text"
        self.pending: list[Table] = []  # tables of the open float, waiting for its caption
        self.caption: Text | None = None
        self.floats = 0

    def define(self) -> None:
        """Collect the macros without arguments whose body is short."""
        text = self.source.text
        for match in _DEFINITION.finditer(text):
            line = text.rfind("\n", 0, match.start()) + 1
            if re.search(r"(?<!\\)%", text[line : match.start()]):
                continue
            inner = group(text, match.end(), len(text))
            if inner and inner[1] - inner[0] < 200:
                self.macros[match["name"] or match["def"]] = (inner[0], inner[1])

    @property
    def headings(self) -> tuple[str, ...]:
        return tuple(title for _, title in self.heads)

    def show(self, start: int, end: int) -> tuple[Text, tuple[str, ...]]:
        """Visible text and link targets of source[start:end]; its footnotes become blocks of their own."""
        inline = TexInline(Visible(self.source), self.macros)
        undress(self.source, start, end, inline)
        for offset, comment in inline.comments:
            self.direct(offset, comment)
        for note_start, note_end in inline.footnotes:
            note, links = self.show(note_start, note_end)
            if note.text:
                self.blocks.append(Paragraph(note, self.headings, links, "footnote"))
        return inline.visible.text(), tuple(inline.links)

    def direct(self, offset: int, comment: str) -> None:
        found = parse_directive(comment.lstrip("% "), self.source, offset)
        if found and found not in self.directives:
            self.directives.append(found)

    def flush(self, start: int, end: int) -> None:
        """Close the paragraph source[start:end]."""
        if start < end and self.source.text[start:end].strip():
            text, links = self.show(start, end)
            if text.text:
                self.blocks.append(Paragraph(text, self.headings, links, self.kind))

    def walk(self, start: int, end: int) -> None:
        """Read the blocks of source[start:end]."""
        text, position, open_at = self.source.text, start, start
        while position < end:
            match = _BLOCK.search(text, position, end)
            if match is None:
                break
            position = match.end()
            command = match["command"]
            if match["comment"]:
                continue
            self.flush(open_at, match.start())
            if command == "begin" or command == "end":
                inner = group(text, position, end)
                name = text[inner[0] : inner[1]].strip() if inner else ""
                position = inner[2] if inner else position
                position = self.begin(name, position, end) if command == "begin" else self.end(name, position)
            elif command == "item":
                self.kind = "item"
                position = option(text, position, end) if text[position : position + 1] == "[" else position
            elif command and command != "par":
                position = self.titled(command.rstrip("*"), option(text, position, end), end)
            open_at = position
        self.flush(open_at, end)
        self.close_float()

    def titled(self, command: str, at: int, end: int) -> int:
        """A section, a title or a caption; the offset behind its argument."""
        inner = group(self.source.text, at, end)
        if inner is None:
            return at
        text, _ = self.show(inner[0], inner[1])
        if command == "title":
            self.title = text.text
        elif command == "caption":
            self.blocks.append(Paragraph(text, self.headings, (), "caption"))
            self.caption = text
        else:
            level = _SECTIONS[command]
            self.heads = [(depth, title) for depth, title in self.heads if depth < level]
            if text.text:
                self.blocks.append(Paragraph(text, self.headings, (), "heading"))
            self.heads.append((level, text.text))
            self.title = self.title or text.text
            self.kind = "text"
        return inner[2]

    def begin(self, name: str, at: int, end: int) -> int:
        """Enter an environment; the offset where reading goes on."""
        text = self.source.text
        if name in _LEFT_ALONE:
            close = text.find(f"\\end{{{name}}}", at, end)
            return end if close < 0 else close + len(name) + 6
        if name in _FLOATS:
            self.close_float() if not self.floats else None
            self.floats += 1
            at = option(text, at, end)
        if name in TABULARS:
            close = self.matching(name, at, end)
            start = body_start(text, name, at, close)
            rows, heads = read_rows(self.source, start, close, self.show)
            if rows:
                self.pending.append(Table(rows, heads, None, self.headings, self.tables))
                self.tables += 1
                if not self.floats:
                    self.close_float()
            return (
                self.end(name, min(close + len(name) + 6, end))
                if name == "longtable"
                else min(close + len(name) + 6, end)
            )
        return at

    def matching(self, name: str, at: int, end: int) -> int:
        """Where the environment that began before `at` ends."""
        depth, position = 1, at
        pattern = re.compile(rf"\\(begin|end)\s*\{{{re.escape(name)}\}}")
        while match := pattern.search(self.source.text, position, end):
            depth += 1 if match.group(1) == "begin" else -1
            if depth == 0:
                return match.start()
            position = match.end()
        return end

    def end(self, name: str, at: int) -> int:
        if name in _FLOATS:
            self.floats = max(0, self.floats - 1)
            if not self.floats:
                self.close_float()
        if name in ("itemize", "enumerate", "description"):
            self.kind = "text"
        return at

    def close_float(self) -> None:
        """Hand out the waiting tables with the caption of their float."""
        for table in self.pending:
            self.blocks.append(
                Table(
                    table.rows, table.header_rows, self.caption, table.headings, table.index, self.caption is not None
                )
            )
        self.pending, self.caption = [], None


READER = TexReader()
