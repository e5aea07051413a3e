"""Known answers: the leaves and roots of the Certificate Transparency reference tests (RFC 6962, kept by RFC 9162)."""

from __future__ import annotations

from ledger.log import merkle

# leaf data, and the root over all leaves up to it (google/certificate-transparency, merkle_tree_test.cc)
VECTORS = [
    ("", "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
    ("00", "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
    ("10", "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"),
    ("2021", "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"),
    ("3031", "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4"),
    ("40414243", "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef"),
    ("5051525354555657", "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"),
    ("606162636465666768696a6b6c6d6e6f", "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"),
]
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_published_roots() -> None:
    leaves: list[bytes] = []
    peaks = merkle.Peaks()
    assert merkle.root(leaves).hex() == peaks.root().hex() == EMPTY
    for data, root in VECTORS:
        leaf = merkle.leaf_hash(bytes.fromhex(data))
        leaves.append(leaf)
        peaks = peaks.append(leaf)
        assert merkle.root(leaves).hex() == root
        assert peaks.root().hex() == root


def test_peaks_are_the_definition_at_every_size() -> None:
    leaves: list[bytes] = []
    peaks = merkle.Peaks()
    for number in range(130):
        leaves.append(merkle.leaf_hash(str(number).encode()))
        peaks = peaks.append(leaves[-1])
        assert peaks.size == number + 1
        assert len(peaks.hashes) == (number + 1).bit_count()
        assert peaks.root() == merkle.root(leaves)


def test_leaves_and_nodes_cannot_be_taken_for_one_another() -> None:
    left, right = merkle.leaf_hash(b"a"), merkle.leaf_hash(b"b")
    assert merkle.leaf_hash(left + right) != merkle.node_hash(left, right)
