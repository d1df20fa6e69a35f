"""Wins and losses of single rows in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.report import prose
from reportgen.report.wording.names import Case, capitalize, clean_name
from reportgen.report.wording.numbers import choose_format, format_percent
from reportgen.results.core import MetricInfo
from reportgen.results.sensitivity import AlternativeChoice, Harm, JudgementCoverage, Wins
from reportgen.results.types import Number


def describe_win_counts(found: Wins, label: str, case: Case) -> str:
    """Say on how many rows a candidate wins, loses and ties.

    >>> describe_win_counts(Wins("d", "k", "b", "a", 10, 5, 3, 2, *[None] * 9, 1, *[None] * 4, 0.95,
    ...     ()), "B",
    ...         ("query", "queries"))
    'B wins on 5 queries, loses on 2 and ties on 3.'
    """
    return prose.line(
        "wins.counts",
        label=clean_name(label, 40),
        case=clean_name(case[0]),
        cases=clean_name(case[1]),
        ahead=found.ahead,
        behind=found.behind,
        level=found.level,
    )


def describe_win_sizes(found: Wins, metric: MetricInfo, case: Case) -> str:
    """Describe its gains where it wins, its losses, and what the worst-hit lose."""
    is_worse = found.worst is not None and found.worst < 0 and found.worst_of > 1
    return prose.line(
        "wins.sizes",
        gain="" if found.gain is None else _format_size(found.gain, metric),
        loss="" if found.loss is None else _format_size(found.loss, metric),
        worst=_format_size(found.worst, metric) if is_worse else "",
        count=found.worst_of,
        cases=clean_name(case[1]),
    )


def describe_judged_share(pools: Sequence[JudgementCoverage], labels: Mapping[str, str]) -> str:
    """Describe how much of the first documents was judged, model by model.

    It is "" where nothing is known.
    """
    known = [pool for pool in pools if pool.judged is not None]
    if not known:
        return ""
    shares = [
        prose.line(
            "wins.judged_share",
            share=format_percent(pool.judged),
            model=clean_name(labels[pool.model], 40),
        )
        for pool in known
    ]
    return prose.line("wins.judged", k=known[0].k, shares=shares)


def describe_convention(found: AlternativeChoice) -> tuple[str, str]:
    """Name a convention, and what it is set to."""
    setting = _find_setting(found.choice, found.value)
    return prose.term("policy", found.choice), setting or found.value


def describe_convention_value(choice: str, value: str) -> str:
    """Describe a convention as it is set, as it goes on after "with".

    >>> describe_convention_value("k", "20"), describe_convention_value("k",
    ...     "1"), describe_convention_value("relevant", "2.0")
    ... # doctest: +NORMALIZE_WHITESPACE
    ('the first 20 ranks', 'only the first rank', 'documents of grade 2 or higher counted as
    relevant')
    >>> describe_convention_value("unjudged", "drop"), describe_convention_value("no_relevant",
    ...     "zero")
    ('unjudged documents taken out of every list', 'queries without a relevant document scored 0')
    """
    if choice == "k":
        return prose.line("with_ranks.first", k=value)
    if choice == "relevant":
        return prose.line("with_ranks.relevant", grade=value.removesuffix(".0"))
    if choice == "ties" and "," in value:
        best, _, _ = value.partition(",")
        return prose.line("with_ranks.ties", is_for_candidate=best.endswith("best"))
    word = f"{choice} {value}"
    said = prose.term("with", word)
    if said != word:
        return said
    return f"{prose.term('policy', choice)}: {_find_setting(choice, value) or value}"


def _find_setting(choice: str, value: str) -> str:
    """Find the words for what a convention is set to; "" where it has none."""
    word = f"{choice} {value}"
    said = prose.term("setting", word)
    return "" if said == word else said


def describe_policy(key: str, value: object) -> tuple[str, str]:
    """Name a convention of the config and what it says."""
    text = _find_setting(key, str(value))
    if not text:
        text = f"{value:g}" if isinstance(value, int | float) else str(value)
        if isinstance(value, Mapping):
            text = ", ".join(f"{clean_name(str(k))} = {v:g}" for k, v in value.items())
    named = prose.term("policy", key)
    return key.replace("_", " ") if named == key else capitalize(named), text


def describe_harm(found: Harm, metric: MetricInfo, label: str, case: Case) -> str:
    """Say what share of rows loses more than a size."""
    form = choose_format(found.share, found.low, found.high, "share")
    return prose.line(
        "wins.harm",
        label=clean_name(label, 40),
        drop=_format_size(found.drop, metric),
        share=form.number(found.share),
        limits=form.plain_interval(found.low, found.high),
        cases=clean_name(case[1]),
    )


def _format_size(value: Number, metric: MetricInfo) -> str:
    size = None if value is None else abs(value)
    return choose_format(size, None, None, metric.unit).amount(size)
