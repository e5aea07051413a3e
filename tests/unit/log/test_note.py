"""Signed notes: the examples of the specification (C2SP signed-note) and of golang.org/x/mod/sumdb/note."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import InputError, UsageError
from ledger.log.note import VerifierKey, is_name, open_note, public_key, sign, split

SPEC_KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
SPEC_NOTE = """This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
"""
GO_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_PRIVATE = base64.b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
GO_NOTE = """If you think cryptography is the answer to your problem,
then you don't know what your problem is.

— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
"""
OTHER_LINE = (
    "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n"
)


@pytest.mark.parametrize(("key", "text"), [(SPEC_KEY, SPEC_NOTE), (GO_KEY, GO_NOTE), (GO_KEY, GO_NOTE + OTHER_LINE)])
def test_published_notes_open(key: str, text: str) -> None:
    assert open_note(text.encode(), VerifierKey.parse(key)) == text.split("\n\n")[0] + "\n"
    assert str(VerifierKey.parse(key)) == key


def test_a_published_note_is_signed_as_its_author_did() -> None:
    assert sign(GO_NOTE.split("\n\n")[0] + "\n", "PeterNeumann", GO_PRIVATE) == GO_NOTE
    assert str(VerifierKey("PeterNeumann", public_key(GO_PRIVATE))) == GO_KEY


def test_no_changed_byte_of_a_note_opens() -> None:
    key, data = VerifierKey.parse(SPEC_KEY), SPEC_NOTE.encode()
    for place in range(len(data)):
        doctored = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        with pytest.raises(InputError):
            open_note(doctored, key)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "text\n",
        "text\n\n",
        "text\n\n— name\n",
        "text\n\n— name !!!!\n",
        "text\n\n- name AAAAAAAA\n",
        SPEC_NOTE[:-1],
        SPEC_NOTE + "\n",
        SPEC_NOTE.replace("— ", "—"),
        SPEC_NOTE.replace("This", "Th\tis"),
        SPEC_NOTE.replace("— example.com/foo ", "— example.com/foo bar "),
    ],
)
def test_what_is_no_note_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no signed note"):
        split(text.encode())


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(InputError, match="is no signed note"):
        split(SPEC_NOTE.encode() + b"\xff")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name",
        "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==",  # the Go package's own bad keys
        "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        GO_KEY.replace("c74f20a3", "c74f20a4"),
        GO_KEY.replace("Peter", "Peter "),
        GO_KEY[:-4],
    ],
)
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no Ed25519 verifier key"):
        VerifierKey.parse(text)


@given(
    st.binary(min_size=32, max_size=32),
    st.text(st.characters(exclude_categories=("C", "Z"), exclude_characters="+"), min_size=1, max_size=20),
    st.text(st.characters(exclude_categories=("C",)), max_size=60),
)
def test_what_is_signed_opens_with_its_key_alone(private: bytes, name: str, words: str) -> None:
    assert is_name(name)
    key = VerifierKey(name, public_key(private))
    note = sign(f"{words}\n\nmore\n", name, private)
    assert open_note(note.encode(), VerifierKey.parse(str(key))) == f"{words}\n\nmore\n"
    with pytest.raises(InputError, match="is not signed by"):
        open_note(note.encode(), VerifierKey(name, public_key(bytes(32 * [7])) if private != bytes(32 * [7]) else b"x"))
