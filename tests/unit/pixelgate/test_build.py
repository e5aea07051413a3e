"""Building real figures with real matplotlib: the steps, the sidecar, and what is said when a step goes wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.errors import InputError, UsageError
from ledger.model.finding import Report
from ledger.pixelgate import build, check, check_file, names

BARS = """
fig, ax = plt.subplots(layout="constrained")
ax.bar([r["method"] for r in rows], [float(r["accuracy"]) for r in rows])
ax.set_ylabel("accuracy (%)")
fig.savefig("output/plot.png", dpi=150)
"""

Make = Callable[..., Path]


def rules(root: Path) -> list[str]:
    return [finding.rule for finding in build(root, "plot").findings]


def test_good_figure_is_bound_and_the_same_bytes_twice(figure: Make) -> None:
    root = figure(BARS)
    report = build(root, "plot")
    assert report.findings == ()
    assert report.checked["series_bound"] == report.checked["series"] == 1
    sidecar = root / "figures/plot/plot.provenance"
    first = sidecar.read_bytes(), (root / "figures/plot/output/plot.png").read_bytes(), sidecar.stat().st_ino
    build(root, "plot")
    assert (sidecar.read_bytes(), (root / "figures/plot/output/plot.png").read_bytes(), sidecar.stat().st_ino) == first
    raw = json.loads(first[0])
    assert raw["pixel_check"]["passed"] is True
    assert raw["rendered"][0]["path"] == "figures/plot/output/plot.png"
    assert check(root, "plot").findings == ()


def test_vector_files_repeat_byte_for_byte(figure: Make) -> None:
    root = figure(
        BARS + 'plt.rcParams["pdf.fonttype"] = 42\nfig.savefig("output/plot.svg")\nfig.savefig("output/plot.pdf")\n'
    )
    output = root / "figures/plot/output"
    build(root, "plot")
    first = [path.read_bytes() for path in sorted(output.iterdir())]
    assert build(root, "plot").findings == ()
    assert [path.read_bytes() for path in sorted(output.iterdir())] == first
    assert len(first) == 3


def test_builders_run_first_and_know_their_project(figure: Make) -> None:
    root = figure(BARS, data=None)
    builder = root / "figures/plot/_build_data.py"
    builder.write_text(
        "import os\nassert os.environ['LEDGER_FIGURE'] == 'plot' and os.path.isfile(os.environ['LEDGER_PROJECT'] + "
        "'/EVIDENCE.json')\nopen('source_data.csv', 'w').write('method,accuracy\\na,1\\nb,2\\n')\n"
    )
    assert rules(root) == []
    builder.write_text(builder.read_text() + "# other\n")
    assert ["_build_data.py has changed" in finding.message for finding in check(root, "plot").findings] == [True]


def test_bars_off_zero_are_found_and_a_disclosure_marks_them(figure: Make) -> None:
    root = figure(BARS.replace("fig.savefig", "ax.set_ylim(89, 93); fig.savefig"))
    (finding,) = build(root, "plot").findings
    assert (finding.rule, finding.severity, finding.disclosed) == ("truncated-axis", "warning", None)
    assert "89" in finding.message
    assert finding.location is not None
    assert finding.location.box is not None
    sidecar = root / "figures/plot/plot.provenance"
    raw = json.loads(sidecar.read_text())
    assert raw["pixel_check"]["passed"] is False
    sidecar.write_text(json.dumps({**raw, "disclosure": "The axis starts at 89.", "mine": 1}))
    (finding,) = build(root, "plot").findings
    assert finding.disclosed == "The axis starts at 89."
    raw = json.loads(sidecar.read_text())
    assert (raw["disclosure"], raw["mine"], raw["pixel_check"]["passed"]) == ("The axis starts at 89.", 1, True)
    (again,) = check(root, "plot").findings
    assert again == finding


def test_the_script_itself_may_disclose(figure: Make) -> None:
    body = BARS.replace("fig.savefig", "ax.set_ylim(89, 93); fig.savefig")
    root = figure(body + "\nimport ledger\nledger.disclose('non-zero baseline: the axis starts at 89')\n")
    (finding,) = build(root, "plot").findings
    assert finding.disclosed == "non-zero baseline: the axis starts at 89"


def test_missing_glyphs_cut_labels_and_empty_panels(figure: Make) -> None:
    root = figure(
        """
fig, (a, b) = plt.subplots(1, 2, figsize=(5, 3))
a.bar([r["method"] for r in rows], [float(r["accuracy"]) for r in rows])
a.set_title("V-I 特性"); a.set_ylabel("accuracy (%) of a model with a long name, in two\\nlines, wide")
fig.subplots_adjust(left=0.06)
fig.savefig("output/plot.png", dpi=150)
"""
    )
    found = {finding.rule: finding for finding in build(root, "plot").findings}
    assert set(found) == {"tofu", "clipped-text", "blank-panel"}
    assert found["tofu"].values["codepoints"] == ["U+7279", "U+6027"]
    assert "left" in found["clipped-text"].message
    assert "panel 2 of 2" in found["blank-panel"].message


def test_minus_sign_that_the_font_lacks(figure: Make) -> None:
    root = figure(
        """
plt.rcParams["font.family"] = "cmr10"
fig, ax = plt.subplots(figsize=(3, 2.4), layout="constrained")
ax.plot([-2, -1, 0], [1, 2, 3]); ax.set_title("a - b"); ax.set_xticks([-2, -1, 0])
fig.savefig("output/plot.png", dpi=150)
""",
        "x,y\n-2,1\n-1,2\n0,3\n",
    )
    (finding,) = build(root, "plot").findings
    assert (finding.rule, finding.values["codepoints"]) == ("tofu", ["U+2212"])
    assert finding.values["text"] == ["−2", "−1"]


def test_a_script_that_raises_leaves_the_old_picture(figure: Make) -> None:
    root = figure(BARS)
    build(root, "plot")
    folder = root / "figures/plot"
    old = (folder / "output/plot.png").read_bytes(), (folder / "plot.provenance").read_bytes()
    (folder / "script.py").write_text(
        "open('output/plot.png', 'w').write('half')\nopen('output/new.png', 'w')\nraise ValueError('no such column')\n"
    )
    (finding,) = build(root, "plot").findings
    assert finding.rule == "figure-script-failed"
    assert "ValueError: no such column" in finding.message
    assert finding.location is not None
    assert (finding.location.path, finding.location.line) == ("figures/plot/script.py", 3)
    assert ((folder / "output/plot.png").read_bytes(), (folder / "plot.provenance").read_bytes()) == old
    assert not (folder / "output/new.png").exists()
    assert [finding.rule for finding in check(root, "plot").findings] == ["figure-stale"]


def test_a_builder_that_raises_puts_the_data_back(figure: Make) -> None:
    root = figure(BARS)
    (root / "figures/plot/_build_data.py").write_text("open('source_data.csv', 'w').write('half')\n1 / 0\n")
    (finding,) = build(root, "plot").findings
    assert finding.rule == "figure-script-failed"
    assert "ZeroDivisionError" in finding.message
    assert (root / "figures/plot/source_data.csv").read_text().startswith("method,accuracy")


def test_a_script_that_hangs_is_stopped(figure: Make) -> None:
    root = figure("", head="import time\ntime.sleep(60)\n")
    (finding,) = build(root, "plot", timeout=1).findings
    assert finding.rule == "figure-script-failed"
    assert "1 s" in finding.message


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("plt.plot([1, 2]); plt.show()", "show()"),
        ("import sys; print('bad data'); sys.exit(3)", "status 3 (bad data)"),
        ("def broken(:", "SyntaxError"),
        (
            "raise RuntimeError('latex failed\\n\\nTranscript written on file.log.')",
            "raised RuntimeError: latex failed",
        ),
    ],
)
def test_scripts_that_draw_nothing(figure: Make, body: str, said: str) -> None:
    (finding,) = build(figure(body), "plot").findings
    assert finding.rule == "figure-script-failed"
    assert said in finding.message


def test_files_elsewhere_and_files_left_over(figure: Make) -> None:
    root = figure(BARS + 'fig.savefig("elsewhere.png")\n')
    (root / "figures/plot/output").mkdir()
    (root / "figures/plot/output/old.png").write_bytes(b"")
    found = build(root, "plot").findings
    assert [finding.rule for finding in found] == ["figure-script-failed", "figure-stale"]
    assert "elsewhere.png" in found[0].message
    assert "old.png" in found[1].message


def test_data_without_rows(figure: Make) -> None:
    root = figure("plt.plot([1, 2], [3, 4]); plt.savefig('output/plot.png', dpi=150)", "x,y\n")
    report = build(root, "plot")
    (finding,) = report.findings
    assert finding.rule == "data-mismatch"
    assert "has no rows" in finding.message
    assert any("has no rows" in note for note in report.checked["not_judged"])


def test_a_script_that_asks_for_a_window_draws_its_file(figure: Make) -> None:
    root = figure("import matplotlib\nmatplotlib.use('TkAgg')\n" + BARS + "plt.show()\n")
    assert rules(root) == []


def test_figures_of_other_tools_are_recorded(figure: Make) -> None:
    root = figure("", head="from PIL import Image\nImage.new('RGB', (40, 30), 'red').save('output/plot.png')\n")
    report = build(root, "plot")
    assert [finding.rule for finding in report.findings] == ["blank-panel"]
    assert any("not saved by matplotlib" in note for note in report.checked["not_judged"])


def test_unknown_figures_name_those_that_exist(figure: Make) -> None:
    root = figure(BARS)
    assert names(root) == ["plot"]
    for wrong in ("other", "../figures/plot", "", "."):
        with pytest.raises(UsageError, match="there are: plot"):
            build(root, wrong)


def test_staleness_names_what_changed(figure: Make) -> None:
    root = figure(BARS)
    assert [finding.rule for finding in check(root, "plot").findings] == ["figure-stale"]
    build(root, "plot")
    folder = root / "figures/plot"
    (folder / "source_data.csv").write_text("method,accuracy\nbase,91\nours,92\n")
    (folder / "output/plot.png").write_bytes((folder / "output/plot.png").read_bytes() + b" ")
    messages = [finding.message for finding in check(root, "plot").findings]
    assert any("source_data.csv has changed" in message for message in messages)
    assert any("is not the file that was built" in message for message in messages)


def test_evidence_that_moved_on(figure: Make) -> None:
    root = figure(BARS)
    row = {"exp_id": "ours", "metric": "accuracy", "value": 92.0, "figure": "plot"}
    claim = {"id": "C1", "evidence": [{**row, "from": [{"run": "r1", "address": "a" * 64}]}]}
    evidence = root / "EVIDENCE.json"
    evidence.write_text(json.dumps({"project": "test", "claims": [claim]}))
    assert rules(root) == []
    raw = json.loads((root / "figures/plot/plot.provenance").read_text())
    assert raw["supports_claims"] == ["C1"]
    assert raw["built_from"][0]["run_address"] == "a" * 64
    claim["evidence"][0]["from"] = [{"run": "r2", "address": "b" * 64}]
    evidence.write_text(json.dumps({"project": "test", "claims": [claim]}))
    (finding,) = check(root, "plot").findings
    assert finding.rule == "figure-stale"
    assert "now ours r2; then ours r1" in finding.message


def test_claims_are_read_from_the_readme(figure: Make) -> None:
    root = figure(BARS)
    (root / "figures/plot/README.md").write_text("---\nclaims: [C1, C2]\n---\n")
    build(root, "plot")
    assert json.loads((root / "figures/plot/plot.provenance").read_text())["supports_claims"] == ["C1", "C2"]


def test_damaged_sidecar_is_one_line(figure: Make) -> None:
    root = figure(BARS)
    (root / "figures/plot/plot.provenance").write_text("{")
    with pytest.raises(InputError, match="not JSON"):
        build(root, "plot")
    assert "figure-unreadable" in [finding.rule for finding in check(root, "plot").findings]


def test_bare_files(tmp_path: Path) -> None:
    from PIL import Image

    with pytest.raises(InputError, match="no such file"):
        check_file(tmp_path / "absent.png")
    broken = tmp_path / "broken.png"
    Image.new("RGB", (300, 200), "white").save(broken)
    broken.write_bytes(broken.read_bytes()[:120])
    (finding,) = check_file(broken).findings
    assert finding.rule == "figure-unreadable"
    empty = tmp_path / "empty.png"
    Image.new("RGB", (300, 200), "white").save(empty)
    report = check_file(empty)
    assert [finding.rule for finding in report.findings] == ["blank-panel"]
    assert "cannot say what its data were" in report.checked["not_judged"][0]


def test_decompression_bomb_is_not_decoded(tmp_path: Path) -> None:
    import struct
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    bomb = tmp_path / "bomb.png"
    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    bomb.write_bytes(b"\x89PNG\r\n\x1a\n" + body)
    (finding,) = check_file(bomb).findings
    assert finding.rule == "figure-unreadable"
    assert "not decoded" in finding.message


def test_what_has_no_pixels_has_not_passed(figure: Make) -> None:
    root = figure("", head="open('output/plot.html', 'w').write('<p>')\n")
    report = build(root, "plot")
    assert report.findings == ()
    assert "no pixels to judge" in report.checked["not_judged"][0]
    assert json.loads((root / "figures/plot/plot.provenance").read_text())["pixel_check"]["passed"] is False


@pytest.mark.parametrize(
    "body",
    [
        # an outline that closes up to rounding, and a sketch without axes
        "from math import cos, sin, tau\nt = [i * tau / 99 for i in range(100)]\nplt.plot([*map(cos, t)], [*map(sin, t)])",
        "plt.plot([0, 1, 0.2], [0, 1, 2])\nplt.axis('off')",
        "plt.stackplot([0, 1, 2], [[1, 2, 3], [2, 2, 2]])",
        "plt.pcolor([[1, 2], [3, 4], [5, 6]])",
        # a second row of tick labels, and the two halves of a broken axis
        "plt.plot([0, 1, 2], [1, 2, 2])\nplt.xticks([0, 1, 1.001, 2], ['a', 'b', '\\nthe second row', 'c'])",
        (
            "fig, (up, down) = plt.subplots(2)\n[ax.plot([0, 1, 2], [1, 9, 2], 'o-') for ax in (up, down)]\n"
            "up.set_ylim(8, 10)\ndown.set_ylim(0, 3)"
        ),
        (
            "from matplotlib.image import BboxImage\nax = plt.gca()\n"
            "ax.add_artist(BboxImage(ax.bbox)).set_data([[0.0, 1.0], [2.0, 3.0]])"
        ),
        # a ring of polar bars, a mesh whose edges are joined by gaps, white lines on a filled ground
        "plt.subplot(projection='polar').bar([0, 2, 4], [1, 1, 1], width=[1, 2, 3])\nplt.yticks([])",
        "nan = float('nan')\nplt.plot([0, 1, nan, 1, 0, nan, 0, 2], [0, 0, nan, 0, 1, nan, 1, 1])",
        "plt.contourf([[0, 1, 0], [1, 5, 1], [0, 1, 0]])\nplt.plot([0, 1, 2], [0, 1, 2], color='white')",
    ],
)
def test_what_is_meant_to_look_so_is_no_finding(figure: Make, body: str) -> None:
    root = figure(f"{body}\nplt.savefig('output/plot.png', dpi=150)\n")
    assert rules(root) == []


def test_a_second_scale_on_the_edge_is_part_of_its_panel(figure: Make) -> None:
    body = BARS.replace("fig.savefig", "ax.secondary_yaxis('right').set_ylabel('正')\nfig.savefig")
    report = build(figure(body), "plot")
    assert [finding.rule for finding in report.findings] == ["tofu"]
    assert "y label" in report.findings[0].message
    assert (report.checked["series"], report.checked["not_judged"]) == (1, [])


def test_a_draw_event_that_draws_again_loses_no_text(figure: Make) -> None:
    body = BARS.replace(
        "fig.savefig",
        "done = []\n"
        "fig.canvas.mpl_connect('draw_event', lambda event: done or done.append(1) or fig.canvas.draw())\n"
        "ax.set_title('正')\nfig.savefig",
    )
    report = build(figure(body), "plot")
    assert [finding.rule for finding in report.findings] == ["tofu"]
    assert report.checked["not_judged"] == []


CUT = BARS.replace("fig.savefig", "ax.set_ylim(89, 93); fig.savefig")


def say(root: Path, **keys: object) -> None:
    sidecar = root / "figures/plot/plot.provenance"
    raw = {**json.loads(sidecar.read_text()), **keys}
    sidecar.write_text(json.dumps({key: value for key, value in raw.items() if value is not None}))


def said(root: Path, judge: Callable[..., Report]) -> dict[str, str | None]:
    return {finding.rule: finding.disclosed for finding in judge(root, "plot").findings}


def test_a_check_settles_by_the_sentences_of_the_sidecar_as_it_is(figure: Make) -> None:
    root = figure(CUT)
    build(root, "plot")
    say(root, disclosure="The axis starts at 89.")
    assert said(root, check) == {"truncated-axis": "The axis starts at 89."}
    build(root, "plot")
    say(root, disclosure=None, disclosed_for=None)
    assert said(root, check) == {"truncated-axis": None}


def test_a_sentence_of_the_sidecar_expires_with_its_data_until_it_is_said_again(figure: Make) -> None:
    root = figure(CUT)
    build(root, "plot")
    say(root, disclosure="The axis starts at 89.")
    assert said(root, build) == said(root, check) == {"truncated-axis": "The axis starts at 89."}
    figure(CUT, data="method,accuracy\nbase,90\nours,91\n")
    assert {"disclosure-expired", "figure-stale"} <= said(root, check).keys()
    expired = {"truncated-axis": None, "disclosure-expired": None}
    assert said(root, build) == said(root, check) == said(root, build) == expired
    say(root, disclosure="The axis still starts at 89.")
    assert said(root, build) == said(root, check) == {"truncated-axis": "The axis still starts at 89."}
    figure(CUT)
    assert "disclosure-expired" in said(root, build)
    say(root, disclosed_for=None)
    assert said(root, build) == {"truncated-axis": "The axis still starts at 89."}


def test_a_sentence_of_the_sidecar_expires_with_the_runs_of_its_claims(figure: Make) -> None:
    root = figure(CUT)

    def rests_on(letter: str) -> None:
        source = [{"run": f"r{letter}", "address": letter * 64}]
        row = {"exp_id": "ours", "metric": "accuracy", "value": 92.0, "figure": "plot", "from": source}
        (root / "EVIDENCE.json").write_text(json.dumps({"claims": [{"id": "C1", "evidence": [row]}]}))

    rests_on("a")
    build(root, "plot")
    say(root, disclosure="The axis starts at 89.")
    assert said(root, build) == {"truncated-axis": "The axis starts at 89."}
    rests_on("b")
    assert "disclosure-expired" in said(root, check)
