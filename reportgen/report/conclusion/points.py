"""Write the three points under the answer: what is gained, what is lost, what is not certain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from reportgen.records import record
from reportgen.report import prose
from reportgen.report.conclusion.alternatives import describe_agreement, describe_instability
from reportgen.report.conclusion.evidence import (
    find_cost,
    find_cost_outcome,
    list_options,
    list_priced_points,
)
from reportgen.report.conclusion.recommendation import BETTER, WORSE
from reportgen.report.conclusion.references import is_established, is_not_better, phrase_reference
from reportgen.report.conclusion.requirements import (
    choose_requirement_format,
    format_found,
    format_limits,
)
from reportgen.report.conclusion.rows import build_comparison_row, list_shown_metrics
from reportgen.report.facts import WEIGHTY_CODES, Limits, Quantity, WeightyWarning
from reportgen.report.prose.classes import choose_class_nouns
from reportgen.report.prose.marks import Marked
from reportgen.report.prose.methods import name_unit
from reportgen.report.prose.operating_points import (
    choose_base,
    choose_count_form,
    format_exact_threshold,
    rescale_point,
)
from reportgen.report.selection import Selection, orient_difference, orient_value
from reportgen.report.wording.names import (
    clean_name,
    clean_prose,
    format_segment,
    is_named,
    metric_heading,
    metric_phrase,
    pluralize,
    use_case_unit,
)
from reportgen.report.wording.numbers import (
    NumberFormat,
    choose_declared_format,
    choose_format,
    format_count,
    format_percent,
    format_ratio,
    refine_format,
)
from reportgen.report.wording.verdicts import (
    choose_difference_format,
    choose_pair_format,
    choose_row_format,
    round_up_two_digits,
)
from reportgen.results.classification import CostDifference, OperatingPoint, PointOutcome
from reportgen.results.conclusion import HeadlineComparison, Requirement
from reportgen.results.core import Comparison, MetricInfo, ModelPair
from reportgen.results.costs import CostOption
from reportgen.results.curves import CurveResult
from reportgen.results.evaluations import SamplePlan
from reportgen.results.recommendation import Recommendation
from reportgen.results.types import Number
from reportgen.results.verdicts import word_side

MOST_POINTS = 3
MOST_GAINS = 2  # on other metrics than the one that decides
LACKING_QUERIES = 0.02
_MOST_ACTIONS = 2
"""Actions that are named; more are counted."""
_CURVE = "error_by_rank"
_FAILED = "not met"
_OPEN = ("cannot tell", "no result")
_LOG_LOSSES = ("log_loss", "multiclass_log_loss", "multilabel_log_loss")
_QUANTILE_LOSS = "pinball"
_DIAGNOSTIC = ("judged_at",)
"""Metrics that describe the judgements, not the model."""


@record
class Points:
    """The sentences of the three points, each in its order."""

    gain: tuple[Marked, ...]
    drawback: tuple[Marked, ...]
    unsure: tuple[Marked, ...]


class PointWriter:
    """The sentences under the answer, about the model that page one shows."""

    def __init__(
        self,
        found: Selection,
        made: Recommendation,
        model: str,
        rows: Sequence[HeadlineComparison],
        consequences: Sequence[HeadlineComparison],
        requirements: Sequence[Requirement],
        answer: str,
    ) -> None:
        self.found = found
        self.made = made
        self.model = model
        self.row = next((row for row in rows if row.candidate == model), None)
        self.rows = rows
        self.consequences = consequences
        self.requirements = requirements
        self.baseline = found.short_label(found.baseline.name) if found.baseline else ""
        label = found.short_label(model)
        self.label = label
        named = [m.name for m in found.candidates if is_named(found.short_label(m.name), answer)]
        is_one = model in named and (named == [model] or made.use == (model,))
        self.it = prose.text("point.it") if is_one else label
        self.its = prose.text("point.its") if is_one else prose.text("point.its_of", model=label)

    def write(self) -> Points:
        """Write all three, each of at most a few sentences."""
        if self.made.is_silent and self.made.stops[0].fix:
            return Points((), (), ())
        if self.made.decision == "meets":
            alone = prose.text("unsure.one_model")
            about = (*self._iter_open_requirements(), *self._iter_warnings(), alone)
            return Points((), tuple(self._iter_references()), about)
        if self.made.is_silent or self.row is None:
            return Points((), (), tuple(self._iter_warnings()))
        if self.made.decision == "shift" and (
            self.made.correction or self.model not in self.made.use
        ):
            of_action = (*self._iter_action_doubts(), *self._iter_warnings())
            return Points((), (), of_action[:MOST_POINTS])
        gain, drawback = list(self._iter_gains()), list(self._iter_drawbacks())
        doubts = list(self._iter_doubts())
        self._add_instability(drawback, doubts)
        wins = self._describe_wins()
        if wins is not None:
            is_gain = not wins[1] and self.row.word in BETTER
            (drawback if wins[1] else gain if is_gain else doubts).append(wins[0])
        return Points(
            tuple(gain[:MOST_POINTS]),
            tuple(drawback[:MOST_POINTS]),
            tuple(list(dict.fromkeys(doubts))[:MOST_POINTS]),
        )

    def _add_instability(self, drawback: list[Marked], doubts: list[Marked]) -> None:
        """Add where or since when the difference is another one, if no segment is named yet."""
        assert self.row is not None
        metric = use_case_unit(self.found.leading, self.found.main)
        form = _drop_case(choose_row_format(self.row, metric))
        found = describe_instability(self.found, self.model, form)
        if found is None:
            return
        inside = self.found.list_segment_comparisons(self.model, self.row.key)
        words = {c.word for c in inside}
        if not found.is_of_segments:
            (drawback if found.is_against else doubts).insert(0, found.text)
        elif found.is_against and not words & {*WORSE}:  # else it stands under Drawback
            doubts.insert(1, found.text)
        elif not words & {*BETTER, *WORSE}:
            doubts.append(found.text)

    def _iter_gains(self) -> Iterator[Marked]:
        """Iterate over what the data establish to be better; nothing of a constant model."""
        row = self.row
        assert row is not None
        if any(e.model == self.model and e.reason == "constant" for e in self.made.candidates):
            return
        better = [
            row for row in self._list_other_rows() if row.word in BETTER and row.segment is None
        ]
        if row.word in BETTER:
            question = self.found.leading.question
            better = [
                each
                for each in better
                if self._get_metric(each).question != question or each.dataset != row.dataset
            ]
        if self.made.decision == "rank":
            yield from self._iter_neighbours()
            return
        flagging = self._describe_flagging()
        if flagging and not self._is_dearer():
            yield from flagging
            if self.made.use == (self.model,):
                yield from (self._describe_change(each) for each in better[:1])
            return
        said = [own] if (own := self._describe_own(row)) else []
        said += [self._describe_change(each) for each in better[:MOST_GAINS]]
        yield from said or self._describe_lead_on_reference()
        if self.model in self.made.use:
            yield from self._iter_open_captures()
        if row.word in WORSE:
            for c in self.found.list_segment_comparisons(self.model, row.key)[::-1][:1]:
                if c.word in BETTER:
                    yield self._describe_change(build_comparison_row(self.found, c))

    def _describe_lead_on_reference(self) -> list[Marked]:
        """Say that the model, or both, is better than what takes no model."""
        key, baseline = self.found.leading.key, self.found.baseline
        each = self.found.reference(key)
        if each is None or baseline is None or each.difference(self.model) is None:
            return []
        if self.row is None or not self._is_above(key):
            return []
        metric = use_case_unit(self.found.leading, self.found.main)
        form = _drop_case(choose_row_format(self.row, metric))
        return [
            prose.text(
                "reference.above",
                model=self.found.short_label(self.model),
                baseline=self.baseline if len(self.found.candidates) > 1 else "",
                is_both=is_established(self.found, baseline.name, key),
                reference=phrase_reference(self.found, each),
                base=Quantity(each.value, refine_format(form, (each.value,), metric.bounds)),
            )
        ]

    def _iter_neighbours(self) -> Iterator[Marked]:
        """Iterate over the neighbours of the order that the data tell apart, the best first."""
        order = [model for group in self.made.order for model in group]
        metric = self.found.leading
        for first, second in pairwise(order):
            found = self._find_pair(first, second)
            if found is None or found[0] <= 0:
                continue
            difference, low, high, c = found
            form = _drop_case(choose_difference_format(c, use_case_unit(metric, self.found.main)))
            yield prose.text(
                "change.neighbours",
                first=self.found.short_label(first),
                second=self.found.short_label(second),
                limits=Limits(low, high, form),
                size=Quantity(difference, form),
            )

    def _find_pair(
        self, first: str, second: str
    ) -> tuple[float, float, float, Comparison | ModelPair] | None:
        """Find by how much one model is better than another, where the data tell them apart."""
        main, key = self.found.main.name, self.found.leading.key
        known: list[tuple[str, str, Comparison | ModelPair]]
        known = [
            (c.candidate, c.baseline, c)
            for c in self.found.results.comparisons
            if (c.dataset, c.segment, c.key) == (main, None, key)
        ]
        known += [(p.first, p.second, p) for p in self.found.results.pairs if p.dataset == main]
        for one, other, c in known:
            if {one, other} != {first, second} or not word_side(c.word):
                continue
            sign = (1 if one == first else -1) * (1 if c.better == "higher" else -1)
            if c.difference is None or c.low is None or c.high is None:
                return None
            low, high = sorted((sign * c.low, sign * c.high))
            return sign * c.difference, low, high, c
        return None

    def _iter_open_gains(self) -> Iterator[Marked]:
        """Iterate over what may be better, and over what flags more cheaply than nothing only."""
        if self._is_dearer():
            yield from self._describe_flagging()
        if self.model not in self.made.use:
            yield from self._iter_open_captures()

    def _iter_open_captures(self) -> Iterator[Marked]:
        """Iterate over targets of which the top of the order may hold no more."""
        for each in self.consequences:
            metric = self._get_metric(each)
            is_open = each.word not in (*BETTER, *WORSE) and orient_difference(each) < 0
            if metric.name == "topk_capture" and is_open and each.difference is not None:
                yield self._describe_capture(each, metric, "open")

    def _is_dearer(self) -> bool:
        """Tell whether the cheapest threshold costs no less than that of the baseline."""
        best, baseline = self.made.operating, self.found.baseline
        if best is None or baseline is None or best.model == baseline.name:
            return False
        own = list_priced_points(self.found, [baseline.name])
        costs = find_cost(own[0]) if own else None
        return costs is not None and best.cost is not None and best.cost >= costs

    def _iter_drawbacks(self) -> Iterator[Marked]:
        below = list(self._iter_references())
        is_first = self.row is not None and not self._is_above(self.found.leading.key)
        yield from below[:is_first]
        worse = [
            row
            for row in self._list_other_rows()
            if row.word in WORSE and not (row.segment and self._is_worse_throughout())
        ]
        if self._is_worse_on_probabilities() and (said := self._describe_bias()):
            yield said
        for row in worse:
            yield self._describe_change(row)
        yield from below[is_first:]
        yield from self._iter_worse_classes()
        first = self._describe_first_point()
        yield from first
        failed = [e for e in self.requirements if (e.model, e.status) == (self.model, _FAILED)]
        if failed and not self._is_failure_in_rows(failed[0]):
            yield prose.text("change.failed", name=failed[0].name, text=failed[0].text)
        is_worse = self.row is not None and self.row.word in WORSE
        if below or worse or first or failed or is_worse:
            return
        others = [m for m in self.found.metrics if m is not self.found.leading]
        compared = [self.found.comparison(self.model, m.key) for m in others]
        words = [c.word for c in compared if c is not None and c.status == "ok"]
        is_known = len(words) == len(others) and not {*WORSE, _OPEN[1]} & {*words}
        own = [] if self.row is None else [self.row.word]
        is_gain = len(words) <= MOST_GAINS and {*words} <= {*BETTER}
        is_gain = is_gain and all(
            m.question != self.found.leading.question and m.name not in _DIAGNOSTIC for m in others
        )
        is_gain = is_gain and not self._describe_flagging()
        if not words or not is_known or is_gain or {*own, *words} <= set(_OPEN):
            return
        undecided = words.count("cannot tell")
        if len(words) == 1:
            metric = metric_phrase(others[0])
            yield prose.text("change.nothing_on", metric=metric, is_open=undecided == 1)
        else:
            settled = len(words) - undecided
            yield prose.text("change.nothing", settled=settled, undecided=undecided)

    def _is_worse_throughout(self) -> bool:
        """Tell whether the model is worse on all rows and in each segment alike."""
        if self.row is None or self.row.word not in WORSE:
            return False
        return all(
            c.word in WORSE for c in self.found.list_segment_comparisons(self.model, self.row.key)
        )

    def _iter_references(self) -> Iterator[Marked]:
        """Iterate over the metrics of page one on which the model may be no better than no model.

        The one that decides first; one on which it is worse than the baseline says so there.
        """
        main = self.found.main.name
        worse = {
            row.key
            for row in self._list_other_rows()
            if row.word in WORSE and row.segment is None and row.dataset == main
        }
        for metric in (self.found.leading, *list_shown_metrics(self.found)):
            if metric.key not in worse and not self._is_above(metric.key):
                yield self._describe_reference(metric)

    def _is_above(self, key: str) -> bool:
        return is_established(self.found, self.model, key)

    def _describe_reference(self, metric: MetricInfo) -> Marked:
        """Say that it is not established that a model is better than what takes no model.

        Or that it is no better. The baseline is named where the same is known of it.
        """
        each, value = self.found.reference(metric.key), self.found.estimate(self.model, metric.key)
        assert each is not None and value is not None
        form = self._choose_form(metric)
        baseline, own = self.found.baseline, None
        is_beaten = is_not_better(self.found, self.model, metric.key)
        if (
            baseline is not None
            and not is_established(self.found, baseline.name, metric.key)
            and is_not_better(self.found, baseline.name, metric.key) == is_beaten
        ):
            own = self.found.estimate(baseline.name, metric.key)
        return prose.text(
            "reference.not_above",
            model=self.label,
            baseline="" if own is None else self.baseline,
            own=None if own is None else Quantity(own.value, form),
            metric="" if metric is self.found.leading else metric_phrase(metric),
            is_beaten=is_beaten,
            reference=phrase_reference(self.found, each),
            value=Quantity(value.value, form),
            base=Quantity(each.value, refine_format(form, (each.value,), metric.bounds)),
        )

    def _choose_form(self, metric: MetricInfo) -> NumberFormat:
        """Choose the decimals that values of a metric have in the table of all metrics."""
        form = self.found.choose_form(metric, self.found.main.name)
        return _drop_case(replace(form, unit=use_case_unit(metric, self.found.main).unit))

    def _phrase_worse_reference(self, key: str) -> str:
        """Name what takes no model where it is not established that the model is better."""
        each = self.found.reference(key)
        if each is None or self._is_above(key):
            return ""
        return phrase_reference(self.found, each)

    def _is_failure_in_rows(self, failed: Requirement) -> bool:
        """Tell whether a drawback says already what a requirement that is not met is about."""
        assert self.row is not None
        every = (self.row, *self._list_other_rows())
        return any(row.key == failed.key and row.word in WORSE for row in every)

    def _list_other_rows(self) -> list[HeadlineComparison]:
        """List the rows of page one but the first, then other metrics that it has no row for."""
        shown = {row.key for row in self.consequences} | {self.found.leading.key}
        more = [
            build_comparison_row(self.found, c)
            for metric, c in self.found.list_comparisons(self.model)
            if metric.key not in shown and metric.name not in _DIAGNOSTIC
        ]
        return [*self.consequences, *more]

    def _get_metric(self, row: HeadlineComparison) -> MetricInfo:
        return use_case_unit(self.found.find_metric(row.key), self.found.datasets[row.dataset])

    def _describe_change(self, row: HeadlineComparison) -> Marked:
        """Describe how a metric changes, where it is better or worse."""
        metric = self._get_metric(row)
        is_better = row.word in BETTER
        form = _drop_case(choose_row_format(row, use_case_unit(metric, self.found.main)))
        value, base = Quantity(row.value, form), Quantity(row.baseline_value, form)
        if row.segment is not None:
            return self._describe_segment(row, metric, value, base)
        if row.dataset != self.found.main.name:
            return prose.text(
                "change.datasets",
                dataset=clean_name(row.dataset, 40),
                metric=metric_phrase(metric),
                is_better=is_better,
                value=value,
                base=base,
            )
        sizes = sorted(abs(end) for end in (row.low, row.high) if end is not None)
        ends = [Quantity(end, form) for end in sizes]
        size = Quantity(abs(row.difference or 0.0), form)
        has_limits = len(ends) == 2
        case = clean_name(self.found.main.case[0])
        of = self.found.reference(row.key)
        without = (
            None
            if of is None
            else Quantity(of.value, refine_format(form, (of.value,), metric.bounds))
        )
        if metric.name == "topk_capture":
            return self._describe_capture(row, metric, "more" if is_better else "less")
        if metric.name == "recall_at" and has_limits:
            return prose.text(
                "change.finds",
                it=self.it,
                is_more=is_better,
                value=Quantity(row.value, _to_percent(form)),
                base=Quantity(row.baseline_value, _to_percent(form)),
                k=str(metric.params.get("k")),
                limits=NumberFormat(max(form.decimals - 2, 0)).interval(
                    100 * sizes[0], 100 * sizes[1]
                ),
            )
        if metric.name == "mae":
            return prose.text(
                "change.mean_error",
                its=self.its,
                value=value,
                base=base,
                baseline=self.baseline,
                reference=self._phrase_worse_reference(row.key),
                without=without,
            )
        if metric.key == self._find_cost_of_errors() and has_limits:
            return prose.text(
                "change.cost",
                is_more=not is_better,
                value=value,
                base=base,
                size=size,
                low=ends[0],
                high=ends[1],
                case=case,
            )
        if metric.kind == "probability":
            heading = metric_heading(metric)
            return prose.text("change.probability", heading=heading, value=value, base=base)
        name = metric_phrase(metric)
        if is_better:
            return prose.text("change.better", it=self.it, metric=name, value=value, base=base)
        return prose.text(
            "change.worse",
            it=self.it,
            metric=name,
            value=value,
            base=base,
            reference=self._phrase_worse_reference(row.key),
            without=without,
        )

    def _find_cost_of_errors(self) -> str | None:
        """Find the one metric that says what errors cost: that of declared costs where there are.

        A quantile loss is none: its name says what it is.
        """
        costs = [
            m for m in self.found.results.metrics if m.kind == "cost" and m.name != _QUANTILE_LOSS
        ]
        costs.sort(key=lambda m: (m is not self.found.leading, not m.unit.endswith(" per case")))
        return costs[0].key if costs else None

    def _describe_segment(
        self, row: HeadlineComparison, metric: MetricInfo, value: Quantity, base: Quantity
    ) -> Marked:
        segment = format_segment(self.found.datasets[row.dataset], row.segment)
        is_better = row.word in BETTER
        if metric.kind == "order" and ":" not in segment:
            return prose.text("change.segment_ranked", segment=segment, is_better=is_better)
        if metric.key == self._find_cost_of_errors():
            return prose.text(
                "change.segment_cost",
                is_more=row.word in WORSE,
                segment=segment,
                value=value,
                base=base,
            )
        return prose.text(
            "change.segment",
            is_better=is_better,
            heading=metric_heading(metric),
            segment=segment,
            value=value,
            base=base,
        )

    def _describe_capture(self, row: HeadlineComparison, metric: MetricInfo, way: str) -> Marked:
        form = choose_row_format(row, metric)
        share = metric.params.get("share")
        size = float(share) if isinstance(share, int | float) else None
        return prose.text(
            "change.capture",
            model=self.label if self.it == self.label else "",
            way=way,
            share=Quantity(size, choose_declared_format(size, "share")),
            target=clean_name(self.found.main.target_label or self.found.main.target),
            value=Quantity(row.value, form),
            base=Quantity(row.baseline_value, form),
        )

    def _describe_own(self, row: HeadlineComparison) -> Marked | None:
        """Describe the gain on the metric that decides in other words, where there are some.

        More rows that are right are a fact about these rows; whether it is chance, the answer says.
        """
        metric = self._get_metric(row)
        gain = orient_difference(row)
        if row.difference is None or gain <= 0 or row.word == "equivalent":
            return None
        is_counted = self.found.main.weight is None
        if metric.name == "accuracy" and is_counted:
            return prose.text(
                "change.right_more",
                it=self.it,
                count=format_count(gain * row.n),
                rows=format_count(row.n, *self.found.main.case),
            )
        if metric.name == "mae" and row.word in BETTER:
            form = choose_row_format(row, metric)
            return prose.text(
                "change.error_less",
                its=self.its,
                size=Quantity(gain, form),
            )
        if metric.name == "roc_auc" and row.word in BETTER and row.value and row.baseline_value:
            return prose.text(
                "change.pairs",
                case=clean_name(self.found.main.case[0]),
                value=format_count(100 * row.value),
                base=format_count(100 * row.baseline_value),
            )
        return None

    def _iter_worse_classes(self) -> Iterator[Marked]:
        """Describe the classes on which the model is worse by the first metric of classes."""
        metrics = self.found.results.class_metrics
        leading = next((m for m in metrics if m.name == "f"), metrics[0] if metrics else None)
        if leading is None:
            return
        named = {each.value: each.name for each in self.found.main.classes}
        mine = [
            each
            for each in self.found.results.classes
            if each.dataset == self.found.main.name and each.metric == leading.name and each.value
        ]
        worse = [
            (c, each)
            for each in mine
            for c in each.comparisons
            if c.candidate == self.model and c.word in WORSE
        ]
        if not worse:
            return
        worse.sort(key=lambda pair: orient_difference(pair[0]))
        c, of = worse[0]
        ends = [e.value for m in (c.candidate, c.baseline) for e in of.estimates if e.model == m]
        form = choose_pair_format(c, leading, ends)
        names = [clean_name(named.get(each.value, each.value), 24) for _, each in worse]
        yield prose.text(
            "change.class",
            heading=metric_heading(leading),
            classes=names,
            worst=names[0] if len(names) > 1 else "",
            value=Quantity(ends[0], form),
            base=Quantity(ends[1], form),
        )

    def _describe_flagging(self) -> list[Marked]:
        """Describe what flagging costs at the cheapest threshold, and against whom that is less."""
        best = self.made.operating
        if best is None:
            return []
        points = list_priced_points(self.found, [best.model])
        if not points:
            return []
        base = choose_base(points)
        point = rescale_point(points[0], base)
        form = choose_cost_form(point)
        said = [
            prose.text(
                "flagging.cost",
                model=self.found.short_label(best.model),
                rows=self._describe_flagged(point),
                cost=Quantity(find_cost(point), form),
                base=format_count(base),
                cases=clean_name(self.found.main.case[1]),
            )
        ]
        who, constant, difference = choose_constant(point)
        if difference is not None and difference.word in BETTER:
            low, high = sorted(abs(end or 0.0) for end in (difference.low, difference.high))
            said.append(
                prose.text(
                    "flagging.saving",
                    limits=Limits(low, high, form),
                    who=who,
                    other=Quantity(constant, form),
                )
            )
        baseline = self.found.baseline
        own = [] if baseline is None else list_priced_points(self.found, [baseline.name])
        if own and baseline is not None and best.model != baseline.name:
            other = find_cost_outcome(rescale_point(own[0], base))
            assert other is not None  # these points have a cost
            mine = find_cost_outcome(point) if own[0].name == point.name else None
            said.append(
                prose.text(
                    "flagging.baseline",
                    baseline=self.baseline,
                    cost=Quantity(other.value, form),
                    limits=Limits(other.low, other.high, form),
                    is_open=mine is not None and _spans_zero(mine),
                )
            )
        return [Marked(" ".join(said))]

    def _describe_first_point(self) -> list[Marked]:
        """Describe the first declared threshold, unless it costs less than flagging all or none."""
        best = self.made.operating
        mine = [
            each
            for each in self.found.results.points
            if best is not None and (each.dataset, each.model) == (self.found.main.name, best.model)
        ]
        if not mine:
            return []
        base = choose_base(mine)
        point = rescale_point(mine[0], base)
        compared = (("everyone", point.against_everyone), ("nobody", point.against_nobody))
        known = [(who, d) for who, d in compared if d is not None and d.word not in BETTER]
        known.sort(
            key=lambda pair: (pair[1].word not in WORSE, pair[0] != choose_constant(point)[0])
        )
        if not known:
            return []
        who, difference = known[0]
        return [
            prose.text(
                "flagging.first",
                point=clean_name(point.name, 40),
                rows=self._describe_flagged(point),
                cost=Quantity(find_cost(point), choose_cost_form(point)),
                is_more=difference.word in WORSE,
                is_same=difference.word == "equivalent",
                who=who,
            )
        ]

    def _describe_flagged(self, point: OperatingPoint) -> Marked:
        """Describe which scores a threshold flags, or that the model names classes itself."""
        if point.share is None and point.threshold is None:
            return prose.text("flagging.own", cases=clean_name(self.found.main.case[1]))
        is_low = self.found.models[point.model].order != "descending"
        if point.share is not None:
            share, main = point.share, self.found.main
            if main.effective_n is not None:  # a share of the weight is no number of rows
                percent = format_percent(share)
                return prose.text("flagging.percent", percent=percent, is_low=is_low)
            count = format_count(share * main.n)
            return prose.text("flagging.share", count=count, is_low=is_low)
        score = format_exact_threshold(point)
        if is_low:
            return prose.text("flagging.low_scores", score=score)
        return prose.text("flagging.scores", score=score)

    def _describe_wins(self) -> tuple[Marked, bool] | None:
        """Describe on how many rows the model wins, and whether it loses on more."""
        row = self.row
        if row is None:
            return None
        mine = (row.dataset, row.key, row.candidate, row.baseline)
        for w in self.found.sensitivity.wins:
            if (w.dataset, w.key, w.candidate, w.baseline) == mine:
                said = prose.text(
                    "change.wins",
                    it=self.it,
                    ahead=format_count(w.ahead),
                    behind=format_count(w.behind),
                    level=format_count(w.level),
                    rows=clean_name(self.found.main.case[1]),
                )
                return said, w.behind > w.ahead
        return None

    def _iter_doubts(self) -> Iterator[Marked]:
        """Iterate over what is not certain, what weighs most first."""
        row = self.row
        assert row is not None
        if self.made.decision == "shift":
            yield from self._iter_action_doubts()
        is_same = any(w.code == "W109" and w.key == row.key for w in self.found.results.warnings)
        is_open = row.word == "no result" and row.difference is not None and ":" in row.reason
        if is_open and not is_same:
            yield prose.text("unsure.no_interval", reason=row.reason.rstrip("."))
        yield from self._iter_set_aside()
        yield from self._iter_open_requirements()
        yield from self._iter_warnings()
        yield from self._iter_unjudged()
        yield from self._iter_probabilities()
        yield from self._iter_judge()
        yield from self._iter_analyses()
        yield from self._iter_larger_gains()
        yield from self._iter_open_gains()
        yield from self._iter_top_error()
        yield from self._iter_classes()
        yield from self._iter_power()
        metric = self._get_metric(row)
        if row.word == "better" and row.margin:
            form = choose_declared_format(row.margin, metric.unit)
            yield prose.text("unsure.gain_small", margin=Quantity(row.margin, form))
        if row.margin is None and row.word in (*BETTER, *WORSE):
            yield prose.text("unsure.no_margin")

    def _iter_set_aside(self) -> Iterator[Marked]:
        """Say why models that no other is established to beat are not to be used."""
        unbeaten = [model for model in self.made.level if model not in self.made.use]
        judged = {each.model: each for each in self.made.candidates}
        if not self.made.use or self.made.decision not in ("choose", "enough"):
            return
        metric = self.found.leading
        best = self.found.estimate(self.model, metric.key)
        for model in unbeaten[:2]:
            mine = judged[model]
            own = self.found.estimate(model, metric.key)
            c = self.found.comparison(model, metric.key)
            if mine.holds or c is None or own is None or best is None:
                continue
            if own.value is None or best.value is None:
                continue
            gain = orient_value(own.value, metric) - orient_value(best.value, metric)
            form = self._choose_form(metric)
            other = self.found.find_metric(mine.losses[0]) if mine.losses else None
            yield prose.text(
                "unsure.set_aside",
                model=self.found.short_label(model),
                metric=metric_phrase(metric),
                other="" if other is None else metric_phrase(other),
                is_failed=any(e.model == model and e.status == _FAILED for e in self.requirements),
                is_ahead=gain > 0,
                is_open=self._find_pair(model, self.model) is None,
                value=Quantity(own.value, form),
                base=Quantity(best.value, form),
                best=self.found.short_label(self.model),
                baseline=self.baseline,
            )

    def _iter_action_doubts(self) -> Iterator[Marked]:
        """Name the actions that the data cannot tell from the recommended one."""
        options = list_options(self.found)
        wanted = (*self.made.use[:1], self.made.correction or "none")
        level = [
            each
            for each in options
            if not each.is_distinguishable and (each.model, each.method) != wanted
        ]
        if self.made.use and level:
            yield prose.text(
                "unsure.level_actions",
                count=len(level) if len(level) > _MOST_ACTIONS else 0,
                actions=[self._name_action(e) for e in level],
            )
        if options and not any(each.method != "none" for each in options):
            yield prose.text("unsure.untried")
        costs = self.found.costs[self.found.main.name]
        if len({each.asymmetry for each in costs.options}) == 1:
            yield prose.text("unsure.one_ratio", ratio=format_ratio(costs.options[0].asymmetry))

    def _name_action(self, option: CostOption) -> str:
        label = self.found.short_label(option.model)
        if option.method == "none":
            return label
        correction = prose.term("correction", option.method)
        return prose.text("unsure.action", model=label, correction=correction)

    def _iter_open_requirements(self) -> Iterator[Marked]:
        """Describe the value of a requirement that the data cannot decide."""
        for each in self.requirements:
            is_open = each.status == "cannot tell" and each.model == self.model
            is_value = not each.is_difference and not each.is_share_of_rows
            if not is_open or not is_value or each.low is None or each.high is None:
                continue
            metric = use_case_unit(self.found.find_metric(each.key), self.found.main)
            unit = "share" if each.is_share_of_rows else metric.unit
            form = choose_requirement_format(each, unit)
            main = self.found.main
            value, limits = Quantity(each.value, form), Limits(each.low, each.high, form)
            name = metric_phrase(metric)
            if each.is_of_gap:
                yield prose.text(
                    "unsure.requirement_gap",
                    metric=name,
                    value=format_found(each, form),
                    limits=format_limits(each, form),
                )
            elif main.clusters is not None and main.cluster is not None:
                clusters = f"{format_count(main.clusters)} {pluralize(main.cluster)}"
                yield prose.text(
                    "unsure.requirement_clusters",
                    metric=name,
                    value=value,
                    limits=limits,
                    clusters=clusters,
                )
            else:
                yield prose.text("unsure.requirement", metric=name, value=value, limits=limits)

    def _iter_warnings(self) -> Iterator[Marked]:
        """Iterate over the warnings that weigh on the answer, each sentence once."""
        models = {self.model, self.found.baseline.name if self.found.baseline else self.model}
        seen = set()
        notes = []
        for w in self.found.results.warnings:
            is_ours = w.segment is None and w.dataset in (None, self.found.main.name)
            is_ours = is_ours and (w.model is None or w.model in models)
            key = None if self.row is None else self.row.key
            is_ours = is_ours and w.key in (None, key)
            if is_ours and w.code == "W253":
                notes.append(clean_prose(str(w.numbers["note"]), 200))
            if is_ours and w.code in WEIGHTY_CODES and self._is_heavy(w.code, w.numbers):
                share = w.numbers.get("share")
                share = format_percent(share) if isinstance(share, float) else ""
                model = self.found.short_label(w.model) if w.model else ""
                text = prose.mark(WeightyWarning(w.code, share, model))  # type: ignore[arg-type]
                if text in seen:
                    continue
                seen.add(text)
                yield text
                if w.model not in (None, self.model) and is_named(model, text):
                    self._name_the_model()
        if notes:
            yield prose.text("unsure.evaluation_log", note=notes[0], more=len(notes) - 1)
        yield from self._iter_sure_mistakes()

    def _iter_sure_mistakes(self) -> Iterator[Marked]:
        """Name the models that gave what happened no probability, where the log loss decides."""
        if self.found.leading.name not in _LOG_LOSSES:
            return
        models = dict.fromkeys((*self.made.use, self.model))
        if self.found.baseline is not None:
            models[self.found.baseline.name] = None
        raised = {
            w.model: w.numbers
            for w in self.found.results.warnings
            if w.code == "W123" and w.dataset in (None, self.found.main.name) and w.model
        }
        for model in models:
            count, share = (raised.get(model, {}).get(name) for name in ("count", "share"))
            if isinstance(count, int) and isinstance(share, float):
                yield prose.text(
                    "unsure.sure_mistakes",
                    model=self.found.short_label(model),
                    rows=format_count(count, *self.found.main.case),
                    share=format_percent(share),
                )
                if model != self.model:
                    self._name_the_model()

    def _name_the_model(self) -> None:
        """Name the model in what follows a sentence about another one."""
        self.it = self.label
        self.its = prose.text("point.its_of", model=self.label)

    def _is_heavy(self, code: str, numbers: object) -> bool:
        get = getattr(numbers, "get", None)
        share = get("share") if get is not None else None
        if code == "W204":
            return isinstance(share, float) and share >= LACKING_QUERIES
        if code == "W231" and get is not None:
            lacking, of = get("queries"), get("of")
            is_known = isinstance(lacking, int) and isinstance(of, int) and of > 0
            return is_known and lacking / of >= LACKING_QUERIES
        if code in ("W115", "W117"):
            return self.made.decision == "shift"
        return True

    def _iter_unjudged(self) -> Iterator[Marked]:
        """Describe which share of the first documents was never judged."""
        for pool in self.found.sensitivity.pools:
            is_warned = any(
                w.code == "W133" and w.model == pool.model for w in self.found.results.warnings
            )
            if pool.model == self.model and is_warned and pool.judged is not None:
                yield prose.text("unsure.unjudged", share=format_percent(1 - pool.judged), k=pool.k)
                return

    def _iter_probabilities(self) -> Iterator[Marked]:
        """Describe probabilities that are off, more so than those of the baseline."""
        form = NumberFormat(2)
        of_use = [
            (each, form.number(each.slope))
            for each in self.found.results.calibrations
            if each.model in (self.made.use or (self.model,))
            and each.slope is not None
            and self._is_off(each.model, each.dataset)
        ]
        slopes = [slope for each, slope in of_use if each.dataset == self.found.main.name]
        if len(slopes) == 2 and len(self.made.use) == 2:
            yield prose.text("unsure.calibration_neither", first=slopes[0], second=slopes[1])
            return
        mine = [(each, slope) for each, slope in of_use if each.model == self.model]
        for each, slope in mine:
            baseline = self._find_slope_of_baseline(each.dataset)
            if baseline is not None and abs(baseline - 1) >= abs((each.slope or 1) - 1):
                continue
            is_one_of = len(self.found.tests) > 1
            yield prose.text(
                "unsure.calibration",
                its=self.its,
                slope=slope,
                dataset=clean_name(each.dataset, 40) if is_one_of else "",
            )
        if not mine and not self._is_worse_on_probabilities() and (said := self._describe_bias()):
            yield said

    def _is_off(self, model: str, dataset: str) -> bool:
        """Tell whether a warning says that the probabilities of a model are off on a data set."""
        return any(
            (w.code, w.model, w.segment) == ("W120", model, None) and w.dataset in (None, dataset)
            for w in self.found.results.warnings
        )

    def _find_slope_of_baseline(self, dataset: str) -> Number:
        baseline = self.found.baseline
        if baseline is None or not self._is_off(baseline.name, dataset):
            return None
        mine = (dataset, baseline.name)
        slopes = [c.slope for c in self.found.results.calibrations if (c.dataset, c.model) == mine]
        return slopes[0] if slopes else None

    def _is_worse_on_probabilities(self) -> bool:
        return any(
            row.word in WORSE and self._get_metric(row).kind == "probability"
            for row in self.consequences
        )

    def _describe_bias(self) -> Marked | None:
        """Describe how far the probability of the predicted class is from how often it is right.

        Not where that of the baseline is as far off.
        """
        own = self._find_bias(self.model)
        other = None if self.found.baseline is None else self._find_bias(self.found.baseline.name)
        if own is None or (other is not None and abs(other[0] - other[1]) >= abs(own[0] - own[1])):
            return None
        said, right = own
        return prose.text(
            "unsure.probabilities",
            its=self.its,
            is_low=said < right,
            said=format_percent(said),
            found=format_percent(right),
        )

    def _find_bias(self, model: str) -> tuple[float, float] | None:
        """Find the mean probability of the predicted class and how often it is right, if off."""
        for w in self.found.results.warnings:
            said, right = w.numbers.get("said"), w.numbers.get("right")
            is_ours = (w.code, w.model, w.segment) == ("W120", model, None)
            is_ours = is_ours and w.dataset in (None, self.found.main.name)
            if is_ours and isinstance(said, float) and isinstance(right, float):
                return said, right
        return None

    def _iter_analyses(self) -> Iterator[Marked]:
        """Describe in how many re-analyses the verdict is another one."""
        row = self.row
        if row is None:
            return
        mine = (row.dataset, row.key, row.candidate, row.baseline)
        tried = [
            c
            for c in self.found.sensitivity.choices
            if (c.dataset, c.key, c.candidate, c.baseline) == mine
        ]
        if said := describe_agreement(tried, self.found.main, self.found.leading.params):
            yield said

    def _iter_top_error(self) -> Iterator[Marked]:
        """Describe by how much the highest predictions are off, if more than the baseline's.

        Only where an amount or a cost decides: every regression pulls its highest predictions in,
        and of two models that do so alike none is to be preferred for it.
        """
        if self.found.leading.kind not in ("amount", "cost") or self.found.baseline is None:
            return
        own, other = map(self._find_top_error, (self.model, self.found.baseline.name))
        if own is None or other is None:
            return
        (curve, value, low, high), (_, base, base_low, base_high) = own, other
        if low <= 0 <= high or (low <= base_high and base_low <= high):
            return
        form = choose_format(value, low, high, curve.y_unit)
        ends = sorted((abs(low), abs(high)))
        share = 1 / len(curve.x)
        yield prose.text(
            "unsure.top_error",
            share=choose_declared_format(share, "share").number(share),
            is_high=value > 0,
            size=Quantity(abs(value), form),
            limits=Limits(ends[0], ends[1], form),
            baseline=self.baseline,
            is_base_high=base > 0,
            base=Quantity(abs(base), form),
        )

    def _find_top_error(self, model: str) -> tuple[CurveResult, float, float, float] | None:
        """Find how far the highest predictions of a model are off on average, with its limits."""
        for curve in self.found.results.curves:
            mine = (curve.curve, curve.model, curve.baseline, curve.dataset, curve.segment)
            if mine != (_CURVE, model, None, self.found.main.name, None) or not curve.x:
                continue
            is_banded = bool(curve.band_low)
            lows, highs = (
                (curve.band_low, curve.band_high) if is_banded else (curve.low, curve.high)
            )
            low, high = (bound[-1] if bound else None for bound in (lows, highs))
            value, is_full = curve.y[-1], len(curve.x) == curve.params.get("bins")
            if is_full and value is not None and low is not None and high is not None:
                return curve, value, low, high
        return None

    def _iter_classes(self) -> Iterator[Marked]:
        """Say that no class differs, where none does."""
        compared = [
            c
            for each in self.found.results.classes
            if each.dataset == self.found.main.name and each.value
            for c in each.comparisons
            if c.candidate == self.model
        ]
        if compared and all(c.word in _OPEN for c in compared):
            words = choose_class_nouns(self.found.main)
            yield prose.text("unsure.no_class", one=words.one)

    def _iter_power(self) -> Iterator[Marked]:
        """Describe how many units it takes to detect a gain of the margin, if more than here."""
        row = self.row
        if row is None or row.word not in (_OPEN[0], "not worse") or not row.margin:
            return
        c = self.found.comparison(row.candidate, row.key, row.dataset)
        if c is None or c.units_to_detect is None:
            return
        low, high = c.units_to_detect_low, c.units_to_detect_high
        if (high or c.units_to_detect) <= (c.units or c.n):
            return
        form = choose_declared_format(row.margin, self._get_metric(row).unit)
        margin = Quantity(row.margin, form)
        if plans := self._list_sample_plans(c):
            here, more = plans
            yield prose.text(
                "unsure.power_samples",
                margin=margin,
                items=format_count(round_up_two_digits(here.items_to_detect or 0)),
                samples=format_count(here.samples, "sample"),
                fewer=format_count(round_up_two_digits(more.items_to_detect or 0)),
                more=more.samples,
            )
            return
        noun, nouns = self._name_units(c)
        if low is None or high is None:
            count = format_count(round_up_two_digits(c.units_to_detect))
            yield prose.text("unsure.power", margin=margin, count=count, units=nouns)
            return
        yield prose.text(
            "unsure.power_range",
            margin=margin,
            low=format_count(round_up_two_digits(low)),
            high=format_count(round_up_two_digits(high)),
            units=nouns,
            here=format_count(c.units or c.n, noun, nouns),
        )

    def _list_sample_plans(self, c: Comparison) -> tuple[SamplePlan, SamplePlan] | None:
        """Return the plan with as many samples as there are, and that with most; None if none."""
        for each in self.found.results.evaluations:
            for own in each.variances if each.dataset == c.dataset else ():
                plans = [plan for plan in own.plans if plan.items_to_detect is not None]
                is_own = (own.key, own.candidate, own.baseline) == (c.key, c.candidate, c.baseline)
                if is_own and len(plans) > 1:
                    here = min(plans, key=lambda plan: abs(plan.samples - each.most))
                    return (here, plans[-1]) if plans[-1].samples > here.samples else None
        return None

    def _iter_judge(self) -> Iterator[Marked]:
        """Describe how far the judge agrees with the human, and what its correction gives."""
        for each in self.found.results.evaluations:
            if each.dataset != self.found.main.name or not each.judge:
                continue
            every = next((a for a in each.agreements if a.model is None), None)
            if every is not None and every.kappa.low is not None:
                kappa = every.kappa
                form = choose_format(kappa.value, kappa.low, kappa.high)
                yield prose.text(
                    "unsure.judge",
                    kappa=form.number(kappa.value),
                    limits=form.interval(kappa.low, kappa.high),
                )
            for own in each.corrected:
                value = own.corrected
                if own.model == self.model and own.baseline is not None and value.low is not None:
                    form = choose_format(value.value, value.low, value.high, each.unit)
                    yield prose.text(
                        "unsure.judge_corrected",
                        difference=Quantity(value.value, form),
                        limits=Limits(value.low, value.high, form),
                        labelled=own.labelled,
                        is_of_passes=each.passes_from is not None,
                    )

    def _name_units(self, c: Comparison) -> tuple[str, str]:
        """Name one and several of the units that a comparison counts."""
        main = self.found.main
        if c.counted in ("row", "query"):
            return clean_name(main.case[0]), clean_name(main.case[1])
        if c.counted == "cluster" and main.cluster:
            return main.cluster, pluralize(main.cluster)
        return name_unit(c.counted)

    def _iter_larger_gains(self) -> Iterator[Marked]:
        """Name a better model that the question does not ask about and that gains more."""
        row = self.row
        if row is None or self.made.decision != "replace":
            return
        ahead = [
            other
            for other in self.rows
            if other.candidate != row.candidate
            and other.word in BETTER
            and other.candidate not in self.made.set_aside
            and orient_difference(other) > orient_difference(row)
        ]
        if ahead:
            form = choose_row_format(ahead[0], self._get_metric(row), row)
            yield prose.text(
                "unsure.other_gains_more",
                model=self.found.short_label(ahead[0].candidate),
                difference=Quantity(ahead[0].difference, form),
            )


def _drop_case(form: NumberFormat) -> NumberFormat:
    """Print an amount per case without its case."""
    return replace(form, unit=form.unit.partition(" per ")[0])


def _spans_zero(outcome: PointOutcome) -> bool:
    """Tell whether the difference from the baseline may be nothing."""
    low, high = outcome.difference_low, outcome.difference_high
    return low is not None and high is not None and low <= 0 <= high


def _to_percent(form: NumberFormat) -> NumberFormat:
    """Print a share that is given as a number in percent, as precisely."""
    return NumberFormat(max(form.decimals - 2, 0), "share")


def choose_constant(point: OperatingPoint) -> tuple[str, Number, CostDifference | None]:
    """Choose the cheaper of flagging everyone and nobody, with its cost and the difference."""
    everyone = ("everyone", point.cost_of_all, point.against_everyone)
    nobody = ("nobody", point.cost_of_none, point.against_nobody)
    if point.cost_of_all is None or point.cost_of_none is None:
        return everyone
    return everyone if point.cost_of_all <= point.cost_of_none else nobody


def choose_cost_form(point: OperatingPoint) -> NumberFormat:
    """Choose how the cost of a point that has one is printed."""
    outcome = find_cost_outcome(point)
    assert outcome is not None
    return replace(choose_count_form(outcome), unit=outcome.unit)
