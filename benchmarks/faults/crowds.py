"""Many at once: writers of one run, ranks of one training, hundreds of seals in one clone and in two."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.faults.invariants import Before, errors, said, sealed
from benchmarks.faults.place import Place
from benchmarks.faults.report import Fault, Outcome
from ledger import project
from ledger.seal import staging
from ledger.store.runs import read_run

_ROOT = str(Path(__file__).parents[2])
_RANK = """
import ledger
run = ledger.start("ddp", config={"lr": 0.1}, seed=3)
run.log(step=1, loss=0.5)
run.result("acc", 0.9, split="test", n=10)
run.checkpoint("last", __file__)
run.finish()
"""
_RANKS = """
import os, subprocess, sys
ranks = [subprocess.Popen([sys.executable, sys.argv[1]], env={**os.environ, "RANK": str(rank)}) for rank in range(8)]
sys.exit(max(rank.wait() for rank in ranks))
"""
_SEALS = """
import sys
import ledger
first, count = map(int, sys.argv[1:])
for number in range(first, first + count):
    with ledger.start("many", config={"lr": 0.1}, seed=number) as run:
        run.result("acc", number / 10000, split="test", n=10)
        (run.path / "notes.txt").write_text(f"run {number}")
"""


def one_id(place: Place) -> Iterator[Outcome]:
    """Two that want to make the same run, started together, again and again."""
    for number in range(3 if place.quick else 20):
        yield _abandoned(place, number)
        yield _same_second(place, number)
        yield _two_stores(place, number)


def _abandoned(place: Place, number: int) -> Outcome:
    """`ledger seal RUN` twice at once: one of them seals it."""
    root = place.project()
    before = Before.of(root)
    left = _left_behind(place, root)
    both = _at_once(place, root, [("seal", left)] * 2)
    problems = _problems(both) + before.altered() + said(errors(root))
    problems += [] if len(before.new()) == 1 else [f"{len(before.new())} runs"]
    problems += (
        []
        if sorted(bool(each.status) for each in both) == [False, True]
        else [f"exits {[each.status for each in both]}"]
    )
    shutil.rmtree(root.parent, ignore_errors=True)
    return Outcome.of(f"the same staging sealed twice, try {number + 1}", problems, "one run, the other refused")


def _left_behind(place: Place, root: Path) -> str:
    """What a killed run left."""
    child = subprocess.Popen(
        [place.ledger, "run", "new", "--", "sh", "-c", 'echo x > "$LEDGER_RUN_DIR"/notes.txt; echo ready; read wait'],
        cwd=root, env=place.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert child.stdout is not None
    child.stdout.readline()
    child.kill()
    child.communicate()  # the training ends with its standard input
    (path,) = staging.leftovers(project.at(root))
    from ledger.seal import liveness

    while liveness.writers(path):
        pass
    return path.name


def _same_second(place: Place, number: int) -> Outcome:
    """Eight seals of the same output under the same conditions: eight runs, none over another."""
    root = place.project()
    before = Before.of(root)
    source = place.output(root.parent / "out", b"new")
    all_of_them = _at_once(place, root, [("seal", str(source), "--exp", "new", "--seed", "1")] * 8)
    problems = _problems(all_of_them) + before.altered() + said(errors(root))
    problems += [f"exit {each.status}: {each.last}" for each in all_of_them if each.status != 0]
    new = before.new()
    problems += [] if len(new) == 8 else [f"{len(new)} runs"]
    shutil.rmtree(root.parent, ignore_errors=True)
    return Outcome.of(f"eight seals of one folder in one second, try {number + 1}", problems, "as many runs as seals")


def _two_stores(place: Place, number: int) -> Outcome:
    """Two clones whose `results` are the same folder of a shared disk, at one frozen second: ids would be equal."""
    point = f"two clones on one results folder in one second, try {number + 1}"
    if shutil.which("faketime") is None:
        return Outcome(point, None, "faketime is not installed")
    root = place.project()
    other = root.parent / "other"
    shutil.copytree(root, other, symlinks=True)
    shutil.rmtree(other / "results")
    (other / "results").symlink_to(root / "results")
    before = Before.of(root)
    source = place.output(root.parent / "out", b"new")
    command = (
        "faketime",
        "-f",
        "2030-01-01 00:00:00",
        place.ledger,
        "seal",
        str(source),
        "--exp",
        "new",
        "--seed",
        "1",
    )
    both = _at_once(place, root, [command] * 2, folders=[root, other], bare=True)
    problems = _problems(both) + before.altered()
    done = [each for each in both if each.status == 0]
    problems += (
        [] if done and all(each.status in {0, 3} for each in both) else [f"exits {[each.status for each in both]}"]
    )
    problems += (
        [] if len(before.new()) == len(done) else [f"{len(before.new())} runs of {len(done)} seals that succeeded"]
    )
    problems += said(found for found in errors(root) if found.rule != "run-unlogged")  # the other's log has it
    shutil.rmtree(root.parent, ignore_errors=True)
    return Outcome.of(point, problems, "no run over another")


def _at_once(
    place: Place, root: Path, commands: Sequence[Sequence[str]], *, folders: Sequence[Path] = (), bare: bool = False
) -> list:  # type: ignore[type-arg]
    """How commands that are started together end."""
    results: list = [None] * len(commands)  # type: ignore[type-arg]

    def work(number: int) -> None:
        command = [*commands[number]] if bare else [place.ledger, *commands[number]]
        results[number] = place.call(command, at=folders[number] if folders else root)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(commands))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def _problems(ended: Sequence) -> list[str]:  # type: ignore[type-arg]
    return [problem for each in ended for problem in each.problems]


def ranks(place: Place) -> Iterator[Outcome]:
    """Eight ranks of a distributed training: one run, and rank 0 wrote it."""
    for number in range(1 if place.quick else 5):
        for launched in (True, False):
            root = place.project()
            before = Before.of(root)
            scripts = [root.parent / "rank.py", root.parent / "ranks.py"]
            for path, text in zip(scripts, (_RANK, _RANKS), strict=True):
                path.write_text(text, encoding="utf-8")
            command = [sys.executable, str(scripts[1]), str(scripts[0])]
            around = {"PYTHONPATH": os.pathsep.join([_ROOT, f"{_ROOT}/adapters"])}
            if launched:
                ended = place.run("run", "ddp", "--", *command, at=root, env=around)
            else:
                ended = place.call(command, at=root, env=around)
            problems = ended.problems + ([] if ended.status == 0 else [f"exit {ended.status}: {ended.last}"])
            problems += before.altered() + said(errors(root))
            new = before.new()
            problems += [] if len(new) == 1 else [f"{len(new)} runs"]
            problems += ["staging is left"] if staging.leftovers(project.at(root)) else []
            for run in new:
                rows = json.loads((run / "results.json").read_bytes())["metrics"]
                steps = (run / "history.csv").read_text("utf-8").splitlines()
                problems += (
                    [] if len(rows) == 1 and len(steps) == 2 else [f"{len(rows)} results, {len(steps) - 1} steps"]
                )
                problems += [] if read_run(run).seed == 3 else ["the seed of rank 0 is not there"]
            shutil.rmtree(root.parent, ignore_errors=True)
            how = "by `ledger run`" if launched else "by themselves"
            yield Outcome.of(f"{how}, try {number + 1}", problems, "one run, whole, with what rank 0 recorded")


def crowd(place: Place) -> Iterator[Outcome]:
    """Eight processes, each sealing run after run, in one clone."""
    each = 10 if place.quick else 200
    root = place.project(disk=True)
    before = Before.of(root)
    problems = _seal_many(place, [(root, worker * each, each) for worker in range(8)])
    problems += before.altered() + _all_there(place, root, 8 * each)
    shutil.rmtree(root.parent, ignore_errors=True)
    yield Outcome.of("8 processes", problems, f"{8 * each:,} runs, all listed, log verified, fsck clean")


def merged(place: Place) -> Iterator[Outcome]:
    """The same over two clones, merged by git afterwards."""
    each = 10 if place.quick else 200
    root = place.project(disk=True)
    clones = [root.parent / name for name in ("one", "two")]
    for clone in clones:
        place.git("clone", "-q", str(root), str(clone), at=root.parent)
    before = Before.of(clones[0])
    problems = _seal_many(place, [(clones[worker % 2], worker * each, each) for worker in range(8)])
    for clone in clones:
        place.git("add", "-A", at=clone)
        place.git("commit", "-qm", "runs", at=clone)
    pulled = place.call(["git", "pull", "-q", "--no-rebase", "--no-edit", str(clones[1]), "main"], at=clones[0])
    conflicts = place.git("diff", "--name-only", "--diff-filter=U", at=clones[0]).split()
    if pulled.status != 0 and set(conflicts) <= {"results/many/selected.json", "results/many/selected"}:
        # each clone chose for other seeds, and a choice is the user's: either side is a whole selection
        place.git("checkout", "--ours", *conflicts, at=clones[0])
        place.git("add", "-A", at=clones[0])
        place.git("commit", "-qm", "merged", at=clones[0])
    elif pulled.status != 0:
        problems.append(f"the merge: {pulled.last} {conflicts[:3]}")
    problems += before.altered() + _all_there(place, clones[0], 8 * each)
    shutil.rmtree(root.parent, ignore_errors=True)
    note = f"{8 * each:,} runs of two clones, all listed, log verified, fsck clean"
    if conflicts:
        note += f" ({', '.join(conflicts)} had to be merged by hand)"
    yield Outcome.of("4 processes in each of two clones", problems, note)


def _seal_many(place: Place, shares: Sequence[tuple[Path, int, int]]) -> list[str]:
    """What went wrong while each share (project, first seed, how many) was sealed by a process of its own."""
    script = place.folder() / "seals.py"
    script.write_text(_SEALS, encoding="utf-8")
    env = {**place.env, "PYTHONPATH": os.pathsep.join([_ROOT, f"{_ROOT}/adapters"])}
    children = [
        subprocess.Popen(
            [sys.executable, str(script), str(first), str(count)], cwd=root, env=env,
            stdout=subprocess.DEVNULL, stderr=(root.parent / f"said-{first}").open("wb"),
        )
        for root, first, count in shares
    ]  # fmt: skip
    problems = []
    for child, (root, first, _) in zip(children, shares, strict=True):
        if child.wait() != 0:
            text = (root.parent / f"said-{first}").read_text("utf-8", "replace")
            problems.append(f"a process ended with {child.returncode}: {text.strip().splitlines()[-1][:200]}")
    return problems


def _all_there(place: Place, root: Path, count: int) -> list[str]:
    """Every run is on the disk, in the index, in the log, and as it was sealed."""
    many = [run for run in sealed(root) if run.parent.parent.name == "many"]
    problems = [] if len(many) == count else [f"{len(many)} runs are there"]
    texts = {(run / "notes.txt").read_text("utf-8") for run in many}
    problems += [] if texts == {f"run {number}" for number in range(count)} else ["not every run is of its own"]
    listed = place.run("runs", "many", "--format", "json", at=root)
    problems += [] if listed.out.count('"run_id"') == count else [f"{listed.out.count(chr(34) + 'run_id' + chr(34))} are listed"]  # fmt: skip
    kinds = place.run("log", "--format", "json", at=root).out.splitlines()
    for kind in ("start", "seal"):
        logged = sum(json.loads(line)["type"] == kind and json.loads(line)["exp_id"] == "many" for line in kinds)
        problems += [] if logged == count else [f"{logged} entries `{kind}` in the log"]
    for command in (("log", "verify"), ("fsck",)):
        ended = place.run(*command, at=root)
        problems += ended.problems + ([] if ended.status == 0 else [f"{' '.join(command)} exits {ended.status}: {ended.out[-300:]}"])  # fmt: skip
    return problems


FAULTS = (
    Fault("one-id", "two writers of the same id", one_id),
    Fault("ranks", "eight ranks of a distributed training at once", ranks),
    Fault("crowd", "eight processes sealing run after run", crowd),
    Fault("merged", "the same in two clones, merged by git", merged),
)
