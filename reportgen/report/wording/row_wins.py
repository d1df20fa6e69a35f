"""Wins and losses of single rows in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.report.wording.names import Case, capitalize, clean_name, join_list
from reportgen.report.wording.numbers import (
    choose_format,
    format_bare_p_value,
    format_count,
    format_percent,
)
from reportgen.results.core import MetricInfo
from reportgen.results.sensitivity import AlternativeChoice, Harm, JudgementCoverage, Wins
from reportgen.results.types import Number

CHOICES: Mapping[str, str] = {
    "as declared": "as declared",
    "ties": "tied documents",
    "gain": "gain of a grade",
    "no_relevant": "queries without a relevant document",
    "relevant": "lowest relevant grade",
    "unjudged": "documents that nobody judged",
    "missing_query": "queries that a run lacks",
    "k": "ranks looked at",
}
POLICIES: Mapping[str, str] = {
    "like": "Begun as",
    "relevant": "Lowest grade of a relevant document",
    "ties": "Tied documents",
    "gain": "Gain of a grade",
    "denominator": "Average precision is divided by",
    "no_relevant": "Queries without a relevant document",
    "unjudged": "Documents that nobody judged",
    "missing_document": "Judged documents without a score",
    "missing_query": "Queries that a run lacks",
    "negative": "Grades below 0",
    "depth": "Ranks considered",
    "top_grade": "Highest grade of the scale",
    "grade_weights": "Weights of grades",
    "grades": "Grades of labels",
}
CONVENTION_TEXTS: Mapping[tuple[str, str], str] = {
    ("ties", "expected"): "the mean over all their orders",
    ("ties", "trec"): "by single precision and then by id, as trec_eval does",
    ("ties", "optimistic"): "the best order by grade",
    ("ties", "pessimistic"): "the worst order by grade",
    ("gain", "linear"): "the grade",
    ("gain", "exp2"): "2^grade − 1",
    ("denominator", "relevant"): "the relevant documents judged",
    ("denominator", "k"): "k",
    ("denominator", "min"): "the smaller of k and the relevant documents judged",
    ("no_relevant", "skip"): "are left out of the measure",
    ("no_relevant", "zero"): "have 0",
    ("no_relevant", "one"): "have 1, and 0 in CG and DCG",
    ("unjudged", "not_relevant"): "are not relevant",
    ("unjudged", "drop"): "are taken out of every list",
    ("unjudged", "error"): "are an error",
    ("missing_document", "unretrieved"): "are not retrieved",
    ("missing_document", "last"): "stand behind all others, tied",
    ("missing_document", "error"): "are an error",
    ("missing_query", "zero"): "have an empty list",
    ("missing_query", "drop"): "are left out for all models",
    ("missing_query", "error"): "are an error",
    ("negative", "pooled"): "as if not judged",
    ("negative", "not_relevant"): "judged, not relevant",
}


SET_TO: Mapping[tuple[str, str], str] = {
    ("ties", "expected"): "the mean over all orders of tied documents",
    ("ties", "trec"): "tied documents ordered by id, as trec_eval does",
    ("ties", "the candidate's at best, the baseline's at worst"): (
        "tied documents at best for the candidate"
    ),
    ("ties", "the candidate's at worst, the baseline's at best"): (
        "tied documents at worst for the candidate"
    ),
    ("gain", "linear"): "the grade as the gain",
    ("gain", "exp2"): "gains of 2^grade − 1",
}


def describe_win_counts(found: Wins, label: str, case: Case) -> str:
    """On how many rows a candidate is ahead, level and behind.

    >>> describe_win_counts(Wins("d", "k", "b", "a", 10, 5, 3, 2, *[None] * 9, 1, *[None] * 4, 0.95,
    ...     ()), "B",
    ...         ("query", "queries"))
    'B is ahead on 5 queries, level on 3, behind on 2.'
    """
    ahead = format_count(found.ahead, *map(clean_name, case))
    rest = f"level on {format_count(found.level)}, behind on {format_count(found.behind)}"
    return f"{clean_name(label, 40)} is ahead on {ahead}, {rest}."


def describe_win_sizes(found: Wins, metric: MetricInfo, case: Case) -> str:
    """Describe its gains where it is ahead, its losses, and what the worst-hit lose."""
    said = []
    if found.gain is not None:
        said.append(f"where ahead it gains {_format_size(found.gain, metric)}")
    if found.loss is not None:
        said.append(f"where behind it loses {_format_size(found.loss, metric)}")
    text = f"{capitalize(', '.join(said))} on average." if said else ""
    if found.worst is not None and found.worst < 0 and found.worst_of > 1:
        text += (
            f" The {format_count(found.worst_of)} {clean_name(case[1])} that lose most (5%) lose "
            f"{_format_size(found.worst, metric)} on average."
        )
    return text.strip()


def describe_judged_share(pools: Sequence[JudgementCoverage], labels: Mapping[str, str]) -> str:
    """Describe how much of the first documents was judged, model by model.

    It is "" where nothing is known.
    """
    known = [pool for pool in pools if pool.judged is not None]
    if not known:
        return ""
    each = [
        f"{format_percent(pool.judged)} for {clean_name(labels[pool.model], 40)}" for pool in known
    ]
    return f"Of the first {known[0].k} documents were judged: {join_list(each, 10)}."


def format_sign_test(found: Wins) -> str:
    """The p-value of the sign test; a dash where there is none."""
    return format_bare_p_value(found.p_value)


def describe_convention(found: AlternativeChoice) -> tuple[str, str]:
    """A convention, and what it is set to, in words."""
    return CHOICES.get(found.choice, found.choice), CONVENTION_TEXTS.get(
        (found.choice, found.value), found.value
    )


def describe_convention_value(choice: str, value: str) -> str:
    """A convention as it is set, as it goes on after "with".

    >>> describe_convention_value("k", "20"), describe_convention_value("k",
    ...     "1"), describe_convention_value("relevant", "2.0")
    ('the first 20 ranks looked at', 'only the first rank looked at', \
'documents relevant from grade 2 on')
    >>> describe_convention_value("unjudged", "drop"), describe_convention_value("no_relevant",
    ...     "zero")
    ('documents that nobody judged taken out of every list', \
'queries without a relevant document having 0')
    """
    if (choice, value) in SET_TO:
        return SET_TO[choice, value]
    if choice == "k":
        is_one = value == "1"
        return "only the first rank looked at" if is_one else f"the first {value} ranks looked at"
    if choice == "relevant":
        return f"documents relevant from grade {value.removesuffix('.0')} on"
    what, text = CHOICES.get(choice, choice), CONVENTION_TEXTS.get((choice, value), value)
    if text.startswith("are "):
        return f"{what} {text.removeprefix('are ')}"
    if text.startswith("have "):
        return f"{what} having {text.removeprefix('have ')}"
    return f"{what}: {text}"


def describe_policy(key: str, value: object) -> tuple[str, str]:
    """A convention of the config and what it says, in words."""
    text = CONVENTION_TEXTS.get((key, str(value)), "")
    if not text:
        text = f"{value:g}" if isinstance(value, int | float) else str(value)
        if isinstance(value, Mapping):
            text = ", ".join(f"{clean_name(str(k))} = {v:g}" for k, v in value.items())
    return POLICIES.get(key, key.replace("_", " ")), text


def describe_harm(found: Harm, metric: MetricInfo, label: str, case: Case) -> str:
    """The share of rows that lose more than a size."""
    form = choose_format(found.share, found.low, found.high, "share")
    return (
        f"{clean_name(label, 40)} loses more than {_format_size(found.drop, metric)} on "
        f"{form.number(found.share)} of the {clean_name(case[1])} "
        f"({form.interval(found.low, found.high)})."
    )


def _format_size(value: Number, metric: MetricInfo) -> str:
    size = None if value is None else abs(value)
    return choose_format(size, None, None, metric.unit).amount(size)
