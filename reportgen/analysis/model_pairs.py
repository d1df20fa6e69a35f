"""Pairs of models on the primary metric, which tell which of the better ones is best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import isfinite

import numpy as np

from reportgen.analysis.comparisons import build_pair, judge_family
from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import PlannedMetric
from reportgen.analysis.sensitivity.robustness import orient_higher_better
from reportgen.results.core import Comparison, ModelPair
from reportgen.results.types import Word, copy_fields, round_number

Names = tuple[str, str]
_REVERSED: Mapping[Word, Word] = {
    "clearly better": "clearly worse",
    "better": "worse",
    "not worse": "not better",
    "not better": "not worse",
    "worse": "better",
    "clearly worse": "clearly better",
}


def compute_model_pairs(
    analysis: DatasetAnalysis, compared: Sequence[Comparison]
) -> tuple[ModelPair, ...]:
    """Compare the models that the decision chooses among with one another.

    To choose, the best of the candidates that are better than the baseline is compared with each
    of the others; to rank, each model with the next by value. A comparison that is made anyway is
    used as it is, the others are a family.
    """
    plan = analysis.plan
    use = next((use for use in plan.statistics.metrics if use.is_primary), None)
    if use is None:
        return ()
    known = {
        (c.candidate, c.baseline): c for c in compared if c.segment is None and c.key == use.key
    }
    names = _list_pairs(analysis, use, known)
    new = [pair for pair in names if pair not in known and pair[::-1] not in known]
    pairs = [build_pair(analysis, analysis.parts[0], use, *pair) for pair in new]
    known |= dict(zip(new, judge_family(analysis, pairs, "best"), strict=True))
    return tuple(
        _build_pair(known[pair]) if pair in known else _reverse_pair(_build_pair(known[pair[::-1]]))
        for pair in names
    )


def _list_pairs(
    analysis: DatasetAnalysis, use: PlannedMetric, known: Mapping[Names, Comparison]
) -> list[Names]:
    """List the pairs that the decision needs, the better model by value first."""
    families = analysis.plan.inference.families
    if families.decision == "rank":
        models = [each.name for each in analysis.plan.models]
        ranked = _rank_models(analysis, use, [m for m in models if m not in families.benchmarks])
        return list(pairwise(ranked))
    if families.decision not in ("choose", "enough"):
        return []
    better = [
        c.candidate
        for c in known.values()
        if c.baseline == analysis.plan.inference.baseline
        and c.candidate not in families.benchmarks
        and _is_better(c)
    ]
    best, *others = _rank_models(analysis, use, better) or [""]
    return [(best, other) for other in others]


def _is_better(c: Comparison) -> bool:
    """Return whether the whole interval speaks for the candidate."""
    if c.better == "higher":
        return c.low is not None and c.low > 0
    return c.high is not None and c.high < 0


def _rank_models(analysis: DatasetAnalysis, use: PlannedMetric, models: Sequence[str]) -> list[str]:
    """Rank models that have a value, the best first; of equal ones in their order."""
    whole = analysis.parts[0]
    values = {
        model: analysis.evidence(whole, use, model).value
        for model in models
        if (use.key, model) in whole.metrics
    }
    merit = {m: _orient_value(value, use) for m, value in values.items() if isfinite(value)}
    return sorted(merit, key=lambda model: -merit[model])


def _orient_value(value: float, use: PlannedMetric) -> float:
    rounded = np.array([[round_number(value)]], float)
    return float(orient_higher_better(rounded, use.metric.better)[0, 0])


def _build_pair(c: Comparison) -> ModelPair:
    return copy_fields(ModelPair, c, first=c.candidate, second=c.baseline)


def _reverse_pair(pair: ModelPair) -> ModelPair:
    """Return the same comparison with the models in the other order."""
    low, high = (None if end is None else -end for end in (pair.high, pair.low))
    return replace(
        pair,
        first=pair.second,
        second=pair.first,
        difference=None if pair.difference is None else -pair.difference,
        low=low,
        high=high,
        word=_REVERSED.get(pair.word, pair.word),
    )
