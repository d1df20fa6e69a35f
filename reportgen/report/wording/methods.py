"""Methods in words: targets, designs, folds, intervals and tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from reportgen.report.wording.names import (
    ROWS,
    Case,
    capitalize,
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
    return f"of class {clean_name(dataset.classes[-1].name, 40)}" if dataset.classes else "positive"


def describe_zeros(column: ColumnProfile, classes: Sequence[ClassInfo] = ()) -> str:
    """Describe how many values are zero, or of 0 and 1 how many are one.

    For example `86% zeros`, `14% ones`.
    """
    if column.zeros is None:
        return "how many are zero is not told"
    if column.is_flag:
        of = clean_name(classes[-1].name, 40) if classes else "ones"
        return f"{format_percent(1 - column.zeros / column.n)} {of}"
    return f"{format_percent(column.zeros / column.n)} zeros"


def describe_target_values(
    column: ColumnProfile, case: Case = ROWS, classes: Sequence[ClassInfo] = ()
) -> str:
    """The same as a sentence, with the share of pairs of rows that are tied."""
    tied = format_percent(column.tied_pairs)
    if column.zeros is None:
        return "How many of the target are zero is not told: they are too few."
    share = column.zeros / column.n
    if column.is_flag:
        low, high = (clean_name(each.name, 40) for each in classes) if classes else ("0", "1")
        on = f"on {format_percent(1 - share)} of the {clean_name(case[1])}"
        return f"The target is {high} {on} and {low} on the others."
    return f"{format_percent(share)} of the target are zero; {tied} of its pairs are tied."


def describe_class_sizes(dataset: DatasetInfo) -> str:
    """Describe how many classes the target has, the largest and the smallest that has rows."""
    held = sorted((each for each in dataset.classes if each.n), key=lambda each: -each.n)
    if dataset.labels_per_row is not None:
        return _labels_of(dataset, [(clean_name(each.name, 40), each.n) for each in held])
    said = format_count(len(dataset.classes), "class", "classes")
    if dataset.unlabelled:
        return f"{said}."
    if any(each.is_hidden for each in dataset.classes):
        said += ", some with too few rows to tell how many"
    if not held:
        return f"{said}." if "," in said else f"{said}, none with rows."
    ends = [f"{clean_name(each.name, 40)} ({format_count(each.n)})" for each in (held[0], held[-1])]
    return f"{said}; the largest is {ends[0]}, the smallest {ends[1]}."


def _labels_of(dataset: DatasetInfo, held: Sequence[tuple[str, int]]) -> str:
    """Return how many labels there are and a row has, the most frequent and the rarest."""
    said = format_count(len(dataset.classes), "label")
    if dataset.unlabelled:
        return f"{said}."
    if any(each.is_hidden for each in dataset.classes):
        return f"{said}, some on too few rows to tell how many."
    if not held or dataset.labels_per_row is None:
        return f"{said}, which no {clean_name(dataset.case[0])} has."
    ends = [f"{label} ({format_count(n)})" for label, n in (held[0], held[-1])]
    mean, least, most = dataset.labels_per_row
    each = (
        f"a {clean_name(dataset.case[0])} has {choose_format(mean, None, None).number(mean)} on "
        "average"
    )
    is_shown = least is not None and most is not None
    between = f", {format_count(least)} to {format_count(most)}" if is_shown else ""
    return f"{said}; {each}{between}. The most frequent is {ends[0]}, the rarest {ends[1]}."


def describe_label_counts(column: ColumnProfile, case: Case) -> str:
    """Describe how many of something rows have: on average, at least and most; how many none."""
    one, many = map(clean_name, case)
    what, form = clean_name(column.column), choose_format(column.mean, None, None)
    ends = [format_count(end) for end in (column.minimum, column.maximum)]
    said = f"{capitalize(what)} of a {one}: {form.number(column.mean)} on average, "
    said += ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
    return (
        f"{said}; {format_count(column.zeros, one, many)} without any."
        if column.zeros
        else f"{said}."
    )


_SHOWN = 4  # classes whose shares are named in a sentence


def describe_prevalence(config: Mapping[str, object], dataset: DatasetInfo) -> str:
    """List the shares that rows are weighted to; "" where none are declared."""
    found = _collect_keys(config).get("target")
    return _format_shares(found, dataset) if found is not None else ""


def describe_prevalence_weights(config: Mapping[str, object], dataset: DatasetInfo) -> str:
    """The same as sentences, with what it does to weights and probabilities."""
    said = describe_prevalence(config, dataset)
    if not said:
        return ""
    before = _collect_keys(config).get("trained_at")
    many = clean_name(dataset.case[1])
    moved = (
        ""
        if before is None
        else (
            f" Probabilities are moved from {_format_shares(before, dataset)} to that by their "
            "odds."
        )
    )
    return (
        f"The {many} of each class are weighted to {said} and drawn within it, so that every "
        f"resample has these shares.{moved}"
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
    return join_list([*shares_text, f"{rest} other classes"] if rest > 0 else shares_text)


def _name_class(value: str, classes: Sequence[ClassInfo]) -> str:
    return clean_name(next((each.name for each in classes if each.value == value), value), 40)


_NOUNS: Mapping[Counted, tuple[str, str]] = {
    "row": ("row", "rows"),
    "cluster": ("cluster", "clusters"),
    "query": ("query", "queries"),
    "time": ("point in time", "points in time"),
}


def format_units(number: float | None, counted: Counted) -> str:
    """A number of what was resampled, with its noun.

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
        return (
            "the differences between folds, which share the rows they learn from: their variance "
            "is raised by that share (Nadeau and Bengio 2003); nothing of it rests on resamples"
        )
    if dataset.block_length is not None:
        return _describe_time_blocks(dataset, inference)
    what = fill_case_nouns(dataset.design or "rows", dataset.case)
    if dataset.question == "fitted":
        what = what.replace("strata", "folds")
    if inference.weights == "poisson":
        return f"{what}, each drawn on its own, once on average (Poisson)"
    if inference.weights == "bayesian":
        return f"{what}, with random weights instead of draws (Bayesian bootstrap)"
    return f"{what}, drawn with replacement"


def _describe_time_blocks(dataset: DatasetInfo, inference: Inference) -> str:
    assert dataset.block_length is not None
    length = format_decimal(dataset.block_length, 1)
    order = f" by {clean_name(dataset.time)}" if dataset.time else ""
    source = (
        "as declared"
        if inference.block is not None
        else ("a length found from the data (Politis and White 2004, corrected 2009)")
    )
    return (
        f"blocks of neighbouring times{order}, {length} times long on average, {source}, drawn "
        "with replacement (stationary bootstrap); formulas for independent rows are not used"
    )


PROCEDURE = "the way to learn, fitted again on as many other rows"
FITTED = "the models that made these scores, on other rows"


def describe_question(dataset: DatasetInfo) -> str:
    """Describe what intervals are about, in a few words; "" where one fit scored all rows."""
    if dataset.question is None:
        return ""
    return PROCEDURE if dataset.question == "procedure" else FITTED


def describe_folds(dataset: DatasetInfo) -> str:
    """Describe how many folds there are, in how many rounds, and by which columns."""
    rounds = dataset.rounds
    said = format_count(dataset.folds, "fold")
    if rounds is not None:
        said += f" in each of {format_count(rounds, 'round')}"
    columns = [each for each in (dataset.fold, dataset.repeat) if each is not None]
    return f"{said}, by {join_list([clean_name(each) for each in columns])}"


def format_train_share(dataset: DatasetInfo) -> str:
    """The share of the rows that each model was fitted on."""
    return format_percent(dataset.train_share)


def describe_training_folds(dataset: DatasetInfo) -> str:
    """Describe what the models were fitted on: the other folds, or a smaller part of them."""
    return "rows of other folds" if _is_of_few(dataset) else "the other folds"


def describe_shared_rows(dataset: DatasetInfo) -> str:
    """Describe what folds have in common.

    These are rows to learn from, or, where these are few, rows judged.
    """
    few = "many of the rows that their models could be judged on"
    return few if _is_of_few(dataset) else "most of the rows they learn from"


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
    rows = f"{format_count(first.n)} {clean_name(fresh.case[1])} of {clean_name(first.fit, 40)}"
    said = [
        f"Values on {rows}, which are there to fit on, and on the {format_count(fresh.n)} "
        "judged. A model "
        "that was trained on the former looks better there than it is."
    ]
    sign = {"higher": 1.0, "lower": -1.0}.get(metric.better)
    if sign is None:
        return said
    worse = [_format_size(label, each, metric) for label, each in found if _is_worse(each, sign)]
    label = clean_name(metric.label, 60)
    if not worse:
        return [*said, f"On fresh rows no model is found to be worse on {label}."]
    return [*said, f"On fresh rows {label} is worse for {join_list(worse)}."]


def _is_worse(gap: TrainTestGap, sign: float) -> bool:
    """Tell whether all of the gap's limits are on the bad side of zero."""
    return gap.low is not None and gap.high is not None and max(sign * gap.low, sign * gap.high) < 0


def _format_size(label: str, gap: TrainTestGap, metric: MetricInfo) -> str:
    form = choose_format(gap.difference, gap.low, gap.high, metric.unit, (0.0,))
    between = form.interval(gap.low, gap.high, signed=True)
    return f"{clean_name(label, 40)} ({form.amount(gap.difference, signed=True)}; {between})"


# The first entry whose words all occur in the name is taken, so the special come first.
_REASONS: tuple[tuple[str, str], ...] = (
    ("wilson", "a share near 0 or 1 keeps its coverage, where a bootstrap falls short"),
    (
        "clopper-pearson",
        "fewer than ten of its rows count, or fewer than ten do not: these limits are exact",
    ),
    ("newcombe", "adds the squared distances to Wilson's limits of the shares it is made of"),
    ("tango", "only rows on which the two models differ carry evidence, and few of them may do"),
    (
        "mcnemar",
        "only the rows on which the two models differ carry evidence; mid-p, not corrected for "
        "continuity",
    ),
    ("hollander", "the classical variance of pairs, for data without ties or weights"),
    ("noether", "the variance as first published; for data without ties or weights"),
    ("delong", "the exact variance of a share of pairs; on the logit scale it stays inside 0 to 1"),
    (
        "corrected",
        "folds share the rows they learn from; their variance is raised by that share "
        "(Nadeau and Bengio 2003)",
    ),
    ("diebold", "compares the mean loss of the two models, allowing for dependence in time"),
    (
        "sign flip",
        "needs only that the differences are symmetric, and is exact where there are few",
    ),
    ("sign", "counts how often each is ahead, whatever by how much; not a test of a mean"),
    ("bonett", "Fisher's z with a standard error that holds for small samples"),
    ("fisher", "a correlation is nearly Normal on Fisher's z, and stays inside −1 to 1"),
    ("logit", "on the logit scale the interval of a share of pairs stays inside 0 to 1"),
    ("few-units", "fewer than ten units: Student's t and the standard error, if these say less"),
    (
        "exact-share",
        "few differ: exact limits of the shares ahead and behind, times the largest difference",
    ),
    ("exact-bound", "what as many independent rows or pairs that all agree allow"),
    ("bca", "corrects the bootstrap for bias and skew where no formula is known"),
    (
        "multiplier",
        "each row's share of the error under random signs; resamples of an edge spread too far",
    ),
    (
        "student",
        "each replicate is divided by its own standard error, which holds with skewed losses",
    ),
    ("log-bootstrap", "standard error on the log scale, where a positive measure is symmetric"),
    ("log-influence", "a formula on the log scale, where a positive measure is symmetric"),
    ("log", "studentized on the log scale, where a positive measure is nearly symmetric"),
    (
        "sup-t of all",
        "the band holds for the curves of all pairs at once, the inner one for each point",
    ),
    (
        "sup-t by grid",
        "the band holds for the whole curve at once; how far resamples lie from the curve is found "
        "from rows in the cells of a grid, with standard errors within 2% of those row by row",
    ),
    ("sup-t", "the band holds for the whole curve at once, the inner one for each point"),
    ("gaussian", "bootstrap standard error with a Normal p-value, as in the published study"),
    ("max-t", "allows for all comparisons together, and for how strongly they agree"),
    ("influence", "each row's pull on the measure gives its variance; ties and weights included"),
    ("analytic", "a formula for the variance of this measure, ties and weights included"),
    ("null-bootstrap-t", "the bootstrap centred where there is none, in standard errors"),
    ("null", "the bootstrap of the difference, centred where there is none"),
    ("symmetric", "how far replicates lie from the estimate to either side, as its test counts"),
    ("size", "allows for either sign of both models, where sizes are compared near zero"),
    ("percentile", "the middle of the replicates as they are"),
    ("basic", "the middle of the replicates, mirrored at the estimate"),
    ("wilcoxon", "tests that differences are symmetric, which is not a test of a mean"),
    ("jackknife", "the spread of the values without each row"),
    ("bootstrap", "standard error over paired resamples; held up best for paired differences"),
    (
        "paired t",
        "the mean of paired differences is nearly Normal; t allows for their estimated spread",
    ),
    ("z", "the estimate divided by its standard error is nearly Normal"),
    ("t", "the mean over independent units is nearly Normal; t allows for the estimated spread"),
)


_FORMULAS = frozenset(
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
    return method.partition(",")[0].strip().lower() in _FORMULAS


def describe_interval_sources(
    values: Iterable[str], differences: Iterable[str], resamples: str
) -> str:
    """Say from what intervals are found, of values and of differences, by their methods.

    >>> describe_interval_sources(["studentized"], ["bca"], "199 resamples, seed 1")
    'from 199 resamples, seed 1'
    >>> describe_interval_sources(["studentized"], ["t"], "199 resamples, seed 1")
    'of values from 199 resamples, seed 1, of differences by formulas'
    >>> describe_interval_sources(["t", "bca"], ["t", "symmetric"], "199 resamples, seed 1")
    'by formulas or from 199 resamples, seed 1'
    >>> describe_interval_sources(["wilson"], [], "199 resamples, seed 1")
    'by formulas'
    """
    both = _format_source(values, resamples), _format_source(differences, resamples)
    found = [each for each in dict.fromkeys(both) if each]
    if len(found) > 1:
        return f"of values {both[0]}, of differences {both[1]}"
    return found[0] if found else _describe_resamples(resamples)


_BY_FORMULAS = "by formulas"


def _describe_resamples(resamples: str) -> str:
    return f"from {resamples}"


def _format_source(methods: Iterable[str], resamples: str) -> str:
    kinds = {is_formula_method(method) for method in methods if method}
    parts = [_BY_FORMULAS] * (True in kinds) + [_describe_resamples(resamples)] * (False in kinds)
    return " or ".join(parts)


def explain_method(method: str) -> str:
    """Why this method suits what it is used for; empty where nothing is known of it.

    >>> explain_method("Wilson")
    'a share near 0 or 1 keeps its coverage, where a bootstrap falls short'
    >>> explain_method("paired t")
    'the mean of paired differences is nearly Normal; t allows for their estimated spread'
    >>> explain_method("")
    ''
    """
    low = method.lower()
    words = set(low.replace("-", " ").replace("(", " ").split())
    for key, reason in _REASONS:
        if key in words if len(key) < 3 else key in low:
            return reason
    return ""


def format_method(method: str) -> str:
    """A method's name with its reason.

    >>> format_method("percentile")
    'percentile: the middle of the replicates as they are'
    """
    reason = explain_method(method)
    return f"{method}: {reason}" if reason else (method or "not recorded")
