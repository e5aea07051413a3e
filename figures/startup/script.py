"""source_data.csv -> output/startup.png: bars from zero, a dot for each repeat."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import _style  # noqa: E402

data = pd.read_csv(HERE / "source_data.csv")
commands = list(dict.fromkeys(data["command"]))
grouped = data.groupby("command", sort=False)["cpu_ratio"]
mean, std = grouped.mean(), grouped.std(ddof=1)
ours = [command.startswith(("ledger", "pre-commit")) for command in commands]

_style.use()
figure, axes = plt.subplots(figsize=(6.4, 2.6), layout="constrained")
axes.barh(
    commands,
    mean[commands],
    xerr=std[commands],
    color=["#0072B2" if own else "#999999" for own in ours],
    height=0.62,
    capsize=3,
)
axes.scatter(data["cpu_ratio"], data["command"], s=9, color="black", zorder=3)
axes.invert_yaxis()
axes.axvline(1, color="black", linewidth=0.8, linestyle=":")
axes.set_xlim(left=0)
axes.set_xlabel("CPU time over a bare interpreter (mean ± std of 3 repeats)")
(HERE / "output").mkdir(exist_ok=True)
figure.savefig(HERE / "output" / "startup.png", dpi=200)
