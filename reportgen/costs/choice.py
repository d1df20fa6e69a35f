"""The decision table: at each asymmetry the cheapest model, its shift, its cost, what it saves.

Costs are money per 1,000 cases. A model `as it is` and a model with its best constant are two
ways to act, and the table has a line for each; a third is the constant that other rows taught,
which is what can really be put to use. What is saved is counted against the baseline as
it is today, and against the baseline treated alike; what a shift gains against leaving the model
alone, in `decision` against the model that is cheapest as it is. `cost_actions` holds all that can
be put to use, polynomials and densities too, and which of it is advised.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from reportgen.analysis.joint import Together, wins
from reportgen.costs.actions import Action, Actions, Three, is_above
from reportgen.costs.prices import BENT, Prices
from reportgen.inference.evidence import Evidence, Interval
from reportgen.inference.intervals import interval
from reportgen.inference.resampled import critical
from reportgen.kernels.batch import Vector
from reportgen.results import Scalar, Shift, TableResult, rounded

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
ACTION_COLUMNS = (
    "alpha", "model", "method", "degree", "constant", "constant_low", "constant_high",
    "cost", "cost_low", "cost_high", "saved", "saved_low", "saved_high",
    "saved_share", "saved_share_low", "saved_share_high",
    "excess", "excess_low", "excess_high", "is_level", "is_advised",
)  # fmt: skip
NONE: Three = (None, None, None)


@dataclass(frozen=True, eq=False)
class Way:
    """All models at one asymmetry, with or without their constants."""

    actions: Actions
    place: int
    shift: Shift

    @property
    def together(self) -> Together:
        """All models."""
        return self.actions.together

    @property
    def prices(self) -> Prices:
        """What errors cost."""
        return self.actions.prices

    @property
    def alpha(self) -> float:
        """The asymmetry."""
        return self.prices.alphas[self.place]

    def cost(self, model: str, shift: Shift | None = None) -> Evidence:
        """What is known of a model's cost per 1,000 cases."""
        return self.actions.cost(Action(model, shift or self.shift), self.place)

    def saved(self, instead: Action | None, model: str) -> Three:
        """What a model saves, treated this way, in place of an action."""
        if instead is None:
            return NONE
        return self.actions.less(instead, Action(model, self.shift), self.place)

    def constant(self, model: str) -> tuple[float, Interval]:
        """The best constant to add, and its interval; exactly 0 as it is."""
        level = self.together.question.level
        if self.shift == "none":
            return 0.0, Interval(0.0, 0.0, level, "", 0.0)
        curve = self.prices.taught if self.shift == "fitted" else self.prices.shifts
        value = float(self.together.value(curve, model)[self.place]) + 0.0  # never −0
        drawn = self.together.drawn(curve, model)[:, self.place]
        if np.all(drawn == value):
            return value, Interval(value, value, level, "", 0.0)
        return value, interval(self.together.evidence(value, drawn, "quantile"), "auto", level)

    def shares(self) -> Vector:
        """In which share of the replicates each model is the cheapest; nan of few units."""
        curve = self.prices.costs(self.shift)
        together = self.together
        if any(self.cost(model).is_few for model in together.models):
            return np.full(len(together.models), np.nan)
        return wins(np.stack([together.drawn(curve, m)[:, self.place] for m in together.models]))

    def best(self, shift: Shift | None = None) -> str:
        """The cheapest model; of equal ones the first of the config."""
        values = [self.cost(m, shift).value for m in self.together.models]
        return self.together.models[int(np.argmin(np.where(np.isfinite(values), values, np.inf)))]


def decision_tables(actions: Actions) -> Iterator[TableResult]:
    """`decision` has a line for each way to act, `decision_models` one for each model in it."""
    prices = actions.prices
    ways = [
        Way(actions, place, shift) for place in range(len(prices.alphas)) for shift in prices.ways
    ]
    models = {id(way): list(_model_rows(way)) for way in ways}
    rows = tuple(_decision(way, models[id(way)]) for way in ways)
    yield _table("decision", actions, COLUMNS, rows)
    yield _table("decision_models", actions, MODEL_COLUMNS,
                 tuple(row for way in ways for row in models[id(way)]))  # fmt: skip


def action_table(actions: Actions) -> TableResult:
    """`cost_actions`: all that can be put to use, the one that changes least first."""
    places = range(len(actions.prices.alphas))
    rows = tuple(row for place in places for row in _action_rows(actions, place))
    return _table("cost_actions", actions, ACTION_COLUMNS, rows)


def _table(
    name: str, actions: Actions, columns: tuple[str, ...], rows: tuple[tuple[Scalar, ...], ...]
) -> TableResult:
    prices, question = actions.prices, actions.together.question
    money = prices.unit if prices.unit != "y" else question.unit
    params: dict[str, Scalar] = {
        "total": rounded(prices.total), "money": money, "cases": prices.cases,
        "is_priced": prices.is_priced, "loss": prices.loss, "declared": rounded(prices.declared),
        "is_by_row": prices.is_by_row,
    }  # fmt: skip
    each = {"alpha": "1", "constant": question.unit, "share_best": "share", "saved_share": "share"}
    units = _units(columns, each, money)
    return TableResult(name, question.dataset, columns, units, rows, params=params)


def _units(columns: tuple[str, ...], each: dict[str, str], money: str) -> tuple[str, ...]:
    """A bound has the unit of what it bounds; what is neither named nor a number has none."""
    plain = {"shift", "model", "best", "is_stable", "is_level", "level_with", "method", "degree",
             "is_advised"}  # fmt: skip
    stems = (name.removesuffix("_low").removesuffix("_high") for name in columns)
    return tuple("1" if stem in plain else each.get(stem, money) for stem in stems)


def _model_rows(way: Way) -> Iterator[tuple[Scalar, ...]]:
    level, best = way.together.question.level, Action(way.best(), way.shift)
    for model, share in zip(way.together.models, way.shares(), strict=True):
        constant, reach = way.constant(model)
        excess = way.actions.less(Action(model, way.shift), best, way.place)
        yield (
            rounded(way.alpha), way.shift, model,
            rounded(constant), rounded(reach.low), rounded(reach.high),
            *_with_limits(way.cost(model), level), *way.saved(way.actions.today, model),
            *excess, *way.saved(Action(model, "none"), model),
            rounded(share), not is_above(excess),
        )  # fmt: skip


def _decision(way: Way, models: list[tuple[Scalar, ...]]) -> tuple[Scalar, ...]:
    level, best = way.together.question.level, way.best()
    own = next(row for row in models if row[2] == best)
    under, over = way.prices.pair(way.alpha) if way.prices.has_alpha else (None, None)
    baseline, share = way.together.baseline, own[MODEL_COLUMNS.index("share_best")]
    alike = Action(baseline, way.shift) if baseline else None
    level_with = [str(row[2]) for row in models if row[-1] and row[2] != best]
    return (
        rounded(way.alpha), rounded(under), rounded(over), way.shift, best,
        *own[3:6], *_with_limits(way.cost(best, "none"), level), *own[6:9], *own[9:12],
        *way.saved(alike, best), *way.saved(Action(way.best("none"), "none"), best),
        share, isinstance(share, float) and share >= level and not level_with,
        ", ".join(level_with),
        *_share_saved(way.actions, Action(best, way.shift), way.place),
    )  # fmt: skip


def _action_rows(actions: Actions, place: int) -> Iterator[tuple[Scalar, ...]]:
    level, prices = actions.together.question.level, actions.prices
    advised, rivals = actions.advised(place)
    useful = actions.useful(place)
    cheapest = min(rivals, key=lambda a: actions.cost(a, place).value, default=None)
    for action in useful:
        constant = NONE
        if action.method == "fitted":
            value, reach = Way(actions, place, "fitted").constant(action.model)
            constant = (rounded(value), rounded(reach.low), rounded(reach.high))
        yield (
            rounded(prices.alphas[place]), action.model, action.method,
            prices.degree if action.method in BENT else 0, *constant,
            *_with_limits(actions.cost(action, place), level),
            *(actions.less(actions.today, action, place) if actions.today else NONE),
            *_share_saved(actions, action, place),
            *(actions.less(action, cheapest, place) if cheapest else NONE),
            action in rivals, action == advised,
        )  # fmt: skip


def _share_saved(actions: Actions, action: Action, place: int) -> Three:
    """What is saved as a share of the cost of the baseline as it is, with Fieller's limits.

    The share s at which s·before − saved may be zero: that of nothing saved is left out where
    zero is left out of the interval of what is saved, and only there.
    """
    today = actions.today
    if today is None or not (before := actions.cost(today, place)).value > 0:
        return NONE
    saved, *limits = actions.less(today, action, place)
    if saved is None or saved == limits[0] == limits[1] == 0:
        return NONE if saved is None else (0.0, 0.0, 0.0)
    cost, share = actions.cost(action, place), rounded(saved / before.value)
    if before.influence is None or cost.influence is None or before.unit_df < 1:
        return share, None, None
    times = critical(actions.level(today, action, place), before.unit_df)
    size = max(before.value, abs(saved))  # costs of any currency have squares in units of it
    value, gain, se = before.value / size, saved / size, before.mean_se / size
    of, less = before.influence / size, (before.influence - cost.influence) / size
    spread = float(of @ of)
    factor = times**2 * se**2 / spread if spread > 0 else 0.0
    square = value**2 - factor * spread
    half = value * gain - factor * float(of @ less)
    rest = gain**2 - factor * float(less @ less)
    if not square > 0:
        return share, None, None
    root = sqrt(max(half**2 - square * rest, 0.0))
    return share, rounded((half - root) / square), rounded((half + root) / square)


def _with_limits(evidence: Evidence, level: float) -> Three:
    """A value and its limits by the method for means; without spread there are none."""
    found = interval(evidence, "auto", level)
    return rounded(evidence.value), rounded(found.low), rounded(found.high)
