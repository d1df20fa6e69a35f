"""Where the coverage study draws from: populations, models, designs, and what is true of them.

Three models answer in each population. `first` and `second` are equally good, so that any
difference between them is truly zero; `third` is worse. What has a closed form is taken from it,
the rest is found on millions of rows, and then the error of that is known.
"""

from __future__ import annotations

import zlib
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from math import exp, sqrt
from statistics import fmean, stdev

import numpy as np
from scipy.special import ndtr, ndtri

from reportgen.analysis.plan import PlannedMetric
from reportgen.kernels.batch import Batch, Column, Vector
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Amounts

NOISE = {"first": 0.5, "second": 0.5, "third": 0.8}
PARAMS: Mapping[str, Mapping[str, float]] = {
    "pinball": {"alpha": 0.9},
    "asymmetric_cost": {"alpha": 0.8},
    "expected_cost": {"under": 4, "over": 1},
    "deviance": {"power": 1.5},
    "interval_score": {"level": 0.9},
    "quantile_coverage": {"quantile": 0.9},
}
NAMES = (
    "kendall",
    "regression_auc",
    "spearman",
    "pearson",
    "mae",
    "rmse",
    "r2",
    "median_ae",
    "pinball",
    "asymmetric_cost",
    "bias",
    "ranking_last",
    "ranking_slope",
)
# What is studied in BRIEF runs alone, except where a ground has it in all.
BRIEF = 400
ERRORS = (
    "mse",
    "aoc",
    "over",
    "under",
    "heaven_distance",
    "expected_cost",
    "interval_score",
    "quantile_coverage",
    "rho_tilde",
    "tau_tilde",
)
RATIOS = ("wape", "smape", "rmsle", "deviance")  # of amounts, which are not below 0
OF_FEW = ("mse", "aoc", "over", "under", "expected_cost", "rho_tilde", "tau_tilde")
NEW: Mapping[str, tuple[str, ...]] = {
    "normal": ERRORS,
    "heavy": ERRORS,
    "zeros": (*ERRORS, *RATIOS),
    "lognormal": (*ERRORS, *RATIOS, "mape"),
}
STUDIED = (*NAMES, *NEW["lognormal"])
IN_ALL: Mapping[str, tuple[str, ...]] = {
    "normal-100": ("mse", "aoc", "over", "under", "expected_cost", "rho_tilde", "tau_tilde"),
    "lognormal-100": ("mse", "wape", "rmsle", "expected_cost"),
    "zeros-100": ("deviance",),
}
QUANTILES = ("q5", "q90", "q95")
ZEROS = 0.7  # share of the rows that spend nothing
LEAN = {"first": 0.6, "second": 0.6, "third": 0.9}  # by how much biased models are too high
SCALE = 0.392  # sd of the log scale of a cluster's errors: their sizes correlate at 0.2
TRUTH_ROWS, TRUTH_TIMES = 250_000, 16


@dataclass(frozen=True)
class Ground:
    """A population, so many rows of it, and how they hang together.

    Every run judges `metrics`; the first BRIEF runs judge `brief` too.
    """

    population: str
    n: int
    cluster_rows: int = 0
    metrics: tuple[str, ...] = NAMES
    brief: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The ground's file, and the source of its seed."""
        return f"{self.population}-{self.n}"

    @property
    def seed(self) -> int:
        """A number of its own for every ground."""
        return zlib.crc32(self.name.encode())

    @property
    def unit(self) -> np.ndarray | None:
        """The cluster of each row; None where rows stand alone."""
        return np.arange(self.n) // self.cluster_rows if self.cluster_rows else None

    @property
    def uses(self) -> tuple[PlannedMetric, ...]:
        """The metrics that are studied on it."""
        return tuple(
            PlannedMetric(name, METRICS[name].use(**PARAMS.get(name, {}))) for name in self.metrics
        )

    def at(self, run: int) -> Ground:
        """The ground with the metrics that this run judges."""
        metrics = (*self.metrics, *self.brief) if run < BRIEF else self.metrics
        return replace(self, metrics=metrics, brief=())

    def only(self, wanted: Container[str]) -> Ground:
        """The ground with these metrics alone."""
        metrics, brief = (
            tuple(name for name in names if name in wanted) for names in (self.metrics, self.brief)
        )
        return replace(self, metrics=metrics, brief=brief)


def _ground(population: str, n: int) -> Ground:
    in_all = IN_ALL.get(f"{population}-{n}", ())
    brief = tuple(name for name in NEW[population] if name not in in_all)
    return Ground(population, n, 0, (*NAMES, *in_all), brief)


FEW = ("kendall", "regression_auc", "spearman", "pearson", "mae", "rmse")
GROUNDS = (
    *(_ground(population, n) for n in (100, 500) for population in NEW),
    *(Ground(population, 30, 0, FEW, OF_FEW) for population in NEW),
    # The size of a bias is compared with as little room as possible where both are biased alike.
    *(Ground("biased", n, 0, ("bias",)) for n in (100, 500)),
    Ground("clusters", 800, 20, FEW, OF_FEW),
    # Under ten units, where no method's limits are taken on their own.
    Ground("normal", 8, 0, (), (*FEW, *OF_FEW)),
    Ground("lognormal", 8, 0, (), (*FEW, *OF_FEW)),
    Ground("clusters", 160, 20, (), (*FEW, *OF_FEW)),
)


def sample(population: str, n: int, rng: np.random.Generator) -> tuple[Vector, dict[str, Vector]]:
    """y, and what each model says of it."""
    if population == "clusters":
        return _clustered(n, rng)
    known, noise, *own = rng.normal(size=(2 + len(NOISE), n))
    latent = known + (rng.standard_t(3, size=n) if population == "heavy" else noise)
    said = {name: known + d * e for (name, d), e in zip(NOISE.items(), own, strict=True)}
    if population == "biased":
        return latent, {name: score + LEAN[name] for name, score in said.items()}
    if population in ("normal", "heavy"):
        return latent, said
    y = _spend(latent) if population == "zeros" else np.exp(latent)
    return y, {name: np.exp(score) for name, score in said.items()}


def quantiles(population: str, score: Vector) -> dict[str, Vector]:
    """The quantiles that a model predicts of each row, as if it erred by a Normal of sd 1 alone."""
    moved = {name: ndtri(float(name[1:]) / 100) for name in QUANTILES}
    if population not in ("lognormal", "zeros"):
        return {name: score + shift for name, shift in moved.items()}
    latent = {name: np.log(score) + shift for name, shift in moved.items()}
    spent = _spend if population == "zeros" else np.exp
    return {name: spent(each) for name, each in latent.items()}


def family(
    population: str, n: int, candidates: int, better: int, rng: np.random.Generator
) -> tuple[Vector, dict[str, Vector]]:
    """y, a baseline and its candidates, whose errors correlate; the first few may be better."""
    known, noise, shared = rng.normal(size=(3, n))
    own = rng.normal(size=(candidates + 1, n))
    size = np.where((np.arange(candidates + 1) > 0) & (np.arange(candidates + 1) <= better), 0.5, 1)
    said = known + 0.7 * size[:, None] * (shared + own) / sqrt(2)
    latent = known + noise
    if population == "zeros":
        latent, said = _spend(latent), np.exp(said)
    return latent, {f"model {k}": score for k, score in enumerate(said)}


def truth(ground: Ground) -> dict[str, dict[str, tuple[float, float]]]:
    """The value of each metric for each model on the population, with its standard error."""
    ground = ground.at(0)
    found: dict[str, dict[str, list[float]]] = {
        use.key: {model: [] for model in NOISE} for use in ground.uses
    }
    rng = np.random.default_rng(zlib.crc32(f"truth of {ground.population}".encode()))
    one = Batch(np.ones((TRUTH_ROWS, 1), np.uint8))
    for _ in range(TRUTH_TIMES):
        y, scores = sample(ground.population, TRUTH_ROWS, rng)
        shared = Column(y)
        for model, score in scores.items():
            rows = Amounts(shared, score, quantiles(ground.population, score))
            for use in ground.uses:
                found[use.key][model].append(float(use.metric.bind(rows)(one)[0]))
    known = {
        metric: {m: (fmean(v), stdev(v) / sqrt(len(v))) for m, v in models.items()}
        for metric, models in found.items()
    }
    for metric, model, value in _closed_forms(ground.population):
        if metric in known:
            known[metric][model] = (value, 0.0)
    return known


def _closed_forms(population: str) -> Iterator[tuple[str, str, float]]:
    """What follows from the moments of y and the scores, where they are known."""
    if population == "clusters":
        return
    for model, d in NOISE.items():
        y1, y2, s1, s2, both = _moments(population, d)
        if population == "biased":
            s1, s2 = LEAN[model], s2 + LEAN[model] ** 2
        squared = y2 - 2 * both + s2
        spread = y2 - y1**2
        yield "bias", model, s1 - y1
        yield "mse", model, squared
        yield "rmse", model, sqrt(squared)
        yield "aoc", model, (squared - (s1 - y1) ** 2) / 2
        yield "r2", model, 1 - squared / spread
        yield "pearson", model, (both - y1 * s1) / sqrt(spread * (s2 - s1**2))


def _moments(population: str, d: float) -> tuple[float, float, float, float, float]:
    """E y, E y², E s, E s², E ys of a score with noise d."""
    if population in ("normal", "biased", "heavy"):
        spread = 3.0 if population == "heavy" else 1.0
        return 0.0, 1 + spread, 0.0, 1 + d**2, 1.0
    v = 1 + d**2
    # The mean of exp(m·latent), and of exp(latent + known), over the rows that spend anything.
    cut = sqrt(2) * ndtri(ZEROS) if population == "zeros" else -np.inf
    spending = [float(ndtr((shift - cut) / sqrt(2))) for shift in (2.0, 4.0, 3.0)]
    y1, y2 = exp(1) * spending[0], exp(4) * spending[1]
    return y1, y2, exp(v / 2), exp(2 * v), exp(2.5 + d**2 / 2) * spending[2]


def _spend(latent: Vector) -> Vector:
    return np.where(latent > sqrt(2) * ndtri(ZEROS), np.exp(latent), 0.0)


def _clustered(n: int, rng: np.random.Generator) -> tuple[Vector, dict[str, Vector]]:
    """Clusters of 20: what is known, and the sizes of all errors, correlate at 0.2 within one."""
    cluster = np.arange(n) // 20
    count = int(cluster[-1]) + 1

    def shared() -> Vector:
        return rng.normal(size=count)[cluster]

    known = sqrt(0.2) * shared() + sqrt(0.8) * rng.normal(size=n)
    y = known + np.exp(SCALE * shared()) * rng.normal(size=n)
    return y, {
        name: known + d * np.exp(SCALE * shared()) * rng.normal(size=n) for name, d in NOISE.items()
    }
