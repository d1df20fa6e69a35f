"""100,000 rows, written as the row groups of some files, and the results of streaming them."""

import json

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from reportgen.governance.study import Options
from reportgen.pipeline import run_config
from reportgen.progress import SilentProgress
from tests.streaming.configs import written

N = 100_000
CONFIG = """
version: 1
report: {title: Streamed}
task: regression
datasets: {test: {path: rows/*.parquet, id: id, target: y, weight: w, MORE}}
models: {old: {column: old, role: baseline}, new: {column: new}}
metrics: [mae, rmse, bias, r2, pearson, wape, {name: pinball, alpha: 0.9},
          {name: deviance, power: 1.5}]
primary: {metric: mae}
bootstrap: {replicates: 99, weights: poisson}
sensitivity: none
curves: []
compute: {engine: ENGINE}
outputs: [json]
"""


def many_rows():
    """Amounts of which four in ten are zero, with heavy tails and missing values, sorted by y."""
    draw = np.random.default_rng(5)
    y = np.sort(draw.pareto(2.2, N) * 20 * (draw.random(N) > 0.4))
    old = 0.8 * y + draw.gamma(2, 5, N)
    old[draw.integers(0, N, 40)] = np.nan
    return pa.table(
        {
            "id": draw.permutation(N),
            "y": y,
            "old": old,
            "new": 0.9 * y + draw.gamma(2, 4.8, N),
            "w": draw.gamma(2, 1, N),
        }
    )


def told(folder, table, groups, engine="stream", threads=2):
    """Results with row groups of so many rows; of several sizes one file each."""
    (folder / "rows").mkdir(parents=True)
    start = 0
    for number, size in enumerate(groups):
        rows = N - start if number == len(groups) - 1 else 3 * size
        file = folder / "rows" / f"{number}.parquet"
        parquet.write_table(table.slice(start, rows), file, row_group_size=size)
        start += rows
    path = written(folder, CONFIG, engine, "missing: drop")
    found = run_config(
        path, Options(threads=threads, use_cache=False, allow_remote=True), SilentProgress()
    )
    results = json.loads(found.files["results.json"])
    for name in ("provenance", "config", "digests"):
        results[name] = None
    for dataset in results["datasets"]:
        dataset["inputs"] = None
    return results
