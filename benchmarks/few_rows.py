"""How often the verdict on equal models changes without one row, or without five.

    python benchmarks/few_rows.py [samples]

Two models follow one law given the target, and their errors correlate by one half, so neither is
better. `one` and `five` are the share of the samples in which the search finds a set of so many
rows, or fewer, without which the verdict is another one: what a report calls "sensitive to single
observations". There is no margin. Seeds fixed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from zlib import crc32

import numpy as np
from plans import make_plan

from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.plan import ModelScores, PlannedMetric
from reportgen.analysis.sensitivity.case_deletion import search_case_deletion
from reportgen.inference.resampling.design import Design
from reportgen.inference.resampling.replicates import limit_blas_threads
from reportgen.kernels.batch import Vector
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Amounts, Classes, Rows

OUT = Path(__file__).parent / "results" / "few_rows.md"
METRICS_OF = {"amounts": ("mae", "kendall"), "heavy": ("mae",), "classes": ("accuracy", "log_loss")}
SIZES, SAMPLES, REPLICATES = (100, 300, 1000), 400, 199


def main(samples: int) -> None:
    lines = [
        f"{samples} samples each.\n",
        "| law | metric | rows | one | five |",
        "|---|---|--:|--:|--:|",
    ]
    with limit_blas_threads():
        for law, names in METRICS_OF.items():
            lines += [study(law, name, n, samples) for name in names for n in SIZES]
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


def study(law: str, name: str, n: int, samples: int) -> str:
    """One line: how often so few rows change the verdict."""
    rng = np.random.default_rng([crc32(f"{law} {name}".encode()), n])
    fewest = [find_fewest(draw(law, n, rng), name, n) for _ in range(samples)]
    one, five = (100 * float(np.mean([each <= most for each in fewest])) for most in (1, 5))
    return f"| {law} | `{name}` | {n:,} | {one:.1f} | {five:.1f} |"


def draw(law: str, n: int, rng: np.random.Generator) -> list[Rows]:
    """The rows of two equal models."""
    y: Vector = rng.normal(size=n)
    shared = rng.normal(size=n)
    errors = [np.sqrt(0.5) * (shared + rng.normal(size=n)) for _ in range(2)]
    if law == "amounts":
        return [Amounts(y, y + each) for each in errors]
    if law == "heavy":
        return [Amounts(np.exp(1.5 * y), np.exp(1.5 * y + each)) for each in errors]
    is_positive = (y + rng.normal(size=n) > 0).astype(np.intp)
    said = [1 / (1 + np.exp(-(y + each))) for each in errors]
    return [Classes(is_positive, each[:, None], ("0", "1"), upper=1) for each in said]


def find_fewest(rows: list[Rows], name: str, n: int) -> float:
    """How many rows it takes at least, as far as the search finds; infinite if it finds none."""
    use = PlannedMetric(name, METRICS[name].use(), None, is_primary=True)
    plan = make_plan(
        [ModelScores(model, model, each) for model, each in zip("ab", rows, strict=True)],
        Design(name="test", n=n, replicates=REPLICATES, seed=7),
        metrics=(use,),
        pairs=(("b", "a"),),
    )
    found = search_case_deletion(draw_replicates(plan))
    sets = found.sets if found is not None else ()
    return min((each.rows for each in sets if each.is_changed), default=np.inf)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES)
