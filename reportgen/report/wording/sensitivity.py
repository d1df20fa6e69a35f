"""Sensitivity in words: influential rows, alternative analyses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.report.wording.names import (
    ROWS,
    Case,
    capitalize,
    clean_name,
    fill_case_nouns,
    join_list,
    judges_amounts,
    lower_first_word,
)
from reportgen.report.wording.numbers import format_count, format_percent
from reportgen.results.core import MetricInfo
from reportgen.results.sensitivity import (
    AlternativeChoice,
    BucketCount,
    Deletion,
    Influence,
)
from reportgen.results.types import Number

_KINDS = (("amount", "error measure"), ("order", "rank measure"))
_AT_MOST = {
    "nothing": "a single row whose value of the target is wrong moves {named} without limit.",
    "range": "a single wrong row can move {named} over most of its range.",
    "rows": "a single wrong row, however wrong, moves {named} by {share} of its range at most, and "
    "k such rows by k times that.",
    "pairs": "a single wrong row, however wrong, is in {share} of the pairs and moves {named} by "
    "about that share of its range at most; k such rows by k times that.",
    "ranks": "a single wrong row, however wrong, moves {named} by about {share} of its range at "
    "most, and k such rows by k times that.",
    "half": "until half of the rows ({half}) are wrong, {named} stays among the values of the "
    "others: it also overlooks what a few large errors cost.",
}
# Where values are tied or rows weigh differently, fewer pairs count, and a row's part is larger.
_AT_MOST_OF_FEWER = {
    "rows": "a single wrong row moves {named} by its share of the weight at most.",
    "pairs": "a single wrong row moves {named} by a bounded part of its range: about the share of "
    "the pairs of different values that it is in, which is the larger the more values are tied and "
    "the more the row weighs.",
    "ranks": "a single wrong row moves {named} by a bounded part of its range, which is the larger "
    "the more values are tied and the more the row weighs.",
}


def describe_most_moved(
    rows: Sequence[Influence],
    metrics: Mapping[str, MetricInfo],
    labels: Mapping[str, str],
    case: Case = ROWS,
) -> str:
    """Describe how far one row moves the error measures and the rank measures, at most.

    It is "" without rows.
    """
    said = []
    for needs, kind in _KINDS:
        known = [r for r in rows if judges_amounts(metrics[r.key], needs) and _compute_size(r) > 0]
        if known:
            most = max(known, key=_compute_size)
            is_so_called = needs == "order" or metrics[most.key].better != "higher"
            said.append(
                f"the {kind if is_so_called else 'metric'} that one {case[0]} moves most is "
                f"{lower_first_word(clean_name(metrics[most.key].label))} of "
                f"{clean_name(labels[most.model], 40)}, by {_format_minimum_prefix(most)}"
                f"{format_percent(_compute_size(most))}"
            )
    return capitalize("; ".join(said)) + "." if said else ""


def describe_bucket_changes(rows: Sequence[BucketCount], labels: Mapping[str, str]) -> str:
    """Describe which differences take another side of zero with another number of buckets.

    It is "" of values.

    By the interval that each has alone: above zero, below, or neither.
    """
    sides: dict[tuple[str, str, str], set[int]] = {}
    for row in rows:
        if row.baseline is not None:
            pair = (row.key, row.model, row.baseline)
            sides.setdefault(pair, set()).add(_side(row.low, row.high))
    changed = [
        f"{lower_first_word(clean_name(labels[metric], 40))} "
        f"({clean_name(labels[candidate], 40)} against "
        f"{clean_name(labels[baseline], 40)})"
        for (metric, candidate, baseline), found in sides.items()
        if len(found) > 1
    ]
    if not sides:
        return ""
    if not changed:
        return "What these intervals say of zero is the same with every number of buckets."
    return (
        "What the interval says of zero changes with the number of buckets: "
        f"{join_list(changed, 6)}."
    )


def _side(low: Number, high: Number) -> int:
    """1 where an interval is above zero, −1 where below, else 0."""
    if low is None or high is None:
        return 0
    return (low > 0) - (high < 0)


def _format_minimum_prefix(record: Influence) -> str:
    """Say that another row may move it further, where not every row was left out."""
    return "at least " * (record.search != "every row")


def list_worst_cases(
    metrics: Sequence[MetricInfo],
    n: int,
    is_weighted: bool = False,
    is_tied: bool = False,
    case: Case = ROWS,
) -> list[str]:
    """List what rows with a wrong y can do to each metric at most, one sentence for each kind.

    A share of the pairs is a number only where all pairs count alike: without weights and ties.
    """
    said = []
    fewer = {
        kind: sentence
        for kind, sentence in _AT_MOST_OF_FEWER.items()
        if is_weighted or (is_tied and kind != "rows")
    }
    for kind, sentence in {**_AT_MOST, **fewer}.items():
        named = join_list(
            [lower_first_word(clean_name(m.label, 40)) for m in metrics if m.withstands == kind], 8
        )
        if named:
            share = {"rows": 1 / n, "pairs": 2 / n, "ranks": 3 / (n + 1)}.get(kind, 0.0)
            each = format_percent(min(share, 1.0), 4 if share < 0.001 else 2)
            filled = fill_case_nouns(sentence, case, is_template=True)
            said.append(
                capitalize(filled.format(named=named, share=each, half=format_count(n // 2)))
            )
    return said


def _compute_size(record: Influence) -> float:
    return abs(record.change or 0.0)


def describe_deciding_removal(
    rows: Sequence[Deletion],
    candidate: str,
    baseline: str,
    labels: Mapping[str, str],
    usual: str | None = None,
    case: Case = ROWS,
) -> str:
    """The fewest rows found whose removal changes a candidate's verdict, or turns the difference.

    `rows` are those of the removals. What was not found is said to be not found, and no more. The
    opponent is named where it is not the `usual` one; `case` are the nouns for rows.
    """
    who = clean_name(labels[candidate], 40)
    if usual is not None and baseline != usual:
        who = f"{who} against {clean_name(labels[baseline], 40)}"
    mine = [r for r in rows if r.candidate == candidate and r.baseline == baseline]
    if not mine:
        return (
            f"{who}: undefined; no set of {case[1]} was left out, for lack of a "
            f"difference, of {case[1]}, or of {case[1]} that move it."
        )
    is_judged = any(r.word is not None for r in mine)
    changed = _fewest([r for r in mine if r.is_changed])
    moved = ", and ".join(_describe_moved_difference(mine, changed, labels, case))
    most = format_count(max(r.rows for r in mine), *case)
    none = f"no set of up to {most} was found by this search whose"
    if changed:
        said = _describe_changed_verdict(changed, case) + f", and {moved}" * bool(moved)
    elif is_judged:
        other = " but to a stronger one" * any(r.is_stronger for r in mine)
        said = f"{none} removal changes the verdict “{mine[0].word_before}”{other}"
        said += f", but {moved}" * bool(moved)
    else:
        said = moved or f"{none} removal turns the difference"
    unjudged = "" if is_judged else f" Verdicts without {case[1]} were not looked at."
    return f"{who}: {said}.{unjudged}"


def _describe_changed_verdict(rows: Sequence[Deletion], case: Case) -> str:
    """Describe what the verdict would be without the smallest sets that change it."""
    would_be = " or, by another choice, ".join(dict.fromkeys(f"“{r.word}”" for r in rows))
    before = rows[0].word_before
    return f"without {format_count(rows[0].rows, *case)} the verdict “{before}” would be {would_be}"


def _describe_moved_difference(
    rows: Sequence[Deletion], changed: Sequence[Deletion], labels: Mapping[str, str], case: Case
) -> list[str]:
    """Describe what the smallest sets do to the difference.

    They turn it, leave none, or none defined.

    Sets already said to change the verdict are not counted out again, nor is an undefined
    difference whose verdict is said to be that.
    """
    reversed_set = _fewest([r for r in rows if r.is_turned])
    lost = [r for r in rows if r.is_lost]
    level = _fewest([r for r in lost if r.difference is not None])
    undefined = _fewest([r for r in lost if r.difference is None and r not in changed])
    sides = dict.fromkeys(clean_name(labels[r.in_favour_of], 40) for r in reversed_set)
    said = (
        (
            reversed_set,
            f"the difference would be in favour of {' or, by another choice, '.join(sides)}",
        ),
        (level, "no difference would be left"),
        (undefined, "the difference would be undefined"),
    )
    return [
        what if found == changed else f"without {format_count(found[0].rows, *case)} {what}"
        for found, what in said
        if found
    ]


def _fewest(rows: Sequence[Deletion]) -> list[Deletion]:
    """The smallest sets."""
    return [r for r in rows if r.rows == min(each.rows for each in rows)]


def select_telling_removals(rows: Sequence[Deletion]) -> list[Deletion]:
    """The removals that say most: for each side the largest set that changes nothing.

    Of those that change something, the smallest for each outcome.
    """
    kept: dict[tuple[object, ...], Deletion] = {}
    for row in sorted(rows, key=lambda row: row.rows):
        is_new = row.is_changed or row.is_turned or row.is_lost
        outcome = (
            row.candidate,
            row.baseline,
            row.in_favour_of,
            row.word,
            row.is_turned,
            row.is_lost,
            is_new,
        )
        if not is_new or outcome not in kept:
            kept[outcome] = row
    return [row for row in rows if any(row is chosen for chosen in kept.values())]


METRICS: Mapping[str, str] = {
    "kendall": "Kendall's τ-b",
    "kendall_a": "Kendall's τ-a",
    "average_precision": "average precision",
    "pr_auc": "the interpolated area under the precision-recall curve",
}
INTERVALS: Mapping[str, str] = {
    "bca": "BCa",
    "bc": "bias-corrected",
    "bootstrap-se": "bootstrap standard-error",
}


def list_alternatives(choices: Sequence[AlternativeChoice]) -> list[AlternativeChoice]:
    """Return those that are not as declared."""
    return [c for c in choices if not is_declared_choice(c)]


def is_declared_choice(found: AlternativeChoice) -> bool:
    """Tell whether it is the analysis that the config asks for, in a file of any version."""
    return "declared" in (found.kind, found.choice.removeprefix("as "))
