"""Number formats of spreadsheets and charts: what a stored value looks like in its cell.

The format language is the one of ECMA-376 part 1, 18.8.31. Rounding is half away from zero over 15 digits, as the
programs do it. Dates come out in ISO form; fractions and layouts between digits as the plain value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from functools import lru_cache

# formats that a style names by number only (18.8.30)
BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 14: "yyyy-mm-dd",
    15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm", 19: "h:mm:ss", 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm",
    37: "#,##0;-#,##0", 38: "#,##0;-#,##0", 39: "#,##0.00;-#,##0.00", 40: "#,##0.00;-#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss",
    47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_(?P<space>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*)\]|(?P<plain>.)', re.DOTALL
)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?[\d.]+)")
_DIGITS = "0#?"
_CONTEXT = Context(prec=15, rounding=ROUND_HALF_UP)


@dataclass(frozen=True, slots=True)
class _Section:
    """One part of a format between semicolons."""

    prefix: str = ""
    suffix: str = ""
    kind: str = "number"  # "number", "general", "text", "date", "elapsed", "literal", "unknown"
    least: int = 0  # digits before the point that are always shown
    decimals: tuple[int, int] = (0, 0)  # shown always, shown at most
    grouped: bool = False
    factor: int = 0  # powers of ten that are shown: 2 for a percentage, -3 for thousands
    exponent: int = 0  # digits of an exponent
    condition: tuple[str, Decimal] | None = None


def shown(raw: str, code: str, *, since_1904: bool = False) -> str:
    """The stored number `raw` as the format `code` shows it; text that is no number comes back as it is."""
    try:
        value = Decimal(raw.strip())
    except InvalidOperation:
        return raw
    if not value.is_finite() or abs(value.adjusted()) > 400:
        return raw
    value = _CONTEXT.plus(value)
    section, signed = _choose(_sections(code[:255] or "General"), value)
    amount = value if signed else abs(value)
    if section.kind in ("general", "text", "unknown"):
        return section.prefix + general(amount) + section.suffix
    if section.kind == "literal":
        return section.prefix
    if section.kind in ("date", "elapsed"):
        return _date(amount, section.kind, since_1904=since_1904)
    return _number(amount, section)


def general(value: Decimal) -> str:
    """A number without a format: up to ten digits, an exponent where it is long."""
    if not value:
        return "0"
    rounded = Context(prec=10, rounding=ROUND_HALF_UP).plus(value).normalize()
    if -10 < rounded.adjusted() < 11:
        return f"{rounded:f}"
    digits, _, power = f"{rounded:E}".partition("E")
    return f"{digits}E{int(power):+03d}"


def _choose(sections: tuple[_Section, ...], value: Decimal) -> tuple[_Section, bool]:
    """The section for a value, and whether its sign is still to be shown."""
    conditions = [section for section in sections if section.condition]
    if conditions:
        for section in conditions:
            assert section.condition is not None
            sign, bound = section.condition
            order = (value > bound) - (value < bound)
            if order in {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (1, 0), "=": (0,), "<>": (-1, 1)}[sign]:
                return section, True
        return next((section for section in sections if not section.condition), _Section(kind="general")), True
    if value < 0 and len(sections) > 1:
        return sections[1], False
    if value == 0 and len(sections) > 2:
        return sections[2], False
    return sections[0], True


def _number(value: Decimal, section: _Section) -> str:
    scaled = value.scaleb(section.factor)
    power = 0
    if section.exponent and scaled:
        power = scaled.adjusted()
        scaled = scaled.scaleb(-power)
    always, most = section.decimals
    text = f"{abs(scaled).quantize(Decimal(1).scaleb(-most), ROUND_HALF_UP, Context(prec=450)):f}"
    whole, _, decimals = text.partition(".")
    if len(whole) > 1 and section.exponent:  # 9.99 rounded up to 10.0
        whole, power = whole[:-1], power + 1
    decimals = decimals[:always] + decimals[always:].rstrip("0")
    whole = whole.lstrip("0").rjust(section.least, "0")
    if section.grouped:
        whole = f"{int(whole or 0):,}".rjust(section.least, "0")
    text = whole + (f".{decimals}" if decimals else "")
    if section.exponent:
        text += f"E{'-' if power < 0 else '+'}{abs(power):0{section.exponent}d}"
    minus = "-" if value < 0 and any(digit in "123456789" for digit in text) else ""
    return f"{section.prefix}{minus}{text}{section.suffix}"


def _date(value: Decimal, kind: str, *, since_1904: bool) -> str:
    seconds = int((value * 86400).to_integral_value(ROUND_HALF_UP))
    if kind == "elapsed" or 0 <= value < 1:
        return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    try:
        moment = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 30)  # noqa: DTZ001 - a date in a cell has no zone
        moment += timedelta(seconds=seconds)
    except OverflowError:
        return general(value)
    return f"{moment:%Y-%m-%d}" if seconds % 86400 == 0 else f"{moment:%Y-%m-%d %H:%M:%S}"


@lru_cache(maxsize=512)
def _sections(code: str) -> tuple[_Section, ...]:
    """The parts of a format between its semicolons."""
    parts: list[list[re.Match[str]]] = [[]]
    for match in _TOKEN.finditer(code):
        if match["plain"] == ";":
            parts.append([])
        else:
            parts[-1].append(match)
    return tuple(map(_section, parts))


def _section(tokens: list[re.Match[str]]) -> _Section:
    text = "".join(match["plain"] or "\0" for match in tokens)  # what is not literal
    condition = None
    for match in tokens:
        if match["bracket"] and (found := _CONDITION.fullmatch(match["bracket"])):
            condition = found[1], Decimal(found[2])
        elif match["bracket"] and re.fullmatch(r"[hHmMsS]+", match["bracket"]):
            return _Section(kind="elapsed")
    if "general" in text.lower():
        return _Section(kind="general", condition=condition)
    if re.search(r"[dmyhsDMYHS]", re.sub(r"[Ee][+-]", "", text)):
        return _Section(kind="date", condition=condition)
    if "@" in text:
        return _Section(kind="text", condition=condition)
    places = [i for i, match in enumerate(tokens) if match["plain"] and match["plain"] in _DIGITS]
    if not places:
        return _Section("".join(map(_literal, tokens)), kind="literal", condition=condition)
    first = places[0] - (text[places[0] - 1 : places[0]] == ".")
    core = text[first : places[-1] + 1]
    found = re.fullmatch(r"(?P<whole>[0#?,]*)(?:\.(?P<decimals>[0#?]*))?(?:[Ee][+-](?P<power>[0#?]+))?", core)
    if found is None:
        return _Section(kind="unknown", condition=condition)
    behind = tokens[places[-1] + 1 :]
    thousands = len(text[places[-1] + 1 :]) - len(text[places[-1] + 1 :].lstrip(","))
    whole, decimals = found["whole"], found["decimals"] or ""
    return _Section(
        "".join(map(_literal, tokens[:first])),
        "".join(map(_literal, behind[thousands:])),
        least=whole.count("0"),
        decimals=(len(decimals.rstrip("#?")), len(decimals)),
        grouped="," in whole,
        factor=2 * text.count("%") - 3 * thousands,
        exponent=len(found["power"] or ""),
        condition=condition,
    )


def _literal(match: re.Match[str]) -> str:
    """What a token that is no digit shows."""
    if match["bracket"] is not None:  # [$€-407] shows the sign, colours and locales show nothing
        return match["bracket"][1:].partition("-")[0] if match["bracket"].startswith("$") else ""
    return match["quoted"] or match["escaped"] or (" " if match["space"] else "") or match["plain"] or ""
