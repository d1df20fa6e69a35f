"""Methods in words: targets, designs, folds, intervals and tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from reportgen.report import prose
from reportgen.report.wording.names import (
    ROWS,
    Case,
    clean_name,
    fill_case_nouns,
    join_list,
)
from reportgen.report.wording.numbers import (
    choose_format,
    format_count,
    format_decimal,
    format_percent,
)
from reportgen.results.across_datasets import TrainTestGap
from reportgen.results.core import ClassInfo, ColumnProfile, DatasetInfo, Inference, MetricInfo
from reportgen.results.types import Counted


def describe_positive_rows(dataset: DatasetInfo) -> str:
    """Name the rows of the upper of two classes: `describe_positive_rows`, or `of class left`."""
    name = clean_name(dataset.classes[-1].name, 40) if dataset.classes else ""
    return prose.line("column.positive", name=name)


def describe_zeros(column: ColumnProfile, classes: Sequence[ClassInfo] = ()) -> str:
    """Describe how many values are zero, or of 0 and 1 how many are one.

    For example `86% zeros`, `14% ones`.
    """
    if column.zeros is None:
        return prose.line("column.zeros_hidden")
    if column.is_flag:
        name = clean_name(classes[-1].name, 40) if classes else ""
        share = format_percent(1 - column.zeros / column.n)
        return prose.line("column.ones", share=share, name=name)
    return prose.line("column.zeros", share=format_percent(column.zeros / column.n))


def describe_target_values(
    column: ColumnProfile, case: Case = ROWS, classes: Sequence[ClassInfo] = ()
) -> str:
    """Describe the same in a sentence, with the share of pairs of rows that are tied."""
    if column.zeros is None:
        return prose.line("target.zeros_hidden")
    share = column.zeros / column.n
    if column.is_flag:
        low, high = (clean_name(each.name, 40) for each in classes) if classes else ("0", "1")
        return prose.line(
            "target.classes",
            high=high,
            low=low,
            share=format_percent(1 - share),
            cases=clean_name(case[1]),
        )
    tied = format_percent(column.tied_pairs)
    return prose.line("target.zeros", share=format_percent(share), tied=tied)


def describe_class_sizes(dataset: DatasetInfo) -> str:
    """Describe how many classes the target has, the largest and the smallest that has rows."""
    held = sorted((each for each in dataset.classes if each.n), key=lambda each: -each.n)
    if dataset.labels_per_row is not None:
        return _labels_of(dataset, [(clean_name(each.name, 40), each.n) for each in held])
    count = format_count(len(dataset.classes), "class", "classes")
    is_known = not dataset.unlabelled
    is_hidden = is_known and any(each.is_hidden for each in dataset.classes)
    ends = [f"{clean_name(each.name, 40)} ({format_count(each.n)})" for each in held]
    return prose.line(
        "classes.sizes",
        count=count,
        is_some_hidden=is_hidden,
        largest=ends[0] if ends and is_known else "",
        smallest=ends[-1] if ends else "",
        is_empty=is_known and not held and not is_hidden,
    )


def _labels_of(dataset: DatasetInfo, held: Sequence[tuple[str, int]]) -> str:
    """Describe how many labels there are and a row has, the most frequent and the rarest."""
    count, case = format_count(len(dataset.classes), "label"), clean_name(dataset.case[0])
    is_hidden = not dataset.unlabelled and any(each.is_hidden for each in dataset.classes)
    if dataset.unlabelled or is_hidden:
        return prose.line("labels.count", count=count, is_some_hidden=is_hidden)
    if not held or dataset.labels_per_row is None:
        return prose.line("labels.none", count=count, case=case)
    ends = [f"{label} ({format_count(n)})" for label, n in (held[0], held[-1])]
    mean, least, most = dataset.labels_per_row
    is_shown = least is not None and most is not None
    return prose.line(
        "labels.sizes",
        count=count,
        case=case,
        mean=choose_format(mean, None, None).number(mean),
        least=format_count(least) if is_shown else "",
        most=format_count(most) if is_shown else "",
        largest=ends[0],
        smallest=ends[1],
    )


def describe_label_counts(column: ColumnProfile, case: Case) -> str:
    """Describe how many of something rows have: on average, at least and most; how many none."""
    one, many = map(clean_name, case)
    least, most = (format_count(end) for end in (column.minimum, column.maximum))
    return prose.line(
        "labels.counted",
        what=clean_name(column.column),
        case=one,
        mean=choose_format(column.mean, None, None).number(column.mean),
        least=least,
        most="" if most == least else most,
        without=format_count(column.zeros, one, many) if column.zeros else "",
    )


_SHOWN = 4  # classes whose shares are named in a sentence


def describe_prevalence(config: Mapping[str, object], dataset: DatasetInfo) -> str:
    """List the shares that rows are weighted to; "" where none are declared."""
    found = _collect_keys(config).get("target")
    return _format_shares(found, dataset) if found is not None else ""


def describe_prevalence_weights(config: Mapping[str, object], dataset: DatasetInfo) -> str:
    """Describe the same in sentences, with what it does to weights and probabilities."""
    shares = describe_prevalence(config, dataset)
    if not shares:
        return ""
    before = _collect_keys(config).get("trained_at")
    return prose.line(
        "prevalence.weights",
        cases=clean_name(dataset.case[1]),
        shares=shares,
        before="" if before is None else _format_shares(before, dataset),
    )


def _collect_keys(config: Mapping[str, object]) -> Mapping[str, object]:
    found = config.get("prevalence")
    return found if isinstance(found, dict) else {}


def _format_shares(found: object, dataset: DatasetInfo) -> str:
    if not isinstance(found, dict):
        share = found if isinstance(found, float | int) else 0.0
        return f"{format_percent(share)} {describe_positive_rows(dataset)}"
    most = sorted(found.items(), key=lambda each: -float(each[1]))
    shares_text = [
        f"{format_percent(float(share))} {_name_class(value, dataset.classes)}"
        for value, share in most[:_SHOWN]
    ]
    rest = len(most) - _SHOWN
    more = [prose.line("prevalence.others", count=rest)] if rest > 0 else []
    return join_list([*shares_text, *more])


def _name_class(value: str, classes: Sequence[ClassInfo]) -> str:
    return clean_name(next((each.name for each in classes if each.value == value), value), 40)


_NOUNS: Mapping[Counted, tuple[str, str]] = {
    "row": ("row", "rows"),
    "cluster": ("cluster", "clusters"),
    "query": ("query", "queries"),
    "time": ("point in time", "points in time"),
}


def format_units(number: float | None, counted: Counted) -> str:
    """Format a number of what was resampled, with its noun.

    >>> format_units(1, "row"), format_units(2000, "query"), format_units(3, "time")
    ('1 row', '2,000 queries', '3 points in time')
    """
    return format_count(number, *_NOUNS[counted])


def name_unit(counted: Counted) -> tuple[str, str]:
    """Return what one of them, and several, are called.

    >>> name_unit("cluster")
    ('cluster', 'clusters')
    """
    return _NOUNS[counted]


def describe_design(dataset: DatasetInfo, inference: Inference) -> str:
    """Describe what was drawn from a dataset, and how; or what varies in place of draws."""
    if dataset.question == "procedure":
        return prose.line("design.folds")
    if dataset.block_length is not None:
        return _describe_time_blocks(dataset, inference)
    what = fill_case_nouns(dataset.design or "rows", dataset.case)
    if dataset.question == "fitted":
        what = what.replace("strata", "folds")
    if inference.weights == "poisson":
        return prose.line("design.poisson", what=what)
    if inference.weights == "bayesian":
        return prose.line("design.bayesian", what=what)
    return prose.line("design.multinomial", what=what)


def _describe_time_blocks(dataset: DatasetInfo, inference: Inference) -> str:
    assert dataset.block_length is not None
    return prose.line(
        "design.blocks",
        time=clean_name(dataset.time) if dataset.time else "",
        length=format_decimal(dataset.block_length, 1),
        is_declared=inference.block is not None,
    )


def describe_question(dataset: DatasetInfo) -> str:
    """Describe what intervals are about, in a few words; "" where one fit scored all rows."""
    return "" if dataset.question is None else prose.term("intervals_about", dataset.question)


def describe_folds(dataset: DatasetInfo) -> str:
    """Describe how many folds there are, in how many rounds, and by which columns."""
    columns = [each for each in (dataset.fold, dataset.repeat) if each is not None]
    return prose.line(
        "folds.design",
        folds=format_count(dataset.folds, "fold"),
        rounds="" if dataset.rounds is None else format_count(dataset.rounds, "round"),
        columns=[clean_name(each) for each in columns],
    )


def format_train_share(dataset: DatasetInfo) -> str:
    """Format the share of the rows that each model was fitted on."""
    return format_percent(dataset.train_share)


def describe_training_folds(dataset: DatasetInfo) -> str:
    """Describe what the models were fitted on: the other folds, or a smaller part of them."""
    return prose.line("folds.fitted_on", is_of_few=_is_of_few(dataset))


def describe_shared_rows(dataset: DatasetInfo) -> str:
    """Describe what folds have in common.

    These are rows to learn from, or, where these are few, rows judged.
    """
    return prose.line("folds.shared", is_of_few=_is_of_few(dataset))


def _is_of_few(dataset: DatasetInfo) -> bool:
    return dataset.train_share is not None and dataset.train_share < 0.5


def describe_generalization(
    found: Sequence[tuple[str, TrainTestGap]], metric: MetricInfo, fresh: DatasetInfo
) -> list[str]:
    """Describe which samples are compared.

    Also how far each model falls behind on fresh rows.

    `found` are the gaps of one metric by the labels of models.
    """
    first = found[0][1]
    said = [
        prose.line(
            "fit_rows.values",
            rows=format_count(first.n, *map(clean_name, fresh.case)),
            fit=clean_name(first.fit, 40),
            judged=format_count(fresh.n),
        )
    ]
    sign = {"higher": 1.0, "lower": -1.0}.get(metric.better)
    if sign is None:
        return said
    worse = [_format_size(label, each, metric) for label, each in found if _is_worse(each, sign)]
    return [*said, prose.line("fit_rows.worse", worse=worse, metric=clean_name(metric.label, 60))]


def _is_worse(gap: TrainTestGap, sign: float) -> bool:
    """Tell whether all of the gap's limits are on the bad side of zero."""
    return gap.low is not None and gap.high is not None and max(sign * gap.low, sign * gap.high) < 0


def _format_size(label: str, gap: TrainTestGap, metric: MetricInfo) -> str:
    form = choose_format(gap.difference, gap.low, gap.high, metric.unit, (0.0,))
    between = form.plain_interval(gap.low, gap.high, signed=True)
    return f"{clean_name(label, 40)} ({form.amount(gap.difference, signed=True)}; {between})"


METHODS = (
    "anytime",
    "e-value",
    "wilson",
    "clopper-pearson",
    "newcombe",
    "tango",
    "mcnemar",
    "hollander",
    "noether",
    "delong",
    "corrected",
    "diebold",
    "sign flip",
    "sign",
    "bonett",
    "fisher",
    "logit",
    "few-units",
    "exact-share",
    "exact-bound",
    "edge",
    "bca",
    "multiplier",
    "student",
    "log-bootstrap",
    "log-influence",
    "log",
    "sup-t of all",
    "sup-t by grid",
    "sup-t",
    "gaussian",
    "max-t",
    "influence",
    "analytic",
    "null-bootstrap-t",
    "null",
    "symmetric",
    "size",
    "percentile",
    "basic",
    "wilcoxon",
    "jackknife",
    "bootstrap",
    "paired t",
    "z",
    "t",
)
"""Names of methods, or parts of them, the special ones first; each has a reason."""
_FORMULAS = frozenset({"anytime"}) | frozenset(
    """
    bonett-wright clopper-pearson corrected-t exact-bound exact-share few-units fisher-z
    hollander-wolfe influence log-influence logit-influence newcombe noether t tango wilson
    """.split()
)
"""Intervals that no resample has a part in."""


def is_formula_method(method: str) -> bool:
    """Tell whether an interval is found by a formula alone, without resamples.

    >>> is_formula_method("t"), is_formula_method("influence, clustered"), is_formula_method(
    ...     "fisher-z-studentized")
    (True, True, False)
    """
    name = method.partition(",")[0].strip().lower()
    return name in _FORMULAS or name.startswith("edge")


def describe_interval_sources(
    values: Iterable[str], differences: Iterable[str], resamples: str
) -> str:
    """Say from what intervals are found, of values and of differences, by their methods.

    >>> describe_interval_sources(["studentized"], ["bca"], "199 resamples, seed 1")
    'come from 199 resamples, seed 1'
    >>> describe_interval_sources(["studentized"], ["t"], "199 resamples, seed 1")
    'of values come from 199 resamples, seed 1; CIs of differences come from formulas'
    >>> describe_interval_sources(["t", "bca"], ["t", "symmetric"], "199 resamples, seed 1")
    'come from formulas or 199 resamples, seed 1'
    >>> describe_interval_sources(["wilson"], [], "199 resamples, seed 1")
    'come from formulas'
    """
    both = _format_source(values, resamples), _format_source(differences, resamples)
    found = [each for each in dict.fromkeys(both) if each]
    if len(found) > 1:
        return prose.line("sources.both", values=both[0], differences=both[1])
    return found[0] if found else prose.line("sources.resamples", resamples=resamples)


def _format_source(methods: Iterable[str], resamples: str) -> str:
    kinds = {is_formula_method(method) for method in methods if method}
    if kinds == {True}:
        return prose.line("sources.formulas")
    if kinds == {False}:
        return prose.line("sources.resamples", resamples=resamples)
    return prose.line("sources.either", resamples=resamples) if kinds else ""


def explain_method(method: str) -> str:
    """Say why this method suits what it is used for; empty where nothing is known of it.

    >>> explain_method("Wilson")
    'for a share near 0 or 1, this interval keeps its coverage; a bootstrap interval is too narrow'
    >>> explain_method("paired t")
    'the mean of paired differences is nearly Normal; t allows for their estimated spread'
    >>> explain_method("")
    ''
    """
    low = method.lower()
    words = set(low.replace("-", " ").replace("(", " ").split())
    for key in METHODS:
        if key in words if len(key) < 3 else key in low:
            return prose.term("method_reason", key)
    return ""


def format_method(method: str) -> str:
    """Name a method with its reason.

    >>> format_method("percentile")
    'percentile: the middle part of the resampled values (percentile interval)'
    """
    reason = explain_method(method)
    return f"{method}: {reason}" if reason else method or prose.line("method.unknown")
