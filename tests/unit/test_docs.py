"""The documentation says what the product does: rules, commands, settings, links, and a tutorial that still runs."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import click
import pytest

from ledger import errors, schema
from ledger.gate.checks import CHECKS
from ledger.project import POLICIES, Config

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *(ROOT / "schemas").glob("*.md")])

_KEBAB = re.compile(r"[a-z]+(-[a-z]+)*")
_MAKES_FINDINGS = re.compile(r"(?i)(finding|found|note|warn|error)$|^_no$")
_NO_RULES = {"error", "warning", "note", "mention"}
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rules_in_code() -> Iterator[str]:
    """Every kebab-case literal in the first three arguments of a call that makes a finding, and every `rule=`."""
    for path in [*(ROOT / "ledger").rglob("*.py"), *(ROOT / "adapters").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            named = [keyword.value for keyword in node.keywords if keyword.arg == "rule"]
            if named or _MAKES_FINDINGS.search(called):
                yield from _literals([*(node.args[:3] if _MAKES_FINDINGS.search(called) else ()), *named])
    yield from (f"gate-{check.__name__.replace('_', '-')}" for check in CHECKS)


def _literals(nodes: list[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.IfExp):
            yield from _literals([node.body, node.orelse])
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _KEBAB.fullmatch(node.value):
            yield node.value


def anchors(page: Path) -> set[str]:
    """Anchors as MyST and GitHub make them from headings."""
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    heads = re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def test_every_rule_of_the_code_is_documented() -> None:
    found = set(rules_in_code()) - _NO_RULES
    assert {"drift", "dirty-tree", "gate-mapped", "hash-mismatch"} <= found
    assert sorted(found - script("make_reference").rules().keys()) == []


def test_no_rule_is_documented_that_no_code_has() -> None:
    families = script("make_reference").FAMILIES
    documented = {
        rule for rule, (link, _) in script("make_reference").rules().items() if link.partition(".")[0] in families
    }
    literals = {
        node.value
        for path in (ROOT / "ledger").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert sorted(documented - literals - set(rules_in_code())) == []


def test_pages_made_from_the_product_are_what_it_makes_today() -> None:
    stale = [path.name for path, text in script("make_reference").pages().items() if path.read_text("utf-8") != text]
    assert stale == [], "renew them: make pages"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = []
    for target in _LINK.findall(_CODE.sub("", page.read_text("utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if not there.exists() or (anchor and anchor not in anchors(there)):
            broken.append(target)
    assert broken == []


def test_every_page_is_reachable_from_the_index() -> None:
    seen: set[Path] = set()
    pending = [DOCS / "index.md"]
    while pending:
        page = pending.pop()
        if page in seen:
            continue
        seen.add(page)
        for tree in re.findall(r"^```\{toctree\}\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL):
            for entry in (line.strip() for line in tree.splitlines()):
                if entry and not entry.startswith(":"):
                    pending += sorted(page.parent.glob(f"{entry}.md"))
    assert sorted(page.relative_to(DOCS).as_posix() for page in set(DOCS.rglob("*.md")) - seen) == []


def test_every_setting_is_documented_with_its_default() -> None:
    import json

    text = (DOCS / "reference/configuration.md").read_text("utf-8")
    for item in fields(Config):
        default = getattr(Config(), item.name)
        shown = json.dumps(list(default) if isinstance(default, tuple) else default)
        assert f"| `{item.name}` | `{shown}` |" in text


def test_every_exit_status_and_policy_is_documented() -> None:
    text = (DOCS / "reference/exit-status.md").read_text("utf-8")
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.LedgerError)]
    for status in {0, 1, 130, *(kind.exit_status for kind in kinds)}:
        assert f"\n| {status} | " in text
    for policy in POLICIES:
        assert f"\n| `{policy}`" in text


def test_every_schema_is_listed() -> None:
    text = (ROOT / "schemas/README.md").read_text("utf-8")
    for name in schema.NAMES:
        assert f"({name}.v1.schema.json)" in text


def test_every_key_of_a_claim_and_a_row_is_documented() -> None:
    text = (DOCS / "reference/evidence-json.md").read_text("utf-8")
    raw = schema.load("evidence")
    for key in [*raw["properties"]["claims"]["items"]["properties"], *raw["$defs"]["row"]["properties"]]:
        assert f"`{key}`" in text


def test_the_tutorial_still_prints_what_it_shows(tmp_path: Path) -> None:
    tutorial = script("make_tutorial")
    page = (DOCS / "tutorial.md").read_text("utf-8")
    assert tutorial.compared(tutorial.replay(page, tmp_path)) == tutorial.compared(page), "renew it: make pages"


def commands_named(text: str) -> Iterator[tuple[str, list[str]]]:
    """Every `ledger COMMAND ...` in code of a page or in a message, with the options that it passes."""
    for match in re.finditer(r"(?:^|[`\s(])ledger ((?:[a-z][a-z-]* ?){1,2})([^`\n|;&)]*)", text, re.MULTILINE):
        options = re.findall(r"(?<= )--[a-z][a-z-]*", f" {match[2].split(' -- ')[0]}")
        yield match[1].strip(), options


def options_of(name: str) -> set[str] | None:
    """The options of a command (`evidence refresh` too), or None when there is no such command."""
    from ledger.cli.lazy import cli

    command: click.Command | None = cli
    for part in name.split():
        if not isinstance(command, click.Group):
            break  # an argument
        command = command.get_command(click.Context(command), part)
        if command is None:
            return None
    assert command is not None
    return {option for parameter in command.params for option in (*parameter.opts, "--help", "--version")}


def test_commands_in_pages_exist_with_their_options() -> None:
    wrong = []
    for page in PAGES:
        for code in _CODE.finditer(page.read_text("utf-8")):
            wrong += [
                (page.name, name, options) for name, options in commands_named(code[0]) if not exists(name, options)
            ]
    assert wrong == []


def test_commands_in_messages_exist_with_their_options() -> None:
    wrong = []
    for path in [*(ROOT / "ledger").rglob("*.py"), *(ROOT / "adapters").rglob("*.py")]:
        for code in re.finditer(r"`ledger [^`\n]*`", path.read_text("utf-8")):
            wrong += [
                (path.name, name, options) for name, options in commands_named(code[0]) if not exists(name, options)
            ]
    assert wrong == []


def exists(name: str, options: list[str]) -> bool:
    known = options_of(name)
    return known is not None and set(options) <= known


@pytest.mark.parametrize("kind", ["json", "yaml", "toml"])
def test_blocks_are_what_they_say(kind: str) -> None:
    import json
    import tomllib

    import yaml

    read = {"json": json.loads, "yaml": yaml.safe_load, "toml": tomllib.loads}[kind]
    blocks = [
        block
        for page in PAGES
        for block in re.findall(rf"^```{kind}\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    ]
    assert blocks
    for block in blocks:
        assert read(block)


def test_claim_graphs_in_pages_are_valid() -> None:
    import json

    pages = [DOCS / "tutorial.md", DOCS / "reference/evidence-json.md"]
    blocks = [
        block
        for page in pages
        for block in re.findall(r"^```json\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    ]
    graphs = [raw for raw in map(json.loads, blocks) if "claims" in raw]
    assert len(graphs) == 2
    for raw in graphs:
        schema.validate(raw, "evidence")
