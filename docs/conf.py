"""Sphinx configuration: Markdown pages (MyST) in the furo theme. `make docs` builds, warnings are errors."""

import re
from pathlib import Path

project = "evidence-ledger"
author = "the evidence-ledger contributors"
release = re.search(r'__version__ = "([^"]+)"', (Path(__file__).parents[1] / "ledger/__init__.py").read_text("utf-8"))[
    1
]  # type: ignore[index]
extensions = ["myst_parser"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"evidence-ledger {release}"
html_show_copyright = False
html_copy_source = False
myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]
