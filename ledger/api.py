"""What training scripts and notebooks use, reached lazily as `ledger.start`, `ledger.runs` and `ledger.disclose`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ledger.project import find
from ledger.run.recorder import ActiveRun, begin

if TYPE_CHECKING:
    import pandas as pd


def start(
    exp_id: str,
    *,
    config: Mapping[str, Any] | None = None,
    seed: int | str | None = None,
    data: str | os.PathLike[str] | None = None,
    dataset: str | None = None,
) -> ActiveRun:
    """Start a run of the experiment `exp_id` (a descriptive ablation name: `ours-no-aux`).

    The six provenance inputs are captured before this returns. `config` is the fully resolved configuration, `data` the
    file or folder that training reads (hashed), `dataset` its name. Use it as a context manager:

        with ledger.start("ours-full", config=config, seed=0, data="data/") as run:
            run.log(step=1, loss=0.3)
            run.result("accuracy", 0.97, split="test", n=360)

    Raises:
        UsageError: no project here, or a name or path that makes no sense.
        StoreError: the disk refused.

    """
    return begin(find(), exp_id, config=config, seed=seed, data=data, dataset=dataset)


def runs(exp_id: str | None = None) -> pd.DataFrame:
    """Every sealed run's metrics, one row for each metric, as a pandas DataFrame.

    Columns: exp_id, run_id, status, seed, selected, metric, split, dataset, n, value (a float; NaN when not finite).

    Raises:
        UsageError: no project here.

    """
    import pandas as pd

    from ledger.store.chosen import selected_ids
    from ledger.store.index import Index
    from ledger.store.index.query import MEASUREMENT, measurements

    project = find()
    index = Index(project)
    found = pd.DataFrame(measurements(index, exp_id), columns=MEASUREMENT).astype({"value": "float64"})
    index.close()
    chosen = {(exp, run) for exp in found["exp_id"].unique() for run in selected_ids(project, exp)}
    runs_of = zip(found["exp_id"], found["run_id"], strict=True)
    found.insert(MEASUREMENT.index("metric"), "selected", [key in chosen for key in runs_of])
    return found


def disclose(text: str) -> None:
    """Declare, in a figure's script, a deliberate choice that must ride with the figure (`non-zero baseline: dB`).

    It goes into the figure's sidecar when `ledger figures build` runs the script, and does nothing otherwise.
    """
    if os.environ.get("LEDGER_FIGURE_RECORD"):
        from ledger.pixelgate.runner import record_disclosure

        record_disclosure(text)
