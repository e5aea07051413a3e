"""One look for every figure: readable at column width, distinct in grey and to every eye. `use()` before drawing."""

import matplotlib as mpl

INK = "#1b1f24"
QUIET = "#6b7280"
RULE = "#d7dbe0"
# after Okabe and Ito: apart under protan, deutan and tritan deficiency, and in print without colour by line and marker
COLOURS = ("#0072b2", "#d55e00", "#007a5e", "#8f3f71", "#4f9fd0", "#8a6d00")
MARKERS = ("o", "s", "^", "D", "v", "P")
LINES = ("-", "--", "-.", ":", "-", "--")


def use() -> None:
    """Set matplotlib's defaults."""
    mpl.use("Agg")
    mpl.rcParams.update(
        {
            "axes.axisbelow": True,
            "axes.edgecolor": QUIET,
            "axes.labelcolor": INK,
            "axes.linewidth": 0.6,
            "axes.prop_cycle": mpl.cycler(color=COLOURS, marker=MARKERS, linestyle=LINES),
            "axes.spines.right": False,
            "axes.spines.top": False,
            "figure.constrained_layout.use": True,
            "figure.figsize": (5.4, 3.0),
            "font.family": "DejaVu Sans",
            "font.size": 8.5,
            "grid.color": RULE,
            "grid.linewidth": 0.6,
            "legend.frameon": False,
            "lines.markersize": 4,
            "pdf.fonttype": 42,  # TrueType: several venues refuse Type 3 fonts
            "ps.fonttype": 42,
            "savefig.dpi": 300,
            "svg.fonttype": "none",
            "svg.hashsalt": "figures",  # the same ids, and so the same bytes, on every run
            "text.color": INK,
            "xtick.color": QUIET,
            "xtick.labelcolor": INK,
            "ytick.color": QUIET,
            "ytick.labelcolor": INK,
        }
    )
