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
from typing import TYPE_CHECKING, Any

from ledger.canon import digest

if TYPE_CHECKING:
    from importlib.metadata import Distribution

# what may change a result and holds no secret
KEPT_VARIABLES = (
    "CUBLAS_WORKSPACE_CONFIG", "CUDA_VISIBLE_DEVICES", "MKL_NUM_THREADS", "NCCL_ALGO", "NVIDIA_TF32_OVERRIDE",
    "OMP_NUM_THREADS", "PYTHONHASHSEED", "SLURM_JOB_ID", "TF_DETERMINISTIC_OPS", "WORLD_SIZE",
)  # fmt: skip

_LIST = """
import importlib.metadata as m, json, platform
names = sorted({(d.metadata["Name"] or "").lower().replace("_", "-") + "==" + str(d.version) for d in m.distributions()})
print(json.dumps([platform.python_version(), names]))
"""
_STATED = re.compile(r"^(name|version):(.*)$", re.IGNORECASE | re.MULTILINE)


def packages(command: Sequence[str] = ()) -> tuple[str, list[str]]:
    """Python version and `name==version` of every installed distribution of the interpreter that will run.

    When `command` starts with another Python interpreter than ours, or a script for one, that one is asked.
    """
    other = _other_python(command)
    if other:
        try:
            done = subprocess.run([other, "-c", _LIST], capture_output=True, check=True, timeout=60)
            version, names = json.loads(done.stdout)
        except (OSError, subprocess.SubprocessError, ValueError):
            pass
        else:
            return str(version), [str(name) for name in names]
    return platform.python_version(), list(_own_packages())


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


def env_lock(python: str, names: list[str]) -> dict[str, Any]:
    """The env_lock input."""
    return {"sha256": digest({"python": python, "packages": names}), "python": python}


def hardware() -> dict[str, Any]:
    """The hardware input: GPU model, count, driver and CUDA (None without a GPU), CPU model, RAM in GiB."""
    return {**_gpu(), "cpu": _cpu(), "ram": _ram()}


def determinism_flags() -> dict[str, Any]:
    """Settings that make runs repeatable, as far as this process shows them."""
    flags: dict[str, Any] = {
        key: os.environ[key] for key in ("CUBLAS_WORKSPACE_CONFIG", "PYTHONHASHSEED") if key in os.environ
    }
    torch = sys.modules.get("torch")  # ask it only if the training script has loaded it
    if torch is not None:
        flags["torch_deterministic_algorithms"] = bool(torch.are_deterministic_algorithms_enabled())
        flags["torch_num_threads"] = int(torch.get_num_threads())
    return flags


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


def _gpu() -> dict[str, Any]:
    none = {"gpu": None, "count": 0, "driver": None, "cuda": None}
    if not shutil.which("nvidia-smi"):
        return none
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(query, capture_output=True, check=True, timeout=20, text=True)
    except (OSError, subprocess.SubprocessError):
        return none
    cards = [line.split(", ") for line in done.stdout.splitlines() if ", " in line]
    if not cards:
        return none
    torch = sys.modules.get("torch")
    cuda = getattr(getattr(torch, "version", None), "cuda", None)
    return {"gpu": cards[0][0], "count": len(cards), "driver": cards[0][1], "cuda": cuda}


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
