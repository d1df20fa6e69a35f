"""What is asked of single queries, and the conventions that they could have been judged under."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reportgen.analysis.plan import Alternative, Use
from reportgen.config import Config, FewHarmed
from reportgen.config.ranking import RankingKeys
from reportgen.data.arrow import Index, Mask
from reportgen.data.lists import LARGEST_POWER
from reportgen.data.sample import Sample
from reportgen.metrics.spec import Scalar
from reportgen.outputs import QUERIES
from reportgen.rows import Queries, Rows

MOST_GRADES = 6  # thresholds that are tried


def alternatives(config: Config, sample: Sample, uses: Sequence[Use]) -> tuple[Alternative, ...]:
    """The other conventions that the primary comparison could have been made under."""
    primary = next((use for use in uses if use.is_primary), None)
    if primary is None or sample.judged is None:
        return ()
    params = primary.metric.params
    found = [
        Alternative(name, str(value), {name: value})
        for name, values in _other_values(sample).items()
        for value in values
        if name in params and params[name] != value
    ]
    k = params.get("k")
    if isinstance(k, int):
        found += [Alternative("k", str(cut), {"k": cut}) for cut in (k // 2, 2 * k) if cut >= 1]
    policy = config.ranking or RankingKeys()
    if policy.unjudged == "not_relevant" and _has_unjudged(sample):
        found.append(Alternative("unjudged", "drop", rows=_only_judged))
    if policy.missing_query == "zero" and sample.unanswered is not None:
        kept = np.flatnonzero(~sample.unanswered)
        if 1 < len(kept) < sample.n:
            found.append(Alternative("missing_query", "drop", kept=kept))
    if "ties" in params and _has_ties(sample):
        ends = ({"ties": "optimistic"}, {"ties": "pessimistic"})
        found += [
            Alternative("ties", "the candidate's at best, the baseline's at worst", *ends),
            Alternative("ties", "the candidate's at worst, the baseline's at best", *ends[::-1]),
        ]
    return tuple(found)


def _other_values(sample: Sample) -> dict[str, tuple[Scalar, ...]]:
    """What each convention could be where that makes a difference on these lists."""
    assert sample.judged is not None
    grades = np.unique(sample.judged.grade[sample.judged.grade > 0])
    are_any = 0 < grades.max(initial=0.0) <= LARGEST_POWER
    is_named = all(each.name is not None for each in sample.lists.values())
    by_id = ("trec",) if is_named else ()
    return {
        "ties": ("expected", *by_id) if _has_ties(sample) else (),
        "gain": ("linear", "exp2") if are_any and set(grades) != {1.0} else (),
        "no_relevant": ("skip", "zero") if (sample.y == 0).any() else (),
        "relevant": tuple(float(g) for g in grades[:MOST_GRADES]) if len(grades) > 1 else (),
    }


def _has_ties(sample: Sample) -> bool:
    """Whether any list holds equal scores one after the other."""
    return any(
        bool(np.any((each.score[1:] == each.score[:-1]) & ~_begins(each.start)[1:-1]))
        for each in sample.lists.values()
    )


def _begins(start: Index) -> Mask:
    """Where in the documents, and after the last, a list begins."""
    found = np.zeros(int(start[-1]) + 1, dtype=bool)
    found[start] = True
    return found


def _has_unjudged(sample: Sample) -> bool:
    return any(bool(np.isnan(each.grade).any()) for each in sample.lists.values())


def _only_judged(rows: Rows) -> Rows:
    if not isinstance(rows, Queries):
        return rows
    return Queries(rows.lists.only_judged(), rows.scale, rows.outcome)


def harms(config: Config, dataset: str) -> tuple[tuple[str, str, str, float, str | None], ...]:
    """What gates ask of single rows: on how many a metric drops by more than a size."""
    return tuple(
        (gate.metric, gate.model, gate.against, gate.drop, gate.segment)
        for gate in config.gates
        if isinstance(gate, FewHarmed) and gate.dataset == dataset
    )


def names_of_rows(config: Config, sample: Sample) -> tuple[str, ...] | None:
    """The names under which the values of all rows are kept, where a file of them is asked for."""
    return tuple(sample.ids) if QUERIES in config.outputs else None
