"""Names that users typed, made safe for sentences; lists of names; kinds of metrics."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from reportgen.results import Results
from reportgen.results.core import ClassInfo, DatasetInfo, MetricInfo, ModelInfo
from reportgen.results.types import Scalar
from reportgen.text import clean_text, cut_at_word, shorten

Case = tuple[str, str]
"""The nouns for one row and for several."""
ROWS: Case = ("row", "rows")
POSITIVES: Case = ("positive", "positives")
LONGEST = 60
_NAMED_IN_WARNINGS = ("other", "binned", "of_classes", "without")  # a model, metrics
LISTS_IN_WARNINGS = ("binned", "of_classes", "without", "unseen")  # names, or codes
LIST_MARK = ", "
_ADJUSTMENTS = {
    "bonferroni": "Bonferroni",
    "holm": "Holm for p-values, Bonferroni for intervals",
    "maxt": "Romano and Wolf's step-down max-T",
    "bh": "Benjamini and Hochberg for p-values, Bonferroni for intervals",
    "none": "not adjusted for their number",
}
_OWN_WAY = re.compile(r"[a-z]+[A-Z0-9_]")  # nDCG, dense_v2
_ORDINARY = frozenset(
    """
    absolute accuracy area asymmetric average balanced bias binary calibration capture coefficient
    continuous cost coverage cumulated cumulative cut-off deviance difference discrimination
    distance eleven-point error expected false first flagged found geometric graded
    interpolated interval judged label last lift log markedness mean median miscalibration
    misclassification missed negative net normalised observed odds one-error over-estimation
    partial pinball positive precision rank rank-biased ranked ranking recall reciprocal
    regression relative rest root score share slope smooth specificity squared subset success sum
    symmetric tied top top-k true under-estimation variance weighted
    """.split()
)


def clean_name(text: str, most: int = LONGEST) -> str:
    r"""A name without control and direction characters, cut to a length that a line can hold.

    >>> clean_name("new\u202emodel\n"), clean_name("Boosting retrained in the quarter no. 3",
    ...     most=25)
    ('newmodel', 'Boosting…no. 3')
    >>> clean_name("a_very_long_name_of_a_model_2", most=20)
    'a_very_long_…model_2'
    """
    return shorten(_normalize_spaces(text), most)


def clean_prose(text: str, most: int) -> str:
    """Sentences that people typed, made as safe as a name, cut at the end of a word.

    >>> clean_prose("It holds for this year, not for the next.", most=24)
    'It holds for this year,…'
    >>> clean_prose("It holds for this year, not for the next.", most=30)
    'It holds for this year, not…'
    """
    typed = _normalize_spaces(text)
    return typed if len(typed) <= most else cut_at_word(typed, most - 1).rstrip() + "…"


def lower_first_word(label: str) -> str:
    """A metric's label inside a sentence: an ordinary first word loses its capital.

    >>> lower_first_word("Mean absolute error"), lower_first_word("Kendall τ-b"), lower_first_word(
    ...     "RMSE")
    ('mean absolute error', 'Kendall τ-b', 'RMSE')
    """
    first = label.partition(" ")[0]
    is_ordinary = first[:1].isupper() and first.lower() in _ORDINARY
    return label[:1].lower() + label[1:] if is_ordinary else label


def is_named(name: str, text: str) -> bool:
    """Tell whether a text has a name, not just as part of a word.

    >>> is_named("m1", "Keep m1."), is_named("m1", "Keep m12.")
    (True, False)
    """
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def pluralize(noun: str) -> str:
    """Make the plural of a column's name, such as that of clusters.

    >>> pluralize("day"), pluralize("groups"), pluralize("user_id")
    ('days', 'groups', 'different values of user_id')
    """
    name = clean_name(noun)
    if not (name.isalpha() and name.islower()):
        return f"different values of {name}"
    return name if name.endswith("s") else f"{name}s"


def format_adjustment(name: str) -> str:
    """Return how several comparisons are allowed for together.

    >>> format_adjustment("holm")
    'Holm for p-values, Bonferroni for intervals'
    """
    return _ADJUSTMENTS.get(name.lower().replace("-", "").replace("_", ""), name)


def count_comparisons(level: float, base: float) -> int:
    """Count the comparisons that limits at `level` allow for, where those of one are at `base`.

    >>> count_comparisons(0.99, 0.95), count_comparisons(0.95, 0.95)
    (5, 1)
    """
    return round((1 - base) / (1 - level)) if level < 1 else 1


def capitalize(sentence: str) -> str:
    """A sentence with its first letter large.

    A name that is written in a way of its own stays as it is.

    >>> capitalize("mean absolute error is undefined."), capitalize("nDCG@10"), capitalize(
    ...     "dense_v2: none")
    ('Mean absolute error is undefined.', 'nDCG@10', 'dense_v2: none')
    """
    if _OWN_WAY.match(sentence):
        return sentence
    return sentence[:1].upper() + sentence[1:]


def start_with_name(label: str) -> str:
    """Begin a sentence or a cell with a name: it stays as typed, but for an article.

    >>> start_with_name("the current model"), start_with_name("dense_v2")
    ('The current model', 'dense_v2')
    """
    return capitalize(label) if label.startswith(("the ", "a ", "an ")) else label


def join_list(items: Iterable[str], most: int = 4) -> str:
    """Items in a sentence, the rest as a number.

    >>> join_list("a"), join_list("ab"), join_list("abc"), join_list("abcdef")
    ('a', 'a and b', 'a, b and c', 'a, b, c and 3 others')
    """
    every: Sequence[str] = tuple(items)
    if len(every) > most:
        every = (*every[: most - 1], f"{len(every) - most + 1} others")
    return " and ".join(filter(None, (", ".join(every[:-1]), *every[-1:])))


def format_segment(dataset: DatasetInfo, segment: str | None) -> str:
    """Format the name of a segment: `Repeat customers`, or its column and value."""
    info = next((s for s in dataset.segments if s.segment == segment), None)
    if info is None or not (info.label or info.value_label):
        return clean_name((segment or "").replace("=", ": ", 1), 40)
    value = clean_name(info.value_label or info.value, 40)
    if info.value_label and dataset.case != ("row", "rows"):
        return f"{value} {clean_name(dataset.case[1])}"
    return f"{clean_name(info.label or info.column, 40)}: {value}"


def format_segment_column(dataset: DatasetInfo, by: str) -> str:
    """Format a column of segments: its label, or else its name in the data."""
    label = next((s.label for s in dataset.segments if s.column == by and s.label), by)
    return clean_name(label, 40)


def format_segment_value(dataset: DatasetInfo, by: str, value: str) -> str:
    """Format the value of a segment, beside the name of its column: its label, or the value."""
    known = next((s for s in dataset.segments if (s.column, s.value) == (by, value)), None)
    return clean_name((known and known.value_label) or value, 40)


def fill_case_nouns(text: str, case: Case, *, is_template: bool = False) -> str:
    """A fixed sentence with the nouns that rows go by; names that people typed are not in it yet.

    Of a template, whose names are filled in later, those names stay and braces of a noun are
    doubled.

    >>> fill_case_nouns("Rows left: each row that has {n} rows.", ("query", "queries"))
    'Queries left: each query that has {n} queries.'
    >>> fill_case_nouns("{n} rows", ("{a}", "{b}"), is_template=True).format(n=3)
    '3 {b}'
    >>> fill_case_nouns("{rows} rows", ("image", "images"), is_template=True)
    '{rows} images'
    """
    if case == ROWS:
        return text

    def noun(found: re.Match[str]) -> str:
        said = clean_name(case[bool(found[2])])
        said = capitalize(said) if found[1] == "R" else said
        return said.replace("{", "{{").replace("}", "}}") if is_template else said

    return re.sub(r"(?<!\{)\b([Rr])ow(s?)\b", noun, text)


def _normalize_spaces(text: str) -> str:
    """The words of a text; one in which nothing can be seen is said to be blank."""
    return clean_text(" ".join(text.split())).strip() or ("(blank)" if text else "")


FOUND_ELSEWHERE = "Score"  # the title of the metric `finished_score`, which a test holds


def judges_amounts(metric: MetricInfo, needs: str) -> bool:
    """Tell whether a metric judges amounts, or orders.

    Outcomes of calls, which need an order, do not.

    >>> capture = MetricInfo("c", "c", {}, "C", "higher", "share", (0, 1), "", "", "",
    ...                      needs="order", kind="decision")
    >>> judges_amounts(capture, "order")
    False
    """
    is_of_errors = needs == "order" and metric.kind in ("cost", "decision")
    return metric.needs == needs and not is_of_errors


def capitalize_label(metric: MetricInfo) -> str:
    """A metric's label where a sentence begins: a name as it is written, a phrase with a capital.

    >>> from dataclasses import replace
    >>> named = MetricInfo("c", "c", {}, "net gain", "higher", "1", (0, 1), "", "", "")
    >>> capitalize_label(named), capitalize_label(replace(named, phrase="net gain"))
    ('net gain', 'Net gain')
    """
    label = clean_name(metric.label)
    return capitalize(label) if metric.phrase and clean_name(metric.phrase) == label else label


def find_full_title(metric: MetricInfo) -> str:
    """Find what a metric is called that a config calls something else; "" where its label says it.

    "" of a value that was found elsewhere, too: what it is, its label in the config alone says.

    >>> from dataclasses import replace
    >>> named = MetricInfo("t", "t", {}, "right in two", "higher", "1", (0, 1), "", "", "",
    ...                    title="Top-k accuracy")
    >>> find_full_title(named), find_full_title(replace(named, label="Top-k accuracy at 5"))
    ('Top-k accuracy', '')
    """
    is_said = metric.title == FOUND_ELSEWHERE or metric.title.lower() in metric.label.lower()
    return "" if is_said else metric.title


def distance_prefix(metric: MetricInfo) -> str:
    """Return the words before a metric whose differences are of distances from what is best."""
    if metric.better == "one":
        return "distance from 1 of "
    return "size of " * (metric.better == "zero")


_CUTS = (24, 30, 40, 60)  # to as many characters names are cut on the pages
_ORDINARY_WORDS = ("all", "any", "both", "every", "no class", "none", "nothing", "other", "others")
_SHORT = 8  # a longer key would itself be cut


def make_names_distinct(results: Results) -> Results:
    """The results with names as the pages print them.

    A metric whose label is the short name that the config gave it, to be quoted by, goes by its
    phrase where it has one. Models' names that a cut makes equal have a key or a number before
    them, and so have those that are equal as they were typed, and classes. A class that is called
    by an ordinary word such as none has quotes.
    """
    results = replace(
        results,
        metrics=tuple(map(_label_by_phrase, results.metrics)),
        datasets=tuple(replace(d, classes=_name_apart(d.classes)) for d in results.datasets),
    )
    alike = {name for most in _CUTS for name in _alike(results, most)}
    models = tuple(
        _mark_label(model, place) if model.name in alike else model
        for place, model in enumerate(results.models, 1)
    )
    return replace(results, models=models) if alike else results


def _label_by_phrase(metric: MetricInfo) -> MetricInfo:
    """The phrase as label, where the label is a bare key; a key of several words is a label."""
    is_short = metric.label == metric.key and " " not in metric.key and metric.phrase
    return replace(metric, label=metric.phrase) if is_short else metric


def _name_apart(classes: tuple[ClassInfo, ...]) -> tuple[ClassInfo, ...]:
    """Classes with names that stay different where they are cut.

    >>> ends = ("Stage II, confirmed", "Stage III, confirmed")
    >>> long = tuple(ClassInfo(e, f"Carcinoma of the ascending colon, {e}", 9) for e in ends)
    >>> [each.name[:16] for each in _name_apart(long)]
    ['1: Carcinoma of ', '2: Carcinoma of ']
    >>> _name_apart((ClassInfo("none", "none", 9),))[0].name
    '“none”'
    """
    alike = set()
    for most in _CUTS:
        cut = [clean_name(each.name, most) for each in classes]
        times = Counter(cut)
        alike |= {k for k, label in enumerate(cut) if times[label] > 1}
    return tuple(
        replace(each, name=f"{k + 1}: {each.name}")
        if k in alike
        else replace(each, name=f"“{each.name}”")
        if each.name.lower() in _ORDINARY_WORDS
        else each
        for k, each in enumerate(classes)
    )


def _alike(results: Results, most: int) -> list[str]:
    """Models whose name, cut to a length, is that of another."""
    cut = {model.name: clean_name(model.label, most) for model in results.models}
    times = Counter(cut.values())
    return [model for model, label in cut.items() if times[label] > 1]


def _mark_label(model: ModelInfo, place: int) -> ModelInfo:
    mark = model.name if len(model.name) <= _SHORT else str(place)
    return replace(model, label=f"{mark}: {model.label}")


def replace_by_labels(
    numbers: Mapping[str, Scalar], labels: Mapping[str, str]
) -> dict[str, Scalar]:
    """Replace the model, metrics and class that the numbers of a warning name by their labels.

    Of a class `labels` have “class” before its value.

    >>> replace_by_labels({"share": 0.5, "other": "m2"}, {"m2": "Dense"})
    {'share': 0.5, 'other': 'Dense'}
    >>> replace_by_labels({"binned": "roc_auc, gini"}, {"roc_auc": "AUC", "gini": "Gini"})
    {'binned': 'AUC, Gini'}
    >>> replace_by_labels({"class": "1"}, {"1": "Dense", "class 1": "left"})
    {'class': 'left'}
    """
    named: dict[str, Scalar] = {}
    for key, value in numbers.items():
        if key in _NAMED_IN_WARNINGS and isinstance(value, str):
            each = value.split(LIST_MARK) if key in LISTS_IN_WARNINGS else [value]
            named[key] = LIST_MARK.join(labels.get(one, one) for one in each)
        elif key == "class":
            named[key] = labels.get(f"class {value}", value)
    return {**numbers, **named}


def list_class_labels(datasets: Iterable[DatasetInfo]) -> dict[str, str]:
    """Map what classes are called, by their values after “class”: a model may be called the same.

    All classes but one stand after “class not”.
    """
    each = [one for info in datasets for one in info.classes]
    others = {f"class not {one.value}": f"not {one.name}" for one in each}
    return others | {f"class {one.value}": one.name for one in each}


def metric_phrase(metric: MetricInfo) -> str:
    """Return what page one calls a metric inside a sentence."""
    return (
        clean_name(metric.phrase) if metric.phrase else lower_first_word(clean_name(metric.label))
    )


def metric_heading(metric: MetricInfo) -> str:
    """Return what page one calls a metric at the start of a line: a name stays as it is written."""
    return capitalize(clean_name(metric.phrase)) if metric.phrase else capitalize_label(metric)


def use_case_unit(metric: MetricInfo, dataset: DatasetInfo) -> MetricInfo:
    """The metric with the noun of the dataset's rows in its unit, where it is one per case."""
    noun = dataset.case[0]
    return replace(metric, unit=metric.unit.replace(" per case", f" per {clean_name(noun)}"))
