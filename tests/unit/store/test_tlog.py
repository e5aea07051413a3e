"""Proofs for strangers: they hold under our key, under nobody else's, and for a verifier that is not ours."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.errors import IntegrityError, LedgerError
from ledger.log.note import VerifierKey, public_key
from ledger.project import Project
from ledger.store import signing, tlog
from ledger.store.journal import Journal
from ledger.store.runs import Run

Shell = Callable[..., subprocess.CompletedProcess[str]]
VERIFIER = Path(__file__).resolve().parents[2] / "vectors" / "tlog" / "verify.go"
GO_PATH = Path("/usr/share/gocode")


@pytest.fixture(autouse=True)
def own_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def test_a_proof_holds_under_its_key_and_no_other(here: Project, make_run: Callable[..., Run]) -> None:
    runs = [make_run(here, seed=seed) for seed in range(5)]
    key = signing.verifier_key(Journal(here).segments()[0].id)
    for run in runs:
        text = str(tlog.prove(here, run))
        entry, checkpoint = tlog.check(text, key)
        assert (entry["run_id"], entry["address"]) == (run.run_id, run.address)
        assert checkpoint.size == 1 + 3 * len(runs)
        with pytest.raises(IntegrityError, match="is not signed by"):
            tlog.check(text, VerifierKey(key.name, public_key(bytes(32))))
        with pytest.raises(IntegrityError, match="is not signed by"):
            tlog.check(text, VerifierKey("evidence-ledger/other", key.public))


def test_no_changed_character_of_a_proof_holds(here: Project, make_run: Callable[..., Run]) -> None:
    text = str(tlog.prove(here, make_run(here)))
    key = signing.verifier_key(Journal(here).segments()[0].id)
    for place, char in enumerate(text):
        doctored = text[:place] + ("A" if char != "A" else "B") + text[place + 1 :]
        with pytest.raises(LedgerError):
            tlog.check(doctored, key)


def test_the_key_is_made_once_and_for_its_owner_alone() -> None:
    first = signing.private_key()
    assert signing.private_key() == first
    assert stat.S_IMODE(signing.key_file().stat().st_mode) == 0o600
    assert list(signing.key_file().parent.iterdir()) == [signing.key_file()]
    signing.key_file().write_bytes(b"no key")
    with pytest.raises(LedgerError, match="is no signing key"):
        signing.private_key()
    assert signing.key_file().read_bytes() == b"no key"


def test_at_the_shell(here: Project, make_run: Callable[..., Run], shell: Shell, tmp_path: Path) -> None:
    run = make_run(here)
    file = tmp_path / "run.tlog-proof"
    assert shell("prove", run.run_id, "--format", "tlog-proof", "--output", str(file)).returncode == 0
    key = shell("log", "key").stdout.strip()
    done = shell("check-proof", str(file), "--key", key)
    assert (done.returncode, run.address in done.stdout) == (0, True), done.stderr
    assert shell("log", "checkpoint").stdout == file.read_text("utf-8").split("\n\n", 1)[1]
    without = shell("check-proof", str(file))
    assert (without.returncode, "--key" in without.stderr) == (2, True)
    file.write_text(file.read_text("utf-8").replace("\nindex ", "\nindex 1"), "utf-8")
    assert shell("check-proof", str(file), "--key", key).returncode == 1
    assert shell("log", "checkpoint", "zz").returncode == 2


def test_a_verifier_that_is_not_ours_accepts_it(here: Project, make_run: Callable[..., Run], tmp_path: Path) -> None:
    if not shutil.which("go") or not (GO_PATH / "src/golang.org/x/mod").is_dir():
        pytest.skip("needs Go and golang.org/x/mod (apt: golang-go golang-golang-x-mod-dev)")
    runs = [make_run(here, seed=seed) for seed in range(4)]
    key = str(signing.verifier_key(Journal(here).segments()[0].id))
    checker = tmp_path / "verify"
    around = {**os.environ, "GOPATH": str(GO_PATH), "GO111MODULE": "off", "GOCACHE": str(tmp_path / "cache")}
    subprocess.run(["go", "build", "-o", checker, VERIFIER], env=around, check=True, timeout=240)
    for run in runs:
        made = tlog.prove(here, run)
        file = tmp_path / "proof"
        file.write_text(str(made), "utf-8")
        done = subprocess.run([checker, key, file], capture_output=True, text=True, check=True)
        assert done.stdout.split() == [key.split("+")[0], "13"]
        file.write_text(str(made).replace(f"index {made.index}", f"index {made.index - 1}"), "utf-8")
        assert subprocess.run([checker, key, file], capture_output=True, check=False).returncode == 1
