"""The filter language of `ledger runs --where`: parsed into a tree, never evaluated as code.

    psnr>31 and config.lr==3e-4 and split==test
    not (status==failed) or exp_id~ours

    expression := term (`or` term)*          term := factor (`and` factor)*
    factor     := `not` factor | `(` expression `)` | name operator value
    operator   := == | = | != | >= | <= | > | < | ~   (`~` means: contains)

A name is a run's field (exp_id, run_id, status, seed, created, group), `config.` and a path, `split` or `dataset`,
or else a metric. Within one `and`, `split` and `dataset` say of which rows the metrics are meant.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from typing import Literal, NoReturn

from ledger.errors import UsageError

FIELDS = ("exp_id", "run_id", "status", "seed", "created", "group")
SCOPE = ("split", "dataset")

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<string>"[^"]*"|'[^']*')
      | (?P<operator>==|!=|>=|<=|=|>|<|~)
      | (?P<paren>[()])
      | (?P<word>[^\s()=!<>~"']+)
    )""",
    re.VERBOSE,
)

Operator = Literal["==", "!=", ">=", "<=", ">", "<", "~"]


@dataclass(frozen=True)
class Compare:
    """`name operator value`; `number` is the value where it was written as one and not in quotes."""

    name: str
    operator: str
    value: str
    number: float | None = None


@dataclass(frozen=True)
class And:
    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Or:
    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Not:
    part: Expression


Expression = Compare | And | Or | Not


def parse(text: str) -> Expression:
    """The tree of a filter.

    Raises:
        UsageError: it cannot be read; the column is named.
    """
    reader = _Reader(text)
    tree = reader.expression()
    if reader.kind:
        reader.fail("expected `and` or `or`")
    return tree


class _Reader:
    """A recursive descent over the tokens; `kind` is None at the end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0  # where the current token begins
        self.next = 0
        self.kind: str | None = None
        self.lexeme = ""
        self.depth = 0
        self.advance()

    def advance(self) -> None:
        rest = self.text[self.next :]
        self.at = self.next + len(rest) - len(rest.lstrip())
        if not rest.strip():
            self.kind, self.lexeme = None, ""
            return
        match = _TOKEN.match(self.text, self.next)
        if not match:
            self.fail("cannot be read")
        self.kind = match.lastgroup
        self.lexeme = match[self.kind or 0]
        self.next = match.end()

    def fail(self, problem: str) -> NoReturn:
        near = f" before {self.text[self.at :]!r}" if self.text[self.at :] else " at the end"
        raise UsageError(
            f"{problem}{near}", where=f"--where column {self.at + 1}", fix="for example: psnr>31 and split==test"
        )

    def word(self, name: str) -> bool:
        return self.kind == "word" and self.lexeme.lower() == name

    def expression(self) -> Expression:
        parts = [self.term()]
        while self.word("or"):
            self.advance()
            parts.append(self.term())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def term(self) -> Expression:
        parts = [self.factor()]
        while self.word("and"):
            self.advance()
            parts.append(self.factor())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def factor(self) -> Expression:
        self.depth += 1
        if self.depth > 50:
            self.fail("nested too deeply")
        try:
            if self.word("not"):
                self.advance()
                return Not(self.factor())
            if self.lexeme == "(" and self.kind == "paren":
                self.advance()
                inner = self.expression()
                if self.lexeme != ")":
                    self.fail("expected `)`")
                self.advance()
                return inner
            return self.comparison()
        finally:
            self.depth -= 1

    def comparison(self) -> Compare:
        if self.kind not in {"word", "string"}:
            self.fail("expected a name")
        name = _unquoted(self.lexeme)
        self.advance()
        if self.kind != "operator":
            self.fail(f"expected a comparison after {name!r}")
        operator = "==" if self.lexeme == "=" else self.lexeme
        self.advance()
        if self.kind not in {"word", "string"}:
            self.fail(f"expected a value after {name}{operator}")
        value, number = _unquoted(self.lexeme), None
        if self.kind == "word":
            with contextlib.suppress(ValueError):
                number = float(value)
        self.advance()
        return Compare(name, operator, value, number)


def _unquoted(token: str) -> str:
    return token[1:-1] if token[:1] in {'"', "'"} else token
