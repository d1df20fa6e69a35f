"""Look up results by name: model, metric, dataset, estimate, comparison."""

from __future__ import annotations

from functools import cached_property

from reportgen.report.wording.names import clean_name, list_class_labels
from reportgen.report.wording.numbers import NumberFormat, choose_format
from reportgen.report.wording.verdicts import choose_pair_format
from reportgen.results import Results
from reportgen.results.conclusion import HeadlineComparison
from reportgen.results.core import Comparison, DatasetInfo, Estimate, MetricInfo, ModelInfo
from reportgen.results.references import ReferenceValue
from reportgen.results.sensitivity import Sensitivity
from reportgen.results.types import NEAREST, name_bin_bound
from reportgen.results.verdicts import word_side


class Selection:
    """Results, found by name."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.models = {model.name: model for model in results.models}
        self.curve_infos = {info.curve: info for info in results.curve_infos}
        self.datasets = {dataset.name: dataset for dataset in results.datasets}
        self.costs = {costs.dataset: costs for costs in results.costs}
        self.candidates = [m for m in results.models if m.role == "candidate"]
        self._forms: dict[tuple[str, str, str | None, str | None], NumberFormat] = {}

    @property
    def baseline(self) -> ModelInfo | None:
        """The model that candidates are compared with; None if only one model is reported."""
        found = [m for m in self.results.models if m.role == "baseline"]
        return found[0] if found and self.candidates else None

    @property
    def main(self) -> DatasetInfo:
        """The dataset that verdicts mean unless they say otherwise."""
        named = self.datasets.get(self.results.inference.primary_dataset)
        return named or self.results.datasets[0]

    @property
    def tests(self) -> list[DatasetInfo]:
        """The datasets that models are judged on, the main one first."""
        others = [d for d in self.results.datasets if d.role == "test" and d is not self.main]
        return [self.main, *others]

    def off_by(self, key: str, *models: str) -> float:
        """Bound the error of a value, or of a difference of two, that comes from bins of values.

        0 where it is exact: only rows that are streamed fall into bins.
        """
        bounds_by_name = [w.numbers for w in self.results.warnings if w.code == "W251"]
        bounds = (
            each.get(name_bin_bound(key, model)) for each in bounds_by_name for model in models
        )
        return float(sum(bound for bound in bounds if isinstance(bound, float)))

    def is_open_by_bins(self, key: str, candidate: str) -> bool:
        """Return whether only the bins of values keep a comparison open."""
        return any(
            w.code == "W151" and (w.key, w.model) == (key, candidate) for w in self.results.warnings
        )

    @property
    def resamples(self) -> int:
        """The number of resamples of the main dataset's rows."""
        return self.main.replicates or self.results.inference.replicates

    @property
    def is_of_fits(self) -> bool:
        """Tell whether shares are of draws of new fits, not of resamples."""
        return self.main.question == "procedure"

    @property
    def primary(self) -> MetricInfo | None:
        """The metric that the verdict is about, if one was declared."""
        key = self.results.inference.primary
        return next((m for m in self.results.metrics if m.is_primary or m.key == key), None)

    @property
    def metrics(self) -> list[MetricInfo]:
        """Every metric, the primary one first."""
        return sorted(self.results.metrics, key=lambda m: m is not self.primary)

    @property
    def leading(self) -> MetricInfo:
        """The primary metric, or else the first."""
        return self.metrics[0]

    def find_metric(self, key: str) -> MetricInfo:
        """Return the metric with this key."""
        return next(metric for metric in self.results.metrics if metric.key == key)

    def is_of_other_class(self, model: str) -> bool:
        """Return whether a model's scores are probabilities of the class that is not flagged."""
        found = self.models[model]
        return found.order != "descending" and found.scale == "probability"

    def list_beaten(self, dataset: str) -> frozenset[tuple[str, str]]:
        """Return the pairs of models of which the first is established to be better.

        On the metric that decides, from the comparisons of models with one another.
        """
        pairs = [pair for pair in self.results.pairs if pair.dataset == dataset]
        return frozenset(
            (pair.first, pair.second) if word_side(pair.word) > 0 else (pair.second, pair.first)
            for pair in pairs
            if word_side(pair.word)
        )

    def label(self, model: str) -> str:
        """Return the label of a model in the report."""
        return self.models[model].label if model in self.models else model

    @property
    def labels(self) -> dict[str, str]:
        """Labels of metrics and models, by key and name, and of classes after “class”."""
        every = (*self.results.class_metrics, *self.results.metrics)
        metrics = {m.key: m.label for m in every}
        metrics |= list_class_labels(self.results.datasets)
        return metrics | {m.name: m.label for m in self.results.models}

    def unit(self, key: str) -> str:
        """Return the unit of a metric."""
        return next((m.unit for m in self.results.metrics if m.key == key), "")

    def short_label(self, model: str, most: int = 40) -> str:
        """Return a model's label as a table or a sentence prints it, of at most so many signs."""
        return clean_name(self.label(model), most)

    def choose_form(
        self,
        metric: MetricInfo,
        dataset: str,
        segment: str | None = None,
        candidate: str | None = None,
    ) -> NumberFormat:
        """Choose the decimals of a row: of all values of a metric on a dataset or a segment.

        Those with which each value subtracts in print from the baseline's to their difference. Of
        one candidate and the baseline alone if that is named.
        """
        at = metric.key, dataset, segment, candidate
        if at not in self._forms:
            self._forms[at] = self._choose_form(metric, dataset, segment, candidate)
        return self._forms[at]

    def _choose_form(
        self, metric: MetricInfo, dataset: str, segment: str | None, candidate: str | None
    ) -> NumberFormat:
        names = [m.name for m in self.results.models]
        if candidate is not None and self.baseline is not None:
            names = [self.baseline.name, candidate]
        found = [self.estimate(name, metric.key, dataset, segment) for name in names]
        known = {e.model: e for e in found if e is not None and e.status == "ok"}
        forms = [
            choose_pair_format(
                c, metric, (known[n].value for n in (c.candidate, c.baseline) if n in known)
            )
            for name in names
            if (c := self.comparison(name, metric.key, dataset, segment)) is not None
            and c.difference is not None
        ] or [
            choose_format(e.value, e.low, e.high, metric.unit, bounds=metric.bounds)
            for e in known.values()
        ]
        return max(forms, key=lambda form: form.decimals, default=NumberFormat(2, metric.unit))

    @cached_property
    def _estimates(self) -> dict[tuple[str, str | None, str, str], Estimate]:
        return {(e.dataset, e.segment, e.model, e.key): e for e in self.results.estimates}

    @cached_property
    def _comparisons(self) -> dict[tuple[str, str | None, str, str, str], Comparison]:
        return {
            (c.dataset, c.segment, c.key, c.candidate, c.baseline): c
            for c in self.results.comparisons
        }

    def estimate(
        self, model: str, key: str, dataset: str | None = None, segment: str | None = None
    ) -> Estimate | None:
        """One value, on the main dataset and all rows unless others are named."""
        return self._estimates.get((dataset or self.main.name, segment, model, key))

    def comparison(
        self,
        candidate: str,
        key: str,
        dataset: str | None = None,
        segment: str | None = None,
        baseline: str | None = None,
    ) -> Comparison | None:
        """Return a comparison, by default with the baseline on all rows of the main dataset."""
        if baseline is None and self.baseline is not None:
            baseline = self.baseline.name
        where = (dataset or self.main.name, segment, key, candidate)
        return None if baseline is None else self._comparisons.get((*where, baseline))

    def reference(self, key: str, dataset: str | None = None) -> ReferenceValue | None:
        """Return what is to be had without a model, by default on the main dataset."""
        return self._references.get((dataset or self.main.name, key))

    @cached_property
    def _references(self) -> dict[tuple[str, str], ReferenceValue]:
        return {(each.dataset, each.key): each for each in self.results.references}

    def list_comparisons(self, candidate: str) -> list[tuple[MetricInfo, Comparison]]:
        """Every metric's comparison of a candidate with the baseline, the primary one first."""
        pairs = [(metric, self.comparison(candidate, metric.key)) for metric in self.metrics]
        return [(metric, c) for metric, c in pairs if c is not None]

    def list_segment_comparisons(self, candidate: str, key: str) -> list[Comparison]:
        """Return a candidate's comparisons in the segments of the main dataset, worst first."""
        order = [s.segment for s in self.main.segments]
        found = [self.comparison(candidate, key, segment=segment) for segment in order]
        return sorted((c for c in found if c is not None), key=orient_difference)

    def flips(self, candidate: str, key: str) -> list[Comparison]:
        """Segments with a clear verdict for the model that is behind on all rows."""
        overall = self.comparison(candidate, key)
        if overall is None or overall.favours is None:
            return []
        return [
            c
            for c in self.list_segment_comparisons(candidate, key)
            if word_side(c.word) and c.favours not in {None, overall.favours}
        ]

    def best(self, key: str, dataset: str | None = None) -> str | None:
        """Return the model with the best value on a metric; None where none has a value."""
        metric = next(m for m in self.results.metrics if m.key == key)
        known = self._list_estimates(key, dataset or self.main.name)
        return (
            max(known, key=lambda e: orient_value(e.value or 0.0, metric)).model if known else None
        )

    def _list_estimates(self, key: str, dataset: str) -> list[Estimate]:
        found = [self.estimate(m.name, key, dataset) for m in self.results.models]
        return [e for e in found if e is not None and e.status == "ok" and e.value is not None]

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """Effects of other resamples, rows and parameters on the numbers of the main dataset."""
        return self.results.sensitivity.select_dataset(self.main.name)


def orient_difference(comparison: Comparison | HeadlineComparison) -> float:
    """Return the difference oriented so that more is better for the candidate."""
    value = comparison.difference
    if value is None:
        return float("inf")
    return value if comparison.better == "higher" else -value


def orient_value(value: float, metric: MetricInfo) -> float:
    """Orient a value so that more is better, also where what is nearest to some value is."""
    if metric.better in NEAREST:
        return -abs(value - NEAREST[metric.better])
    return value if metric.better == "higher" else -value
