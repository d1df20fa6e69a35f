"""What single rows do to the numbers, what few rows do to the verdict, and who is how often first.

All tables are of all rows. Which row it is that matters is told only where the question brings
the rows' ids; without them no table holds anything of a single row but what its absence changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, isfinite

import numpy as np

from reportgen.analysis.part import Part
from reportgen.analysis.plan import Question
from reportgen.analysis.sensitivity.bucket_counts import bucket_counts
from reportgen.analysis.sensitivity.deletion import removal
from reportgen.analysis.sensitivity.leave_one_out import recomputed, without_rows
from reportgen.analysis.sensitivity.ranks import rank_probabilities, separation
from reportgen.analysis.study import Study
from reportgen.inference.evidence import Evidence
from reportgen.inference.intervals import interval
from reportgen.kernels.batch import Vector
from reportgen.results import Number, Scalar, TableResult, rounded

TOP = 0.01  # share of the rows whose part in the total error is told


def tables(study: Study, threads: int = 1) -> Iterator[TableResult]:
    """Influence, tails, places and removals, each if there is something in it."""
    places = (rank_probabilities(study), separation(study))
    few = (influence(study), tails(study), removal(study, threads))
    made = (*places, *few, bucket_counts(study, threads))
    yield from (table for table in made if table is not None and table.rows)


def influence(study: Study) -> TableResult:
    """For every metric and model the row whose absence changes the value most.

    A change is a share of the value, but none where that may be zero.
    """
    whole, question = study.parts[0], study.question
    shown = question.contestants[0].rows.describe(0)
    named = () if question.ids is None else ("row", *shown)
    uses = {use.key: use for use in question.uses}
    rows = (
        _most_influential(whole, study.evidence(whole, uses[key], model), key, model)
        for key, model in whole.metrics
    )
    return TableResult(
        name="influence",
        dataset=question.dataset,
        columns=("metric", "model", "value", "without it", "change", "tried", *named),
        units=("", "", "", "", "share", "", *(_unit(name, question) for name in named)),
        rows=tuple(row for row in rows if row is not None),
    )


def _most_influential(
    part: Part, evidence: Evidence, key: str, model: str
) -> tuple[Scalar, ...] | None:
    bound, value = part.metrics[key, model], evidence.value
    tried = without_rows(bound, part.weight)
    found = tried.farthest(value)
    if found is None or not isfinite(value):
        return None
    row, estimated = found
    # Sums over all rows but one, found for all rows at once, may lose digits where one row rules.
    again = float(recomputed(bound, part.weight, np.array([row]))[0])
    without = again if isfinite(again) else estimated
    if abs(without - value) <= evidence.rounding:
        without = value
    is_share = not _may_be_zero(part.question, evidence)
    change = rounded((without - value) / abs(value)) if is_share else None
    said: tuple[Scalar, ...] = (key, model, rounded(value), rounded(without), change, tried.search)
    ids = part.question.ids
    if ids is None:
        return said
    shown = part.data[model].describe(row).values()
    return (*said, ids[row], *(rounded(v) if isinstance(v, float) else v for v in shown))


def _unit(name: str, question: Question) -> str:
    """The unit of what is shown of a single row."""
    return question.unit if name == "y" else ""


def _may_be_zero(question: Question, evidence: Evidence) -> bool:
    """Whether a value of either sign is not told from zero: by its interval or two errors."""
    low, high = evidence.bounds
    if not evidence.value or not low < 0 < high:
        return not evidence.value
    spread = (evidence.bootstrap_se, evidence.influence_se)
    error = max((se for se in spread if isfinite(se)), default=0.0)
    if abs(evidence.value) <= 2 * error:
        return True
    found = interval(evidence, question.interval, question.level)
    return found.low <= 0 <= found.high


def tails(study: Study) -> TableResult:
    """How much of each model's total error the rows with the largest errors hold."""
    whole = study.parts[0]
    most = ceil(TOP * whole.n)
    rows = []
    for model, each in whole.data.items():
        errors = each.errors()
        if errors is not None:
            size = np.abs(errors)
            shares = (_held(size, whole.weight, most), _held(size**2, whole.weight, most))
            rows.append((model, most, *shares))
    return TableResult(
        name="tails",
        dataset=study.question.dataset,
        columns=("model", "rows", "share of absolute error", "share of squared error"),
        units=("", "1", "share", "share"),
        rows=tuple(rows),
    )


def _held(amounts: Vector, weight: Vector, most: int) -> Number:
    """Share of the weighted total that the `most` largest weighted amounts hold."""
    each = np.sort(weight * amounts)
    total = float(each.sum())
    return rounded(float(each[-most:].sum()) / total) if total > 0 else None
