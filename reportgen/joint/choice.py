"""The decision table: at each asymmetry the cheapest model, its shift, its cost, what it saves.

Costs are money per 1,000 cases. A model `as it is` and a model with its best constant are two
ways to act, and the table has a line for each; a third is the constant that other rows taught,
which is what can really be put to use. What is saved is counted against the baseline as
it is today, and against the baseline treated alike; what a shift gains against leaving the model
alone, in `decision` against the model that is cheapest as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from reportgen.inference.evidence import Evidence, Interval, contrast
from reportgen.inference.intervals import interval
from reportgen.inference.joint import Together, wins
from reportgen.joint.prices import Prices, Shift
from reportgen.kernels.batch import Vector
from reportgen.metrics import METRICS
from reportgen.results import Scalar, TableResult, rounded

MODEL_COLUMNS = (
    "alpha", "shift", "model", "constant", "constant_low", "constant_high",
    "cost", "cost_low", "cost_high", "saved", "saved_low", "saved_high",
    "excess", "excess_low", "excess_high", "gained", "gained_low", "gained_high",
    "share_best", "is_level",
)  # fmt: skip
COLUMNS = (
    "alpha", "under", "over", "shift", "best", "constant", "constant_low", "constant_high",
    "before", "before_low", "before_high", "cost", "cost_low", "cost_high",
    "saved", "saved_low", "saved_high", "saved_alike", "saved_alike_low", "saved_alike_high",
    "gained", "gained_low", "gained_high", "share_best", "is_stable", "level_with",
    "saved_share", "saved_share_low", "saved_share_high",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Way:
    """All models at one asymmetry, with or without their best constants."""

    together: Together
    prices: Prices
    place: int
    shift: Shift

    @property
    def alpha(self) -> float:
        """The asymmetry."""
        return self.prices.alphas[self.place]

    def cost(self, model: str, shift: Shift | None = None) -> Evidence:
        """What is known of a model's cost per 1,000 cases."""
        shift = shift or self.shift
        metric = METRICS["expected_cost"].use(**self.prices.use(self.alpha), shift=shift)
        influence = metric.bind(self.together.part.data[model]).influence(self.together.part.weight)
        curve, money = self.prices.costs(shift), self.prices.of_cases
        return self.together.evidence(
            money * float(self.together.value(curve, model)[self.place]),
            money * self.together.drawn(curve, model)[:, self.place],
            "mean",
            None if influence is None else money * influence,
            (0.0, np.inf),
        )

    def constant(self, model: str) -> tuple[float, Interval]:
        """The best constant to add, and its interval; exactly 0 as it is."""
        level = self.together.question.level
        if self.shift == "none":
            return 0.0, Interval(0.0, 0.0, level, "", 0.0)
        curve = self.prices.fitted.constants if self.shift == "fitted" else self.prices.shifts
        value = float(self.together.value(curve, model)[self.place]) + 0.0  # never −0
        drawn = self.together.drawn(curve, model)[:, self.place]
        if np.all(drawn == value):
            return value, Interval(value, value, level, "", 0.0)
        return value, interval(self.together.evidence(value, drawn, "quantile"), "auto", level)

    def shares(self) -> Vector:
        """In which share of the replicates each model is the cheapest."""
        curve = self.prices.costs(self.shift)
        together = self.together
        return wins(np.stack([together.drawn(curve, m)[:, self.place] for m in together.models]))

    def best(self, shift: Shift | None = None) -> str:
        """The cheapest model; of equal ones the first of the config."""
        curve = self.prices.costs(shift or self.shift)
        values = [self.together.value(curve, m)[self.place] for m in self.together.models]
        return self.together.models[int(np.argmin(np.where(np.isfinite(values), values, np.inf)))]


def decision_tables(together: Together, prices: Prices) -> Iterator[TableResult]:
    """`decision` has a line for each way to act, `decision_models` one for each model in it."""
    ways = [
        Way(together, prices, place, shift)
        for place in range(len(prices.alphas))
        for shift in prices.ways
    ]
    models = {id(way): list(_model_rows(way)) for way in ways}
    rows = tuple(_decision(way, models[id(way)]) for way in ways)
    dataset, unit = together.question.dataset, together.question.unit
    money = prices.unit if prices.unit != "y" else unit
    params: dict[str, Scalar] = {
        "total": rounded(prices.total), "money": money, "cases": prices.cases,
        "is_priced": prices.is_priced, "loss": prices.loss,
        **prices.axis,
    }  # fmt: skip
    each = {"alpha": "1", "constant": unit, "share_best": "share", "saved_share": "share"}
    yield TableResult("decision", dataset, COLUMNS, _units(COLUMNS, each, money), rows,
                      params=params)  # fmt: skip
    yield TableResult(
        "decision_models", dataset, MODEL_COLUMNS, _units(MODEL_COLUMNS, each, money),
        tuple(row for way in ways for row in models[id(way)]), params=params,
    )  # fmt: skip


def _units(columns: tuple[str, ...], each: dict[str, str], money: str) -> tuple[str, ...]:
    """A bound has the unit of what it bounds; what is neither named nor a number has none."""
    plain = {"shift", "model", "best", "is_stable", "is_level", "level_with"}
    stems = (name.removesuffix("_low").removesuffix("_high") for name in columns)
    return tuple("1" if stem in plain else each.get(stem, money) for stem in stems)


def _model_rows(way: Way) -> Iterator[tuple[Scalar, ...]]:
    level, best, others = way.together.question.level, way.best(), len(way.together.models) - 1
    strict = 1 - (1 - level) / max(others, 1)  # the best is held against all others at once
    today = _today(way)
    for model, share in zip(way.together.models, way.shares(), strict=True):
        cost = way.cost(model)
        constant, reach = way.constant(model)
        excess = contrast(cost, way.cost(best), "lower")
        bounds = _limits(excess, strict) if model != best else (0.0, 0.0)
        yield (
            rounded(way.alpha), way.shift, model,
            rounded(constant), rounded(reach.low), rounded(reach.high),
            *_with_limits(cost, level), *_saved(today, cost, level),
            rounded(excess.value), *map(rounded, bounds),
            *_saved(way.cost(model, "none"), cost, level),
            rounded(share), not bounds[0] > 0,
        )  # fmt: skip


def _decision(way: Way, models: list[tuple[Scalar, ...]]) -> tuple[Scalar, ...]:
    level, best = way.together.question.level, way.best()
    own = next(row for row in models if row[2] == best)
    under, over = way.prices.pair(way.alpha) if way.prices.has_alpha else (None, None)
    baseline, share = way.together.baseline, own[MODEL_COLUMNS.index("share_best")]
    alike = way.cost(baseline) if baseline else None
    level_with = [str(row[2]) for row in models if row[-1] and row[2] != best]
    return (
        rounded(way.alpha), rounded(under), rounded(over), way.shift, best,
        *own[3:6], *_with_limits(way.cost(best, "none"), level), *own[6:9], *own[9:12],
        *_saved(alike, way.cost(best), level),
        *_saved(way.cost(way.best("none"), "none"), way.cost(best), level),
        share, isinstance(share, float) and share >= level and not level_with,
        ", ".join(level_with),
        *_share_saved(_today(way), way.cost(best), level),
    )  # fmt: skip


def _today(way: Way) -> Evidence | None:
    """The cost of the baseline as it is."""
    baseline = way.together.baseline
    return way.cost(baseline, "none") if baseline else None


def _saved(against: Evidence | None, cost: Evidence, level: float) -> tuple[Scalar, Scalar, Scalar]:
    """What is saved; nothing is, and surely, where both are the same."""
    if against is None:
        return None, None, None
    saved = contrast(against, cost, "lower")
    if not np.any(saved.replicates) and saved.value == 0:
        return 0.0, 0.0, 0.0
    return _with_limits(saved, level)


def _share_saved(
    against: Evidence | None, cost: Evidence, level: float
) -> tuple[Scalar, Scalar, Scalar]:
    """What is saved as a share of what it is saved from, which has an error of its own."""
    if against is None or not against.value > 0:
        return None, None, None
    saved, kept = contrast(against, cost, "lower"), cost.value / against.value
    if not np.any(saved.replicates) and saved.value == 0:
        return 0.0, 0.0, 0.0
    influence = None
    if cost.influence is not None and against.influence is not None:
        influence = (kept * against.influence - cost.influence) / against.value
    drawn = np.full(len(saved.replicates), np.nan)
    np.divide(saved.replicates, against.replicates, out=drawn, where=against.replicates > 0)
    share = replace(
        saved, value=1 - kept, replicates=drawn, influence=influence, estimand="smooth",
        bounds=(-np.inf, 1.0), contributions=None, shares=None,
    )  # fmt: skip
    return _with_limits(share, level)


def _with_limits(evidence: Evidence, level: float) -> tuple[Scalar, Scalar, Scalar]:
    low, high = _limits(evidence, level)
    return rounded(evidence.value), rounded(low), rounded(high)


def _limits(evidence: Evidence, level: float) -> tuple[float, float]:
    """Limits by the method for means; a difference without spread has none."""
    found = interval(evidence, "auto", level)
    return found.low, found.high
