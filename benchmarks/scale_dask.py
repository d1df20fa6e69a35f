"""Streamed rows of every task by the workers of a Dask cluster and by one machine: the same bytes.

    python benchmarks/scale_dask.py [thousands of rows, 100]

Five tasks, each with rows that count alike, with weights, and with weights in clusters. Prints one
line each, and exits with 1 where bytes differ.
"""

from __future__ import annotations

import copy
import json
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import engines
import numpy as np
import pyarrow as pa
import scale_tasks
from pyarrow import parquet
from scale_kills import cluster, started, told

GROUPS = 8
KINDS = {"plain": (), "weights": ("weight",), "clusters": ("weight", "cluster")}


def amounts(draw: np.random.Generator, first: int, n: int) -> dict[str, Any]:
    """Amounts of which four in ten are zero, with three scores."""
    y = draw.gamma(1.5, 20, n) * (draw.random(n) > 0.4)
    columns = {"id": np.arange(first, first + n), "y": y, "w": draw.gamma(2, 1, n)}
    return columns | {
        m: share * y + draw.gamma(2, 4, n)
        for m, share in (("old", 0.8), ("new", 0.9), ("next", 0.85))
    }


def flags(draw: np.random.Generator, first: int, n: int) -> dict[str, Any]:
    """Two classes with probabilities of two models."""
    y = draw.random(n) < 0.2
    columns = {"id": np.arange(first, first + n), "y": y.astype("i1"), "w": draw.gamma(2, 1, n)}
    return columns | {
        m: 1 / (1 + np.exp(-draw.normal(gain * y - 1, 1)))
        for m, gain in (("old", 1.0), ("new", 1.3))
    }


def rows(task: str, n: int) -> dict[str, Any]:
    """The columns of a task, with clusters that row groups cut."""
    draw = np.random.default_rng(7)
    make = {"regression": amounts, "binary": flags, "ranking": scale_tasks.documents}
    columns = make.get(task, scale_tasks.class_rows)(draw, 0, n)
    of = columns["topic"] // 3 if task == "ranking" else np.arange(n) % 997
    return {**columns, "part": of}


def config(task: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """The config of a task, with the columns of weights and of clusters that are asked for."""
    if task == "binary":
        made = copy.deepcopy(engines.CONFIG) | {
            "task": "binary",
            "thresholds": {"half": {"fixed": 0.5}},
            "primary": {"metric": "brier"},
            "metrics": ["brier", "log_loss", "roc_auc", {"name": "f", "at": "half"}],
            "models": {m: {"column": m, "scale": "probability"} for m in ("old", "new")},
        }
        made["models"]["old"]["role"] = "baseline"
    elif task == "regression":
        made = copy.deepcopy(engines.CONFIG)
        made["metrics"] = [
            "mae",
            "rmse",
            "bias",
            "pearson",
            "r2",
            "kendall",
            "spearman",
            {"name": "pinball", "alpha": 0.9},
        ]
    else:
        made = copy.deepcopy(scale_tasks.CONFIGS[task])
    dataset = made["datasets"]["test"]
    dataset.pop("weight", None)
    dataset |= {key: {"weight": "w", "cluster": "part"}[key] for key in keys}
    return made | {"outputs": ["json"]}


def main() -> None:
    n = round(1000 * float(sys.argv[1])) if len(sys.argv) > 1 else 100_000
    process, address = cluster()
    is_same = True
    for task in ("regression", "binary", *scale_tasks.CONFIGS):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            table = pa.table(rows(task, n))
            parquet.write_table(table, folder / "rows.parquet", row_group_size=-(-n // GROUPS))
            for kind, keys in KINDS.items():
                (folder / "config.yaml").write_text(json.dumps(config(task, keys)))
                found = []
                for engine in ("stream", f"{{dask: '{address}'}}"):
                    run = started(
                        folder, "--no-cache", "--allow-remote", "--set", f"compute.engine={engine}"
                    )
                    said = run.communicate()[1]
                    assert run.returncode == 0, said
                    found.append(told(folder))
                same = found[0] == found[1]
                is_same &= same
                print(
                    f"{task}, {kind}: {'same bytes' if same else 'OTHER BYTES'} "
                    f"({len(found[0]):,})",
                    flush=True,
                )
    process.send_signal(signal.SIGINT)
    process.wait()
    sys.exit(not is_same)


if __name__ == "__main__":
    main()
