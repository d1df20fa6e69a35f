"""The first pass: counts, extremes, keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from reportgen.data.arrow import Keys, is_key_held, select_held_keys
from reportgen.data.columns import describe_missing_values
from reportgen.data.dataset import (
    Piece,
    StreamedEvidence,
    iter_missing_row_warnings,
    warn_constant_target,
    warn_equal_scores,
)
from reportgen.data.requests import DatasetRequest
from reportgen.data.row_selection import DroppedRows
from reportgen.data.sample import ClassTarget, Codes, LabelTarget, ResamplingUnits, Sample
from reportgen.inference.proportion_intervals import FEW_DIFFER, LEVEL
from reportgen.kernels.batch import Index, Matrix, Vector
from reportgen.metrics.rows import Queries, Rows
from reportgen.planning.input_evidence import (
    MOST_ROWS,
    identify_sample_rows,
    list_score_columns,
)
from reportgen.results.core import WaterfallStep
from reportgen.results.types import RaisedWarning, Scalar
from reportgen.streaming.cells import SAMPLED
from reportgen.streaming.held import build_held_sample, put_held_columns
from reportgen.streaming.layout import Layout, Of, compute_columns
from reportgen.streaming.states import (
    DIFFERING,
    SegmentName,
    State,
    count_values,
    select_lowest,
)
from reportgen.terms import LIMITS

TARGET = ""  # what stands for the target beside the names of models
FEW_HOLDERS = 20  # units with a row of a class beyond which no resample lacks them all
MOST_VALUES = 8_000_000
"""Numbers of some rows that checks of the input look at, all columns together."""
ColumnsAsked = tuple[tuple[str, str | None], ...]
FEW_PAYERS, FEW_SCORES = (int(LIMITS[code]["fewest"]) for code in ("W140", "W118"))
HOLDERS, PAYERS, SCORES = (f"lowest {most}" for most in (FEW_HOLDERS, FEW_PAYERS, FEW_SCORES))


def survey_piece(piece: Piece, layout: Layout, data: Mapping[str, Rows], rows: int) -> State:
    """Survey a piece with the rows of each model; `rows` are those of the whole table.

    rows, filtered    rows that are judged; rows that the filter left out
    lost              by column and model rows that lack it, and those of them that were still there
    queries           what there is to tell of queries, by what it is and by model: how many
    largest, lacking  of each column of sums its largest size; rows that a metric has no number for
    heaviest, amount  the largest weight, and the largest amount
    lowest, highest   the target; beside a number of labels of each whether it is there
    scores, all       of each two models whether a score differs, and whether anything does
    ids               keys of ids, as far as they are held
    payers            by metric and model, keys of units that pay the larger side of a loss: as many
                      of the lowest as a warning asks for
    classes           (2, k) rows, and rows that weigh, of each class
    holders           by class, keys of units with a row of it that weighs, as many of the lowest as
                      a warning asks for
    probabilities     by model rows whose probabilities were divided by their sum, and the sum that
                      was furthest from 1
    few scores        by model its lowest different scores, as many as a warning asks for, where
                      only they may repeat
    sampled           by model the scores of rows that their ids choose, and their targets, where
                      equal ones are told of
    judged            by metric rows that weigh among those that it has no number for, and the
                      largest weight of the others
    apart             by column of sums whether it differs from the one that it is taken to be the
                      same as
    units             by column how often each value occurs that may tell units apart

    differing       by metric and two models weights of queries whose losses differ, negative where
                    that of the first is lower, as long as these are few; many where the two judge
                    different queries

    Of each segment: rows, lacking, heaviest, amount, all, classes, judged and differing.
    """
    found, sample = State(), piece.sample
    found.put("sum", "rows", value=sample.n)
    for fact, value in piece.facts.items():
        found.put(*fact, value=value)
    if not sample.n:
        return found
    columns, lacking = compute_columns(layout, data)
    weight = piece.weight
    flags = (sample.target.flags,) if isinstance(sample.target, LabelTarget) else ()
    targets = np.column_stack([sample.y, *flags])
    found.update(_survey_rows(piece, layout, data, columns, lacking))
    for segment, chosen in iter_segments(sample):
        taken = {model: each.take(chosen) for model, each in data.items()}
        lacked = compute_columns(layout, taken)[1] if lacking.any() else lacking
        own = _survey_rows(piece, layout, taken, columns[:, chosen], lacked, chosen)
        found.put_segment(segment, own)
    found.put("most", "largest", value=np.abs(columns).max(axis=1, initial=0.0))
    found.put("least", "lowest", value=targets.min(axis=0))
    found.put("most", "highest", value=targets.max(axis=0))
    for pair in combinations(sample.models, 2):
        found.put("any", "scores", *pair, value=_differ(sample, data, *pair))
    found.put("join", "ids", value=select_held_keys(piece.ids, rows))
    for of, keys in _iter_payers(layout, data, piece.keys, weight > 0):
        found.put(PAYERS, "payers", *of, value=keys)
    for value, keys in _iter_holders(piece, weight > 0):
        found.put(HOLDERS, "holders", value, value=keys)
    for model, rows_of in data.items():
        ties = rows_of.ties()
        if "score" in ties and "y" not in ties:  # targets repeat by what they are
            lowest = select_lowest(rows_of.ranking.values, FEW_SCORES)
            found.put(SCORES, "few scores", model, value=lowest)
    for model, values in _iter_sampled_values(piece, data, rows):
        found.put("join", "sampled", model, value=values)
    found.put("any", "apart", value=layout.apart(columns))
    for name, units in piece.units.items():
        missing = np.empty((2, 0), np.uint64)
        counted_units = missing if units is None else count_values(units)
        found.put("value counts", "units", name, value=counted_units)
    return found


def put_evidence(state: State, piece: Piece, rows: int) -> None:
    """Put what checks of the input look at: some rows, whether scores differ, repeated rows.

    Ids choose the rows, fewer of them where models have many columns; of rows that may repeat, all
    that are equal are chosen, or none.
    """
    sample = piece.sample
    columns = len(list_score_columns(sample)) + 2
    most = min(MOST_ROWS, MOST_VALUES // columns)
    put_held_columns(state, piece, "looked at", is_key_held(piece.ids, rows, most))
    identity = identify_sample_rows(sample)
    repeated = count_values(identity[is_key_held(identity, rows, most)])
    state.put("value counts", "rows", value=repeated)
    for model, each in sample.models.items():
        every = np.stack([each.score, *each.parts.values()])
        state.put("least", "score", model, value=every.min(axis=1))
        state.put("most", "score", model, value=every.max(axis=1))


def build_evidence(found: State, request: DatasetRequest, head: Sample) -> StreamedEvidence | None:
    """Build what checks of the input look at; None of queries."""
    if request.ranked is not None:
        return None
    sample = build_held_sample(found, head, "looked at")
    if request.resampling_unit is not None:
        kind, column = request.resampling_unit
        unit = np.unique(found["join", "looked at", "keys"], return_inverse=True)[1]
        units = ResamplingUnits(kind, column.name, Codes((), unit))
        sample = replace(sample, sampling=replace(sample.sampling, units=units))
    least, most = found.find("least", "score"), found.find("most", "score")
    constant = {model for (model,), low in least.items() if np.array_equal(low, most[model,])}
    times = found["value counts", "rows"][1, 1:].astype(np.intp)
    return StreamedEvidence(sample, frozenset(constant), times)


def iter_waterfall_steps(
    found: State, request: DatasetRequest, asked: ColumnsAsked, rows: int, filter_text: str
) -> Iterator[WaterfallStep]:
    """Yield how many rows were read, which went and why, and how many are left."""
    used = WaterfallStep("used", int(found.number("sum", "rows")), 0, "")
    if request.ranked is not None:
        left = _count_queries(found, "queries")
        yield WaterfallStep("read", left, 0, "")
        for model in request.models:
            if n := _count_queries(found, "dropped", model):
                left -= n
                yield WaterfallStep("dropped", left, n, f"no line in the run of {model!r}")
        yield used
        return
    yield WaterfallStep("read", rows, 0, "")
    filtered = int(found.number("sum", "filtered"))
    left = rows - filtered
    if filter_text:
        yield WaterfallStep("filtered", left, filtered, filter_text)
    for loss in _iter_losses(found, asked):
        left -= loss.removed
        reason = describe_missing_values(loss.missing, loss.column, loss.model)
        yield WaterfallStep("dropped", left, loss.removed, reason)
    yield used


def _iter_query_warnings(
    found: State, request: DatasetRequest, missing_query: str
) -> Iterator[RaisedWarning]:
    """Yield W231 to W234, as of queries that are read at once."""
    for model in request.models:
        if n := _count_queries(found, "W233", model):
            yield RaisedWarning("W233", {"queries": n}, model=model)
    for model in request.models:
        if n := _count_queries(found, "W231", model):
            numbers: dict[str, Scalar] = {"queries": n, "of": _count_queries(found, "queries")}
            numbers["left_out" if missing_query == "drop" else "empty"] = n
            yield RaisedWarning("W231", numbers, model=model)
    if n := _count_queries(found, "W232"):
        yield RaisedWarning("W232", {"queries": n, "of": int(found.number("sum", "rows"))})
    if n := _count_queries(found, "W234"):
        yield RaisedWarning("W234", {"documents": n})


def _count_queries(found: State, what: str, model: str = "") -> int:
    return int(found.number("sum", "queries", what, model))


def iter_row_warnings(
    found: State, request: DatasetRequest, asked: ColumnsAsked
) -> Iterator[RaisedWarning]:
    """Yield W201, W202, W204, W206 and W207, as of rows that are read at once."""
    if request.ranked is not None:
        yield from _iter_query_warnings(found, request, request.ranked.missing_query)
        return
    lowest = found["least", "lowest"]
    if (lowest == found["most", "highest"]).all():
        yield warn_constant_target(request.target.name, float(lowest[0]))
    same: dict[str, str] = {}
    for earlier, model in combinations(request.models, 2):
        if not found["any", "scores", earlier, model]:
            same.setdefault(model, earlier)
    for model in request.models:
        if model in same:
            yield warn_equal_scores(request, model, same[model])
    divided = found.find("sum", "probabilities")
    for model in request.models:
        if (model,) in divided:
            numbers: dict[str, Scalar] = {
                "rows": int(divided[model,]),
                "of": int(found.number("sum", "rows")),
                "sum": found.number("furthest from 1", "probabilities", model),
            }
            yield RaisedWarning("W206", numbers, model=model)
    yield from iter_missing_row_warnings(_iter_losses(found, asked))


def _iter_losses(found: State, asked: ColumnsAsked) -> Iterator[DroppedRows]:
    """Yield the columns that rows lack, in their order."""
    for column, model in asked:
        missing, removed = map(int, found.get(("sum", "lost", column, model or ""), (0, 0)))
        if missing:
            yield DroppedRows("dropped", column, model, missing, removed)


def _survey_rows(
    piece: Piece,
    layout: Layout,
    data: Mapping[str, Rows],
    columns: Matrix,
    lacking: Vector,
    chosen: Index | None = None,
) -> State:
    """Survey what each segment has as well, of the `chosen` rows of a piece, or of all."""
    found, target = State(), piece.sample.target
    rows = np.arange(piece.sample.n) if chosen is None else chosen
    weight = piece.weight[rows]
    judged = layout.judged(columns, weight)
    found.put("sum", "rows", value=len(rows))
    found.put("sum", "lacking", value=lacking)
    found.put("most", "heaviest", value=weight.max())
    found.put("most", "amount", value=max(each.largest() for each in data.values()))
    found.put("sum", "judged", value=judged[:, 0])
    found.put("most", "judged", value=judged[:, 1])
    for one, other in combinations(data, 2):
        found.put("any", "all", one, other, value=not data[one].is_same(data[other]))
        if isinstance(data[one], Queries):
            for key, signed in _iter_differing(layout, columns, weight, one, other):
                found.put(DIFFERING, "differing", key, one, other, value=signed)
    if isinstance(target, ClassTarget | LabelTarget):
        among = np.zeros(piece.sample.n, np.bool_)
        among[rows] = True
        counts = target.count_rows(among), target.count_rows(among & (piece.weight > 0))
        found.put("sum", "classes", value=np.stack(counts))
    return found


def _iter_differing(
    layout: Layout, columns: Matrix, weight: Vector, one: str, other: str
) -> Iterator[tuple[str, Vector]]:
    """Yield by metric the weights of rows whose losses differ, with the sign of the difference."""
    for (key, model), first in layout.summands.items():
        second = layout.summands.get((key, other))
        if model != one or second is None or not first.is_of_losses:
            continue
        at = first.at.start, second.at.start
        change = columns[at[0]] - columns[at[1]] + first.centre[0] - second.centre[0]
        seen, other_seen = (
            columns[each.at.stop - 1] > 0 if each.metric.leaves_out else weight >= 0
            for each in (first, second)
        )
        if np.array_equal(seen, other_seen):
            differs = seen & (weight > 0) & (np.abs(change) > LEVEL)
            yield key, (np.sign(change) * weight)[differs][:FEW_DIFFER]
        else:
            yield key, np.ones(FEW_DIFFER)


def iter_segments(sample: Sample) -> Iterator[tuple[SegmentName, Index]]:
    """Yield the segments that some rows are of, with the numbers of these."""
    for column, codes in sample.segments.items():
        order = np.argsort(codes.code, kind="stable")
        ends = np.cumsum(np.bincount(codes.code, minlength=len(codes.labels)))
        for label, rows in zip(codes.labels, np.split(order, ends[:-1]), strict=True):
            if len(rows):
                yield (column, label), rows


def _differ(sample: Sample, data: Mapping[str, Rows], one: str, other: str) -> bool:
    """Tell whether the scores of two models differ on a row; of several classes all of them."""
    if len(sample.classes) > 2:
        return not data[one].is_same(data[other])
    return not np.array_equal(sample.models[one].score, sample.models[other].score)


def _iter_payers(
    layout: Layout, data: Mapping[str, Rows], keys: Keys, weighs: NDArray[np.bool_]
) -> Iterator[tuple[Of, Keys]]:
    for of, summand in layout.summands.items():
        metric, rows = summand.metric, data[of[1]]
        if metric.sides is None:
            continue
        derived = rows if metric.derive is None else metric.derive(rows, **metric.params)
        sides = metric.sides(derived, **metric.params)
        if sides is not None:
            yield of, select_lowest(keys[sides.pays & weighs], FEW_PAYERS)


def _iter_holders(piece: Piece, weighs: NDArray[np.bool_]) -> Iterator[tuple[str, Keys]]:
    """Yield units with a row of each of several classes."""
    target = piece.sample.target
    if isinstance(target, LabelTarget) or len(piece.sample.classes) > 2:
        assert isinstance(target, ClassTarget | LabelTarget)
        for value, has in zip(target.classes, target.flags.T, strict=True):
            yield value, select_lowest(piece.keys[weighs & has], FEW_HOLDERS)


def _iter_sampled_values(
    piece: Piece, data: Mapping[str, Rows], rows: int
) -> Iterator[tuple[str, Vector]]:
    """Yield target and scores of rows that their ids choose, where equal ones are told of."""
    chosen = is_key_held(piece.ids, rows, SAMPLED)
    for place, (model, each) in enumerate(data.items()):
        for what, column in each.ties().items():
            if what != "y":
                yield model, column.values[chosen]
            elif place == 0:  # the same for all models
                yield TARGET, column.values[chosen]
