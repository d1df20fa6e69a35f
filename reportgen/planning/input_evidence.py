"""What checks of the input read of the rows of a data set: orders, tables, copies and scales."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.checks.check import UNSEEN, Read, Subject
from reportgen.checks.inputs import NamedClasses, NamesSubject, SplitUnitsSubject
from reportgen.checks.leaks import (
    Certainty,
    CopySubject,
    Errors,
    LeakSubject,
    RepeatedRowsSubject,
    ScoreColumns,
    count_errors_at_best,
    count_repeats,
    identify_rows,
    measure_certainty,
)
from reportgen.checks.orders import (
    ChanceOrder,
    ClassTable,
    OrderOfModelSubject,
    OrdersSubject,
    RowDesign,
    build_class_table,
    measure_auc,
    measure_query_auc,
    measure_spearman,
)
from reportgen.checks.rows import find_repeated_units
from reportgen.checks.scales import LeftOutRows, LeftOutSubject, ScaleSubject, compute_losses
from reportgen.config.schema.config import Config
from reportgen.data.dataset import LoadedDataset, StreamedEvidence
from reportgen.data.sample import ClassTarget, LabelTarget, ModelColumns, Sample
from reportgen.kernels.batch import Column, Index, Matrix, Vector
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Queries
from reportgen.metrics.tasks import TASKS, Target
from reportgen.planning.ranking import build_lists
from reportgen.planning.resampling import assign_folds, count_crossing_units, iter_undeclared_units
from reportgen.records import record

MOST_ROWS = 250_000
"""Rows that rules for orders, scales and copies look at; of more, about so many are drawn."""


def iter_row_subjects(config: Config, data: LoadedDataset) -> Iterator[Subject]:
    """Yield what checks read of the rows of a data set; of streamed rows, of some of them."""
    if TASKS[config.task].target == "none":
        if config.scores:
            for model in config.models:
                yield LeftOutSubject(model=model, rows=_compare_left_out_items(config, data, model))
        return
    streamed = data.looked_at
    if data.info.is_streamed and streamed is None:
        yield OrdersSubject()  # documents repeat in queries, and none holds totals
        yield from (OrderOfModelSubject(model=model) for model in config.models)
        return
    evidence = InputEvidence(config, data.sample if streamed is None else streamed.sample)
    yield OrdersSubject(
        orders=[*evidence.orders.values()] or None,
        tables=[*evidence.tables.values()] or None,
        **evidence.two_classes,
    )
    target = TASKS[config.task].target
    has_lists, has_amounts = target == "grades", target == "amount"
    dataset = config.datasets[data.info.name]
    may_repeat = has_lists or dataset.count is not None or dataset.repeat is not None
    yield RepeatedRowsSubject(
        times=None if may_repeat else _count_times(evidence, streamed),
        columns=_find_columns(evidence, streamed) if has_amounts else None,
        total=None if has_lists else data.total or False,
    )
    for model in config.models:
        yield from _iter_model_subjects(evidence, model)
        rows = evidence.compare_left_out(model) if streamed is None else UNSEEN
        yield LeftOutSubject(model=model, rows=rows)


def _compare_left_out_items(config: Config, data: LoadedDataset, model: str) -> LeftOutRows | None:
    """Compare the items that this model alone has not answered with those that are kept.

    By the score that decides; None where it has no bounds.
    """
    left, baseline = data.sample.unscored, config.baseline
    use = next(each for each in config.metrics if each.key == config.deciding.metric)
    name = str(use.params.get("of"))
    low, high = config.scores[name].bounds or (None, None)
    if left is None or baseline in (None, model) or low is None or high is None:
        return None
    is_high_better = config.scores[name].better == "higher"

    def lose(models: Mapping[str, ModelColumns], of: str) -> Vector:
        values = models[of].parts[name]
        return high - values if is_high_better else values - low

    unanswered, known = (lose(left.models, each) for each in (model, baseline))
    return LeftOutRows(
        lose(data.sample.models, model),
        lose(data.sample.models, baseline),
        known[np.isnan(unanswered) & ~np.isnan(known)],
        high - low,
        baseline,
    )


def _iter_model_subjects(evidence: InputEvidence, model: str) -> Iterator[Subject]:
    """Yield what checks read of one model."""
    scale = evidence.config.models[model].scale
    standing: dict[str, ChanceOrder | ClassTable] = {**evidence.tables, **evidence.orders}
    yield OrderOfModelSubject(
        model=model,
        standing=standing.get(model),
        others=[each for name, each in standing.items() if name != model],
        table=evidence.tables.get(model) if len(evidence.sample.classes) > 2 else None,
    )
    has_amounts = evidence.kind == "amount"
    y, score = (evidence.y, evidence.scores[model]) if has_amounts else (None, None)
    yield CopySubject(model=model, y=y, score=score)
    yield ScaleSubject(
        model=model,
        y=y if scale == "amount" else None,
        score=score if scale == "amount" else None,
        probability=evidence.get_probability(model) if scale == "probability" else None,
    )
    yield LeakSubject(
        model=model,
        errors=evidence.count_errors(model),
        certainty=evidence.measure_certainty(model),
    )
    yield NamesSubject(
        model=model,
        classes=evidence.count_names(model),
        answered=evidence.count_answered(model),
        queries=evidence.sample.n,
    )
    yield from (replace(each, model=model) for each in evidence.split_units)


def _count_times(evidence: InputEvidence, streamed: StreamedEvidence | None) -> NDArray[np.intp]:
    """Count how often each different row occurs."""
    return (
        count_repeats(identify_sample_rows(evidence.sample)) if streamed is None else streamed.times
    )


def _find_columns(evidence: InputEvidence, streamed: StreamedEvidence | None) -> Read[ScoreColumns]:
    """Find all rows of some amounts; those of streamed rows are not all held."""
    return evidence.rows_of_some_targets if streamed is None else UNSEEN


def identify_sample_rows(sample: Sample) -> NDArray[np.uint64]:
    """Compute a number for each row, the same where the target and all scores are."""
    return identify_rows([sample.y, *list_score_columns(sample)])


def list_score_columns(sample: Sample) -> list[Vector]:
    """List every column of every model."""
    every = []
    for columns in sample.models.values():
        every += list(columns.parts.values()) or [columns.score]
    return every


@record(eq=False)
class InputEvidence:
    """The evidence of one data set, each part computed when it is first read."""

    config: Config
    sample: Sample

    @property
    def kind(self) -> Target:
        """The kind of the target."""
        return TASKS[self.config.task].target

    @cached_property
    def seen(self) -> Index | slice:
        """The rows that most rules look at: all, or some that are the same in every run."""
        n = self.sample.n
        if n <= MOST_ROWS or self.kind == "grades":
            return slice(None)
        return np.flatnonzero(np.random.default_rng(0).random(n) * n < MOST_ROWS)

    @cached_property
    def y(self) -> Column:
        """The target of these rows as one number each."""
        return Column(self.sample.y[self.seen])

    @cached_property
    def scores(self) -> Mapping[str, Column]:
        """The score column of each model."""
        return {name: Column(each.score[self.seen]) for name, each in self.sample.models.items()}

    @cached_property
    def design(self) -> RowDesign:
        """Weights, clusters and folds of the rows."""
        sampling, units = self.sample.sampling, self.sample.sampling.units
        folds = assign_folds(self.config, self.sample)
        return RowDesign(
            None if sampling.weight is None else sampling.weight[self.seen],
            None if units is None else np.asarray(units.codes.code[self.seen], np.intp),
            None if folds is None or folds.is_pooled else folds.code[self.seen],
        )

    @cached_property
    def orders(self) -> Mapping[str, ChanceOrder]:
        """The order of each model that has one, next to that of chance."""
        by_model = {name: self._measure_order(name) for name in self.sample.models}
        return {name: order for name, order in by_model.items() if order is not None}

    def _measure_order(self, model: str) -> ChanceOrder | None:
        scale = self.config.models[model].scale
        if self.kind == "grades":
            return self._list_orders.get(model)
        if self.kind == "amount":
            return measure_spearman(self.y, self.scores[model], self.design)
        if self.kind != "flag" or scale == "label" or self.has_unknown:
            return None
        return measure_auc(self.y, self.scores[model], self.design)

    @property
    def two_classes(self) -> dict[str, Any]:
        """The names of two classes, and the share of the positive one; nothing of others."""
        classes = self.sample.classes
        if self.kind != "flag" or len(classes) != 2:
            return {}
        return {"classes": classes, "positives": float(np.mean(self.sample.y > 0))}

    @property
    def has_unknown(self) -> bool:
        """Whether the class of some rows is unknown."""
        target = self.sample.target
        return isinstance(target, ClassTarget | LabelTarget) and target.unknown is not None

    @cached_property
    def _list_orders(self) -> Mapping[str, ChanceOrder]:
        by_model = {}
        for name, lists in build_lists(self.config, self.sample).items():
            bound = METRICS["query_auc"].use().bind(Queries(lists))
            if bound.losses is None:
                continue
            weight = self.sample.weights
            if bound.is_counted is not None:
                weight = weight * bound.is_counted
            if np.count_nonzero(weight) > 1:
                by_model[name] = measure_query_auc(bound.losses, weight, self.design.unit)
        return by_model

    @cached_property
    def tables(self) -> Mapping[str, ClassTable]:
        """The table of classes and predicted classes of each model that predicts classes."""
        if not isinstance(self.sample.target, ClassTarget) or self.has_unknown:
            return {}
        kinds = len(self.sample.classes)
        by_model = {
            name: build_class_table(self.code, predicted, kinds, self.design)
            for name in self.sample.models
            if (predicted := self._predict(name)) is not None
        }
        return {name: table for name, table in by_model.items() if table is not None}

    @cached_property
    def code(self) -> Index:
        """The class of each row by number."""
        return self.sample.y[self.seen].astype(np.intp)

    def _predict(self, model: str) -> Index | None:
        """Return the predicted class of each row; None where a score is of two classes."""
        if self.config.models[model].scale == "label":
            return self.sample.models[model].score[self.seen].astype(np.intp)
        if self.kind != "class":
            return None
        return np.asarray(self.get_probability(model).argmax(axis=1), np.intp)

    def get_probability(self, model: str) -> Matrix:
        """Return the scores of a model, (n, k): a column for each class, or one."""
        columns = self.sample.models[model]
        every = list(columns.parts.values()) or [columns.score]
        return np.column_stack([each[self.seen] for each in every])

    @property
    def rows_of_some_targets(self) -> ScoreColumns:
        """All rows of each of some amounts: of those that are rare, as all are where rows are few.

        Rows that are copies of each other are so all there or none.
        """
        y, every, n = self.sample.y, list_score_columns(self.sample), self.sample.n
        if n > MOST_ROWS:
            chosen = identify_rows([y]) < np.uint64(int(2.0**64 * MOST_ROWS / n))
            y, every = y[chosen], [each[chosen] for each in every]
        return ScoreColumns(Column(y), every, n)

    def count_errors(self, model: str) -> Errors | None:
        """Count the rows on the wrong side of the best threshold, or predicted wrongly."""
        if self.has_unknown:
            return None
        n, table = len(self.y), self.tables.get(model)
        if table is not None:
            wrong = round((1 - table.agreement) * table.rows) if table.agreement < 1 else 0
            return Errors(table.rows, n, wrong)
        order = self.orders.get(model)
        if order is None or order.measure != "auc":
            return None
        upper = int(np.count_nonzero(self.y.values > 0))
        wrong = count_errors_at_best(self.y, self.scores[model])
        return Errors(n, min(upper, n - upper), wrong, order.value)

    def measure_certainty(self, model: str) -> Certainty | None:
        """Measure how certain the probabilities of classes are; None without such."""
        if self.config.models[model].scale != "probability" or self.has_unknown:
            return None
        if not isinstance(self.sample.target, ClassTarget):
            return None
        return measure_certainty(self.code, self.get_probability(model))

    def compare_left_out(self, model: str) -> LeftOutRows | None:
        """Compare the rows that lack a score of this model alone with those that are kept."""
        rows, baseline = self.sample.unscored, self.config.baseline
        if rows is None or baseline in (None, model):
            return None
        one, other = self.config.models[model].scale, self.config.models[baseline].scale
        has_amounts = self.kind == "amount" and one == other == "amount"
        is_probability = self.kind == "flag" and one == other == "probability"
        if not has_amounts and not is_probability:
            return None
        is_missing = np.isnan(rows.models[model].score) & ~np.isnan(rows.models[baseline].score)
        models = self.sample.models

        def lose(y: Vector, columns: ModelColumns) -> Vector:
            return compute_losses(y, columns.score, is_probability=is_probability)

        own = lose(self.sample.y, models[model])
        left_out = lose(rows.y, rows.models[baseline])[is_missing]
        return LeftOutRows(
            own,
            lose(self.sample.y, models[baseline]),
            left_out,
            1.0 if is_probability else float(max(own.max(), left_out.max(initial=0.0))),
            baseline,
        )

    def count_names(self, model: str) -> NamedClasses | None:
        """Count the rows of each class, and those predicted as each; None without predictions."""
        table = self.tables.get(model)
        if table is None or self.config.models[model].scale != "label":
            return None
        kinds, names = len(self.sample.classes), self.sample.classes
        rows = np.bincount(self.sample.y.astype(np.intp), minlength=kinds).tolist()
        predicted = np.bincount(self.sample.models[model].score.astype(np.intp), minlength=kinds)
        return NamedClasses(
            dict(zip(names, rows, strict=True)), dict(zip(names, predicted.tolist(), strict=True))
        )

    def count_answered(self, model: str) -> int | None:
        """Count the queries that a model lists documents for; None where rows are no queries."""
        lists = self.sample.models[model].lists
        return None if lists is None else int(np.count_nonzero(np.diff(lists.start)))

    @cached_property
    def split_units(self) -> list[SplitUnitsSubject]:
        """How many units of the declared column, or of those, lie in several folds."""
        folds = assign_folds(self.config, self.sample)
        if folds is None:
            return []
        subjects = []
        if self.config.datasets[self.sample.dataset].cluster is not None:
            units, crossing = folds.units, folds.crossing
            subjects.append(SplitUnitsSubject(what=folds.unit, crossing=crossing, units=units))
        for name, unit in iter_undeclared_units(self.sample.sampling):
            if find_repeated_units(np.unique(unit, return_counts=True)[1], 0, name) is not None:
                every = self.sample.sampling.undeclared[name].code
                units, crossing = count_crossing_units(self.sample.sampling, every, folds.code)
                subjects.append(SplitUnitsSubject(what=name, crossing=crossing, units=units))
        return subjects
