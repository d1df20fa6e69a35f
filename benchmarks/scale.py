"""Streamed rows: seconds and peak memory by number of rows, with memory for data held to 2 GiB.

    python benchmarks/scale.py 1 5 50        millions of rows, three models, 199 resamples

Writes one line a size; the figures kept in benchmarks/results/scale.md are those of one run.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

GROUP = 250_000
LIMIT = 2 << 30
CONFIG = {
    "version": 1,
    "report": {"title": "Scale"},
    "task": "regression",
    "datasets": {"test": {"path": "rows.parquet", "id": "id", "target": "y"}},
    "models": {
        "old": {"column": "old", "role": "baseline"},
        "new": {"column": "new"},
        "next": {"column": "next"},
    },
    "metrics": ["mae", "rmse", "bias", {"name": "pinball", "alpha": 0.8}],
    "primary": {"metric": "mae"},
    "bootstrap": {"replicates": 199, "weights": "poisson"},
    "compute": {"engine": "stream"},
    "sensitivity": "none",
    "curves": [],
    "outputs": ["json", "html"],
}


def write(file: Path, rows: int) -> None:
    draw, writer = np.random.default_rng(1), None
    for first in range(0, rows, GROUP):
        n = min(GROUP, rows - first)
        y = draw.gamma(1.5, 20, n) * (draw.random(n) > 0.4)
        scores = {
            name: share * y + draw.gamma(2, 4, n)
            for name, share in (("old", 0.8), ("new", 0.9), ("next", 0.85))
        }
        columns = {"id": np.arange(first, first + n), "y": y, **scores}
        table = pa.table({k: v if k == "id" else v.astype("f4") for k, v in columns.items()})
        writer = writer or parquet.ParquetWriter(file, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def held() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))


def main() -> None:
    print("| rows (millions) | file (MB) | seconds | of processors | peak (MB) |")
    print("|---|---|---|---|---|")
    for millions in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write(folder / "rows.parquet", round(float(millions) * 1e6))
            (folder / "config.yaml").write_text(json.dumps(CONFIG))
            command = [sys.executable, "-m", "reportgen", "run", "config.yaml", "--out", "out"]
            begun = time.monotonic()
            done = subprocess.Popen(
                [*command, "--threads", "2", "--no-cache"],
                cwd=folder,
                preexec_fn=held,
                stdout=subprocess.DEVNULL,
            )
            _, status, used = os.wait4(done.pid, 0)
            took = time.monotonic() - begun
            assert status == 0, status
            size = (folder / "rows.parquet").stat().st_size / 1e6
            work = used.ru_utime + used.ru_stime
            print(
                f"| {millions} | {size:,.0f} | {took:.1f} | {work:.1f} | "
                f"{used.ru_maxrss / 1024:,.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
