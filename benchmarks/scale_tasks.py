"""Rows and configs of tasks beside regression that are streamed, for the benchmarks of scale."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet
from scale import CONFIG, GROUP

NAMES = ("ant", "bee", "cow", "dog")
SHARES = (0.5, 0.3, 0.19, 0.01)
CLASSES = {name: name.title() for name in NAMES}
MODELS = {"old": 0.9, "new": 1.2}  # how far the score of what is right lies above the others


def write_classes(file: Path, rows: int) -> None:
    """Rows of four classes, one of them rare, with labels beside and weights."""
    draw, writer = np.random.default_rng(2), None
    for first in range(0, rows, GROUP):
        n = min(GROUP, rows - first)
        code = draw.choice(4, n, p=SHARES)
        columns = {"id": np.arange(first, first + n), "y": np.array(NAMES)[code]}
        columns["w"] = draw.gamma(2, 1, n)
        for model, gain in MODELS.items():
            odds = draw.normal(0, 1, (n, 4))
            odds[np.arange(n), code] += gain
            odds = np.exp(np.round(odds, 2))
            odds /= odds.sum(axis=1, keepdims=True)
            columns |= {f"{model}_{name}": odds[:, k] for k, name in enumerate(NAMES)}
        for k, share in enumerate(SHARES):
            columns[f"has_{NAMES[k]}"] = ((draw.random(n) < share) | (code == k)).astype("i1")
        writer = _written(file, columns, writer)


def write_queries(file: Path, rows: int) -> None:
    """Documents of queries of some twenty each, which row groups cut."""
    draw, writer = np.random.default_rng(3), None
    topic = np.repeat(np.arange(rows), draw.geometric(0.05, rows))[:rows]
    for first in range(0, rows, GROUP):
        n = min(GROUP, rows - first)
        own = topic[first : first + n]
        grade = draw.choice(3, n, p=[0.7, 0.2, 0.1])
        columns = {"topic": own, "doc": np.arange(first, first + n), "grade": grade}
        columns["w"] = 1.0 + own % 3
        for model, gain in MODELS.items():
            columns[model] = gain * grade + np.round(draw.normal(0, 1, n), 1)
        writer = _written(file, columns, writer)


def _written(file: Path, columns, writer):
    table = pa.table(columns)
    writer = writer or parquet.ParquetWriter(file, table.schema)
    writer.write_table(table)
    return writer


