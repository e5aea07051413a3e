"""Which checkpoints may be pruned: only numbered ones beside a best one, never what a training resumes from."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ledger.model.run import RunFile
from ledger.project import Project
from ledger.seal.snapshots import mark_snapshots
from ledger.store.runs import Run


def derived(*names: str) -> set[str]:
    files = [RunFile(name, 1, "0" * 64, "heavy") for name in names]
    marked = mark_snapshots(files)
    assert [file.path for file in marked] == list(names)
    return {file.path.removeprefix("checkpoints/") for file in marked if file.derived}


@pytest.mark.parametrize(
    "name",
    [
        "epoch_010.pt", "epoch=3-step=900.ckpt", "step-5000.ckpt", "checkpoint-1500", "iter20000.pth.tar", "ckpt.7.pt", "EPOCH_3.pt",
        "checkpoint-1500/model.safetensors", "global_step100/rank0/optim.bin",
    ],
)  # fmt: skip
def test_a_numbered_checkpoint_beside_best_and_last_is_a_snapshot(name: str) -> None:
    assert derived("checkpoints/best.pt", f"checkpoints/{name}", "checkpoints/last.pt") == {name}


@pytest.mark.parametrize(
    "name", ["42.pt", "fold1.pt", "seed3.pt", "resnet50.pt", "ema_epoch_10.pt", "model.pt", "epoch.pt", "best_2.pt", "last-v1.pt"]
)  # fmt: skip
def test_what_may_be_something_else_is_none(name: str) -> None:
    assert derived("checkpoints/best.pt", f"checkpoints/{name}", "checkpoints/last.pt") == set()


def test_without_a_best_one_any_may_be_what_a_claim_needs() -> None:
    assert derived("checkpoints/epoch_1.pt", "checkpoints/epoch_2.pt", "checkpoints/last.pt") == set()
    assert derived("checkpoints/bestiary.pt", "checkpoints/epoch_2.pt", "checkpoints/last.pt") == set()


def test_without_a_last_one_the_highest_number_is_what_a_training_resumes_from() -> None:
    names = ["checkpoints/best.pt", "checkpoints/epoch_9.pt", "checkpoints/epoch_10.pt"]
    assert derived(*names) == {"epoch_9.pt"}
    assert derived(*names, "checkpoints/last.pt") == {"epoch_9.pt", "epoch_10.pt"}


def test_other_folders_have_no_snapshots() -> None:
    assert derived("checkpoints/best.pt", "checkpoints/last.pt", "logs/epoch_1.txt", "epoch_1.pt") == set()


def test_the_manifest_says_what_is_derived(here: Project, make_run: Callable[..., Run]) -> None:
    names = ("checkpoints/best.pt", "checkpoints/last.pt", "checkpoints/epoch_1.pt", "qualitative/t/d/pred/1.png")
    run = make_run(here, files={name: name.encode() for name in names})
    assert {file.path for file in run.manifest.files if file.derived} == {names[2], names[3]}
