"""The environment and hardware inputs: which packages, which interpreter, which machine."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ledger.canon import digest
from ledger.seal.gaps import Gap

if TYPE_CHECKING:
    from importlib.metadata import Distribution

# what may change a result and holds no secret
KEPT_VARIABLES = (
    "CUBLAS_WORKSPACE_CONFIG", "CUDA_VISIBLE_DEVICES", "MKL_NUM_THREADS", "NCCL_ALGO", "NVIDIA_TF32_OVERRIDE",
    "OMP_NUM_THREADS", "PYTHONHASHSEED", "SLURM_JOB_ID", "TF_DETERMINISTIC_OPS", "WORLD_SIZE",
)  # fmt: skip

_LIST = """
import importlib.metadata as m, json, platform
import importlib.util as u
names = sorted({(d.metadata["Name"] or "").lower().replace("_", "-") + "==" + str(d.version) for d in m.distributions()})
torch = u.find_spec("torch")
print(json.dumps([platform.python_version(), names, torch and torch.origin]))
"""
_STATED = re.compile(r"^(name|version):(.*)$", re.IGNORECASE | re.MULTILINE)


class Packages(NamedTuple):
    """Python version and `name==version` of every installed distribution of the interpreter that will run; without a
    version when it could not be asked. `torch` is the file that `import torch` would load in another interpreter.
    """

    python: str | None
    names: list[str]
    other: bool = False
    torch: str | None = None
    gaps: tuple[Gap, ...] = ()


def packages(command: Sequence[str] = ()) -> Packages:
    """What is installed for the interpreter that will run.

    When `command` starts with another Python interpreter than ours, or a script for one, that one is asked.
    """
    other = _other_python(command)
    if other is None:
        return Packages(platform.python_version(), list(_own_packages()))
    try:
        done = subprocess.run([other, "-c", _LIST], capture_output=True, check=True, timeout=60)
        # what a site's start-up files print comes before
        version, names, torch = json.loads(done.stdout.splitlines()[-1])
        return Packages(str(version), [str(name) for name in names], True, torch)
    except (OSError, subprocess.SubprocessError, ValueError, TypeError, IndexError) as error:
        message = f"{Path(other).name} was asked for its packages and did not say: {_why(error)}"
        fix = f"see what `{Path(other).name} -c 'import importlib.metadata'` says; which packages ran is not recorded"
        return Packages(None, [], True, gaps=(Gap("packages-unknown", message, fix),))


def _why(error: Exception) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"no answer within {error.timeout:.0f} s"
    if isinstance(error, subprocess.CalledProcessError):
        said = (error.stderr or b"").decode("utf-8", "replace").strip().splitlines()
        return said[-1] if said else f"exit status {error.returncode}"
    return error.strerror or str(error) if isinstance(error, OSError) else "an answer that is none"


@cache
def _own_packages() -> tuple[str, ...]:
    from importlib.metadata import distributions

    return tuple(sorted({_named(dist) for dist in distributions()}))


def _named(dist: Distribution) -> str:
    """`name==version`, from the head of the metadata: parsed whole, as `dist.metadata` does it, hundreds of packages cost
    more than sealing a run.
    """
    text = dist.read_text("METADATA") or dist.read_text("PKG-INFO") or dist.read_text("") or ""
    head, _, _ = text.partition("\n\n")  # behind it stands the project's own text
    stated: dict[str, str] = {}
    for key, value in _STATED.findall(head):
        stated.setdefault(key.lower(), value.lstrip(" \t"))
    return f"{stated.get('name', '').lower().replace('_', '-')}=={stated.get('version')}"


def env_lock(found: Packages) -> dict[str, Any]:
    """The env_lock input; nothing where the packages are not known."""
    if found.python is None:
        return {"sha256": None, "python": None}
    python, names = found.python, found.names
    return {"sha256": digest({"python": python, "packages": names}), "python": python}


def hardware(found: Packages) -> tuple[dict[str, Any], tuple[Gap, ...]]:
    """The hardware input: GPU model, count, driver and CUDA (None without a GPU), CPU model, RAM in GiB.

    CUDA is the one that the interpreter's torch was built for, imported or not.
    """
    card, gaps = _gpu()
    if card["gpu"]:
        card["cuda"] = _cuda(found.torch if found.other else _own_torch())
    return {**card, "cpu": _cpu(), "ram": _ram()}, gaps


def determinism_flags() -> dict[str, Any]:
    """Settings that make runs repeatable and that hold from the start of a process: they enter the hashes, so they must
    not depend on what a script has imported or set by the time that it asks.
    """
    return {key: os.environ[key] for key in ("CUBLAS_WORKSPACE_CONFIG", "PYTHONHASHSEED") if key in os.environ}


def observed_flags() -> dict[str, Any]:
    """What the process that starts the run has set already, if it is the training itself; recorded, never hashed."""
    torch = sys.modules.get("torch")
    try:
        return (
            {
                "torch_deterministic_algorithms": bool(torch.are_deterministic_algorithms_enabled()),
                "torch_num_threads": int(torch.get_num_threads()),
            }
            if torch is not None
            else {}
        )
    except (AttributeError, TypeError, ValueError):  # a folder called torch, a stub
        return {}


def kept_variables(more: Sequence[str] = ()) -> dict[str, str]:
    """The environment variables on the allow list that are set."""
    return {key: os.environ[key] for key in sorted({*KEPT_VARIABLES, *more}) if key in os.environ}


def _other_python(command: Sequence[str]) -> str | None:
    program = shutil.which(command[0]) if command else None
    name = _interpreter(program) if program else None
    found = shutil.which(name) if name else None
    if found is None:
        return None
    # not resolved through links: a virtual environment's python is a link to another environment's
    same = Path(found).parent.absolute() == Path(sys.executable).parent.absolute()
    return None if same else found


def _interpreter(program: str) -> str | None:
    """The Python that a program is, or that its first line names (`torchrun`, `accelerate`); None when it is neither."""
    if Path(program).name.lower().startswith("python"):
        return program
    try:
        with Path(program).open("rb") as stream:
            first = stream.readline(512).decode("utf-8", "surrogateescape")
    except OSError:
        return None
    words = first.removeprefix("#!").split() if first.startswith("#!") else []
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return words[0] if words and Path(words[0]).name.lower().startswith("python") else None


def _gpu() -> tuple[dict[str, Any], tuple[Gap, ...]]:
    none = {"gpu": None, "count": 0, "driver": None, "cuda": None}
    if not shutil.which("nvidia-smi"):
        return none, ()
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(query, capture_output=True, check=True, timeout=20, text=True, errors="replace")
    except subprocess.CalledProcessError as error:
        said = f"{error.stdout}{error.stderr}".strip()
        if "No devices" in said or "couldn't communicate with the NVIDIA driver" in said:  # there is none to use
            return none, ()
        return none, (_gpu_unknown(said.splitlines()[-1] if said else f"exit status {error.returncode}"),)
    except (OSError, subprocess.SubprocessError) as error:
        return none, (_gpu_unknown(_why(error)),)
    cards = [line.split(", ") for line in done.stdout.splitlines() if ", " in line]
    if not cards:
        return none, ()
    return {"gpu": cards[0][0], "count": len(cards), "driver": cards[0][1], "cuda": None}, ()


def _gpu_unknown(why: str) -> Gap:
    fix = "see what `nvidia-smi` says; which GPU ran is not recorded"
    return Gap("gpu-unknown", f"nvidia-smi was asked for the GPUs and did not say: {why}", fix)


def _own_torch() -> str | None:
    from importlib.util import find_spec

    try:
        found = find_spec("torch")  # finds, and imports nothing
    except (ImportError, ValueError, AttributeError):
        return None
    return found.origin if found else None


def _cuda(torch: str | None) -> str | None:
    """The CUDA version in torch's `version.py`, which `torch.version.cuda` is read from."""
    try:
        text = (Path(torch).parent / "version.py").read_text(encoding="utf-8") if torch else ""
    except (OSError, ValueError):
        return None
    stated = re.search(r"""^cuda\b[^=\n]*=\s*["']([^"']+)["']""", text, re.MULTILINE)
    return stated[1] if stated else None


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _ram() -> int | None:
    """Whole GiB: the kernel's own share differs by a few megabytes from boot to boot."""
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
    except (ValueError, OSError, AttributeError):
        return None
