"""Checkpoints and tlog-proofs as texts: the specifications' own examples, round trips, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import InputError
from ledger.log.checkpoint import Checkpoint, TlogProof
from ledger.log.segment import Head

# C2SP tlog-checkpoint, its example
SPEC = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
# C2SP tlog-proof, its example without the signatures that it cuts short
SPEC_PROOF = """c2sp.org/tlog-proof@v1
index 73894
gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=
B95lDa8R83lS8n0eG+o0buTxRKQTYFi//1U8anccXmA=

example.com/fancylog
109482
sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=
"""
hashes = st.binary(min_size=32, max_size=32)


def test_the_example_of_the_specification() -> None:
    checkpoint = Checkpoint.parse(SPEC)
    assert (checkpoint.origin, checkpoint.size) == ("example.com/behind-the-sofa", 20852163)
    assert checkpoint.root.hex().startswith("0ac5186a91863e8e")
    assert str(checkpoint) == SPEC
    assert Checkpoint.parse(SPEC + "an extension\n") == checkpoint


def test_the_proof_of_the_specification() -> None:
    found = TlogProof.parse(SPEC_PROOF)
    assert (found.index, len(found.path), found.extra) == (73894, 2, b"")
    assert str(found) == SPEC_PROOF
    assert Checkpoint.parse(found.checkpoint).size == 109482


@given(st.integers(0, 2**62), hashes)
def test_checkpoints_come_back(size: int, root: bytes) -> None:
    checkpoint = Checkpoint.of(Head("0123456789abcdef", size, root.hex()))
    assert checkpoint.origin == "evidence-ledger/0123456789abcdef"
    assert Checkpoint.parse(str(checkpoint)) == checkpoint


@given(st.integers(0, 2**62), st.lists(hashes).map(tuple), st.binary())
def test_proofs_come_back(index: int, path: tuple[bytes, ...], extra: bytes) -> None:
    made = TlogProof(index, path, SPEC, extra)
    assert TlogProof.parse(str(made)) == made


@pytest.mark.parametrize(
    "text",
    [
        "",
        SPEC[:-1],
        "\n" + SPEC,
        SPEC + "\n",
        SPEC.replace("20852163", "020852163"),
        SPEC.replace("20852163", "-1"),
        SPEC.replace("20852163", "٣"),
        SPEC.replace("CsUY", "Cs*Y"),
        SPEC.replace("CsUY", ""),
        SPEC.replace("q2I=", "q2J="),  # the same bytes in a second spelling
    ],
)
def test_what_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        Checkpoint.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        SPEC_PROOF.replace("@v1", "@v2"),
        SPEC_PROOF.replace("index 73894", "index 073894"),
        SPEC_PROOF.replace("index 73894\n", ""),
        SPEC_PROOF.replace("index", "extra !!\nindex"),
        SPEC_PROOF.replace("gSKy", "gSK"),
        SPEC_PROOF.split("\n\n")[0],
    ],
)
def test_what_is_no_proof_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        TlogProof.parse(text)
