"""How long the resampling of a whole report takes, beside the loops that people write.

    python benchmarks/speed.py [--rows 500,10000,100000,1000000]

All regression metrics of configs/wallet.yaml for two models under 1,000 replicates, through the
same call that a report makes. Each size runs in a process of its own, so that its peak memory is
its own. The loops (draw rows, call the libraries' metrics) run a few replicates in the same run;
their time is scaled to 1,000. Medians are written to benchmarks/results/speed.md.
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
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from itertools import pairwise
from math import log
from pathlib import Path
from statistics import median

import numpy as np
import scipy
from plans import make_plan
from scipy import stats

from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.plan import AnalysisPlan, ModelScores, PlannedMetric
from reportgen.inference.resampling.design import Design
from reportgen.kernels import native
from reportgen.kernels.batch import Column
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Amounts

USES = tuple(
    PlannedMetric(name, METRICS[name].use(**params))
    for name, params in (
        ("kendall", {}),
        ("spearman", {}),
        ("regression_auc", {"ties": "half"}),
        ("mae", {}),
        ("rmse", {}),
        ("asymmetric_cost", {"alpha": 0.8}),
    )
)
MODELS, REPLICATES = 2, 1000
GOALS = {500: (0.05, 150), 10_000: (0.25, 100), 100_000: (2.0, 100), 1_000_000: (20.0, 100)}
PAGE = Path(__file__).parent / "results" / "speed.md"
BESIDE = 100_000  # rows up to which other tools are timed: they take minutes from there
HEAD = """# How fast replicates are

Made by `python benchmarks/speed.py` on {machine}.
Timings depend on the machine and on what else runs on it (load {load:.1f} at the start, on {cores}
cores); ratios are taken within this one run.

The work: Kendall's tau-b, Spearman, the regression AUC, MAE with the standard error of each
replicate, RMSE with the same, and the asymmetric cost with the same, of {models} models under
{replicates:,} replicates. Goals are for two quiet cores. [threads.md](threads.md) says what
a second thread gains, and what the machine allows.
"""


def main() -> None:
    options = arguments()
    if options.child:
        print(json.dumps(measured(options.child, options.threads, options.numpy)))
        return
    sizes = [int(n) for n in options.rows.split(",")]
    head = HEAD.format(
        machine=machine(),
        load=os.getloadavg()[0],
        cores=os.cpu_count(),
        models=MODELS,
        replicates=REPLICATES,
    )
    parts = [head, *report(sizes)]
    options.page.parent.mkdir(parents=True, exist_ok=True)
    options.page.write_text("\n".join(parts), encoding="utf-8")
    print("\n".join(parts))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", default=",".join(map(str, GOALS)))
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--child", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, default=2, help=argparse.SUPPRESS)
    parser.add_argument("--numpy", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def report(sizes: list[int]) -> Iterator[str]:
    """The tables, each measured as it is asked for."""
    two, one, loops, rows = {}, {}, {}, []
    for n in sizes:
        two[n], one[n] = child(n, 2), child(n, 1)
        loops[n] = loop_seconds(n)
        goal, times = GOALS.get(n, (float("nan"), float("nan")))
        taken = two[n]["seconds"]
        limit = 100 + 600 * n * 2 / 1e6
        rows.append(
            (
                f"{n:,}",
                f"{taken:.3g}",
                f"{goal:g}",
                f"{one[n]['seconds']:.3g}",
                f"{one[n]['seconds'] / taken:.2f}",
                f"{loops[n]:,.3g}",
                f"{loops[n] / taken:,.0f}",
                f"{times:g}",
                f"{two[n]['megabytes']:.0f}",
                f"{limit:.0f}",
            )
        )
    head = (
        "rows",
        "two threads, s",
        "goal, s",
        "one thread, s",
        "gain of two",
        "loop, s",
        "loop over ours",
        "goal",
        "peak, MB",
        "limit, MB",
    )
    yield from table("All metrics together", head, rows)
    few, most = loop_runs(sizes[-1]), loop_runs(sizes[0])
    yield f"The loop ran {most} replicates at the smallest size and {few} at the largest, scaled."
    yield "Peak memory is above that of the imports, with two threads.\n"
    yield from exponents(sizes, one)
    yield from without_compiler([n for n in sizes if n <= 10_000], loops)
    yield from others([n for n in sizes if n <= BESIDE], two)


def exponents(sizes: list[int], one: dict[int, dict[str, float]]) -> Iterator[str]:
    """The power of n by which the time grows, between neighbouring sizes."""
    rows = []
    for small, large in pairwise(sizes):
        grown = log(one[large]["seconds"] / one[small]["seconds"]) / log(large / small)
        rows.append((f"{small:,} to {large:,}", f"{grown:.2f}"))
    yield from table("Exponent in the rows, one thread", ("rows", "exponent"), rows)


def without_compiler(sizes: list[int], loops: dict[int, float]) -> Iterator[str]:
    """The NumPy forms alone, one thread."""
    rows = []
    for n in sizes:
        taken = child(n, 1, is_numpy=True)["seconds"]
        rows.append((f"{n:,}", f"{taken:.3g}", f"{loops[n] / taken:,.1f}"))
    yield from table("Without a compiler, one thread", ("rows", "s", "loop over ours"), rows)


def others(sizes: list[int], two: dict[int, dict[str, float]]) -> Iterator[str]:
    """scipy.stats.bootstrap and confidenceinterval on the same metrics, a few resamples scaled."""
    tools = {"scipy.stats.bootstrap": by_scipy, **extra_tools()}
    head = ("rows", *(f"{name}, s" for name in tools), *(f"{name} over ours" for name in tools))
    rows = []
    for n in sizes:
        taken = [tool_seconds(tool, n) for tool in tools.values()]
        ratios = [f"{each / two[n]['seconds']:,.0f}" for each in taken]
        rows.append((f"{n:,}", *(f"{each:,.3g}" for each in taken), *ratios))
    yield from table("Other tools, percentile intervals, scaled from a few resamples", head, rows)
    if len(tools) == 1:
        yield "confidenceinterval is not installed here.\n"


def child(n: int, threads: int, is_numpy: bool = False) -> dict[str, float]:
    """Seconds and megabytes of a size, from a process that did nothing else."""
    command = [sys.executable, __file__, "--child", str(n), "--threads", str(threads)]
    done = subprocess.run(
        command + ["--numpy"] * is_numpy, check=True, capture_output=True, text=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measured(n: int, threads: int, is_numpy: bool) -> dict[str, float]:
    """Median seconds of a study, and the peak of memory above that of the imports."""
    before = peak_megabytes()
    runs = 5 if n <= 10_000 else 3 if n <= 100_000 else 1
    with native.use_numpy() if is_numpy else nullcontext():
        if n <= 100_000:
            draw_replicates(question(n), threads)
        seconds = [
            timed(lambda: draw_replicates(question(n), threads))
            for _ in range(1 if is_numpy else runs)
        ]
    return {"seconds": median(seconds), "megabytes": peak_megabytes() - before}


def peak_megabytes() -> float:
    """The most memory that this process has held so far."""
    status = Path("/proc/self/status")
    if status.exists():
        # What getrusage says here would include the process that started this one.
        lines = status.read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def question(n: int) -> AnalysisPlan:
    """The metrics of the wallet config, asked of two models."""
    y, scores = data(n)
    names = [f"model {k}" for k in range(MODELS)]
    shared = Column(y)  # sorted once for all models
    return make_plan(
        dataset="rows",
        models=tuple(
            ModelScores(name, name, Amounts(shared, s))
            for name, s in zip(names, scores, strict=True)
        ),
        pairs=((names[1], names[0]),),
        metrics=USES,
        design=Design("rows", n, REPLICATES, 1),
    )


def data(n: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Spend, with two thirds of the rows at nothing, and two scores."""
    rng = np.random.default_rng(n)
    known = rng.normal(size=n)
    latent = known + rng.normal(size=n)
    y = np.where(latent > 0.6, np.exp(latent), 0.0)
    return y, [np.exp(known + rng.normal(size=n) / 2) for _ in range(MODELS)]


def library_metrics() -> dict[str, Callable[[np.ndarray, np.ndarray], float]]:
    """What a loop would call; the regression AUC is had from the pairs of Kendall's tau."""
    from sklearn import metrics

    return {
        "kendall": lambda y, s: stats.kendalltau(s, y).statistic,
        "spearman": lambda y, s: stats.spearmanr(s, y).statistic,
        "mae": metrics.mean_absolute_error,
        "rmse": metrics.root_mean_squared_error,
        "cost": partial(metrics.mean_pinball_loss, alpha=0.8),
    }


def loop_runs(n: int) -> int:
    """Replicates that the loop is timed on."""
    return max(2, min(30, 300_000 // n))


def loop_seconds(n: int) -> float:
    """Seconds of a plain loop over resamples, scaled to all replicates."""
    y, scores = data(n)
    rng, calls = np.random.default_rng(0), library_metrics().values()

    def replicate() -> None:
        drawn = rng.integers(n, size=n)
        for score in scores:
            for call in calls:
                call(y[drawn], score[drawn])

    replicate()
    return median(timed(replicate) for _ in range(loop_runs(n))) * REPLICATES


def tool_seconds(tool: Callable[..., object], n: int) -> float:
    """Seconds of another tool for all metrics and models, scaled to all replicates."""
    y, scores = data(n)
    few = max(3, min(20, 30_000 // n))
    calls = library_metrics().values()
    taken = timed(lambda: [tool(y, score, call, few) for score in scores for call in calls])
    return taken / few * REPLICATES


def by_scipy(
    y: np.ndarray, score: np.ndarray, call: Callable[..., float], resamples: int
) -> object:
    return stats.bootstrap(
        (y, score), call, paired=True, vectorized=False, method="percentile", n_resamples=resamples
    )


def extra_tools() -> dict[str, Callable[..., object]]:
    try:
        from confidenceinterval.bootstrap import bootstrap_ci
    except ImportError:
        return {}

    def by_package(
        y: np.ndarray, score: np.ndarray, call: Callable[..., float], resamples: int
    ) -> object:
        return bootstrap_ci(y, score, call, n_resamples=resamples, method="bootstrap_percentile")

    return {"confidenceinterval": by_package}


def timed(work: Callable[[], object]) -> float:
    """Seconds that it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def table(title: str, head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    yield f"## {title}\n"
    yield f"| {' | '.join(head)} |"
    yield "|" + " ---: |" * len(head)
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


def machine() -> str:
    """The processor's kind and the versions that matter."""
    known = Path("/proc/cpuinfo")
    lines = known.read_text().splitlines() if known.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    processor = models[0] if models else platform.processor() or platform.machine()
    kind = native.list_kinds()[-1] if native.is_native() else "NumPy"
    versions = (
        f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}"
    )
    return f"{processor} ({kind} kernels; {versions})"


if __name__ == "__main__":
    main()
