"""Draw output/accuracy.png and .pdf from source_data.csv: a dot for each seed, the mean, and one std either way."""

import csv
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import _style  # noqa: E402

_style.use()

import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import MultipleLocator, PercentFormatter  # noqa: E402


def main() -> None:
    scores: dict[tuple[str, str], list[float]] = {}
    with (HERE / "source_data.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            scores.setdefault((row["method"], row["exp_id"]), []).append(float(row["accuracy"]))

    figure, axes = plt.subplots(figsize=(5.4, 2.3), layout="constrained")
    for height, ((_, experiment), values) in enumerate(scores.items()):
        colour = _style.COLOURS[experiment]
        mean = statistics.fmean(values)
        std = statistics.stdev(values) if len(values) > 1 else 0.0
        axes.errorbar(mean, height, xerr=std, fmt="D", ms=5.5, color=colour, capsize=3.5, elinewidth=1.6, capthick=1.6)
        # seeds that agree lie on top of each other: spread them in height, where nothing is measured
        lanes = [height - 0.34 + 0.1 * i for i in range(len(values))]
        axes.scatter(values, lanes, s=15, color=colour, alpha=0.75, linewidths=0)
        axes.annotate(
            f"{100 * mean:.1f} ± {100 * std:.1f}",
            (mean, height),
            xytext=(0, 7),
            textcoords="offset points",
            ha="center",
            fontsize=8,
            color=colour,
            fontweight="bold",
        )
    axes.set_yticks(range(len(scores)), [method.replace(" augmentation", "\naugmentation") for method, _ in scores])
    axes.set_ylim(-0.6, len(scores) - 0.35)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0))
    axes.xaxis.set_major_locator(MultipleLocator(0.01))
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    axes.margins(x=0.07)
    seeds = " or ".join(str(n) for n in sorted({len(values) for values in scores.values()}))
    axes.set_xlabel(f"test accuracy (dots: single seeds; diamonds: mean ± std over {seeds} seeds)")

    (HERE / "output").mkdir(exist_ok=True)
    figure.savefig(HERE / "output" / "accuracy.png", metadata={"Software": None})
    figure.savefig(HERE / "output" / "accuracy.pdf", metadata={"CreationDate": None, "Producer": None, "Creator": None})


main()
