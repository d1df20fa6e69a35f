"""Plan what is to be had without a model on each metric: constants, random orders, values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from reportgen.analysis.plan import AnalysisPlan, PlannedMetric, PlannedReference
from reportgen.config.schema.config import Config
from reportgen.config.schema.report import ReferenceUse
from reportgen.data.sample import LabelTarget, Sample
from reportgen.kernels.batch import Column, Index, Vector
from reportgen.kernels.ranked_lists import Lists
from reportgen.metrics.references import (
    KnownRows,
    Prediction,
    choose_best,
    find_amount,
    predict_amounts,
    predict_without_model,
    rank_by_popularity,
)
from reportgen.metrics.rows import Amounts, Queries, Rows
from reportgen.metrics.tasks import TASKS, Predictions
from reportgen.metrics.traits import NEAREST
from reportgen.planning.classes import build_class_costs
from reportgen.planning.costs import build_unit_costs
from reportgen.planning.thresholds import compute_cell_costs
from reportgen.results.references import ReferenceSource
from reportgen.results.types import round_number

FLAGGING = ("everyone", "nobody")
AMOUNTS = ("zero", "mean", "median", "last_value", "seasonal")


def plan_references(
    config: Config, plan: AnalysisPlan, sample: Sample, training: Sample | None
) -> tuple[PlannedReference, ...]:
    """Plan at most one reference for each metric, from rows to fit on if there are any.

    None where only flagged rows have a known class: nothing is known of the others.
    """
    if not config.references or plan.models[0].rows.is_of_flagged:
        return ()
    made = _Planner(config, plan, sample, training)
    return tuple(made.iter_references())


def plan_reference_values(
    config: Config, metrics: Sequence[PlannedMetric]
) -> tuple[PlannedReference, ...]:
    """Plan the references that are a number whatever the rows: of streamed rows all there are."""
    if not config.references:
        return ()
    compared = list_compared(config, metrics)
    made = (plan_value(config, use) for use in metrics)
    return tuple(replace(each, is_compared=each.key in compared) for each in made if each)


def plan_value(config: Config, use: PlannedMetric) -> PlannedReference | None:
    """Plan the value that the config gives, or that anything without skill has."""
    for request in config.references:
        is_here = request.metric == use.key or (request.metric is None and use.is_primary)
        if request.value is not None and is_here:
            given = {"value": request.value, "label": request.name}
            return PlannedReference(use.key, "", "value", use.metric, **given)  # type: ignore[arg-type]
    if use.metric.chance is None:
        return None
    return PlannedReference(use.key, "", "chance", use.metric, value=use.metric.chance)


def list_compared(config: Config, metrics: Sequence[PlannedMetric]) -> set[str]:
    """List the metrics of page one, and those on which a requirement names the reference."""
    named = {gate.metric for gate in config.gates if config.is_against_reference(gate)}
    named |= {use.key for use in metrics if use.is_primary} | set(config.report.headline)
    if config.report.headline:
        return named
    seen = {use.metric.kind for use in metrics if use.is_primary}
    for use in sorted(metrics, key=lambda u: u.metric.is_partial or u.metric.better in NEAREST):
        if use.metric.kind not in seen:
            seen.add(use.metric.kind)
            named.add(use.key)
    return named


@dataclass
class _Planner:
    config: Config
    plan: AnalysisPlan
    sample: Sample
    training: Sample | None
    names: dict[tuple[str, bytes], tuple[str, Rows]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rows = self.plan.models[0].rows
        self.weight = self.plan.sampling.design.weights
        self.source, self.known = self._find_known_rows()

    def iter_references(self) -> Iterator[PlannedReference]:
        """Iterate over the references of all metrics that have one."""
        values = {each.key: each for each in self.plan.references}
        compared = list_compared(self.config, self.plan.statistics.metrics)
        for use in self.plan.statistics.metrics:
            if use.key in values:
                yield values[use.key]
            elif (made := self._plan_prediction(use)) is not None:
                yield replace(self._complete(made, use), is_compared=use.key in compared)

    def _complete(self, made: Prediction, use: PlannedMetric) -> PlannedReference:
        name, rows = self._name(made)
        is_one = len({each.tobytes() for each in made.constants}) == 1
        constant = made.constants[0] if is_one else None
        number, label = None, ""
        if constant is not None and made.kind == "class":
            label = rows.labels[int(np.argmax(constant))]  # type: ignore[attr-defined]
        elif constant is not None and constant.size == 1 and made.kind not in FLAGGING:
            number = round_number(float(constant[0]))
        return PlannedReference(
            use.key,
            name,
            made.kind,
            made.metric,
            rows=rows,
            constant=number,
            label=label,
            source=self.source if made.constants else "",
        )

    def _name(self, made: Prediction) -> tuple[str, Rows]:
        """Name predictions by what they are; metrics with the same ones share their rows."""
        key = made.kind, b"".join(each.tobytes() for each in made.constants)
        return self.names.setdefault(key, (f"\0{len(self.names)}", made.rows))

    def _plan_prediction(self, use: PlannedMetric) -> Prediction | None:
        """Plan the predictions that the config names for such a metric, else the usual ones."""
        metric = use.metric
        own = [
            made
            for request in self.config.references
            if (made := self._predict_as_requested(request, use)) is not None
        ]
        if own:
            return choose_best(own, self.weight)
        return predict_without_model(metric, self.rows, self.known)

    def _predict_as_requested(self, request: ReferenceUse, use: PlannedMetric) -> Prediction | None:
        metric, rows = use.metric, self.rows
        if request.name == "popularity" and isinstance(rows, Queries):
            made = predict_without_model(metric, rows, self.known)
            lists = rank_by_popularity(self._list_lists())
            ranked = Queries(lists, "score", rows.outcome)
            return made and Prediction("popularity", ranked, metric)
        if request.name not in AMOUNTS or not metric.reference:
            return None
        if metric.needs not in ("amount", "series"):
            return None
        assert isinstance(rows, Amounts)
        if request.name in ("last_value", "seasonal"):
            return predict_amounts(request.name, metric, rows, self._repeat_earlier(request))
        constants = [find_amount(request.name, each.rows, each.weight) for each in self.known]
        score = np.empty(len(rows))
        for constant, each in zip(constants, self.known, strict=True):
            score[slice(None) if each.places is None else each.places] = constant
        made = predict_amounts(request.name, metric, rows, score)
        return Prediction(
            made.kind, made.rows, made.metric, tuple(np.array([c]) for c in constants)
        )

    def _list_lists(self) -> list[Lists]:
        return [m.rows.lists for m in self.plan.models if m.rows.lists is not None]

    def _repeat_earlier(self, request: ReferenceUse) -> Vector:
        """Return the y of the row that is `lag` times earlier in its series.

        The median of its series where no row is so early.
        """
        time = self.sample.sampling.time
        assert time is not None
        series = self.sample.find_series(request.by or "").code
        order = np.lexsort((time.code, series))
        lag, y = request.lag or 1, self.rows.outcome.values
        score = np.empty(len(y))
        for places in np.split(order, np.flatnonzero(np.diff(series[order])) + 1):
            score[places] = find_amount("median", self.rows.take(places), self.weight[places])
        later, earlier = order[lag:], order[:-lag]
        same = series[later] == series[earlier]
        score[later[same]] = y[earlier[same]]
        return score

    def _find_known_rows(self) -> tuple[ReferenceSource, list[KnownRows]]:
        """Find the rows that constants come from: to fit on, of other folds, or these."""
        folds = self.plan.sampling.folds
        if isinstance(self.rows, Queries):  # a random order needs no other rows
            return "rows", [KnownRows(self.rows, self.weight)]
        if self.training is not None and self.training.classes == self.sample.classes:
            return "train", [KnownRows(self._build_rows(self.training), self.training.weights)]
        if folds is None:
            return "rows", [KnownRows(self.rows, self.weight)]
        made = [self._take_others(folds.code, k) for k in range(len(folds.names))]
        return "folds", made

    def _take_others(self, code: Index, fold: int) -> KnownRows:
        """Take the rows of the other folds of the same round."""
        mine = np.flatnonzero(code == fold)
        rounds = self.sample.sampling.rounds
        others = np.flatnonzero((code != fold) & (rounds == rounds[mine[0]]))
        rows = self.rows.take(others)
        rows.fold = None
        return KnownRows(rows, self.weight[others], mine)

    def _build_rows(self, sample: Sample) -> Rows:
        """Build rows with what happened, whatever models say of them."""
        config, classes, n = self.config, sample.classes, sample.n
        made = Predictions(
            np.zeros(n),
            "probability" if classes else "amount",
            {name: np.zeros(n) for name in classes},
            unit_costs=build_unit_costs(config, sample),
            cell_costs=compute_cell_costs(config, sample),
            classes=classes,
            flags=sample.target.flags if isinstance(sample.target, LabelTarget) else None,
            prices=build_class_costs(config, classes),
        )
        return TASKS[config.task].rows(Column(sample.y), made)
