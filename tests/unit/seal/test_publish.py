"""Sealing: what becomes part of a run, what does not, and that nothing of the user's is lost on the way."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.canon import file_digest
from ledger.errors import StoreError, UsageError
from ledger.project import Project
from ledger.seal import staging
from ledger.seal.collect import HEAVY_FROM
from ledger.seal.folder import seal_folders
from ledger.seal.publish import Sealed, seal
from ledger.store import fsck
from ledger.store.objects import ObjectStore
from ledger.store.runs import Run

MakeRun = Callable[..., Run]


def finish(found: Project, staged: staging.Staging, status: str = "finished") -> Sealed:
    return seal(found, staged, status, 0)  # type: ignore[arg-type]


def rules(sealed: Sealed) -> set[str]:
    return {finding.rule for finding in sealed.findings}


def clean(found: Project) -> bool:
    return [f.rule for f in fsck.check(found).findings if f.severity == "error"] == []


@pytest.mark.parametrize("status", ["finished", "failed", "killed", "abandoned"])
def test_every_ending_is_sealed_and_only_finished_runs_are_selected(here: Project, status: str) -> None:
    sealed = finish(here, staging.begin(here, "exp", seed=1), status)
    assert sealed.run.manifest.status == status
    assert sealed.selected == (status == "finished")
    assert clean(here)


def test_every_file_is_listed_with_its_digest_and_read_only(here: Project, make_run: MakeRun) -> None:
    run = make_run(here, files={"a b.txt": b"x", "empty": b"", "deep/er/ü.bin": b"\0" * 10})
    listed = {file.path: file for file in run.manifest.files}
    assert {
        "a b.txt",
        "empty",
        "deep/er/ü.bin",
        "results.json",
        "provenance.json",
        "config.resolved.yaml",
    } <= listed.keys()
    for name, file in listed.items():
        assert file_digest(run.path / name) == (file.sha256, file.size)
        assert stat.S_IMODE((run.path / name).stat().st_mode) == 0o444
    assert not list(here.running.iterdir())


def test_heavy_files_are_one_with_their_objects_and_shared_among_runs(here: Project, make_run: MakeRun) -> None:
    weights = os.urandom(1000)
    first = make_run(
        here, files={"checkpoints/best.pt": weights, "big.bin": b"1" * (HEAVY_FROM + 1), "small.bin": weights}
    )
    second = make_run(here, seed=1, files={"checkpoints/best.pt": weights})
    tiers = {file.path: file.tier for file in first.manifest.files}
    assert (tiers["checkpoints/best.pt"], tiers["big.bin"], tiers["small.bin"]) == ("heavy", "heavy", "light")
    sha256 = file_digest(first.path / "checkpoints/best.pt")[0]
    inodes = {
        path.stat().st_ino
        for path in (
            first.path / "checkpoints/best.pt",
            second.path / "checkpoints/best.pt",
            ObjectStore(here.objects).path(sha256),
        )
    }
    assert len(inodes) == 1
    assert (first.path / "small.bin").stat().st_ino not in inodes


NAMES = [
    "plain.pt",
    "with space.pt",
    "#hash.pt",
    "!bang.pt",
    "[brackets].pt",
    "star*.pt",
    "quest?.pt",
    "back\\slash.pt",
    "trailing ",
    "line\nbreak.pt",
    "ü.pt",
]


def test_git_ignores_the_heavy_files_and_nothing_else(
    in_git: Project, git: Callable[..., str], make_run: MakeRun
) -> None:
    """Names of every kind, checked by git itself; each has a light neighbour that a careless pattern would hit."""
    run = make_run(
        in_git, files={**{f"checkpoints/{name}": b"w" for name in NAMES}, "light[b].pt": b"l", "starry.pt": b"l"}
    )
    git("add", "-A")
    held = set(git("ls-files", "-z", "results").split("\0"))
    prefix = run.path.relative_to(in_git.root).as_posix()
    for file in run.manifest.files:
        assert (f"{prefix}/{file.path}" in held) == (file.tier == "light"), file.path


def test_links_inside_are_kept_as_files_and_links_outside_are_named(here: Project, tmp_path: Path) -> None:
    staged = staging.begin(here, "exp")
    outside = tmp_path / "secret"
    outside.write_text("do not take")
    (staged.path / "checkpoints").mkdir()
    (staged.path / "checkpoints/best.pt").write_bytes(b"weights")
    (staged.path / "checkpoints/last.pt").symlink_to("best.pt")
    (staged.path / "away").symlink_to(outside)
    (staged.path / "broken").symlink_to("nowhere")
    (staged.path / "folder").symlink_to(tmp_path)
    os.mkfifo(staged.path / "pipe")
    sealed = finish(here, staged)
    assert (sealed.run.path / "checkpoints/last.pt").read_bytes() == b"weights"
    assert not (sealed.run.path / "checkpoints/last.pt").is_symlink()
    assert {item["path"] for item in sealed.run.manifest.skipped} == {"away", "broken", "folder", "pipe"}
    assert sum(finding.rule == "not-sealed" for finding in sealed.findings) == 4
    assert outside.read_text() == "do not take"
    assert clean(here)


def test_files_of_the_users_where_ours_must_stand_are_kept(here: Project) -> None:
    staged = staging.begin(here, "exp", config={"lr": 1})
    (staged.path / "run.json").write_text('{"mine": true}')
    (staged.path / "provenance.json").write_text("not even JSON")
    (staged.path / ".gitignore").write_text("*.tmp\n")
    (staged.path / "checkpoints").mkdir()
    (staged.path / "checkpoints/best.pt").write_bytes(b"w")
    run = finish(here, staged).run
    assert (run.path / "own.run.json").read_text() == '{"mine": true}'
    assert (run.path / "own.provenance.json").read_text() == "not even JSON"
    assert (run.path / ".gitignore").read_text().startswith("*.tmp\n#")
    assert clean(here)


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_are_not_finite_become_strings_and_are_said(here: Project, token: str) -> None:
    staged = staging.begin(here, "exp")
    (staged.path / "results.json").write_text(
        f'{{"metrics": [{{"metric": "loss", "value": {token}, "split": "val"}}]}}'
    )
    sealed = finish(here, staged)
    assert json.loads((sealed.run.path / "results.json").read_bytes())["metrics"][0]["value"] == token
    assert "non-finite-value" in rules(sealed)
    assert sealed.run.metrics[0].number is None


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"metrics": 3}', '{"metrics": [{"value": 1}]}', "\ufeff{", '{"metrics": [], "metrics": []}']
)
def test_a_results_file_that_is_none_is_kept_and_what_was_logged_is_taken(here: Project, text: str) -> None:
    staged = staging.begin(here, "exp")
    (staged.path / "results.json").write_text(text)
    (staged.path / staging.RESULTS_JOURNAL).write_text('{"metric": "acc", "value": 0.5, "split": "test"}\n')
    sealed = finish(here, staged)
    assert (sealed.run.path / "results.refused.json").read_text() == text
    assert [(row.metric, row.value) for row in sealed.run.metrics] == [("acc", 0.5)]
    assert "results-unreadable" in rules(sealed)
    assert clean(here)


def test_unknown_keys_of_results_are_kept_and_the_last_statement_counts(here: Project) -> None:
    staged = staging.begin(here, "exp")
    own = {
        "note": "mine",
        "metrics": [
            {"metric": "acc", "value": 0.1, "split": "test", "extra": [1]},
            {"metric": "acc", "value": 0.2, "split": "val"},
        ],
    }
    (staged.path / "results.json").write_text(json.dumps(own))
    (staged.path / staging.RESULTS_JOURNAL).write_text(
        '{"metric": "acc", "value": 0.3, "split": "val"}\n{"metric": "acc", "val'
    )
    sealed = finish(here, staged)
    raw = json.loads((sealed.run.path / "results.json").read_bytes())
    assert raw["note"] == "mine"
    assert raw["metrics"][0]["extra"] == [1]
    assert [(row.split, row.value) for row in sealed.run.metrics] == [("test", 0.1), ("val", 0.3)]
    assert "torn-line" in rules(sealed)


def test_history_has_every_metric_and_is_empty_where_none_was_logged(here: Project) -> None:
    staged = staging.begin(here, "exp")
    (staged.path / staging.HISTORY_JOURNAL).write_text(
        '{"step": 1, "loss": 0.1}\n{"step": 2, "acc": 0.30000000000000004}\n'
    )
    run = finish(here, staged).run
    assert (run.path / "history.csv").read_text() == "step,loss,acc\n1,0.1,\n2,,0.30000000000000004\n"
    assert not (run.path / staging.HISTORY_JOURNAL).exists()


def test_two_starts_in_one_second_get_two_ids(here: Project) -> None:
    many = [staging.begin(here, exp, config={"lr": 1}) for exp in ("a", "a", "b")]
    assert len({staged.run_id for staged in many}) == 3
    for staged in many:
        finish(here, staged)
    assert clean(here)


def test_a_seal_that_failed_can_be_tried_again(here: Project) -> None:
    staged = staging.begin(here, "exp", config={"lr": 1})
    (staged.path / staging.RESULTS_JOURNAL).write_text('{"metric": "acc", "value": 0.5, "split": "test"}\n')
    here.results.write_text("a file in the way")
    with pytest.raises(StoreError):
        finish(here, staged)
    here.results.unlink()
    run = finish(here, staging.load(staged.path)).run
    assert run.metrics[0].value == 0.5
    assert clean(here)


def test_a_published_run_is_never_overwritten(here: Project, make_run: MakeRun) -> None:
    run = make_run(here)
    staged = staging.begin(here, "ours")
    blocked = here.results / "ours" / "runs" / staged.run_id
    blocked.mkdir()
    with pytest.raises(StoreError, match="never overwritten"):
        finish(here, staged)
    assert staged.path.is_dir()
    blocked.rmdir()
    finish(here, staging.load(staged.path))
    assert run.path.is_dir()


class TestFolders:
    """Folders of the user's: copied, moved or linked as asked, never changed behind their back."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        folder = tmp_path / "my run"
        (folder / "sub").mkdir(parents=True)
        (folder / "results.json").write_text('{"metrics": [{"metric": "acc", "value": 1, "split": "test"}]}')
        (folder / "sub/log.txt").write_text("hello")
        return folder

    def test_copy_leaves_the_folder_as_it_was(self, here: Project, folder: Path) -> None:
        before = {
            path: (path.stat().st_ino, path.stat().st_mode, path.read_bytes())
            for path in folder.rglob("*")
            if path.is_file()
        }
        run = seal_folders(here, [folder], "exp")[0].run
        assert before == {
            path: (path.stat().st_ino, path.stat().st_mode, path.read_bytes())
            for path in folder.rglob("*")
            if path.is_file()
        }
        (folder / "sub/log.txt").write_text("changed later")
        assert (run.path / "sub/log.txt").read_text() == "hello"
        assert clean(here)

    def test_move_hands_the_folder_over(self, here: Project, folder: Path) -> None:
        inode = (folder / "sub/log.txt").stat().st_ino
        run = seal_folders(here, [folder], "exp", placement="move")[0].run
        assert not folder.exists()
        assert (run.path / "sub/log.txt").stat().st_ino == inode

    def test_link_shares_the_bytes_and_fsck_sees_a_later_write(self, here: Project, folder: Path) -> None:
        run = seal_folders(here, [folder], "exp", placement="link")[0].run
        assert (run.path / "sub/log.txt").stat().st_ino == (folder / "sub/log.txt").stat().st_ino
        assert clean(here)
        (folder / "sub/log.txt").chmod(0o644)
        (folder / "sub/log.txt").write_text("written in place")
        assert "hash-mismatch" in {finding.rule for finding in fsck.check(here).findings}

    def test_several_at_once_are_sealed_alike(self, here: Project, tmp_path: Path) -> None:
        folders = [tmp_path / f"run{number}" for number in range(30)]
        for number, each in enumerate(folders):
            each.mkdir()
            (each / "value").write_text(str(number))
        sealed = seal_folders(here, folders, "exp", placement="move")
        assert [(item.run.path / "value").read_text() for item in sealed] == [str(number) for number in range(30)]
        assert sum(item.selected for item in sealed) == 1  # one per seed, and none declared one
        assert clean(here)

    def test_what_cannot_be_a_run_is_refused(self, here: Project, tmp_path: Path) -> None:
        empty = tmp_path / "empty"
        empty.mkdir()
        for path, problem in (
            (empty, "empty"),
            (tmp_path / "absent", "no such folder"),
            (here.root, "the project itself"),
            (here.root.parent, "the project itself"),
        ):
            with pytest.raises(UsageError, match=problem):
                seal_folders(here, [path], "exp")
        assert not list(here.running.glob("*"))


class TestCode:
    """The code input, by real git."""

    def test_sealing_and_committing_a_run_changes_no_code(
        self, in_git: Project, git: Callable[..., str], make_run: MakeRun
    ) -> None:
        first = make_run(in_git)
        git("add", "-A")
        git("commit", "-qm", "a sealed run")
        second = make_run(in_git)
        assert first.manifest.provenance_hash == second.manifest.provenance_hash
        assert second.provenance["hash_inputs"]["code"]["dirty"] is False

    def test_a_dirty_tree_can_be_rebuilt(self, in_git: Project, git: Callable[..., str], tmp_path: Path) -> None:
        (in_git.root / "train.py").write_text("print('changed')\n")
        (in_git.root / "data.bin").write_bytes(bytes(range(256)))
        git("add", "data.bin")
        (in_git.root / "new file.py").write_text("new = 1\n")
        sealed = finish(in_git, staging.begin(in_git, "exp"))
        assert "dirty-tree" in rules(sealed)
        code = sealed.run.provenance["hash_inputs"]["code"]
        objects = ObjectStore(in_git.objects)
        clone = tmp_path / "clone"
        git("clone", "-q", str(in_git.root), str(clone), at=tmp_path)
        git("checkout", "-q", code["commit"], at=clone)
        subprocess.run(["git", "apply", "--binary", str(objects.path(code["diff_sha256"]))], cwd=clone, check=True)
        for kept in sealed.run.provenance["untracked"]:
            (clone / kept["path"]).write_bytes(objects.path(kept["sha256"]).read_bytes())
        for name in ("train.py", "data.bin", "new file.py"):
            assert (clone / name).read_bytes() == (in_git.root / name).read_bytes()

    def test_a_detached_head_is_a_commit_like_any_other(
        self, in_git: Project, git: Callable[..., str], make_run: MakeRun
    ) -> None:
        git("checkout", "-q", "--detach")
        assert make_run(in_git).provenance["hash_inputs"]["code"]["commit"] == git("rev-parse", "HEAD").strip()

    def test_a_project_below_the_top_of_its_repository(
        self, in_git: Project, git: Callable[..., str], make_run: MakeRun
    ) -> None:
        from ledger import project

        (in_git.root / "sub").mkdir()
        (in_git.root / "sub/EVIDENCE.json").write_text('{"project": "s", "claims": []}')
        (in_git.root / "sub/code.py").write_text("1\n")
        git("add", "-A")
        git("commit", "-qm", "nested")
        sub = project.at(in_git.root / "sub")
        before = make_run(sub).provenance["hash_inputs"]["code"]
        (in_git.root / "train.py").write_text("# outside of the nested project\n")
        after = make_run(sub).provenance["hash_inputs"]["code"]
        assert before == after
        assert before["dirty"] is False

    def test_outside_git_the_code_still_has_a_digest(self, here: Project, make_run: MakeRun) -> None:
        (here.root / "train.py").write_text("1\n")
        first = make_run(here).provenance["hash_inputs"]["code"]
        (here.root / "train.py").write_text("2\n")
        second = make_run(here).provenance["hash_inputs"]["code"]
        assert first["commit"] is None
        assert first["tree_sha256"] != second["tree_sha256"]


def test_seeds_of_one_experiment_share_the_group_and_not_the_provenance(here: Project, make_run: MakeRun) -> None:
    zero, again, one = make_run(here, seed=0), make_run(here, seed=0), make_run(here, seed=1)
    assert zero.manifest.provenance_hash == again.manifest.provenance_hash != one.manifest.provenance_hash
    assert zero.manifest.group_hash == again.manifest.group_hash == one.manifest.group_hash
    assert make_run(here, seed=0, width=3).manifest.group_hash != zero.manifest.group_hash


def test_a_seed_inside_the_config_is_the_seed(here: Project) -> None:
    one, two = (finish(here, staging.begin(here, "exp", config={"lr": 1, "seed": seed})).run for seed in (1, 2))
    assert (one.seed, two.seed) == (1, 2)
    assert one.manifest.group_hash == two.manifest.group_hash


secrets = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=12, max_size=20)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    secrets,
    st.sampled_from(
        [
            "--api-key {}",
            "--api_key={}",
            "HF_TOKEN={}",
            "--password {}",
            "--wandb-token={}",
            "https://user:{}@host/x",
            "--db-secret {}",
        ]
    ),
)
def test_no_secret_of_a_command_line_is_kept(secret: str, form: str) -> None:
    from ledger.seal.provenance import scrub

    command = ["python", "train.py", *form.format(secret).split(), "--lr", "0.1"]
    kept = scrub(command)
    assert secret not in " ".join(kept)
    assert kept[-2:] == ["--lr", "0.1"]


@pytest.mark.parametrize("name", ["", ".hidden", "-dash", "a/b", "..", "a b", "x" * 101, "tab\t"])
def test_names_that_cannot_be_folders_everywhere_are_refused(here: Project, name: str) -> None:
    with pytest.raises(UsageError, match="cannot name an experiment"):
        staging.begin(here, name)
