"""One look for every figure of this project: readable at column width, distinct in grey and to every eye."""

import matplotlib as mpl

INK = "#1b1f24"
QUIET = "#6b7280"
RULE = "#d7dbe0"
# Okabe and Ito's colours, which stay apart under the three colour-vision deficiencies
COLOURS = {"linear": "#6b7280", "mlp": "#0072b2", "cnn-no-aug": "#b35c00", "cnn": "#00795a"}


def use() -> None:
    """Set matplotlib's defaults; call it before the figure is made."""
    mpl.use("Agg")
    mpl.rcParams.update(
        {
            "figure.dpi": 100,
            "savefig.dpi": 300,
            "font.family": "DejaVu Sans",
            "font.size": 8.5,
            "text.color": INK,
            "axes.labelcolor": INK,
            "axes.edgecolor": QUIET,
            "axes.linewidth": 0.6,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "xtick.color": QUIET,
            "xtick.labelcolor": INK,
            "ytick.labelcolor": INK,
            "grid.color": RULE,
            "grid.linewidth": 0.6,
            "pdf.fonttype": 42,  # TrueType: Type 3 fonts are refused by several venues
            "svg.hashsalt": "digits",
        }
    )
