"""A fault put anywhere into a claim graph is named by its line and column, and no file is anything but read or refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import InputError
from ledger.evidence.graph import from_bytes, load, to_bytes

TEXT = st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=6).filter(str.strip)
ROWS = st.fixed_dictionaries(
    {"metric": TEXT},
    optional={
        "exp_id": TEXT,
        "run": TEXT | st.lists(TEXT, max_size=2),
        "value": st.floats(allow_nan=False, allow_infinity=False) | st.none(),
        "split": TEXT,
        "n": st.integers(0, 10**6),
        "variance": st.fixed_dictionaries({"type": st.just("std"), "value": st.floats(0, 1)}),
        "display": st.fixed_dictionaries({"decimals": st.integers(0, 4)}),
        "aliases": st.lists(TEXT, max_size=2),
        "from": st.lists(st.fixed_dictionaries({"run": TEXT}), max_size=2),
        "unknown": st.lists(st.none() | st.booleans() | TEXT, max_size=3),
    },
)
CLAIMS = st.lists(
    st.fixed_dictionaries(
        {"evidence": st.lists(ROWS, max_size=3)},
        optional={"statement": TEXT, "paper_anchor": st.lists(TEXT, max_size=2), "disclosure": TEXT, "more": TEXT},
    ),
    min_size=1,
    max_size=3,
)

# what each key must not hold, as it is written: a text that stands nowhere else in the file
WRONG_TEXT, WRONG_OBJECT = '"@@fault@@"', '{"@@fault@@": 1}'
CLAIM_KEYS = {
    "statement": WRONG_OBJECT,
    "paper_anchor": WRONG_OBJECT,
    "repo_implementation": WRONG_OBJECT,
    "disclosure": WRONG_OBJECT,
    "disclosed_for": WRONG_TEXT,
    "aliases": WRONG_OBJECT,
    "evidence": WRONG_TEXT,
    "id": WRONG_OBJECT,
}
ROW_KEYS = {
    "metric": WRONG_OBJECT,
    "value": WRONG_OBJECT,
    "id": WRONG_OBJECT,
    "exp_id": WRONG_OBJECT,
    "run": WRONG_OBJECT,
    "split": WRONG_OBJECT,
    "n": WRONG_TEXT,
    "variance": WRONG_TEXT,
    "display": WRONG_TEXT,
    "derive": WRONG_OBJECT,
    "from": WRONG_TEXT,
}


def graph(claims: list[dict[str, Any]]) -> dict[str, Any]:
    """Ids that cannot clash, whatever was drawn."""
    return {"project": "p", "claims": [{"id": f"C{i}-", **claim} for i, claim in enumerate(claims)]}


@given(CLAIMS, st.data())
def test_the_place_of_a_fault_is_named(claims: list[dict[str, Any]], data: st.DataObject) -> None:
    raw = graph(claims)
    claim = data.draw(st.sampled_from(raw["claims"]))
    target, keys = claim, CLAIM_KEYS
    if claim["evidence"] and data.draw(st.booleans()):
        target, keys = data.draw(st.sampled_from(claim["evidence"])), ROW_KEYS
    key = data.draw(st.sampled_from(sorted(keys)))
    target[key] = "@@here@@"
    text = json.dumps(raw, ensure_ascii=data.draw(st.booleans()), indent=data.draw(st.sampled_from([None, 0, 2, "\t"])))
    text = text.replace("\n", data.draw(st.sampled_from(["\n", "\r\n"])))
    at = text.index('"@@here@@"')
    text = text.replace('"@@here@@"', keys[key])
    mark = b"\xef\xbb\xbf" if data.draw(st.booleans()) else b""
    with pytest.raises(InputError) as caught:
        from_bytes(mark + text.encode(), "E.json")
    assert caught.value.where == f"E.json:{text.count(chr(10), 0, at) + 1}:{at - text.rfind(chr(10), 0, at)}"
    assert f"`{key}`" in caught.value.message
    assert "\n" not in str(caught.value)


@given(CLAIMS)
def test_what_is_read_is_written_back_with_its_keys_in_order(claims: list[dict[str, Any]]) -> None:
    raw = graph(claims)
    read = from_bytes(json.dumps(raw).encode())
    assert json.dumps(json.loads(to_bytes(read.raw))) == json.dumps(raw)
    assert to_bytes(from_bytes(to_bytes(read.raw)).raw) == to_bytes(read.raw)


@given(CLAIMS, st.data())
def test_a_damaged_file_is_read_or_refused_in_one_line_and_nothing_else(
    claims: list[dict[str, Any]], data: st.DataObject
) -> None:
    written = bytearray(to_bytes(graph(claims)))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(written) - 1))
        written[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
    if not written:
        return
    said = ""
    try:
        assert all(claim.id for claim in from_bytes(bytes(written), "E.json").claims)
    except InputError as error:
        said = str(error)
    assert re.fullmatch(r"(E\.json(:\d+:\d+)?: .*)?", said), said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "E.json:1:1: expected an object with `project` and `claims`, found a list"),
        ("null", "E.json:1:1: expected an object with `project` and `claims`, found null"),
        ("{}", "E.json:1:1: `claims` must be a list of claims"),
        ('{"claims": null}', "E.json:1:12: `claims` must be a list of claims"),
        ('{"claims": [1]}', "E.json:1:13: a claim must be an object, found a number"),
        ('{"claims": [{"id": " "}]}', "E.json:1:20: a claim needs an `id` that is a non-empty string"),
        ('{"claims": [{"id": "A", "evidence": [[]]}]}', "E.json:1:38: an evidence row of claim A must be an object"),
        ('{"claims": [{"id": "A", "evidence": [{}]}]}', "E.json:1:38: an evidence row of claim A needs a `metric`"),
        ('{"claims": [], "project": 3}', "E.json:1:27: `project` must be a string, found a number"),
        (
            '{"schema": "evidence-ledger/evidence/v2"}',
            "E.json:1:12: is evidence-ledger/evidence/v2, and this version reads v1 of it",
        ),
    ],
)
def test_what_is_no_claim_graph_says_what_was_expected(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        from_bytes(text.encode(), "E.json")
    assert str(caught.value).startswith(said)


def test_a_name_with_line_breaks_makes_no_second_line() -> None:
    with pytest.raises(InputError) as caught:
        from_bytes(json.dumps({"claims": [{"id": "A\nTraceback:\x1b[2J", "statement": 1}]}).encode(), "E.json")
    assert str(caught.value).startswith("E.json:1:")
    assert str(caught.value).isprintable()


def test_a_file_that_is_not_there_and_one_that_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"EVIDENCE\.json: there is no such file; `ledger init` starts a project"):
        load(tmp_path / "EVIDENCE.json")
    (tmp_path / "EVIDENCE.json").mkdir()
    with pytest.raises(InputError, match=r"shown\.json: cannot be read \(Is a directory\)"):
        load(tmp_path / "EVIDENCE.json", shown="shown.json")
