"""What a wheel holds, and that the checkout's own folders shadow nobody's package."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path

import pytest

from ledger import __version__, schema

ROOT = Path(__file__).parents[2]

# forget every path that leads to the adapters, whichever way this environment installed them
WITHOUT_ADAPTERS = """
import sys
import tomllib
sys.path[:] = [p for p in sys.path if not p.rstrip("/").endswith("adapters") and p not in ("", {root!r})]
sys.path.insert(0, {core!r})
import importlib.util
assert importlib.util.find_spec("ledger_adapters") is None
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this checkout, built without fetching anything."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def core(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's `ledger` alone, unpacked."""
    folder = tmp_path_factory.mktemp("core")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if name.startswith("ledger/")])
    return folder


def names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def run(code: str, *args: str, **env: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *args],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, **env},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_top_level_names_are_exactly_ours(wheel: Path) -> None:
    info = f"evidence_ledger-{__version__}.dist-info"
    assert {name.partition("/")[0] for name in names(wheel)} == {"ledger", "ledger_adapters", info}


def test_every_module_and_every_schema_is_in_it(wheel: Path) -> None:
    held = set(names(wheel))
    for root, package in ((ROOT, "ledger"), (ROOT / "adapters", "ledger_adapters")):
        for path in (root / package).rglob("*.py"):
            assert path.relative_to(root).as_posix() in held
    assert {f"ledger/_schemas/{name}.v1.schema.json" for name in schema.NAMES} <= held
    assert "ledger/py.typed" in held
    assert f"evidence_ledger-{__version__}.dist-info/licenses/LICENSE" in held


def test_the_commands_are_registered(wheel: Path) -> None:
    points = ConfigParser()
    with zipfile.ZipFile(wheel) as archive:
        points.read_string(archive.read(f"evidence_ledger-{__version__}.dist-info/entry_points.txt").decode())
    assert dict(points["console_scripts"]) == {
        "ledger": "ledger.cli.main:main",
        "evidence-ledger": "ledger.cli.main:main",
        "ledger-hook": "ledger.hook:main",
    }


def test_an_installed_core_reads_its_own_schemas(core: Path) -> None:
    code = WITHOUT_ADAPTERS.format(root=str(ROOT), core=str(core)) + (
        "from ledger import schema\n"
        "assert schema.__file__.startswith(sys.path[0])\n"
        "print([schema.load(name)['$id'] for name in schema.NAMES])\n"
    )
    assert run(code).count("urn:evidence-ledger:") == len(schema.NAMES)


def test_the_core_needs_no_adapter_to_be_imported(core: Path) -> None:
    modules = sorted(modules_of(core / "ledger"))
    assert len(modules) > 50
    code = WITHOUT_ADAPTERS.format(root=str(ROOT), core=str(core)) + (
        f"import importlib\nfor name in {modules!r}: importlib.import_module(name)\nprint('imported')"
    )
    assert run(code).strip() == "imported"


def modules_of(package: Path) -> Iterator[str]:
    for path in package.rglob("*.py"):
        parts = path.relative_to(package.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_help_works_without_adapters(core: Path) -> None:
    code = WITHOUT_ADAPTERS.format(root=str(ROOT), core=str(core)) + "from ledger.cli.main import main\nmain()"
    assert "reconcile" in run(code, "--help")


def test_a_package_called_adapters_is_still_importable_in_the_checkout(tmp_path: Path) -> None:
    (tmp_path / "adapters").mkdir()
    (tmp_path / "adapters" / "__init__.py").write_text("OWNER = 'somebody else'\n", "utf-8")
    assert run("import adapters; print(adapters.OWNER)", PYTHONPATH=str(tmp_path)).strip() == "somebody else"


@pytest.mark.parametrize("folder", ["adapters", "schemas"])
def test_folders_that_are_no_packages_stay_none(folder: str) -> None:
    assert not (ROOT / folder / "__init__.py").exists()
    if folder == "schemas":
        assert list((ROOT / folder).rglob("*.py")) == []


def test_every_part_of_the_core_has_its_layer() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = next(contract["layers"] for contract in config["contracts"] if contract["type"] == "layers")
    named = {part.strip().strip("()") for line in layers for part in line.split(":")}
    parts = {f"ledger.{path.stem}" for path in (ROOT / "ledger").iterdir() if path.suffix == ".py" or path.is_dir()}
    assert sorted(parts - named - {"ledger.__init__", "ledger.__pycache__", "ledger.py"}) == []
