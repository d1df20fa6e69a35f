"""The first pass: counts, extremes, keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import reduce
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from reportgen.data.arrow import Keys, is_key_held, select_held_keys
from reportgen.data.columns import describe_missing_values
from reportgen.data.dataset import (
    Piece,
    PieceWarnings,
    warn_constant_target,
    warn_equal_scores,
    warn_missing_rows,
)
from reportgen.data.requests import DatasetRequest
from reportgen.data.row_selection import DroppedRows
from reportgen.data.sample import ClassTarget, LabelTarget, Sample
from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics.folds import bind_metric
from reportgen.metrics.rows import Rows
from reportgen.results.core import WaterfallStep
from reportgen.results.types import RaisedWarning, Scalar
from reportgen.streaming.layout import Layout, Of, compute_columns
from reportgen.streaming.rank_bins import SAMPLED
from reportgen.streaming.sums import (
    KeyCounts,
    State,
    count_keys,
    merge_counts_by_column,
    missing_counts,
)
from reportgen.terms import LIMITS

Counts = NDArray[np.int64]
TARGET = ""  # what stands for the target beside the names of models
FEW_HOLDERS = 20  # units with a row of a class beyond which no resample lacks them all
SUMS = ("rows", "of", "sum")  # what W206 tells
NAMED_FIELDS = ("told", "payers", "scores", "sampled", "holders", "sums", "units")
ColumnsAsked = tuple[tuple[str, str | None], ...]
Key = TypeVar("Key")
FEW_PAYERS, FEW_SCORES = (int(LIMITS[code]["fewest"]) for code in ("W140", "W118"))


@dataclass(frozen=True, eq=False)
class Survey:
    """What is known of some rows after one look.

    rows, filtered    rows that are judged; rows that the filter left out
    missing, removed  (c,) by column: rows that lack it, and those of them that were still there
    largest, lacking  of each column of sums its largest size; rows that a metric has no number for
    heaviest, amount  the largest weight, and the largest amount
    ends              (2, t) the lowest and the highest target; beside a number of labels of each
                      whether it is there
    differs           (p, 2) of each two models whether a score differs, and whether anything does
    ids               keys of ids, as far as they are held
    payers            by metric and model, keys of units that pay the larger side of a loss: as many
                      of the lowest as a warning asks for
    classes           (2, k) rows, and rows that weigh, of each class
    holders           by class, keys of units with a row of it that weighs, as many of the lowest as
                      a warning asks for
    sums              by model (3,) rows whose probabilities were divided by their sum, rows in all,
                      and the sum that was furthest from 1
    scores            by model its lowest different scores, as many as a warning asks for, where
                      only they may repeat
    sampled           by model the scores of rows that their ids choose, and their targets, where
                      equal ones are told of
    told              what there is to tell of queries, by what it is and by model: how many
    judged            (metrics, 2) rows that weigh among those that a metric has no number for, and
                      the largest weight of the others
    apart             (c,) by column of sums whether it differs from the one that it is taken to be
                      the same as
    units             by column how often each value occurs that may tell units apart
    """

    rows: int
    filtered: int
    missing: Counts
    removed: Counts
    largest: Vector
    lacking: Vector
    heaviest: float
    amount: float
    ends: Vector
    differs: NDArray[np.bool_]
    ids: Keys
    payers: Mapping[Of, Keys]
    classes: Counts
    scores: Mapping[str, Vector]
    sampled: Mapping[str, Vector]
    holders: Mapping[str, Keys]
    sums: Mapping[str, Vector]
    told: Mapping[PieceWarnings, int]
    judged: Matrix
    apart: NDArray[np.bool_]
    units: Mapping[str, KeyCounts]


def survey_piece(
    piece: Piece, request: DatasetRequest, layout: Layout, data: Mapping[str, Rows], rows: int
) -> Survey:
    """The survey of a piece with the rows of each model; `rows` are those of the whole table."""
    lost = {(loss.column, loss.model): (loss.missing, loss.removed) for loss in piece.losses}
    missing = np.array([lost.get(each, (0, 0)) for each in piece.asked], np.int64).reshape(-1, 2)
    filtered = sum(step.removed for step in piece.steps if step.step == "filtered")
    sample, nothing = piece.sample, np.empty(0, np.uint64)
    pairs = list(combinations(sample.models, 2))
    counts = sample.n, filtered, missing[:, 0], missing[:, 1]
    targets = _compute_targets(sample)
    if not sample.n:
        none = np.full(targets.shape[1], np.inf)
        return Survey(
            *counts,
            np.zeros(layout.columns),
            np.zeros(len(layout.summands)),
            0.0,
            0.0,
            np.stack([none, -none]),
            np.zeros((len(pairs), 2), bool),
            nothing,
            {},
            _build_classes(sample, piece.weight > 0),
            {},
            {},
            {},
            {},
            piece.counts,
            np.zeros((len(layout.summands), 2)),
            np.zeros(layout.columns, bool),
            {},
        )
    columns, lacking = compute_columns(layout, data)
    weight = piece.weight
    return Survey(
        *counts,
        np.abs(columns).max(axis=1, initial=0.0),
        lacking,
        float(weight.max()),
        max(each.largest() for each in data.values()),
        np.stack([targets.min(axis=0), targets.max(axis=0)]),
        np.array([_differ(sample, data, *pair) for pair in pairs], bool).reshape(-1, 2),
        select_held_keys(piece.ids, rows),
        dict(_iter_payers(layout, data, piece.keys, weight > 0)),
        _build_classes(sample, weight > 0),
        {m: _lowest(each.ranking.values) for m, each in data.items() if _may_repeat(each)},
        dict(_iter_sampled_values(piece, data, rows)),
        dict(_holders(piece, weight > 0)),
        {str(w.model): np.array([w.numbers[key] for key in SUMS], float) for w in piece.of_sums},
        piece.counts,
        layout.judged(columns, weight),
        layout.apart(columns),
        {
            name: missing_counts() if keys is None else count_keys(keys)
            for name, keys in piece.units.items()
        },
    )


def join_surveys(one: Survey, other: Survey) -> Survey:
    """The survey of the rows of both."""
    return Survey(
        one.rows + other.rows,
        one.filtered + other.filtered,
        one.missing + other.missing,
        one.removed + other.removed,
        np.maximum(one.largest, other.largest),
        one.lacking + other.lacking,
        max(one.heaviest, other.heaviest),
        max(one.amount, other.amount),
        np.stack([np.minimum(one.ends[0], other.ends[0]), np.maximum(one.ends[1], other.ends[1])]),
        one.differs | other.differs,
        np.concatenate([one.ids, other.ids]),
        _lowest_of(one.payers, other.payers, FEW_PAYERS),
        one.classes + other.classes,
        _lowest_of(one.scores, other.scores, FEW_SCORES),
        {
            model: np.concatenate(
                [each.sampled[model] for each in (one, other) if model in each.sampled]
            )
            for model in dict.fromkeys((*one.sampled, *other.sampled))
        },
        _lowest_of(one.holders, other.holders, FEW_HOLDERS),
        _sums_of(one, other),
        Counter(one.told) + Counter(other.told),
        np.column_stack(
            [
                one.judged[:, 0] + other.judged[:, 0],
                np.maximum(one.judged[:, 1], other.judged[:, 1]),
            ]
        ),
        one.apart | other.apart,
        merge_counts_by_column(one.units, other.units),
    )


def _lowest_of(
    one: Mapping[Key, NDArray[Any]], other: Mapping[Key, NDArray[Any]], most: int
) -> dict[Key, NDArray[Any]]:
    """So many of the lowest different values of both, by key."""
    return {
        key: np.unique(np.concatenate([each[key] for each in (one, other) if key in each]))[:most]
        for key in dict.fromkeys((*one, *other))
    }


class RunningSurvey:
    """The survey of all row groups so far."""

    def __init__(self) -> None:
        self._found: list[Survey] = []

    def add(self, part: Survey) -> None:
        """Take in that of a row group."""
        self._found = [reduce(join_surveys, [*self._found, part])]

    @property
    def all(self) -> Survey:
        """That of all row groups so far."""
        (one,) = self._found
        return one

    def state(self) -> State:
        """The same as arrays by name."""
        found = self.all
        state: list[tuple[Sequence[str], NDArray[Any]]] = []
        for each in fields(found):
            value = getattr(found, each.name)
            if each.name == "told":
                state += [
                    ((each.name, what, model or ""), np.array(n))
                    for (what, model), n in value.items()
                ]
            elif isinstance(value, Mapping):
                keys = ((k,) if isinstance(k, str) else k for k in value)
                state += [((each.name, *k), v) for k, v in zip(keys, value.values(), strict=True)]
            else:
                state.append(((each.name,), np.asarray(value)))
        return state

    def resume(self, state: State) -> None:
        """Take in a state that was kept."""
        known: dict[str, Any] = {each: {} for each in NAMED_FIELDS}
        for (name, *key), array in state:
            if name == "told":
                known[name][key[0], key[1] or None] = int(array)
            elif key:
                known[name][tuple(key) if len(key) > 1 else key[0]] = array
            else:
                known[name] = array if array.ndim else array.item()
        self.add(Survey(**known))


def iter_waterfall_steps(
    found: Survey, asked: ColumnsAsked, rows: int, filter_text: str
) -> Iterator[WaterfallStep]:
    """How many rows were read, which went and why, and how many are left."""
    if found.told:
        yield from _iter_query_steps(found)
        return
    yield WaterfallStep("read", rows, 0, "")
    left = rows - found.filtered
    if filter_text:
        yield WaterfallStep("filtered", left, found.filtered, filter_text)
    for loss in _iter_losses(found, asked):
        left -= loss.removed
        reason = describe_missing_values(loss.missing, loss.column, loss.model)
        yield WaterfallStep("dropped", left, loss.removed, reason)
    yield WaterfallStep("used", found.rows, 0, "")


def _iter_query_steps(found: Survey) -> Iterator[WaterfallStep]:
    """How many queries were judged, and which went as a model lacks them."""
    left = found.told["queries", None]
    yield WaterfallStep("read", left, 0, "")
    for (what, model), n in found.told.items():
        if what == "dropped" and n:
            left -= n
            yield WaterfallStep("dropped", left, n, f"no line in the run of {model!r}")
    yield WaterfallStep("used", found.rows, 0, "")


def iter_query_warnings(found: Survey, request: DatasetRequest) -> Iterator[RaisedWarning]:
    """W231 to W234, as of queries that are read at once."""
    ranked, told = request.ranked, found.told
    if ranked is None:
        return
    for model in request.models:
        if n := told.get(("W233", model)):
            yield RaisedWarning("W233", {"queries": n}, model=model)
    for model in request.models:
        if n := told.get(("W231", model)):
            numbers: dict[str, Scalar] = {"queries": n, "of": told["queries", None]}
            numbers["left_out" if ranked.missing_query == "drop" else "empty"] = n
            yield RaisedWarning("W231", numbers, model=model)
    if n := told.get(("W232", None)):
        yield RaisedWarning("W232", {"queries": n, "of": found.rows})
    if n := told.get(("W234", None)):
        yield RaisedWarning("W234", {"documents": n})


def iter_row_warnings(
    found: Survey, request: DatasetRequest, asked: ColumnsAsked
) -> Iterator[RaisedWarning]:
    """W201, W202, W204, W206 and W207, as of rows that are read at once."""
    if request.ranked is not None:
        yield from iter_query_warnings(found, request)
        return
    if (found.ends[0] == found.ends[1]).all():
        yield warn_constant_target(request.target.name, float(found.ends[0, 0]))
    same: dict[str, str] = {}
    for (earlier, model), differs in zip(
        combinations(request.models, 2), found.differs, strict=True
    ):
        if not differs[0]:
            same.setdefault(model, earlier)
    for model in request.models:
        if model in same:
            yield warn_equal_scores(request, model, same[model])
    for model in request.models:
        if model in found.sums:
            rows, _, worst = found.sums[model]
            numbers: dict[str, Scalar] = {"rows": int(rows), "of": found.rows, "sum": float(worst)}
            yield RaisedWarning("W206", numbers, model=model)
    yield from map(warn_missing_rows, _iter_losses(found, asked))


def find_identical_models(found: Survey, models: Sequence[str]) -> frozenset[tuple[str, str]]:
    """Models that say the same of every row, two by two in both orders."""
    same = [p for p, d in zip(combinations(models, 2), found.differs, strict=True) if not d[1]]
    return frozenset([*same, *(pair[::-1] for pair in same)])


def _iter_losses(found: Survey, asked: ColumnsAsked) -> Iterator[DroppedRows]:
    """The columns that rows lack, in their order."""
    for (column, model), missing, removed in zip(asked, found.missing, found.removed, strict=True):
        if missing:
            yield DroppedRows("dropped", column, model, int(missing), int(removed))


def _differ(sample: Sample, data: Mapping[str, Rows], one: str, other: str) -> tuple[bool, bool]:
    """Whether the scores of two models differ on a row, and whether anything they say does."""
    is_same = bool(np.array_equal(sample.models[one].score, sample.models[other].score))
    is_all = is_same and data[one].is_same(data[other])
    # Of several classes the scores are all of them.
    return not (is_all if len(sample.classes) > 2 else is_same), not is_all


def _compute_targets(sample: Sample) -> Matrix:
    """What happened, or how many labels there are and whether each is there, a column each."""
    flags = (sample.target.flags,) if isinstance(sample.target, LabelTarget) else ()
    return np.column_stack([sample.y, *flags])


def _sums_of(one: Survey, other: Survey) -> dict[str, Vector]:
    """W206's numbers of both, the first of the sums that are furthest from 1."""
    found = dict(one.sums)
    for model, each in other.sums.items():
        mine = found.get(model, each * [0, 0, 1])
        worst = each[2] if abs(each[2] - 1) > abs(mine[2] - 1) else mine[2]
        found[model] = np.array([mine[0] + each[0], mine[1] + each[1], worst])
    return found


def _iter_payers(
    layout: Layout, data: Mapping[str, Rows], keys: Keys, weighs: NDArray[np.bool_]
) -> Iterator[tuple[Of, Keys]]:
    for of, summand in layout.summands.items():
        if summand.metric.sides is None:
            continue
        sides = bind_metric(summand.metric, data[of[1]]).sides
        if sides is not None:
            yield of, np.unique(keys[sides.pays & weighs])[:FEW_PAYERS]


def _build_classes(sample: Sample, weighs: NDArray[np.bool_]) -> Counts:
    """How many rows, and rows that weigh, are of each class; of amounts none."""
    target = sample.target
    if isinstance(target, ClassTarget | LabelTarget):
        return np.stack([target.count_rows(), target.count_rows(weighs)])
    return np.zeros((2, 2), np.int64)


def _holders(piece: Piece, weighs: NDArray[np.bool_]) -> Iterator[tuple[str, Keys]]:
    """Units with a row of each of several classes."""
    target = piece.sample.target
    if isinstance(target, LabelTarget) or len(piece.sample.classes) > 2:
        assert isinstance(target, ClassTarget | LabelTarget)
        for value, has in zip(target.classes, target.flags.T, strict=True):
            yield value, np.unique(piece.keys[weighs & has])[:FEW_HOLDERS]


def _iter_sampled_values(
    piece: Piece, data: Mapping[str, Rows], rows: int
) -> Iterator[tuple[str, Vector]]:
    """Of rows that their ids choose the target and each score, where equal ones are told of."""
    chosen = is_key_held(piece.ids, rows, SAMPLED)
    for place, (model, each) in enumerate(data.items()):
        for what, column in each.ties().items():
            if what != "y":
                yield model, column.values[chosen]
            elif place == 0:  # the same for all models
                yield TARGET, column.values[chosen]


def _may_repeat(rows: Rows) -> bool:
    """Whether targets repeat by what they are, so that only few different scores are told of."""
    ties = rows.ties()
    return "score" in ties and "y" not in ties


def _lowest(scores: Vector) -> Vector:
    return np.unique(scores)[:FEW_SCORES]
