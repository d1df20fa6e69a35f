"""Operating points: where each model's calls begin, as a config says or as other rows teach."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reportgen.analysis.plan import LearntThreshold, OperatingRule, unasked
from reportgen.config import Config, ThresholdKeys
from reportgen.curves import CURVES
from reportgen.data.sample import Sample
from reportgen.errors import DataError
from reportgen.kernels.batch import Batch, Column, Matrix, Vector
from reportgen.kernels.cuts import Best, Calls, Cutoff, Goal, Threshold, TopShare
from reportgen.metrics import METRICS
from reportgen.metrics.classes.cost_of_calls import cells_of, pays_from
from reportgen.metrics.spec import Metric
from reportgen.resampling.design import Design
from reportgen.results import Scalar
from reportgen.results.raised import RaisedWarning
from reportgen.rows import Classes, Rows
from reportgen.tasks import TASKS, Predictions
from reportgen.text import class_value
from reportgen.unlabelled import refuse_unlabelled

HALF: Mapping[str, ThresholdKeys] = {"half": ThresholdKeys(fixed=0.5)}
OUTCOMES = ("called", "caught", "missed", "false_alarms", "misclassification_cost")
OF_CALLED = ("called", "caught", "false_alarms")  # what the classes of called rows tell
FEW_OF_A_CLASS, WIDE = 30, 0.2
MOST_DRAWN = 999  # resamples of the rows that teach a threshold
DUST = 1e-12
CALLING = ("probability", "label")  # scores that one half divides
SAID = Threshold(0.5)  # where the calls of a model begin that says them itself: 0 or 1


def points_of(config: Config) -> Mapping[str, ThresholdKeys]:
    """The operating points by name; one half where none is declared and all are probabilities."""
    if TASKS[config.task].target != "flag":
        return {}
    is_plain = all(model.scale in CALLING for model in config.models.values())
    return config.thresholds or (HALF if is_plain else {})


def label_points(config: Config, model: str, labels: Sequence[str]) -> dict[str, Vector]:
    """From which score on a model's labels are called, (k,), by the name of an operating point."""
    found = {}
    for name, point in config.thresholds.items() if TASKS[config.task].target == "labels" else ():
        own = {class_value(label): value for label, value in point.by_class.items()}
        plain = point.by_model.get(model, point.fixed or 0.0)
        found[name] = np.array([own.get(class_value(label), plain) for label in labels])
    return found


def pointed(config: Config, params: Mapping[str, Any]) -> Mapping[str, Any]:
    """The parameters of a metric of calls: whether its point moves, and what calls cost."""
    point = config.thresholds.get(params.get("at", ""))
    found = params if point is None else {**params, "moves": is_moving(point)}
    is_unpriced = {"fp", "fn", "tp", "tn"} <= params.keys() and params["fp"] is None
    return {**found, **_same_for_all(config)} if is_unpriced else found


def _same_for_all(config: Config) -> dict[str, float]:
    """What the cells cost where that is the same for all rows; empty where it is not, or unsaid."""
    cells = config.costs.cells if config.costs else {}
    numbers = {cell: cost for cell, cost in cells.items() if not isinstance(cost, str)}
    return numbers if len(numbers) == len(cells) else {}


def learns(config: Config) -> bool:
    """Whether a threshold is learnt on rows that are not judged."""
    return any(each.is_learnt and each.on == "fit" for each in config.thresholds.values())


@dataclass(frozen=True, eq=False)
class Operating:
    """The calls of each model, the rules behind them, and the warnings about what was learnt."""

    calls: Mapping[str, Calls]
    rules: tuple[OperatingRule, ...]
    warnings: tuple[RaisedWarning, ...]


def operating(
    config: Config, sample: Sample, fit: Sample | None, design: Design | None
) -> Operating:
    """Where calls begin on some rows; thresholds are learnt on those of `fit`, by its design."""
    points = points_of(config)
    of_called = config.datasets[sample.dataset].labelled == "called"
    costs, price = _costs(config, sample), _price(config)
    cuts: dict[str, dict[str, Cutoff]] = {model: {} for model in config.models}
    rules, warnings = [], []
    for name, point in points.items():
        taught: dict[str, LearntThreshold] = {}
        if point.is_learnt and point.on == "fit" and fit is not None and design is not None:
            _refuse_one_class(config, name, fit, design)
            scored = (m for m, each in config.models.items() if each.scale != "label")
            taught = {m: _learnt(config, point, price, fit, m, design) for m in scored}
            warnings += [w for m, each in taught.items() for w in _doubts(name, m, each, fit)]
        if point.is_learnt and point.on == "test":
            warnings.append(RaisedWarning("W121", {"what": name}))
        for model, each in config.models.items():
            is_said = each.scale == "label"
            cuts[model][name] = SAID if is_said else _cut(point, price, sample.n, model, taught)
        outcomes = tuple(_outcomes(config, name, point, of_called))
        rules.append(_rule(name, point, taught, cuts, outcomes))
    if of_called:
        refuse_unlabelled(config, sample, cuts)
    calls = {model: Calls(each, costs) for model, each in cuts.items()}
    return Operating(calls, tuple(rules), tuple(warnings))


def calls_on(config: Config, judged: Mapping[str, Rows], other: Sample) -> dict[str, Calls]:
    """The calls of each model on other rows than those judged, at the same operating points."""
    costs = _costs(config, other)
    return {m: Calls(r.calls.cuts, costs) for m, r in judged.items() if isinstance(r, Classes)}


def is_moving(point: ThresholdKeys | None) -> bool:
    """Whether the calls move with the weights: a share of them, or a threshold learnt by them."""
    if point is None:
        return False
    is_counted = any(x is not None for x in (point.share, point.k, point.budget))
    return is_counted or (point.is_learnt and point.on == "test")


def _cut(
    point: ThresholdKeys,
    price: Vector | None,
    n: int,
    model: str,
    taught: Mapping[str, LearntThreshold],
) -> Cutoff:
    if model in taught:
        return Threshold(taught[model].value)
    if point.is_learnt:
        return Best(_goal(point, price))
    if is_moving(point):
        return TopShare(_share(point, n))
    if point.cost is True and price is not None:
        return Threshold(pays_from(*map(float, price)))
    return Threshold(float(point.by_model.get(model, point.fixed or 0.0)))


def _share(point: ThresholdKeys, n: int) -> float:
    """The share of the weight that is called: k of n rows are k/n of it."""
    if point.share is not None:
        return point.share
    k = point.k
    if point.budget is not None and point.cost is not None:
        k = int(point.budget * (1 + DUST) // point.cost)
    return min(1.0, (k or 0) / n)


def _goal(point: ThresholdKeys, price: Vector | None) -> Goal:
    """What a threshold is chosen by, from the table of cells that it leads to."""
    value = _of_table(point.goal, price)
    if point.maximize:
        return Goal(("maximize", point.goal), value)
    if point.minimize:
        return Goal(("minimize", point.goal), lambda tables: -value(tables))
    [(metric, level)] = point.reach.items()
    return Goal(
        ("reach", metric, level),
        lambda tables: np.where(value(tables) >= level - DUST, 1.0, np.nan),
        is_lowest=metric in ("precision", "specificity"),
    )


def _of_table(metric: str, price: Vector | None) -> Callable[[Matrix], Vector]:
    if metric == "misclassification_cost":
        assert price is not None
        return lambda tables: np.asarray(tables @ price)
    finish = METRICS[metric].use().finish
    assert finish is not None
    return finish


def _price(config: Config) -> Vector | None:
    """What the cells cost where that is the same for all rows, in their order; else None."""
    numbers = _same_for_all(config)
    return cells_of(**numbers) if numbers else None


def _costs(config: Config, sample: Sample) -> Matrix | None:
    """What the cells cost on each row, (n, 4); None where nothing says so."""
    cells = config.costs.cells if config.costs else {}
    if not cells:
        return None
    each = {
        cell: sample.costs[cell] if isinstance(cost, str) else np.full(sample.n, cost)
        for cell, cost in cells.items()
    }
    return np.stack([each[cell] for cell in ("tn", "fp", "fn", "tp")], axis=1)


def _refuse_one_class(config: Config, name: str, fit: Sample, design: Design) -> None:
    """Rows of one class teach no threshold: whatever is called, nothing is told apart."""
    there = np.unique(fit.y[design.weights > 0] > 0)
    if len(there) > 1:
        return
    data = config.datasets[fit.dataset]
    known = f"{data.target!r} is {'positive' if there.all() else 'negative'} on all of its rows"
    raise DataError(
        f"dataset {fit.dataset!r}: thresholds.{name} is learnt on it, and {known}; "
        "add rows of the other class, or give the point a `fixed:` threshold"
    )


def _learnt(
    config: Config,
    point: ThresholdKeys,
    price: Vector | None,
    fit: Sample,
    model: str,
    design: Design,
) -> LearntThreshold:
    """The threshold that the rows to fit teach, and where resamples of them put it."""
    said = Predictions(fit.scores[model], config.models[model].scale)
    rows = TASKS[config.task].rows(Column(fit.y), said)
    assert isinstance(rows, Classes)
    best = Best(_goal(point, price))
    value = float(best.thresholds(rows, Batch.of(design.weights))[0])
    drawn: list[float] = []
    for batch in range(design.batches):
        found = best.thresholds(rows, design.batch(batch))
        drawn += found[: design.lanes(batch)].tolist()
        if len(drawn) >= MOST_DRAWN:
            break
    known = [x for x in drawn[:MOST_DRAWN] if np.isfinite(x)]
    low, high = np.quantile(known, [0.025, 0.975]) if known else (np.nan, np.nan)
    between = (rows.score.values >= low) & (rows.score.values < high)
    spans = float(design.weights[between].sum() / design.weights.sum())
    return LearntThreshold(
        np.inf if np.isnan(value) else value, float(low), float(high), spans, fit.dataset
    )


def _doubts(
    point: str, model: str, taught: LearntThreshold, fit: Sample
) -> Iterator[RaisedWarning]:
    """W129: few of a class taught the threshold, or resamples of them put it far apart."""
    positives = int(np.count_nonzero(fit.y > 0))
    fewer = min(positives, fit.n - positives)
    numbers: dict[str, Any] = {"point": point, "fit": fit.dataset, "spans": taught.spans}
    if fewer < FEW_OF_A_CLASS:
        yield RaisedWarning("W129", {**numbers, "fewer": fewer}, model=model)
    elif taught.spans > WIDE:
        yield RaisedWarning("W129", numbers, model=model)


def _rule(
    name: str,
    point: ThresholdKeys,
    taught: Mapping[str, LearntThreshold],
    cuts: Mapping[str, Mapping[str, Cutoff]],
    outcomes: tuple[Metric, ...],
) -> OperatingRule:
    first = next(iter(cuts.values()))[name]
    thresholds = {m: cut.value for m, c in cuts.items()
                  if isinstance(cut := c[name], Threshold) and cut is not SAID}  # fmt: skip
    goal: dict[str, Any] = {}
    if point.is_learnt:
        goal = {key: getattr(point, key) for key in ("maximize", "minimize")
                if getattr(point, key)} or dict(point.reach)  # fmt: skip
    return OperatingRule(
        name,
        "learnt" if point.is_learnt else "share" if is_moving(point) else
        "cost" if point.cost is True else "fixed",
        goal,
        thresholds,
        taught,
        first.share if isinstance(first, TopShare) else None,
        tuple(map(unasked, outcomes)),
        is_on_judged=point.is_learnt and point.on == "test",
        aim=METRICS[point.goal].title if point.is_learnt else "",
    )  # fmt: skip


def _outcomes(config: Config, name: str, point: ThresholdKeys, of_called: bool) -> Iterator[Metric]:
    """What comes of the calls at a point: how many of 1,000, and what they cost.

    Where classes are known `of_called` rows alone, what is missed and costs is not.
    """
    has_costs = config.costs is not None and config.costs.is_of_calls
    known = OF_CALLED if of_called else OUTCOMES if has_costs else OUTCOMES[:-1]
    for metric in known:
        prices = _same_for_all(config) if metric == OUTCOMES[-1] else {}
        yield METRICS[metric].use(at=name, moves=is_moving(point), **prices)


def refuse_shared(config: Config, sample: Sample, fit: Sample) -> tuple[RaisedWarning, ...]:
    """The warning that ids teach a threshold or cut-off and are judged, if a config says so."""
    learnt: list[dict[str, Scalar]] = [
        {"what": name} for name, each in config.thresholds.items() if each.is_learnt
    ]
    curves = [CURVES[use.name] for use in config.curves]
    learnt += [{"peak": curve.title} for curve in curves if curve.has_peak]
    if not learnt or sample.numbered_in != fit.numbered_in:
        return ()
    shared = sorted(set(sample.ids) & set(fit.ids))
    if not shared:
        return ()
    if not config.datasets[sample.dataset].used_to_fit:
        raise DataError(
            f"datasets {sample.dataset!r} and {fit.dataset!r} share {len(shared):,} ids "
            f"(first {shared[0]!r}); {_apart('peak' in learnt[0])}, or "
            f"`used_to_fit: true` on {sample.dataset!r}"
        )
    return (RaisedWarning("W121", {**learnt[0], "shared": len(shared)}),)


def _apart(is_cutoff: bool) -> str:
    """Why rows that teach and rows that are judged are to be others, and how."""
    if is_cutoff:
        return "a cut-off must not be judged on queries that taught it: take them out of one"
    return "a threshold must not be judged on rows that taught it: set a `filter` on each"
