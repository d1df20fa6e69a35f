"""The point metrics of engines.py, without intervals, by DuckDB, Polars and Dask.

    python benchmarks/scale_beside.py 1 5 50

Wants duckdb, polars and dask[dataframe]. Each runs in a process of its own, on two threads, over
the file that engines.py writes. Prints seconds, seconds of both processors, peak memory and the
mean absolute error of one model, which must agree.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
WRITE = """
import sys
from pathlib import Path
from engines import write
write(Path(sys.argv[1]) / "rows.parquet", round(float(sys.argv[2]) * 1e6))
"""
SQL = ", ".join(
    f"avg(abs({m} - y)), sqrt(avg(({m} - y) * ({m} - y))), avg({m} - y), "
    f"avg(greatest(0.8 * (y - {m}), 0.2 * ({m} - y)))"
    for m in ("old", "new", "next")
)
AS_DOUBLES = ", ".join(f"{m}::double as {m}" for m in ("y", "old", "new", "next"))
BY = {
    "DuckDB": f"""
import duckdb
duckdb.sql("set threads = 2")
rows = "(select {AS_DOUBLES} from 'rows.parquet')"
print(duckdb.sql("select {SQL} from " + rows).fetchall()[0][0])
""",
    "Polars": """
import polars as pl
e = {m: (pl.col(m).cast(pl.Float64) - pl.col("y").cast(pl.Float64)) for m in ("old", "new", "next")}
asked = [f.alias(m + str(k)) for m, x in e.items() for k, f in enumerate((
    x.abs().mean(), (x * x).mean().sqrt(), x.mean(),
    pl.max_horizontal(-0.8 * x, 0.2 * x).mean()))]
print(pl.scan_parquet("rows.parquet").select(asked).collect(engine="streaming")["old0"][0])
""",
    "Dask": """
import dask, dask.dataframe as dd, numpy as np
d = dd.read_parquet("rows.parquet", columns=["y", "old", "new", "next"], split_row_groups=True)
d = d.astype("float64")
asked = []
for m in ("old", "new", "next"):
    x = d[m] - d["y"]
    asked += [x.abs().mean(), (x * x).mean(), x.mean(), x.map_partitions(
        lambda v: np.maximum(-0.8 * v, 0.2 * v)).mean()]
print(dask.compute(*asked, scheduler="threads", num_workers=2)[0])
""",
}


def main() -> None:
    print("| rows (millions) | by | seconds | of processors | peak (MB) | MAE |")
    print("|---|---|---|---|---|---|")
    for millions in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as name:
            # In a process of its own: a child begins with the peak of its parent.
            subprocess.run([sys.executable, "-c", WRITE, name, millions], check=True, cwd=HERE)
            for by, code in BY.items():
                begun = time.monotonic()
                environ = {**os.environ, "POLARS_MAX_THREADS": "2"}
                done = subprocess.Popen(
                    [sys.executable, "-c", code],
                    cwd=name,
                    env=environ,
                    stdout=subprocess.PIPE,
                    text=True,
                )
                assert done.stdout is not None
                said = done.stdout.read().strip()
                _, status, used = os.wait4(done.pid, 0)
                took, work = time.monotonic() - begun, used.ru_utime + used.ru_stime
                found = f"{float(said):.6f}" if status == 0 else "failed"
                print(
                    f"| {millions} | {by} | {took:.1f} | {work:.1f} | "
                    f"{used.ru_maxrss / 1024:,.0f} | {found} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
