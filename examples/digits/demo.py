"""The example, run from nothing: `python examples/digits/demo.py build/demo`.

Copies this folder into a project of its own (its own git and DVC repository, nothing of yours is touched), runs the
pipeline with its progress on the screen, types a README and slides as people do, lets the pipeline check them, and
tells at the end what there is to see. Needs no network and no configuration of git, DVC or matplotlib.
"""

import argparse
import importlib.util
import os
import re
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import demo_story as story

HERE = Path(__file__).resolve().parent
MARKER = ".made-by-demo"
LOG = "demo.log"
NOT_COPIED = ("demo*.py", "*.in", "README.md", "__pycache__", "data", "stamps", "reports", "generated", "results", ".*")
NEEDED = ("dvc", "ledger", "matplotlib", "sklearn", "torch", "typst", "yaml")


class DemoError(Exception):
    """The demo cannot go on; the message says why and what to do."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the digits example from nothing, in a folder of its own.")
    parser.add_argument("folder", type=Path, nargs="?", default=Path("build/demo"))
    folder = parser.parse_args().folder
    begun = time.monotonic()
    try:
        check_tools()
        project = Demo(prepare_folder(folder), folder)
        project.start()
        print(f"Training, sealing and building in {folder}/ ({LOG} there has every word)", flush=True)
        project.reproduce("paper", "paper-latex")
        project.type_documents()
        project.reproduce()
        project.commit("Evidence of 12 runs, the paper they carry, README and slides")
        print("\n".join(story.tell(project.root, folder, project.run, time.monotonic() - begun)), flush=True)
    except DemoError as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\ndemo: interrupted; {folder} can be deleted, or made again by the same command", file=sys.stderr)
        return 130
    return 0


def check_tools() -> None:
    absent = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    absent += [name for name in ("git", "ledger") if shutil.which(name, path=search_path()) is None]
    if absent:
        raise DemoError(f"{', '.join(dict.fromkeys(absent))} not found; `make demo` installs all but git into .venv")


def search_path() -> str:
    """This interpreter's own commands (`python`, `ledger`) before those of the same name elsewhere."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


def prepare_folder(folder: Path) -> Path:
    """An empty, marked folder; one that an earlier demo made is emptied, anything else is left alone."""
    if (folder / MARKER).is_file():
        remove(folder)
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DemoError(f"{folder} exists and was not made by this demo; name another folder, or remove it yourself")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARKER).write_text("This folder was made by examples/digits/demo.py and may be deleted.\n")
    for item in HERE.iterdir():
        if any(item.match(pattern) for pattern in NOT_COPIED) and item.name != ".gitignore":
            continue
        if item.is_dir():
            shutil.copytree(item, folder / item.name, ignore=shutil.ignore_patterns("__pycache__", "output", "*.pdf"))
        else:
            shutil.copy(item, folder)
    return folder.resolve()


def remove(folder: Path) -> None:
    """Sealed files, and git's objects, are read-only: where that keeps a file from being deleted, allow it first."""
    for directory, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(directory, name)
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | stat.S_IRWXU)
    shutil.rmtree(folder)


class Demo:
    """The demo's project: commands run in it, in an environment that owes nothing to the user's configuration."""

    def __init__(self, root: Path, shown: Path) -> None:
        self.root = root
        self.shown = shown
        self.log = (root / LOG).open("w", encoding="utf-8")
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "DVC_", "LEDGER_"))}
        self.environment = {
            **kept,
            "PATH": search_path(),
            "PYTHONUNBUFFERED": "1",  # stages and their output arrive in order
            "PYTHONIOENCODING": "utf-8",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "DVC_NO_ANALYTICS": "1",
            "DVC_SITE_CACHE_DIR": str(root / ".dvc" / "tmp" / "site"),
            "MPLCONFIGDIR": str(root / ".dvc" / "tmp" / "matplotlib"),
        }
        self.ran: set[str] = set()

    def run(self, *command: str, ok: tuple[int, ...] = (0,)) -> str:
        """Output of a command; a status that is not `ok` ends the demo."""
        self.log.write(f"$ {' '.join(command)}\n")
        done = subprocess.run(
            command, cwd=self.root, env=self.environment, capture_output=True, text=True, encoding="utf-8"
        )
        self.log.write(done.stdout + done.stderr)
        self.log.flush()
        if done.returncode not in ok:
            raise DemoError(
                f"`{' '.join(command)}` exited with {done.returncode}: {(done.stderr or done.stdout)[-600:]}"
            )
        return done.stdout

    def start(self) -> None:
        """A repository with one commit: the code that will run is what git knows, so no run is sealed as dirty."""
        self.run("git", "init", "-q", "-b", "main")
        self.run("git", "config", "user.name", "Demo")
        self.run("git", "config", "user.email", "demo@example.org")
        with (self.root / ".git" / "info" / "exclude").open("a", encoding="utf-8") as exclude:
            exclude.write(f"/{MARKER}\n")
        self.run(sys.executable, "-m", "dvc", "init", "-q")
        for key in ("analytics", "check_update"):
            self.run(sys.executable, "-m", "dvc", "config", f"core.{key}", "false")
        self.run("ledger", "init")
        self.commit("Four methods on the digits, before anything has run")

    def commit(self, message: str) -> None:
        self.run("git", "add", "--all")
        self.run("git", "commit", "-q", "-m", message)

    def reproduce(self, *targets: str) -> None:
        """`dvc repro`, one line on the screen for each stage that ran."""
        command = [sys.executable, "-m", "dvc", "repro", *targets]
        self.log.write(f"$ dvc repro {' '.join(targets)}\n")
        process = subprocess.Popen(
            command, cwd=self.root, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, encoding="utf-8", errors="replace",
        )  # fmt: skip
        assert process.stdout is not None
        progress = Progress(self.ran)
        lines = []
        try:
            for line in process.stdout:
                self.log.write(line)
                lines.append(line)
                progress.read(line.rstrip())
            status = process.wait()
        finally:
            process.terminate()
            self.log.flush()
        progress.finish()
        if status:
            raise DemoError(f"the pipeline stopped; the end of {self.shown / LOG}:\n{''.join(lines[-15:])}")

    def type_documents(self) -> None:
        """README.md and slides.md, with numbers as a person would copy them: one of them carelessly."""
        for name in ("README.md", "slides.md"):
            template = (HERE / f"{name}.in").read_text(encoding="utf-8")
            (self.root / name).write_text(story.fill(template, self.root), encoding="utf-8")
        print("          README.md and slides.md typed, with numbers copied by hand", flush=True)


class Progress:
    """Turns what DVC prints into one line for each stage: its number, name, seconds and last words."""

    TOTAL = 21  # 12 trainings and the stages around them

    def __init__(self, ran: set[str]) -> None:
        self.ran = ran
        self.stage = ""
        self.since = 0.0
        self.words = ""

    def read(self, line: str) -> None:
        started = re.fullmatch(r"Running stage '(.+)':", line)
        if started:
            self.finish()
            self.stage, self.since, self.words = started[1], time.monotonic(), ""
            if sys.stdout.isatty():
                print(f"  [{len(self.ran) + 1:2}/{self.TOTAL}] {self.stage} ...", end="\r", flush=True)
        elif (
            self.stage and line and not line.startswith(("> ", "Updating", "Generating", "To track", "ledger: sealed"))
        ):
            self.words = self.words if line.startswith(("\t", "Use `dvc", "To enable")) else line
        if line.startswith(("Updating lock", "Generating lock")):
            self.finish()

    def finish(self) -> None:
        if self.stage:
            self.ran.add(self.stage)
            seconds = time.monotonic() - self.since
            text = f"  [{len(self.ran):2}/{self.TOTAL}] {self.stage:<18} {seconds:4.1f} s  "
            words = re.sub(r"^(evidence check|figures build|reconcile|gate): ", "", self.words.removeprefix("ledger: "))
            print(text + story.brief(words, story.WIDTH - len(text)), flush=True)
        self.stage = ""


if __name__ == "__main__":
    raise SystemExit(main())
