"""Rows and configs of tasks beside regression that are streamed, for the benchmarks of scale."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from engines import CONFIG, GROUP
from pyarrow import parquet

NAMES = ("ant", "bee", "cow", "dog")
SHARES = (0.5, 0.3, 0.19, 0.01)
CLASSES = {name: name.title() for name in NAMES}
MODELS = {"old": 0.9, "new": 1.2}  # how far the score of what is right lies above the others


def class_rows(draw: np.random.Generator, first: int, n: int) -> dict[str, Any]:
    """Rows of four classes, one of them rare, with labels beside and weights."""
    code = draw.choice(4, n, p=SHARES)
    columns = {"id": np.arange(first, first + n), "y": np.array(NAMES)[code]}
    columns["w"] = draw.gamma(2, 1, n)
    for model, gain in MODELS.items():
        z = np.round(draw.normal(0, 1, (n, 4)), 2)
        z[np.arange(n), code] += gain
        odds = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
        columns |= {f"{model}_{name}": odds[:, k] for k, name in enumerate(NAMES)}
    for k, share in enumerate(SHARES):
        columns[f"has_{NAMES[k]}"] = ((draw.random(n) < share) | (code == k)).astype("i1")
    return columns


def documents(draw: np.random.Generator, first: int, n: int) -> dict[str, Any]:
    """Documents of queries of one to forty each, of which row groups cut some."""
    number = np.arange(first, first + n)
    block, place = np.divmod(number, 820)  # of 40 queries with 1 to 40 documents
    topic = 40 * block + np.searchsorted(np.cumsum(np.arange(1, 41)), place, side="right")
    grade = draw.choice(3, n, p=[0.7, 0.2, 0.1])
    columns = {"topic": topic, "doc": number, "grade": grade, "w": 1.0 + topic % 3}
    for model, gain in MODELS.items():
        columns[model] = gain * grade + np.round(draw.normal(0, 1, n), 1)
    return columns


def write(file: Path, rows: int, task: str) -> None:
    """The rows of a task, row group by row group."""
    draw, writer = np.random.default_rng(2), None
    make = documents if task == "ranking" else class_rows
    for first in range(0, rows, GROUP):
        table = pa.table(make(draw, first, min(GROUP, rows - first)))
        writer = writer or parquet.ParquetWriter(file, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def _config(dataset: dict[str, str], models: dict[str, Any], **more: Any) -> dict[str, Any]:
    plain = {
        key: CONFIG[key]
        for key in ("version", "report", "bootstrap", "compute", "sensitivity", "curves", "outputs")
    }
    dataset |= {"path": "rows.parquet", "weight": "w"}
    models["old"]["role"] = "baseline"
    return {**plain, "datasets": {"test": dataset}, "models": models, **more}


CONFIGS = {
    "multiclass": _config(
        {"id": "id", "target": "y"},
        {m: {"columns": m + "_{class}"} for m in MODELS},
        task="multiclass",
        classes=CLASSES,
        primary={"metric": "f"},
        metrics=["accuracy", "f", "mcc", "log_loss", "top_k_accuracy"],
    ),
    "multilabel": _config(
        {"id": "id", "target": "has_{class}"},
        {m: {"columns": m + "_{class}"} for m in MODELS},
        task="multilabel",
        classes=CLASSES,
        primary={"metric": "f"},
        thresholds={"some": {"fixed": 0.4}},
        metrics=["f", "recall", "hamming_loss", "lrap"],
    ),
    "ranking": _config(
        {"query": "topic", "id": "doc", "target": "grade"},
        {m: {"column": m} for m in MODELS},
        task="ranking",
        primary={"metric": "ndcg"},
        metrics=[{"name": "ndcg", "k": 10}, "ap", "rr"],
    ),
}
