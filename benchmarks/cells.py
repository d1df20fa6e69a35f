"""How far measures of order on cells are from those of all rows, and what they take.

    python benchmarks/cells.py --rows 5000000

Amounts of which four in ten are zero, and two classes of which one row in ten is positive, each
with one model. Edges come from the first 131,072 rows. For each number of edges the table has the
error of the value, its printed bound, processor seconds and the peak of memory.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

from reportgen.kernels.batch import Batch
from reportgen.metrics.lookup import first_metric
from reportgen.metrics.rows import Amounts, Classes, Rows
from reportgen.streaming import cells
from reportgen.streaming.states import build_keyed_sums, merge_keyed_sums

MEASURES = {
    "regression": ("kendall", "spearman", "regression_auc", "kendall_a"),
    "binary": ("roc_auc",),
}
PIECE = 1 << 18


def draw_rows(task: str, n: int) -> Rows:
    """Draw a target and the scores of one model."""
    draw = np.random.default_rng(20)
    if task == "binary":
        y = draw.random(n) < 0.1
        score = draw.normal(y, 1.2)
        return Classes(y.astype(np.intp), score[:, None], ("0", "1"), "score")
    y = draw.gamma(1.5, 20, n) * (draw.random(n) > 0.4)
    return Amounts(y, 0.8 * y + draw.gamma(2, 5, n))


def find_cells(rows: Rows, plane: cells.Plane, n: int) -> cells.Cells:
    """Find the cells of all rows, some at a time."""
    tables = []
    for start in range(0, n, PIECE):
        part = rows.take(np.arange(start, min(start + PIECE, n)))
        keys = plane.find_cells(part)
        tables.append(build_keyed_sums(np.ones((len(keys), 1), np.int64), keys))
    table = merge_keyed_sums(np.concatenate(tables))
    weight = table[:, 1].view(np.int64).astype(np.float64)
    return cells.Cells(plane, table[:, 0], weight, float(n), isinstance(rows, Classes))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--edges", type=int, nargs="*", default=[4_096, 16_384])
    n = parser.parse_args().rows
    print("| measure | edges | cells | error | bound | CPU s | MB |\n|---|---|---|---|---|---|---|")
    for task, names in MEASURES.items():
        rows, weight = draw_rows(task, n), np.ones(n)
        exact = {
            name: float(first_metric(name, task).bind(rows)(Batch.from_weights(weight))[0])
            for name in names
        }
        head = slice(0, cells.SAMPLED)
        sampled = {"": rows.outcome.values[head], "model": rows.ranking.values[head]}
        for edges in parser.parse_args().edges:
            cells.EDGES = edges
            planes = cells.build_planes(["model"], sampled, is_of_classes=task == "binary")
            begun = time.process_time()
            found = find_cells(rows, planes["model"], n)
            spent = time.process_time() - begun
            for name in names:
                begun = time.process_time()
                table = cells.measure_cells(found, first_metric(name, task))
                took = spent + time.process_time() - begun
                error = abs(table.value - exact[name])
                assert error <= table.bound, (name, error, table.bound)
                peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
                print(
                    f"| {name} | {edges:,} | {len(found.key):,} | {error:.1e} | {table.bound:.1e} "
                    f"| {took:.1f} | {peak:,.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
