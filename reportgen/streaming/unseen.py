"""Which warnings are looked for on streamed rows, and which are not, as they ask for all of them.

Every code stands in one of three places: it is looked for, it is not, or nothing that is streamed
can give it. What is not looked for is told where rows held in memory would be looked at for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reportgen.analysis.heavy_tails import may_have_a_tail
from reportgen.rows import Classes, LabelSets
from reportgen.streaming.analysis import StreamedAnalysis
from reportgen.streaming.tails import are_looked_for

Rule = Callable[[StreamedAnalysis], bool]

LOOKED_FOR = frozenset({
    "W101", "W102", "W103", "W104", "W105", "W106", "W107", "W108", "W109", "W110", "W112", "W113",
    "W114", "W118", "W122", "W124", "W127", "W130", "W131", "W140", "W151", "W201", "W202", "W204",
    "W206", "W207", "W231", "W232", "W233", "W234", "W251",
})  # fmt: skip
"""The codes that sums, counts and the largest values tell of."""
NOT_ASKED = frozenset({
    "W115", "W116", "W117", "W129", "W143", "W144",  # rows to fit on, other files
    "W121",  # thresholds that are learnt, and curves
    "W125", "W126", "W128", "W203",  # folds, several datasets, segments
    "W235",  # runs in files of their own
    "W141", "W142", "W205", "W241",  # of the report, whoever read the rows
})  # fmt: skip
"""The codes of what is refused or left out when streamed, or told whatever the engine is."""


def unseen(analysis: StreamedAnalysis) -> tuple[str, ...]:
    """The codes that were not looked for, and would be if all rows were held."""
    return tuple(code for code, is_asked in NOT_LOOKED_FOR.items() if is_asked(analysis))


def _has_tails(analysis: StreamedAnalysis) -> bool:
    """Whether some measure may have a heavy tail, and none is looked for."""
    metrics = (use.metric for use in analysis.plan.uses)
    is_any = any(may_have_a_tail(metric.estimand, metric.bounds) for metric in metrics)
    return is_any and not are_looked_for(analysis.known)


def _has_a_sequence(analysis: StreamedAnalysis) -> bool:
    """Whether losses stand row by row, and nothing says how rows hang together."""
    plan = analysis.plan
    return not plan.is_ordered and any(use.metric.has_losses for use in plan.uses)


def _is_of_two_classes(analysis: StreamedAnalysis) -> bool:
    """Whether some model gives probabilities of two classes."""
    every = analysis.parts[0].data.values()
    return any(isinstance(rows, Classes) and rows.scores.shape[1] == 1
               and not rows.lacks("probability") for rows in every)  # fmt: skip


def _has_probabilities(analysis: StreamedAnalysis) -> bool:
    """Whether some model gives probabilities of classes or labels."""
    every = analysis.parts[0].data.values()
    return any(isinstance(rows, Classes | LabelSets) and not rows.lacks("probability")
               for rows in every)  # fmt: skip


def _is_of_answers(analysis: StreamedAnalysis) -> bool:
    """Whether a row is an answer of its own, as a query is."""
    return analysis.plan.has_wins


def _is_of_pairs(analysis: StreamedAnalysis) -> bool:
    """The same, where models are compared."""
    return analysis.plan.has_wins and bool(analysis.plan.pairs)


def _is_in_single_precision(analysis: StreamedAnalysis) -> bool:
    """The same, where the primary metric compares scores in single precision."""
    ties = [use.metric.params.get("ties") for use in analysis.plan.uses if use.is_primary]
    return analysis.plan.has_wins and ties == ["trec"]


NOT_LOOKED_FOR: Mapping[str, Rule] = {
    "W103": _has_tails,
    "W111": _has_a_sequence,
    "W119": _is_of_two_classes,
    "W120": _has_probabilities,
    "W123": _has_probabilities,
    "W132": _is_of_pairs,
    "W133": _is_of_answers,
    "W134": _is_of_answers,
    "W135": _is_of_pairs,
    "W136": _is_of_pairs,
    "W137": _is_of_answers,
    "W138": _is_of_pairs,
    "W139": _is_of_pairs,
    "W236": _is_in_single_precision,
}
"""The codes that ask for all rows, each with where memory would look for it."""
