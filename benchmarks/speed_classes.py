"""How long the resampling of a report on two classes takes, beside the loops that people write.

    python benchmarks/speed_classes.py [--rows 1000,100000,1000000]
    python benchmarks/speed_classes.py --reword    keeps the table, writes the words under it anew

Two models under 999 replicates: all measures below with the ROC and precision–recall curves,
through the same call that a report makes. Each size runs in a process of its own on one thread;
times are processor seconds, which other programs move less than the clock. The loop draws rows
and calls scikit-learn for eight of the measures; the package `confidenceinterval` computes one of
them, by its bootstrap. Both run a few replicates, and are scaled to 999. The page is
benchmarks/results/speed_classes.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from plans import make_plan

from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.plan import AnalysisPlan, ModelScores, PlannedMetric
from reportgen.inference.resampling.design import Design
from reportgen.kernels import native
from reportgen.kernels.batch import Column
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from reportgen.metrics.rows import Classes

SHARED = (
    "roc_auc",
    "average_precision",
    "log_loss",
    "brier",
    "accuracy",
    "recall",
    "precision",
    "f",
)
MORE = (
    "pr_auc",
    "partial_auc",
    "ks",
    "brier_skill",
    "log_loss_skill",
    "calibration_bias",
    "calibration_slope",
    "calibration_intercept",
    "oe_ratio",
    "miscalibration",
    "discrimination",
    "calibration_error",
    "ece",
)
MODELS, REPLICATES = 2, 999
PAGE = Path(__file__).parent / "results" / "speed_classes.md"
HEAD = """# How fast replicates of two classes are

Made by `python benchmarks/speed_classes.py` on {machine}, one thread, compiled kernels: {native}.
Load of the machine at the start {load:.1f} on {cores} cores. Times are processor seconds for
{models} models under {replicates} replicates; ratios are taken within this one run.

- *eight measures*: {shared}.
- *all*: these and {more}, with the ROC and precision–recall curves.
- *scikit-learn loop*: rows drawn, the same eight by scikit-learn {sklearn}; {few} replicates
  of one model at each size, scaled.
- *confidenceinterval*: `roc_auc_score` alone by its bootstrap (version {ci}); {few} resamples,
  scaled.

| rows | eight measures | all | peak memory | scikit-learn | ratio to eight | confidenceinterval |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: |
"""

RULE = "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
GOALS = {1_000: 0.2, 100_000: 3.0, 1_000_000: 40.0}  # processor seconds of all
RATIO = 500  # times as fast as the loop
RATIOS = {1_000: 200, 100_000: 200, 1_000_000: 75}  # the same of all beside the loop of eight
WHY = """
Where the time of *all* goes: at 1,000 rows two fifths to the logistic fits behind calibration slope
and intercept, found anew in each of {fits:,} replicates, a tenth to the rising fit that
miscalibration and discrimination share, and much of the rest to calls, which are as many as for
more rows. At 100,000 rows a fifth each goes to weighted sums of losses and errors and to the
logistic fits, an eighth to the rising fit. Of the eight measures at 100,000 rows, a quarter goes to
the draws, three tenths to sums of losses and of cells, and a quarter to what is done once: sorting,
losses, binding. That is what keeps them from a larger ratio.
"""


def drawn(n: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """What happened, a tenth of it positive, and two models' probabilities."""
    rng = np.random.default_rng(1)
    y = (rng.random(n) < 0.1).astype(float)
    x = rng.normal(size=n) + 1.5 * y
    noisy = x + 0.4 * rng.normal(size=n)
    return y, [1 / (1 + np.exp(3.2 - 1.2 * x)), 1 / (1 + np.exp(3.0 - 1.1 * noisy))]


def plan(n: int, names: tuple[str, ...], curves: tuple[str, ...]) -> AnalysisPlan:
    """What a config of these measures asks."""
    y, scores = drawn(n)
    outcome = Column(y)
    needed = {name: {"threshold": 0.3} for name in ("accuracy", "recall", "precision", "f")}
    return make_plan(
        dataset="sample",
        models=tuple(
            ModelScores(
                name,
                name,
                Classes(y.astype(np.intp), p[:, None], ("0", "1"), "probability", outcome=outcome),
            )
            for name, p in zip(("a", "b"), scores, strict=True)
        ),
        pairs=(("b", "a"),),
        metrics=tuple(
            PlannedMetric(k, METRICS[k].use(**needed.get(k, {})), None, k == "roc_auc")
            for k in names
        ),
        curves=tuple(CURVES[k] for k in curves),
        design=Design("sample", n, REPLICATES, 1),
    )


def seconds(work: Callable[[], object]) -> float:
    """Processor seconds that it takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def loop(n: int, times: int) -> float:
    """Processor seconds of one replicate of one model by scikit-learn."""
    from sklearn import metrics

    y, (p, _) = drawn(n)
    rng = np.random.default_rng(2)

    def work() -> None:
        for _ in range(times):
            rows = rng.integers(0, n, n)
            a, b = y[rows], p[rows]
            c = b >= 0.3
            metrics.roc_auc_score(a, b), metrics.average_precision_score(a, b)
            metrics.log_loss(a, b), metrics.brier_score_loss(a, b)
            metrics.accuracy_score(a, c), metrics.recall_score(a, c)
            metrics.precision_score(a, c), metrics.f1_score(a, c)

    return seconds(work) / times


def package(n: int, times: int) -> tuple[float | None, str]:
    """Processor seconds of one bootstrap replicate of the AUC by `confidenceinterval`."""
    try:
        from importlib.metadata import version

        from confidenceinterval import roc_auc_score
    except ImportError:
        return None, "not installed"
    y, (p, _) = drawn(n)
    how = {"confidence_level": 0.95, "method": "bootstrap_percentile", "n_resamples": times}
    found = seconds(lambda: roc_auc_score(y, p, **how))
    return found / times, version("confidenceinterval")


def one_size(n: int) -> dict[str, float | str | None]:
    """All times of one number of rows."""
    few = 30 if n <= 10_000 else 3
    found: dict[str, float | str | None] = {"few": few}
    found["eight"] = seconds(lambda: draw_replicates(plan(n, SHARED, ())))
    found["all"] = seconds(
        lambda: draw_replicates(plan(n, SHARED + MORE, ("roc", "precision_recall")))
    )
    found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    found["loop"] = loop(n, few) * REPLICATES * MODELS
    one, found["ci"] = package(n, few)
    found["package"] = None if one is None else one * REPLICATES * MODELS
    return found


def goals(lines: list[str]) -> str:
    """Which goals the lines of the table meet, and where the time goes."""
    said = []
    for line in lines:
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        n = int(cells[0].partition(" (")[0].replace(",", ""))
        took, ratio = float(cells[2]), int(cells[5].replace(",", ""))
        of_all = "met" if took <= GOALS[n] else f"missed by {took - GOALS[n]:.2g} s"
        of_eight = "met" if ratio >= RATIO else f"missed: {ratio}"
        times = float(cells[4].replace(",", "")) / took
        beside = "met" if times >= RATIOS[n] else "missed"
        said.append(
            f"| {cells[0]} | {GOALS[n]:g} s: {of_all} | {RATIO} times: {of_eight} "
            f"| {RATIOS[n]} times: {beside}: {times:.0f} |\n"
        )
    head = (
        "\n| rows | goal of *all* | goal of eight against the loop "
        "| goal of *all* against the loop of eight |\n| ---: | :-- | :-- | :-- |\n"
    )
    return head + "".join(said) + WHY.format(fits=MODELS * REPLICATES)


def reword() -> None:
    """The page with its table as it is, and the words under it as they are now."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(RULE)
    lines = [f"{line}\n" for line in rest.split("\n\n")[0].splitlines()]
    PAGE.write_text(head + RULE + "".join(lines) + goals(lines), encoding="utf-8")


def main() -> None:
    """Each size in a process of its own, then the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", default="1000,100000,1000000")
    parser.add_argument("--one", type=int)
    parser.add_argument("--reword", action="store_true", help="keep the table of the page")
    options = parser.parse_args()
    if options.reword:
        reword()
        return
    if options.one:
        print(json.dumps(one_size(options.one)))
        return
    load, lines, ci = os.getloadavg()[0], [], ""
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    for n in map(int, options.rows.split(",")):
        command = [sys.executable, __file__, "--one", str(n)]
        found = json.loads(
            subprocess.run(command, capture_output=True, check=True, env=env, text=True).stdout
        )
        ci = found["ci"]
        other = "–" if found["package"] is None else f"{found['package']:,.1f}"
        lines.append(
            f"| {n:,} | {found['eight']:.2f} | {found['all']:.2f} | {found['memory']:.2f} GB | "
            f"{found['loop']:,.1f} | {found['loop'] / found['eight']:,.0f} | {other} |\n"
        )
        print(lines[-1], end="", flush=True)
    import sklearn

    head = HEAD.format(
        machine=f"{platform.machine()}, Python {platform.python_version()}",
        native=", ".join(native.list_kinds()[-1:]) or "none",
        load=load,
        cores=os.cpu_count(),
        models=MODELS,
        replicates=REPLICATES,
        shared=", ".join(SHARED),
        more=", ".join(MORE),
        sklearn=sklearn.__version__,
        few="30 (3 from 100,000 rows)",
        ci=ci,
    )
    PAGE.write_text(head + "".join(lines) + goals(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
