"""The pixel gate over a folder of figure folders: builds each, and writes one report that a scorer can read.

    python benchmarks/figures.py ROOT --output REPORT.json [--only SUBSTRING] [--raster]

`--raster` judges the rendered files alone, as `ledger figures check FILE` does.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from ledger import __version__, pixelgate
from ledger.model.finding import Finding, Report


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--raster", action="store_true")
    options = parser.parse_args()
    findings: list[Finding] = []
    paths: list[str] = []
    unjudged: list[str] = []
    begun = time.perf_counter()
    names = [name for name in pixelgate.names(options.root) if options.only in name]
    for name in names:
        for report in _reports(options.root, name, options.raster):
            findings += report.findings
            paths += report.checked["paths"]
            unjudged += report.checked["not_judged"]
    took = time.perf_counter() - begun
    whole = Report("figures build", {"paths": paths, "not_judged": unjudged}, tuple(findings))
    options.output.write_text(json.dumps(whole.to_json(__version__), indent=1, ensure_ascii=False), encoding="utf-8")
    print(f"{len(names)} figures, {len(findings)} findings, {len(unjudged)} not judged, {took:.1f} s")


def _reports(root: Path, name: str, raster: bool) -> list[Report]:
    if not raster:
        return [pixelgate.build(root, name)]
    output = root / "figures" / name / "output"
    return [pixelgate.check_file(path) for path in sorted(output.iterdir()) if path.is_file()]


if __name__ == "__main__":
    main()
