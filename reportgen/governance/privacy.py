"""Statistical disclosure control: what a report may show about few rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

import numpy as np

from reportgen.config.schema.config import Config
from reportgen.data.sample import LabelTarget, QueryTarget, Sample, Vector
from reportgen.governance.cell_suppression import (
    SURE,
    find_hidden_segments,
    suppress_confusion_differences,
    suppress_confusions,
    suppress_curves,
    suppress_label_confusions,
    suppress_operating_points,
    suppress_pairs,
    suppress_wins,
)
from reportgen.governance.group_means import (
    OF_QUANTILE,
    TOO_FEW,
    average_column,
    average_constants,
    average_curve,
    average_estimates,
    average_peaks,
    average_points,
    find_metrics_of_few_rows,
    has_bucket_quantile,
    round_across,
    round_comparisons,
)
from reportgen.metrics.tasks import TASKS
from reportgen.records import record
from reportgen.report.prose.warnings import format_warning
from reportgen.results import Results
from reportgen.results.across_datasets import AcrossDatasets
from reportgen.results.classification import (
    Agreement,
    ClassCalibration,
    ConfusionMatrix,
    ModelCalibration,
)
from reportgen.results.core import (
    ClassInfo,
    ColumnProfile,
    DatasetInfo,
    GateResult,
    ModelInfo,
    TrainedOn,
    Warning,
)
from reportgen.results.evaluations import Evaluation
from reportgen.results.input_checks import PLACE, InputFinding
from reportgen.results.references import ReferenceValue
from reportgen.results.segments import GroupGap, Stability
from reportgen.results.sensitivity import AlternativeChoice, Sensitivity, Wins
from reportgen.results.types import Number, Scalar

_COUNTS = frozenset(("class", "positives", "happened"))  # what a warning that counts a class has
_OF_ROWS = frozenset(("largest_share", "top_share"))  # what few rows hold of all
_COUNTED = frozenset(
    "count differing payers queries documents positives negatives largest left_out".split()
)
_OF_HIDDEN_ROWS = ("gone_positive", "kept_positive", "sum")
"""Shares of classes among rows left out, and the farthest sum of the probabilities of a row."""


def suppress_class_counts(classes: Sequence[ClassInfo], fewest: int) -> tuple[ClassInfo, ...]:
    """Hide the class counts of fewer rows than may be shown.

    The total less all others would give the count of one that is hidden alone, so the next smallest
    is hidden with it, until at least two are that hold enough rows together.

    >>> sizes = suppress_class_counts([ClassInfo(str(n), "", n) for n in (3, 40, 0, 57)], 5)
    >>> [(each.n, each.is_hidden) for each in sizes]
    [(0, True), (0, True), (0, False), (57, False)]
    """
    held = sorted((each for each in classes if each.n), key=lambda each: each.n)
    hidden = [each for each in held if each.n < fewest]
    if not hidden:
        return tuple(classes)
    for each in held[len(hidden) :]:
        if len(hidden) > 1 and sum(one.n for one in hidden) >= fewest:
            break
        hidden.append(each)
    return tuple(replace(c, n=0, is_hidden=True) if c in hidden else c for c in classes)


def suppress_class_rows(
    matrices: Sequence[ConfusionMatrix], datasets: Sequence[DatasetInfo]
) -> tuple[ConfusionMatrix, ...]:
    """Return the matrices without the rows of hidden classes: a row sums to the class's count."""
    hidden = {d.name: [each.is_hidden for each in d.classes] for d in datasets}
    return tuple(
        replace(
            each,
            weight=tuple(
                tuple(None for _ in row) if is_hidden else row
                for row, is_hidden in zip(each.weight, hidden[each.dataset], strict=True)
            ),
        )
        for each in matrices
    )


def suppress_training_counts(
    models: Sequence[ModelInfo], datasets: Sequence[DatasetInfo], fewest: int
) -> tuple[ModelInfo, ...]:
    """Hide how many rows of a dataset a model was trained on, if these or the others are few."""
    sizes = {each.name: each.n for each in datasets}
    return tuple(
        replace(
            each, trained_on=each.trained_on and _hide_few_shared(each.trained_on, sizes, fewest)
        )
        for each in models
    )


def _hide_few_shared(known: TrainedOn, sizes: Mapping[str, int], fewest: int) -> TrainedOn:
    few = [
        name
        for name, shared in known.shared.items()
        if 0 < shared < fewest or 0 < sizes.get(name, shared) - shared < fewest
    ]
    shared = {name: n for name, n in known.shared.items() if name not in few}
    return replace(known, shared=shared, hidden=tuple(few))


def suppress_warning_numbers(
    warnings: Sequence[Warning],
    datasets: Sequence[DatasetInfo],
    models: Sequence[ModelInfo],
    classes: Mapping[str, set[str]],
) -> tuple[Warning, ...]:
    """Return the warnings, without the numbers of those that count something hidden.

    `classes` are the hidden ones of each dataset.
    """
    about = {each.name: each for each in datasets}
    hidden_counts = {
        (m.name, name) for m in models for name in (m.trained_on.hidden if m.trained_on else ())
    }

    def is_of_hidden(warning: Warning) -> bool:
        if "shared" in warning.numbers:
            return (warning.model, warning.dataset) in hidden_counts
        has_hidden = bool(classes.get(warning.dataset or ""))
        return has_hidden and not _COUNTS.isdisjoint(warning.numbers)

    def only(warning: Warning, numbers: Mapping[str, Scalar]) -> Warning:
        info = about.get(warning.dataset or "")
        case = info.case if info else ("row", "rows")
        text = format_warning(warning.code, numbers, case)
        return replace(warning, numbers=dict(numbers), text=text)

    def describe_warning(warning: Warning) -> Warning:
        if is_of_hidden(warning):
            return only(warning, {})
        left = {k: v for k, v in warning.numbers.items() if k not in _OF_HIDDEN_ROWS}
        return warning if len(left) == len(warning.numbers) else only(warning, left)

    return tuple(map(describe_warning, warnings))


def suppress_warnings_of_few_rows(
    warnings: Sequence[Warning],
    datasets: Sequence[DatasetInfo],
    fewest: int,
    hidden_choices: AbstractSet[str] = frozenset(),
) -> tuple[Warning, ...]:
    """Return the warnings, without the numbers of those that depend on few rows.

    The numbers of a warning about a hidden analysis are removed, too.
    """
    cases = {each.name: each.case for each in datasets}

    def is_of_few(warning: Warning) -> bool:
        counts = [warning.numbers[name] for name in _COUNTED & warning.numbers.keys()]
        if warning.numbers.get("choice") in hidden_choices:
            return True
        return not _OF_ROWS.isdisjoint(warning.numbers) or any(
            isinstance(each, (int, float)) and 0 < each < fewest for each in counts
        )

    return tuple(
        replace(
            w,
            numbers={},
            text=format_warning(w.code, {}, cases.get(w.dataset or "", ("row", "rows"))),
        )
        if is_of_few(w)
        else w
        for w in warnings
    )


def suppress_calibrations(
    found: Sequence[ModelCalibration], hidden: Mapping[str, set[str]]
) -> tuple[ModelCalibration, ...]:
    """Hide the mean outcomes of calibrations if a class is hidden: its count follows from them."""
    return tuple(
        replace(c, said=None, happened=None, ratio_low=None, ratio_high=None, p_total=None)
        if hidden.get(c.dataset)
        else c
        for c in found
    )


def suppress_class_calibrations(
    found: Sequence[ClassCalibration],
    datasets: Sequence[DatasetInfo],
    hidden: Mapping[str, set[str]],
    fewest: int,
) -> tuple[ClassCalibration, ...]:
    """Drop the calibrations of classes that are hidden or have few rows."""
    rows = {(d.name, c.value): c.n for d in datasets for c in d.classes}
    return tuple(
        c
        for c in found
        if c.label is None
        or (
            c.label not in hidden.get(c.dataset, ()) and rows.get((c.dataset, c.label), 0) >= fewest
        )
    )


SCORES_ALONE = "distribution_score"  # the only curve of two classes that does not depend on them
FEW_ROWS = 5  # most rows of a removal that counts as one of single rows
TOP_SHARE = 0.01  # of the rows, whose targets an analysis caps


@record
class DisclosureRules:
    """Limits on what may be disclosed: rows of a segment and of a bin, extremes, single rows."""

    min_segment: int = 1
    min_cell: int = 1
    extremes: bool = True
    leverage: bool = True


DISCLOSURE_LEVELS: Mapping[str, DisclosureRules] = {
    "open": DisclosureRules(),
    "standard": DisclosureRules(30, 5),
    "strict": DisclosureRules(30, 10, extremes=False, leverage=False),
}


def get_disclosure_rules(config: Config) -> DisclosureRules:
    """Return the rules of the privacy level, overridden by those that the config sets."""
    asked = config.privacy
    own: dict[str, Any] = {
        name: getattr(asked, name)
        for name in ("min_segment", "min_cell", "extremes", "leverage")
        if getattr(asked, name) is not None
    }
    return replace(DISCLOSURE_LEVELS[asked.level], **own)


def _suppress_check(found: InputFinding, kept: DisclosureRules) -> InputFinding:
    """Leave out the evidence of a check of the input that has values of rows or small counts."""
    has_extremes = "y_low" in found.numbers and not kept.extremes
    counts = [n for key, n in found.numbers.items() if key not in ("fewest", "models")]
    is_small = any(type(n) is int and 0 < n < kept.min_cell for n in counts)
    if not has_extremes and not is_small:
        return found
    needed = {key: found.numbers[key] for key in PLACE if key in found.numbers}
    return replace(found, numbers=needed, is_hidden=True)


def apply_disclosure_rules(
    results: Results, kept: DisclosureRules, samples: Mapping[str, Sample]
) -> Results:
    """Return the results without the numbers that the rules do not allow."""
    if kept == DisclosureRules():
        return results
    small = {
        each.name: _find_segments_to_hide(each, kept.min_segment, samples)
        for each in results.datasets
    }
    curves = [c for c in results.curves if c.segment not in small[c.dataset]]
    fewest = kept.min_cell
    points = suppress_operating_points(results.points, fewest, samples)
    gone = {(p.dataset, p.name) for p in results.points} - {(p.dataset, p.name) for p in points}
    confusions = suppress_confusions(results.confusions, fewest, samples)
    names = {each.name: [c.value for c in each.classes] for each in results.datasets}
    datasets = tuple(_build_dataset(d, kept, small[d.name], samples) for d in results.datasets)
    confusions = suppress_class_rows(confusions, datasets)
    models = suppress_training_counts(results.models, datasets, fewest)
    hidden_classes = {
        d.name: {c.value for c in d.classes if c.is_hidden}
        | _find_rare_flags(results.task, samples.get(d.name), fewest)
        for d in datasets
    }

    has_flags = TASKS[results.task].target == "flag"

    def is_shown(dataset: str, segment: str | None) -> bool:
        return segment not in small.get(dataset, ())

    shown = replace(
        results,
        models=models,
        checks=tuple(_suppress_check(each, kept) for each in results.checks),
        datasets=datasets,
        calibrations=suppress_calibrations(results.calibrations, hidden_classes),
        class_calibrations=suppress_class_calibrations(
            results.class_calibrations, datasets, hidden_classes, kept.min_segment
        ),
        rare_classes=tuple(
            each for each in results.rare_classes if not hidden_classes[each.dataset]
        ),
        estimates=tuple(e for e in results.estimates if is_shown(e.dataset, e.segment)),
        comparisons=tuple(c for c in results.comparisons if is_shown(c.dataset, c.segment)),
        warnings=suppress_warning_numbers(
            [w for w in results.warnings if is_shown(w.dataset or "", w.segment)],
            datasets,
            models,
            hidden_classes,
        ),
        gates=tuple(
            g if _is_open_gate(g, small.get(g.dataset, frozenset())) else _strip_gate_numbers(g)
            for g in results.gates
        ),
        curves=tuple(
            c
            for c in suppress_curves(curves, fewest, samples)
            if c.curve == SCORES_ALONE or not (has_flags and hidden_classes[c.dataset])
        ),
        points=points,
        label_confusions=suppress_label_confusions(results.label_confusions, fewest, samples),
        confusions=confusions,
        confusion_differences=tuple(
            suppress_confusion_differences(results.confusion_differences, confusions, names)
        ),
        across=_number_datasets(results),
        fresh_gaps=tuple(g for g in results.fresh_gaps if g.n >= kept.min_segment),
        references=tuple(
            each if not small[each.dataset] else replace(each, segments={})
            for each in results.references
            if not hidden_classes[each.dataset]
        ),
        agreements=tuple(a for a in results.agreements if _has_enough_rows(a, kept.min_segment)),
        stability=tuple(
            s for s in results.stability if _has_open_groups(s, small[s.dataset], kept)
        ),
        evaluations=tuple(_suppress_agreements(e, kept) for e in results.evaluations),
        group_gaps=tuple(g for g in results.group_gaps if _is_open_gap(g, small[g.dataset])),
        classes=tuple(
            c
            for c in results.classes
            if (c.dataset, c.point) not in gone
            and (
                not c.value
                or (c.n >= kept.min_segment and c.value not in hidden_classes[c.dataset])
            )
        ),
        sensitivity=_suppress_sensitivity(results.sensitivity, kept, small),
    )
    if not kept.extremes or not kept.leverage:
        shown = _hide_tail_reach(shown)
    return shown if kept.extremes else _average_rows(shown, fewest, samples)


def _hide_tail_reach(results: Results) -> Results:
    """Return results without the reach of tails: that of a mean gives its largest error."""
    return replace(
        results,
        estimates=tuple(replace(e, tail_reach=None) for e in results.estimates),
        comparisons=tuple(replace(c, tail_reach=None) for c in results.comparisons),
    )


def suppress_changes(results: Results, kept: DisclosureRules) -> Results:
    """Return results without the changes and the history of metrics that few rows decide.

    An earlier run may have been published openly.
    """
    if kept.extremes:
        return results
    few = _find_metrics_of_few_rows(results, kept.min_cell)
    labels = {m.label for m in results.metrics if m.key in few}
    changes = results.changes
    return replace(
        results,
        changes=changes
        and replace(changes, moves=tuple(m for m in changes.moves if m.key not in few)),
        history=tuple(replace(h, values={}) if h.metric in labels else h for h in results.history),
    )


def _find_metrics_of_few_rows(results: Results, fewest: int) -> frozenset[str]:
    rows = min((d.n for d in results.datasets if d.role == "test"), default=0)
    are_lists = TASKS[results.task].target == "grades"
    return find_metrics_of_few_rows(results.metrics, rows, fewest, are_lists)


def _number_datasets(results: Results) -> tuple[AcrossDatasets, ...]:
    """Return the comparisons across data sets; if these are rows, with numbers for their ids."""
    if TASKS[results.task].target != "none":
        return results.across
    return tuple(
        replace(a, datasets=tuple(str(k) for k in range(1, len(a.datasets) + 1)))
        for a in results.across
    )


def _has_open_groups(stability: Stability, small: AbstractSet[str], kept: DisclosureRules) -> bool:
    """Return whether no group of these is hidden, nor any period too small to be disclosed."""
    if stability.is_time:
        return all(group.n >= kept.min_segment for group in stability.groups)
    return not any(f"{stability.by}={group.name}" in small for group in stability.groups)


def _suppress_agreements(evaluation: Evaluation, kept: DisclosureRules) -> Evaluation:
    """Return an evaluation without agreements of which a count is small, since they name rows."""
    shown = tuple(
        each
        for each in evaluation.agreements
        if min(each.both, each.judge_alone, each.human_alone, each.neither) >= kept.min_cell
    )
    return evaluation if kept.min_cell <= 1 else replace(evaluation, agreements=shown)


def _is_open_gap(gap: GroupGap | GateResult, small: AbstractSet[str]) -> bool:
    """Return whether a gap reads no hidden segment; between all of a column it reads them all."""
    if gap.between:
        return not any(f"{gap.by}={name}" in small for name in gap.between)
    return not any(segment.partition("=")[0] == gap.by for segment in small)


def _is_open_gate(gate: GateResult, small: AbstractSet[str]) -> bool:
    """Return whether a gate reads no hidden segment."""
    return _is_open_gap(gate, small) if gate.is_of_gap else gate.segment not in small


def _average_rows(results: Results, fewest: int, samples: Mapping[str, Sample]) -> Results:
    """Return results in which each number depends on `fewest` rows or more.

    Other numbers are replaced by means of groups of rows, or removed.
    """
    few_folds = {(v.dataset, v.round) for v in results.fold_values if v.n < fewest}
    target = TASKS[results.task].target
    is_of_lists = target == "grades"
    results = _drop_metrics(results, _find_metrics_of_few_rows(results, fewest))
    sensitivity = results.sensitivity
    sizes = {d.name: d.n for d in results.datasets}
    hidden = [
        c
        for c in sensitivity.choices
        if _leaves_few(c, sizes[c.dataset], fewest) or _is_rare_grade(c, samples, fewest)
    ]
    estimates = average_estimates(results.estimates, fewest, samples, is_of_lists)
    averaged = {
        (e.dataset, e.key)
        for e, exact in zip(estimates, results.estimates, strict=True)
        if e.value != exact.value
    }
    return replace(
        results,
        estimates=estimates,
        gates=tuple(
            _strip_gate_numbers(g) if g.is_of_gap and (g.dataset, g.key) in averaged else g
            for g in results.gates
        ),
        group_gaps=tuple(g for g in results.group_gaps if (g.dataset, g.key) not in averaged),
        comparisons=round_comparisons(results.comparisons, fewest, samples, is_of_lists),
        curves=tuple(
            average_curve(c, samples.get(c.dataset), fewest)
            for c in results.curves
            if not has_bucket_quantile(c.params)
        ),
        points=average_points(results.points, fewest, samples),
        costs=average_constants(results.costs, fewest, samples),
        references=_blur_references(results),
        stability=tuple(replace(s, groups=()) for s in results.stability),
        across=round_across(results.across, fewest, next(iter(samples.values())))
        if target == "none"
        else results.across,
        fold_values=tuple(v for v in results.fold_values if (v.dataset, v.round) not in few_folds),
        warnings=suppress_warnings_of_few_rows(
            results.warnings, results.datasets, fewest, {f"{c.choice}: {c.value}" for c in hidden}
        ),
        sensitivity=replace(
            sensitivity,
            tails=tuple(t for t in sensitivity.tails if t.rows >= fewest),
            deletions=tuple(
                replace(d, sets=sets)
                for d in sensitivity.deletions
                if (sets := tuple(s for s in d.sets if s.rows >= fewest))
            ),
            wins=tuple(
                _drop_few_worst(w, fewest) for w in sensitivity.wins if _has_enough(w, fewest)
            ),
            harms=tuple(
                h for h in sensitivity.harms if not 0 < (h.share or 0.0) * h.n < fewest - SURE
            ),
            choices=tuple(c for c in sensitivity.choices if c not in hidden),
            peaks=average_peaks(sensitivity.peaks, fewest, samples),
        ),
    )


_OF_ONE_ROW = ("median", "quantile", "relative median", "best constant", "distribution")


def _blur_references(results: Results) -> tuple[ReferenceValue, ...]:
    """Return the references without constants that are the target of a row, or values of one."""
    quantiles = {m.key for m in results.metrics if m.name in OF_QUANTILE}
    quantiles |= {m.key for m in results.metrics if has_bucket_quantile(m.params)}
    return tuple(
        replace(each, constant=None) if each.kind in _OF_ONE_ROW else each
        for each in results.references
        if each.key not in quantiles
    )


def _drop_metrics(results: Results, keys: frozenset[str]) -> Results:
    """Return results without the values of some metrics; estimates and comparisons keep theirs."""

    def keep(parts: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(each for each in parts if each.key not in keys)

    sensitivity = results.sensitivity
    return replace(
        results,
        gates=tuple(_strip_gate_numbers(g) if g.key in keys else g for g in results.gates),
        fold_values=keep(results.fold_values),
        fold_comparisons=keep(results.fold_comparisons),
        fresh_gaps=keep(results.fresh_gaps),
        group_gaps=keep(results.group_gaps),
        pairs=keep(results.pairs),
        references=keep(results.references),
        sensitivity=replace(
            sensitivity,
            choices=keep(sensitivity.choices),
            deletions=keep(sensitivity.deletions),
            bucket_counts=keep(sensitivity.bucket_counts),
        ),
    )


def _has_enough(wins: Wins, fewest: int) -> bool:
    """Return whether each side has no row or at least `fewest`."""
    return not any(0 < each < fewest for each in (wins.ahead, wins.level, wins.behind))


def _drop_few_worst(wins: Wins, fewest: int) -> Wins:
    return wins if wins.worst_of >= fewest else replace(wins, worst=None)


def _leaves_few(choice: AlternativeChoice, total: int, fewest: int) -> bool:
    """Return whether an analysis leaves out or changes so few rows that it would reveal them."""
    is_capped = choice.value == "largest targets capped" and TOP_SHARE * total < fewest
    return is_capped or 0 < total - choice.n < fewest


def _is_rare_grade(choice: AlternativeChoice, samples: Mapping[str, Sample], fewest: int) -> bool:
    """Return whether an analysis names a grade that few documents have."""
    sample = samples.get(choice.dataset)
    if choice.choice != "relevant" or sample is None or not isinstance(sample.target, QueryTarget):
        return False
    return int(np.count_nonzero(sample.target.judged.grade == float(choice.value))) < fewest


def _has_enough_rows(found: Agreement, fewest: int) -> bool:
    """Return whether enough rows have two judges, and none or enough have one."""
    left = found.of - found.n
    return found.n >= fewest and (not left or left >= fewest)


def _find_segments_to_hide(
    info: DatasetInfo, fewest: int, samples: Mapping[str, Sample]
) -> frozenset[str]:
    sample = samples.get(info.name)
    return find_hidden_segments(info.segments, sample.segments if sample else {}, fewest)


def _build_dataset(
    info: DatasetInfo, kept: DisclosureRules, small: frozenset[str], samples: Mapping[str, Sample]
) -> DatasetInfo:
    columns = info.columns
    if not kept.extremes:
        averaged = (
            average_column(each, _get_column_values(each, samples[info.name]), kept.min_cell)
            for each in columns
        )
        columns = tuple(each for each in averaged if each is not None)
    columns = tuple(_drop_fine_quantiles(each, kept) for each in columns)
    return replace(
        info,
        columns=columns,
        labels_per_row=_hide_rare_label_counts(info, kept.min_cell, samples),
        classes=suppress_class_counts(info.classes, kept.min_cell),
        segments=tuple(each for each in info.segments if each.segment not in small),
        hidden=tuple(each.segment for each in info.segments if each.segment in small),
    )


def _drop_fine_quantiles(column: ColumnProfile, kept: DisclosureRules) -> ColumnProfile:
    """Drop the quantiles of a column if they are values of single rows, or stand too close."""
    is_fine = len(column.quantiles) * kept.min_cell > column.n
    return replace(column, quantiles=()) if is_fine or not kept.extremes else column


def _find_rare_flags(task: str, sample: Sample | None, fewest: int) -> set[str]:
    """Return both classes of a target of 0 and 1 if either has few rows, else no class."""
    if TASKS[task].target != "flag" or sample is None:
        return set()
    counts = (int(np.count_nonzero(sample.y > 0)), int(np.count_nonzero(sample.y <= 0)))
    return {"0", "1"} if any(0 < count < fewest for count in counts) else set()


def _hide_rare_label_counts(
    info: DatasetInfo, fewest: int, samples: Mapping[str, Sample]
) -> tuple[Number, Number, Number] | None:
    """Return the numbers of labels per row; None for an extreme that only few rows have."""
    sample = samples.get(info.name)
    if info.labels_per_row is None or sample is None:
        return info.labels_per_row
    assert isinstance(sample.target, LabelTarget)
    counts = sample.target.flags.sum(axis=1)
    mean, *ends = info.labels_per_row
    least, most = (None if np.count_nonzero(counts == end) < fewest else end for end in ends)
    return mean, least, most


def _get_column_values(column: ColumnProfile, sample: Sample) -> Vector | None:
    if column.role == "y":
        return sample.y
    if column.role == "weight":
        return sample.sampling.weight
    model = sample.models.get(column.model or "") if column.role == "score" else None
    return None if model is None or model.parts else model.score


def _strip_gate_numbers(gate: GateResult) -> GateResult:
    """Return a gate with its status and without its numbers."""
    return replace(gate, value=None, low=None, high=None, reason=TOO_FEW)


def _is_of_few(
    choice: AlternativeChoice, choices: Sequence[AlternativeChoice], fewest: int
) -> bool:
    """Return whether an analysis of the user's own uses few rows, or all but few."""
    whole = max((c.n for c in choices if c.dataset == choice.dataset), default=choice.n)
    return choice.kind == "own" and (choice.n < fewest or 0 < whole - choice.n < fewest)


def _suppress_sensitivity(
    found: Sensitivity, kept: DisclosureRules, small: Mapping[str, frozenset[str]]
) -> Sensitivity:
    """Return the analyses without single rows, and without those that would reveal a slice."""
    columns = {(name, s.partition("=")[0]) for name, slices in small.items() for s in slices}
    told = replace(
        found,
        choices=tuple(
            c
            for c in found.choices
            if not (
                c.kind == "rows"
                and c.choice == "without"
                and (c.dataset, c.value.partition("=")[0]) in columns
            )
            and (c.kind != "own" or not small.get(c.dataset))
            and not _is_of_few(c, found.choices, kept.min_segment)
        ),
        harms=tuple(h for h in found.harms if h.segment not in small.get(h.dataset, ())),
        pairs=suppress_pairs(found.pairs, kept.min_cell),
        wins=tuple(suppress_wins(found.wins, kept.min_cell)),
    )
    if kept.leverage:
        return told
    few = (
        replace(each, sets=tuple(s for s in each.sets if s.rows > FEW_ROWS))
        for each in found.deletions
    )
    return replace(
        told,
        influence=(),
        extremes=(),
        row_values=(),
        deletions=tuple(each for each in few if each.sets),
    )
