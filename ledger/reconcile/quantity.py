"""The number grammar: every quantity in a piece of visible text, with its printed precision.

A number is kept as `Decimal` and as text, never as a float first: `0.820` and `0.82` are equal but not equally
precise. What only looks like a number is left out: identifiers (`ResNet-50`, `Set5`, `ViT-L/14`, `32x4d`),
versions, dates, years, sizes (`224x224`), times, citations, references to sections, tables and figures, and the
`k` of a metric (`AP@0.5`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

MINUS = "-−–‐‑﹣－"
_GAP = "\u2009\u202f\u00a0\u2007"  # thin, narrow, fixed and figure spaces, which group digits
_LONGEST = 400  # digits, and below it the power of ten: beyond them no double can be meant, and nothing is measured
_LARGEST = 999
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as it stands in a text. `start` and `end` span sign, digits and exponent, not the suffix.

    `value` is None when the digits cannot be read as one number (`0.0.8639`, or more digits than any number has). `quantum` is the place value of the
    last printed digit: 0.01 for `97.50`, 1000 for `1.2e4`.
    """

    start: int
    end: int
    text: str
    value: Decimal | None
    quantum: Decimal
    suffix: str = ""  # "%", "pp", "k", "M", "G", "B", "T", "x" or a unit as printed
    spread: Quantity | None = None  # the ± or parenthesised uncertainty beside it
    relation: str = ""  # "<", ">", "~" or a word such as "over" that stands before it
    whole_end: int = 0  # where number, suffix and uncertainty end
    comma: bool = False  # written with a decimal comma

    @property
    def decimals(self) -> int:
        """Digits after the decimal mark, 0 for whole numbers."""
        exponent = self.quantum.as_tuple().exponent
        return max(0, -exponent) if isinstance(exponent, int) else 0

    def agrees(self, exact: Decimal) -> bool:
        """Whether `exact` rounds to the printed digits, whichever way a tie goes."""
        return self.value is not None and abs(self.value - exact) * 2 <= self.quantum

    def truncates(self, exact: Decimal) -> bool:
        """Whether the printed digits are `exact` cut off instead of rounded."""
        if self.value is None or self.agrees(exact):
            return False
        return abs(self.value) < abs(exact) < abs(self.value) + self.quantum and (self.value < 0) == (exact < 0)


_DIGITS_POINT = rf"[1-9]\d{{0,2}}(?:,\d{{3}}){{1,6}}(?:\.\d+)?(?![\d,])|[1-9]\d{{0,2}}(?:[{_GAP}']\d{{3}}){{1,6}}(?:\.\d+)?|\d+(?:\.\d+)*|\.\d+"
_DIGITS_COMMA = rf"[1-9]\d{{0,2}}(?:\.\d{{3}}){{1,6}}(?:,\d+)?(?![\d.])|[1-9]\d{{0,2}}(?:[{_GAP}']\d{{3}}){{1,6}}(?:,\d+)?|\d+,\d+|\d+(?:\.\d+)*"
_EXPONENT = (
    rf"(?:[eE][-+{MINUS}]?\d{{1,3}}(?![\w.])"
    rf"|\s?[×xX·*⋅]\s?10\s?\^?\s?[-+{MINUS}]?\d{{1,3}}(?![\w.])|\s?[×xX·⋅]\s?10[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
)
# left: not inside a word, a longer number, a path, a metric's k or a hyphenated name; right: see _after
_LEFT = r"(?<![\w.@#\\])(?<![^\W\d][-/‐‑])(?<![A-Za-z]\.)(?<!@ )"
_NUMBER = {
    False: re.compile(rf"{_LEFT}(?P<sign>[-+±{MINUS}]?)(?P<digits>{_DIGITS_POINT})(?P<exp>{_EXPONENT})?"),
    True: re.compile(rf"{_LEFT}(?P<sign>[-+±{MINUS}]?)(?P<digits>{_DIGITS_COMMA})(?P<exp>{_EXPONENT})?"),
}
_POWER = re.compile(rf"\s?\^\s?[-+{MINUS}]?\d{{1,3}}(?![\w.])|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_UNITS = (
    "GiB|MiB|KiB|TiB|GB|MB|KB|kB|TB|ms|µs|μs|us|ns|sec|secs|seconds|s|min|mins|minutes|hours|hrs|hr|h|dB|Hz|kHz|MHz|GHz|"
    "kWh|Wh|fps|FPS|GFLOPs|GFLOPS|MFLOPs|TFLOPs|FLOPs|GMACs|MMACs|GMac|GMACS|px|days|mm|cm|km|m"
)
_SUFFIX = re.compile(
    rf"\s?(?P<percent>%|％|percent(?:age)?(?![\w-])(?! points?)|per cent\b)"
    rf"|\s?(?P<points>percentage points?\b|%?-?points?\b|p\.?p\.?(?!\w)|pts?\b)"
    rf"|(?P<times>[x×](?![\w.]))"
    rf"|(?P<count>[kKMGBT](?![\w]))"
    rf"|\s?(?P<million>million|billion|thousand)\b"
    rf"|\s?(?P<unit>(?:{_UNITS})(?![\w/]))"
    rf"|\s(?P<spaced>[MGB](?![\w.]))"
)
_PLUS_MINUS = re.compile(r"\s?[_^]?\s?\(?\s?(?:±|\+/-|\+-|\+/−)\s?")
_CONCISE = re.compile(r"\((\d{1,2})\)(?!\s?\d)")
_WORDS = {"million": "M", "billion": "G", "thousand": "k", "K": "k"}
_RELATION = re.compile(
    r"(?P<sign>[<>≤≥~≈∼])\s?\$?$|\b(?P<word>over|above|below|under|about|around|roughly|nearly|almost|approximately|approx\.?"
    r"|more than|less than|at least|at most|up to|exceeds?|exceeding|close to|within)\s$",
    re.IGNORECASE,
)
# ordinals, references, dates: what stands before or after the digits tells
_BEFORE_NOT = re.compile(
    r"(?:\b(?:top|sections?|sec\.|§|tables?|tab\.|figures?|figs?\.|equations?|eqs?\.|appendi(?:x|ces)|chapters?|ch\.|pages?|pp?\."
    r"|algorithms?|alg\.|steps?|lines?|lemma|theorem|prop\.|footnote|note|issues?|pr|version|ver\.|release|released|python|pytorch|torch"
    r"|cuda|cudnn|tensorflow|jax|numpy|ubuntu|arxiv:?|doi:?|vol\.|no\.|phase|stage|seeds?|rank)\s?\(?~?"
    r"|\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?\s)$",
    re.IGNORECASE,
)
_AFTER_NOT = re.compile(
    r"(?:st|nd|rd|th)(?!\w)|\s?(?:jan|feb|march|april|june|july|aug|sept|oct|nov|dec)[a-z]*\b", re.IGNORECASE
)
# the hyphenated word around a number, and what may stand between its hyphens if it is a range and not a name
_RUN_LEFT = re.compile(r"[\w.+-]*$")
_RUN_RIGHT = re.compile(r"[\w.+-]*")
_PART = re.compile(r"\.?\d[\d.,]*[kKMGBTx]?\.?|points?|pts?|p")
_PLAIN = re.compile(r"[-+]?\d{1,24}(?:\.\d{1,24})?", re.ASCII)
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:19|20)\d\d$")


def find(text: str, *, comma: bool = False, cell: bool = False) -> list[Quantity]:
    """Every quantity in `text`, in order; the numbers of uncertainties hang on the number that they belong to.

    `comma` reads `1.250,5` as one thousand and some; `cell` says that the text is one table cell, where a whole
    number of four digits is not taken for a year and a malformed number is still a number.
    """
    if cell and not comma and _PLAIN.fullmatch(text):  # most cells, and a tenth of the work
        value, quantum = _value(text[0] if text[0] in "+-" else "", text.lstrip("+-"), "", comma)
        return [Quantity(0, len(text), text, value, quantum, whole_end=len(text))]
    return list(_scan(text, comma, cell)) if _DIGIT.search(text) else []


def _scan(text: str, comma: bool, cell: bool) -> Iterator[Quantity]:
    pattern = _NUMBER[comma]
    position = 0
    while True:
        match = pattern.search(text, position)
        if match is None:
            return
        found = _accept(text, match, comma, cell)
        if found is None:
            position = max(match.end(), position + 1)
            continue
        yield found
        position = max(found.whole_end, match.end())


def _accept(text: str, match: re.Match[str], comma: bool, cell: bool) -> Quantity | None:
    """The quantity at `match`, or None when the digits are something else."""
    sign, digits, exp = match["sign"], match["digits"], match["exp"] or ""
    start, end = match.start(), match.end()
    if sign and sign != "+" and start and (text[start - 1].isalnum() or text[start - 1] in ")%"):
        sign, start = "", start + len(sign)  # a range or a difference, not a sign
    before = text[max(0, start - 24) : start]
    mark = 0
    if not exp:
        if _is_name(text, start, end) or (not cell and _is_reference(text, before, digits, sign, start, end)):
            return None
        power = _POWER.match(text, end)
        if power and digits == "10":
            exp, end = power.group(), power.end()
        elif power:
            mark = power.end()  # a footnote mark is no digit
    endless = len(digits) > _LONGEST or abs(_power(exp)) > _LARGEST
    if endless or (digits.count(".") > 1 and not comma and not _groups(digits)):
        return Quantity(start, end, text[start:end], None, Decimal(1), whole_end=end) if cell else None
    tail = 0 if mark else _lone_comma(text, match, cell)
    if tail:
        end += tail
        digits = text[match.start("digits") : end]
    return _complete(text, start, end, sign, digits, exp, mark or end, comma or tail > 0, before)


def _lone_comma(text: str, match: re.Match[str], cell: bool) -> int:
    """Length of a decimal comma and its digits after `31` in a cell `31,42`, which no thousands rule explains."""
    if not cell or match["exp"] or "." in match["digits"] or "," in match["digits"]:
        return 0
    tail = re.match(r",\d+(?![\d,.])", text[match.end() :])
    if tail is None:
        return 0
    rest = text[: match.start()] + text[match.end() + tail.end() :]
    grouped = len(tail.group()) == 4 and match["digits"] != "0"
    return 0 if grouped or any(char.isdigit() for char in rest) else tail.end()


def _groups(digits: str) -> bool:
    """`1.250.000`: points that only group thousands."""
    head, *tail = digits.split(".")
    return len(head) <= 3 and head != "0" and len(tail) > 1 and all(len(part) == 3 for part in tail)


def _complete(
    text: str, start: int, end: int, sign: str, digits: str, exp: str, mark: int, comma: bool, before: str
) -> Quantity | None:
    """Value, suffix, uncertainty and relation of the digits at [start, end)."""
    value, quantum = _value(sign, digits, exp, comma)
    suffix, after = _suffix(text, mark)
    if not suffix and text[after : after + 1].isalpha():
        return None
    spread, after = _spread(text, after, quantum, comma, suffix)
    if not suffix and spread is not None:
        suffix = spread.suffix
    related = _RELATION.search(before)
    relation = (related["sign"] or related["word"].lower()) if related else ""
    return Quantity(start, end, text[start:end], value, quantum, suffix, spread, relation, after, comma)


def _is_name(text: str, start: int, end: int) -> bool:
    """`32x4d`, `224x224`, `3D`, `12:30`, `ms-640-800-2x`: digits that are part of a name, a size or a time."""
    after = text[end : end + 3]
    if (text[start - 1 : start] in "-_" and start) or after[:1] in ("-", "_"):
        run = _RUN_LEFT.search(text, max(0, start - 60), start)
        whole = (run.group() if run else "") + (_RUN_RIGHT.match(text, start) or [""])[0]
        if any(part and not _PART.fullmatch(part) for part in re.split("[-_]", whole)):
            return True
    if re.match(r"[x×]\s?\d|\s[x×]\s\d", after) or re.match(r":\d", after):
        return True
    if start and (
        re.search(r"\d\s?[x×]\s?$", text[max(0, start - 4) : start])
        or re.search(r"\d:$", text[max(0, start - 2) : start])
    ):
        return True
    if re.match(r"[-‐‑][A-Za-z]", after) and not re.match(r"-(?:points?|p)", text[end : end + 6]):
        return True
    if after[:1].isalpha() and not _SUFFIX.match(text, end):
        return True
    return after[:1] == "_" and bool(re.match(r"_[A-Za-z0-9]", after))


def _is_reference(text: str, before: str, digits: str, sign: str, start: int, end: int) -> bool:
    """Years, dates, versions, citations, and numbers of sections, figures and seeds, in running text."""
    if _BEFORE_NOT.search(before) and text[end : end + 1] != "%":
        return True
    if _AFTER_NOT.match(text, end):
        return True
    if not sign and _YEAR.match(digits) and not _SUFFIX.match(text, end):
        return True
    if re.match(r"[-/.]\d{1,2}[-/.]\d", text[end : end + 5]) or re.search(r"\d{4}[-/]$|\d[-/]\d\d?[-/]$", before):
        return True
    if (
        digits.isdigit()
        and re.search(r"\[(?:\d+(?:,\s?|[-–]))*$", before)
        and re.match(r"(?:,\s?\d+|[-–]\d+)*\]", text[end:])
    ):
        return True
    return bool(re.fullmatch(r"\d{4}\.\d{5}", digits))


def _value(sign: str, digits: str, exp: str, comma: bool) -> tuple[Decimal, Decimal]:
    """Exact value and the place value of the last digit."""
    plain = re.sub(rf"[{_GAP}']", "", digits)
    if comma:
        plain = plain.replace(".", "").replace(",", ".")
    else:
        plain = plain.replace(".", "") if _groups(plain) else plain.replace(",", "")
    power = _power(exp)
    if exp and plain == "10" and "10" not in exp and exp[:1] not in "eE":
        return Decimal(1).scaleb(power), Decimal(1).scaleb(power)
    magnitude = Decimal(plain)
    exponent = magnitude.as_tuple().exponent
    quantum = Decimal(1).scaleb((exponent if isinstance(exponent, int) else 0) + power)
    magnitude = magnitude.scaleb(power)
    return (-magnitude if sign and sign in MINUS else magnitude), quantum


def _power(exp: str) -> int:
    """The power of ten that an exponent writes, cut where it is beyond any number."""
    tail = re.sub(rf"[{MINUS}]", "-", exp.translate(_SUPERSCRIPT))
    number = re.search(r"10\s?\^?\s?([-+]?\d+)$|([-+]?\d+)$", tail)
    return int((number[1] or number[2])[:_LONGEST]) if number else 0


def _suffix(text: str, at: int) -> tuple[str, int]:
    """Unit or magnitude behind a number, and where it ends."""
    match = _SUFFIX.match(text, at)
    if match is None:
        return "", at
    kind = match.lastgroup or ""
    found = match[kind]
    if kind == "percent":
        found = "%"
    elif kind == "points":
        found = "pp"
    elif kind == "times":
        found = "x"
    else:
        found = _WORDS.get(found, found)
    return found, match.end()


def _spread(text: str, at: int, quantum: Decimal, comma: bool, suffix: str) -> tuple[Quantity | None, int]:
    """The uncertainty that follows at `at`: `± 0.4`, `(±0.4)`, `+/- 0.4` or the concise `(41)`."""
    match = _PLUS_MINUS.match(text, at)
    if match:
        number = re.compile(_DIGITS_COMMA if comma else _DIGITS_POINT).match(text, match.end())
        endless = number is not None and len(number.group()) > _LONGEST
        if number is None or endless or (number.group().count(".") > 1 and not comma and not _groups(number.group())):
            return None, at
        value, place = _value("", number.group(), "", comma)
        end = number.end()
        unit, end = _suffix(text, end)
        if "(" in match.group() and text[end : end + 1] == ")":
            end += 1
        return Quantity(number.start(), number.end(), number.group(), value, place, unit or suffix, whole_end=end), end
    concise = _CONCISE.match(text, at)
    if concise and quantum < 1:
        value = Decimal(concise[1]) * quantum
        return Quantity(
            concise.start(1), concise.end(1), concise[1], value, quantum, suffix, whole_end=concise.end()
        ), concise.end()
    return None, at
