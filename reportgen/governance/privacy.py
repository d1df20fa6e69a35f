"""Statistical disclosure control: what a report may show about few rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reportgen.config.schema.config import Config
from reportgen.data.sample import Sample, Vector
from reportgen.governance.cell_suppression import (
    SURE,
    find_hidden_segments,
    suppress_confusion_differences,
    suppress_confusions,
    suppress_curves,
    suppress_label_calls,
    suppress_operating_points,
    suppress_pairs,
    suppress_wins,
)
from reportgen.governance.group_means import (
    average_column,
    average_constants,
    average_curve,
    average_estimates,
    average_peaks,
    average_points,
    round_across,
    round_comparisons,
)
from reportgen.metrics.tasks import TASKS
from reportgen.report.wording.warnings import format_warning
from reportgen.results import Results
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
    Finding,
    ModelInfo,
    TrainedOn,
    Warning,
)
from reportgen.results.sensitivity import Choice, Sensitivity, Wins
from reportgen.results.types import Scalar

_COUNTS = frozenset(("class", "positives", "happened"))  # what a warning that counts a class has
_OF_ROWS = frozenset(("largest_share", "top_share"))  # what few rows hold of all
_COUNTED = frozenset(
    "count differing payers queries documents positives negatives largest left_out".split()
)
_OF_DROPPED = ("gone_positive", "kept_positive")  # shares of classes among rows left out


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
    """Return the confusion matrices without rows of hidden classes, whose sums are their counts."""
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
    """Hide each model's number of training rows in a dataset where those, or the rest, are few."""
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
    warnings: Sequence[Warning], datasets: Sequence[DatasetInfo], models: Sequence[ModelInfo]
) -> tuple[Warning, ...]:
    """Return the warnings, those that count what is hidden reduced to their code."""
    about = {each.name: each for each in datasets}
    untold = {
        (m.name, name) for m in models for name in (m.trained_on.hidden if m.trained_on else ())
    }

    def is_of_hidden(warning: Warning) -> bool:
        if "shared" in warning.numbers:
            return (warning.model, warning.dataset) in untold
        info = about.get(warning.dataset or "")
        has_hidden = info is not None and any(each.is_hidden for each in info.classes)
        return has_hidden and not _COUNTS.isdisjoint(warning.numbers)

    def only(warning: Warning, numbers: Mapping[str, Scalar]) -> Warning:
        info = about.get(warning.dataset or "")
        case = info.case if info else ("row", "rows")
        text = format_warning(warning.code, numbers, case)
        return replace(warning, numbers=dict(numbers), text=text)

    def describe_warning(warning: Warning) -> Warning:
        if is_of_hidden(warning):
            return only(warning, {})
        left = {k: v for k, v in warning.numbers.items() if k not in _OF_DROPPED}
        return warning if len(left) == len(warning.numbers) else only(warning, left)

    return tuple(map(describe_warning, warnings))


def suppress_warnings_of_few_rows(
    warnings: Sequence[Warning], datasets: Sequence[DatasetInfo], fewest: int
) -> tuple[Warning, ...]:
    """Return the warnings, those with a number of few rows reduced to their code."""
    cases = {each.name: each.case for each in datasets}

    def is_of_few(warning: Warning) -> bool:
        counts = [warning.numbers[name] for name in _COUNTED & warning.numbers.keys()]
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
    found: Sequence[ModelCalibration], untold: Mapping[str, set[str]]
) -> tuple[ModelCalibration, ...]:
    """Hide the mean outcomes of calibrations where they give the count of a hidden class."""
    return tuple(
        replace(c, said=None, happened=None, ratio_low=None, ratio_high=None, p_total=None)
        if untold.get(c.dataset)
        else c
        for c in found
    )


def suppress_class_calibrations(
    found: Sequence[ClassCalibration],
    datasets: Sequence[DatasetInfo],
    untold: Mapping[str, set[str]],
    fewest: int,
) -> tuple[ClassCalibration, ...]:
    """Drop the calibrations of classes that are hidden or have few rows."""
    rows = {(d.name, c.value): c.n for d in datasets for c in d.classes}
    return tuple(
        c
        for c in found
        if c.label is None
        or (
            c.label not in untold.get(c.dataset, ()) and rows.get((c.dataset, c.label), 0) >= fewest
        )
    )


FEW_ROWS = 5  # rows whose removal is told of only where single rows may be
TOP_SHARE = 0.01  # of the rows, whose targets an analysis caps
SUPPRESSED_REASON = "not told: too few rows in this slice"


@dataclass(frozen=True)
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


def apply_disclosure_rules(
    results: Results, kept: DisclosureRules, samples: Mapping[str, Sample]
) -> Results:
    """Return the results without what may not be disclosed."""
    if kept == DisclosureRules():
        return results
    small = {
        each.name: _find_segments_to_hide(each, kept.min_segment, samples)
        for each in results.datasets
    }
    curves = [c for c in results.curves if c.segment not in small[c.dataset]]
    fewest = kept.min_cell
    confusions = suppress_confusions(results.confusions, fewest, samples)
    names = {each.name: [c.value for c in each.classes] for each in results.datasets}
    datasets = tuple(_build_dataset(d, kept, small[d.name], samples) for d in results.datasets)
    confusions = suppress_class_rows(confusions, datasets)
    models = suppress_training_counts(results.models, datasets, fewest)
    untold = {d.name: {c.value for c in d.classes if c.is_hidden} for d in datasets}

    def is_shown(dataset: str, segment: str | None) -> bool:
        return segment not in small.get(dataset, ())

    shown = replace(
        results,
        models=models,
        datasets=datasets,
        calibrations=suppress_calibrations(results.calibrations, untold),
        class_calibrations=suppress_class_calibrations(
            results.class_calibrations, datasets, untold, kept.min_segment
        ),
        rare_classes=tuple(each for each in results.rare_classes if not untold[each.dataset]),
        estimates=tuple(e for e in results.estimates if is_shown(e.dataset, e.segment)),
        comparisons=tuple(c for c in results.comparisons if is_shown(c.dataset, c.segment)),
        warnings=suppress_warning_numbers(
            [w for w in results.warnings if is_shown(w.dataset or "", w.segment)], datasets, models
        ),
        gates=tuple(
            g if is_shown(g.dataset, g.segment) else _strip_gate_numbers(g) for g in results.gates
        ),
        curves=tuple(suppress_curves(curves, fewest, samples)),
        points=suppress_operating_points(results.points, fewest, samples),
        label_calls=suppress_label_calls(results.label_calls, fewest, samples),
        confusions=confusions,
        confusion_differences=tuple(
            suppress_confusion_differences(results.confusion_differences, confusions, names)
        ),
        fresh_gaps=tuple(g for g in results.fresh_gaps if g.n >= kept.min_segment),
        agreements=tuple(a for a in results.agreements if _has_enough_rows(a, kept.min_segment)),
        classes=tuple(
            c
            for c in results.classes
            if not c.value or (c.n >= kept.min_segment and c.value not in untold[c.dataset])
        ),
        sensitivity=_suppress_sensitivity(results.sensitivity, kept, small),
    )
    return shown if kept.extremes else _average_rows(shown, fewest, samples)


def _average_rows(results: Results, fewest: int, samples: Mapping[str, Sample]) -> Results:
    """Return results whose numbers are each of enough rows: means of groups, or nothing."""
    sensitivity = results.sensitivity
    few_folds = {(v.dataset, v.round) for v in results.fold_values if v.n < fewest}
    target = TASKS[results.task].target
    is_of_lists = target == "grades"
    return replace(
        results,
        estimates=average_estimates(results.estimates, fewest, samples, is_of_lists),
        comparisons=round_comparisons(results.comparisons, fewest, samples, is_of_lists),
        curves=tuple(average_curve(c, samples.get(c.dataset), fewest) for c in results.curves),
        points=average_points(results.points, fewest, samples),
        costs=average_constants(results.costs, fewest, samples),
        across=round_across(results.across, fewest, next(iter(samples.values())))
        if target == "none"
        else results.across,
        fold_values=tuple(v for v in results.fold_values if (v.dataset, v.round) not in few_folds),
        warnings=suppress_warnings_of_few_rows(results.warnings, results.datasets, fewest),
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
            choices=tuple(
                c for c in sensitivity.choices if not _leaves_few(c, sensitivity.choices, fewest)
            ),
            peaks=average_peaks(sensitivity.peaks, fewest, samples),
        ),
    )


def _has_enough(wins: Wins, fewest: int) -> bool:
    """Return whether the rows on each side are none or enough."""
    return not any(0 < each < fewest for each in (wins.ahead, wins.level, wins.behind))


def _drop_few_worst(wins: Wins, fewest: int) -> Wins:
    return wins if wins.worst_of >= fewest else replace(wins, worst=None)


def _leaves_few(choice: Choice, choices: Sequence[Choice], fewest: int) -> bool:
    """Return whether an analysis leaves out or changes a few rows, which it shows with all."""
    total = max((c.n for c in choices if c.dataset == choice.dataset), default=choice.n)
    is_capped = choice.value == "largest targets capped" and TOP_SHARE * total < fewest
    return is_capped or 0 < total - choice.n < fewest


def _has_enough_rows(found: Agreement, fewest: int) -> bool:
    """Whether rows judged twice are enough, and those judged once are none or enough."""
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
    return replace(
        info,
        columns=columns,
        classes=suppress_class_counts(info.classes, kept.min_cell),
        segments=tuple(each for each in info.segments if each.segment not in small),
        hidden=tuple(each.segment for each in info.segments if each.segment in small),
    )


def _get_column_values(column: ColumnProfile, sample: Sample) -> Vector | None:
    if column.role == "y":
        return sample.y
    if column.role == "weight":
        return sample.sampling.weight
    model = sample.models.get(column.model or "") if column.role == "score" else None
    return None if model is None or model.parts else model.score


def _strip_gate_numbers(gate: Finding) -> Finding:
    """Return a gate on a hidden segment with its status and no number."""
    return replace(gate, value=None, low=None, high=None, reason=SUPPRESSED_REASON)


def _is_of_few(choice: Choice, choices: Sequence[Choice], fewest: int) -> bool:
    """Return whether an analysis of one's own is of few rows, or of all but few."""
    whole = max((c.n for c in choices if c.dataset == choice.dataset), default=choice.n)
    return choice.kind == "own" and (choice.n < fewest or 0 < whole - choice.n < fewest)


def _suppress_sensitivity(
    found: Sensitivity, kept: DisclosureRules, small: Mapping[str, frozenset[str]]
) -> Sensitivity:
    """Without single rows, and without the rest that a hidden slice would be read from."""
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
