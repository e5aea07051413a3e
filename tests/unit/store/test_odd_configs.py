"""Configs as people write them: whatever YAML allows is sealed, shown, compared and asked for, in one form everywhere."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from ledger.canon import finite
from ledger.canon.yaml import parse_config
from ledger.errors import InputError
from ledger.project import Project

Shell = Callable[..., subprocess.CompletedProcess[str]]

ODD = """\
2024-01-31: a date as key
2024-01-31 10:00:00: a time as key
null: nothing as key
1: a number as key
true: a truth as key
day: 2024-02-30
when: 2024-01-31T25:61:00
far: 99999-01-01
none: .nan
most: .inf
least: -.inf
größe: 3
日本: {"été": [1, .nan, 2024-02-30]}
"quo\\"te'd key": 1
spaced key: 1
"a.b": 1
base: 0b2
long: 1{zeros}
""".replace("{zeros}", "0" * 5000)


def changed(text: str) -> str:
    return text.replace("größe: 3", "größe: 4").replace("2024-02-30", "2024-02-31")


def seal(shell: Shell, found: Project, text: str, **about: Any) -> str:
    # beside the project: within it, it would be code
    (found.root.parent / "config.yaml").write_text(text, encoding="utf-8")
    done = shell("run", "exp", "--config", "../config.yaml", "--", "true")
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    return done.stderr.rpartition("sealed exp/")[2].split()[0]


def test_an_odd_config_goes_through_every_command(here: Project, shell: Shell) -> None:
    first, second = seal(shell, here, ODD), seal(shell, here, changed(ODD))
    assert shell("show", first).returncode == 0
    told = shell("diff", first, second)
    assert told.returncode == 0, told.stderr
    assert [line.split()[0] for line in told.stdout.splitlines()[2:]] == ["day", "größe", "日本.été"]
    as_json = json.loads(shell("diff", first, second, "--format", "json").stdout)
    assert {item["name"]: item["first"] for item in as_json["config"]}["größe"] == 3
    for where in (
        "config.größe==3", "config.日本.été~2024-02-30", "config.day==2024-02-30", "config.none==NaN and seed!=7",
        "config.2024-01-31~date", 'config.größe<4 and "config.spaced key"==1', "config.a.b==1", "config.None~nothing",
    ):  # fmt: skip
        answer = shell("runs", "--where", where, "--format", "json")
        assert answer.returncode == 0, answer.stderr
        assert "Traceback" not in answer.stderr
        if "seed" not in where:
            assert first in answer.stdout, where
    assert shell("fsck").returncode == 0


def test_the_same_text_from_the_run_itself_is_the_same_config(here: Project, shell: Shell) -> None:
    """A run that writes its own config.resolved.yaml has the config that `--config` would have given it."""
    given = seal(shell, here, ODD)
    own = shell("run", "exp", "--", "sh", "-c", 'cp ../config.yaml "$LEDGER_RUN_DIR/config.resolved.yaml"')
    assert own.returncode == 0, own.stderr
    told = shell("diff", given, "@last")
    assert "same conditions" in told.stdout, told.stdout


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        ("x: true", "x: 1", ["true", "1"]), ("x: false", "x: 0", ["false", "0"]), ("x: null", "y: 1", ["null", "absent"]),
        ("x: 1", "x: '1'", ["1", '"1"']), ("x: null", "x: 'null'", ["null", '"null"']), ("x: a", "x: absent", ["a", '"absent"']),
        ("x: {}", "y: 1", ["{}", "absent"]), ("x: [1]", "x: [true]", ["[1]", "[true]"]), ("x: ''", "x: null", ['""', "null"]),
    ],
)  # fmt: skip
def test_diff_tells_values_apart(here: Project, shell: Shell, one: str, other: str, shown: list[str]) -> None:
    first, second = seal(shell, here, one), seal(shell, here, other)
    line = next(line for line in shell("diff", first, second).stdout.splitlines() if line.startswith("x "))
    assert line.split()[1:] == shown
    row = next(
        r for r in json.loads(shell("diff", first, second, "--format", "json").stdout)["config"] if r["name"] == "x"
    )
    assert ("second" in row) == (shown[1] != "absent")


@pytest.mark.parametrize(("one", "other"), [("x: 1", "x: 1.0"), ("x: .nan", "x: .NaN"), ("x: 0x10", "x: 16")])
def test_what_is_hashed_alike_differs_in_nothing(here: Project, shell: Shell, one: str, other: str) -> None:
    told = shell("diff", seal(shell, here, one), seal(shell, here, other)).stdout
    assert "same conditions" in told
    assert len(told.splitlines()) == 1


@pytest.mark.parametrize(
    "text", ["1: a\n'1': b", "true: a\n'True': b", "x: &a [*a]", "? [a]\n: 1\n? {b: 1}\n: 2", "- 1", "x: [", "\x00", "x: !!python/name:os.system"]
)  # fmt: skip
def test_what_is_no_config_is_said_in_one_line(here: Project, shell: Shell, text: str) -> None:
    (here.root / "config.yaml").write_text(text)
    done = shell("run", "exp", "--config", "config.yaml", "--", "true")
    assert done.returncode == 3, done.stderr
    assert done.stderr.startswith("ledger: config.yaml: "), done.stderr
    assert done.stderr.count("\n") == 1


def test_two_keys_that_are_written_alike_are_refused() -> None:
    with pytest.raises(InputError, match="written alike, as '1'"):
        finite({1: "a", "1": "b"})
    assert parse_config(b"") == {}
