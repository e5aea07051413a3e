"""MLflow's own client, run by the interpreter that has it: record runs like ours, or answer the same query.

python mlflow_peer.py record|query URI [COUNT]
"""

import random
import sys

from mlflow.entities import Metric, Param
from mlflow.tracking import MlflowClient


def record(client: MlflowClient, count: int) -> None:
    experiment = client.create_experiment("many")
    for seed in range(count):
        values = random.Random(seed)
        run = client.create_run(experiment).info.run_id
        metrics = [Metric(f"m{number:02d}", values.random(), 0, 0) for number in range(20)]
        client.log_batch(run, metrics=metrics, params=[Param("seed", str(seed))])
        client.set_terminated(run)


def query(client: MlflowClient) -> int:
    experiment = client.get_experiment_by_name("many").experiment_id
    found, page = [], None
    while True:
        page = client.search_runs(
            [experiment], "metrics.m07 > 0.9", order_by=["metrics.m07 DESC"], max_results=5000,
            page_token=page.token if page else None,
        )  # fmt: skip
        found += page
        if not page.token:
            return len(found)


if __name__ == "__main__":
    client = MlflowClient(sys.argv[2])
    print(record(client, int(sys.argv[3])) if sys.argv[1] == "record" else query(client))
