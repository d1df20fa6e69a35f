"""Bring a table with a row for each item, model and sample into a row for each item."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.data.arrow import Index
from reportgen.data.files.long_tables import (
    Encoded,
    encode_named,
    join_parts,
    refuse_disagreement,
    refuse_repeats,
    split_by_part,
)
from reportgen.data.names import Spellings
from reportgen.data.requests import (
    HUMAN_PARTS,
    PASSES,
    SAMPLES,
    SPREAD,
    HumanRequest,
    ItemScoreRequest,
    ItemsRequest,
    name_item_column,
)
from reportgen.data.sample import Vector
from reportgen.data.table import FileTable, format_count
from reportgen.errors import DataError
from reportgen.records import record
from reportgen.text import mask_number, quote


@record(eq=False)
class ItemAnswers:
    """The answers of all models to items: which item and model each row is of.

    `first` (items,) is each item's first row, `item` (rows,) and `model` (rows,) number them.
    """

    table: FileTable
    request: ItemsRequest
    first: Index
    item: Index
    model: Index
    models: list[str]

    def find_rows(self, model: str) -> Index:
        """Find the rows of a model, by its name in the config."""
        return np.flatnonzero(self.model == self.models.index(self.request.models[model]))


def widen_items(
    table: FileTable, request: ItemsRequest, names: Collection[str], agreeing: Iterable[str]
) -> FileTable:
    """Return a table with a row for each item, in the order of their first rows.

    Its columns are those of the table, from each item's first row, and of each model in `names` the
    mean of each score over the item's samples, with what is derived of these. Rows of one item must
    have the same value in each of the `agreeing` columns.
    """
    if request.is_loose:
        spellings = Spellings.from_texts(table.texts(request.id.name))
        table = replace(table, spellings={request.id.name: spellings})
    ids, models = encode_named(table, request.id.name), encode_named(table, request.model.name)
    _refuse_repeated_samples(table, request, ids, models)
    _, first = np.unique(ids[1], return_index=True)
    first = np.sort(first)
    row_of = np.empty(len(ids[0]), np.int64)
    row_of[ids[1][first]] = np.arange(len(first))
    answers = ItemAnswers(table, request, first, row_of[ids[1]], models[1], models[0])
    for name in agreeing:
        refuse_disagreement(table, request.id.name, name, first[answers.item], ids)
    caveats = _judge_different_items(answers, names)
    read = {each.name for each in request.columns} - {request.id.name}
    columns = {
        name: join_parts(table, name).take(pa.array(first))
        for name in table.parts[0].columns
        if name not in read
    }
    values = {name: _read_score(table, score) for name, score in request.scores.items()}
    human = None
    if request.human is not None:
        human = _read_labels(table, request, request.human, values[request.human.score])
    for model in names:
        for name, column in _iter_item_columns(answers, model, values, human):
            columns[name] = pa.array(column, from_pandas=True)
    caveats += _describe_unscored(answers, names, values)
    parts = split_by_part(table, first, columns)
    parts = [replace(part, caveats=()) for part in parts]
    parts[0] = replace(parts[0], caveats=tuple(dict.fromkeys([*_collect_caveats(table), *caveats])))
    return replace(table, parts=tuple(parts))


def _collect_caveats(table: FileTable) -> list[str]:
    """Collect what files say of themselves, of all of them though rows are split by their first."""
    return [caveat for part in table.parts for caveat in part.caveats]


def _refuse_repeated_samples(
    table: FileTable, request: ItemsRequest, ids: Encoded, models: Encoded
) -> None:
    """Refuse two rows of one item, model and sample."""
    if request.sample is None:
        way = "name the column that numbers them, under samples:"
        refuse_repeats(table, ids, models, None, way)
        return
    samples = encode_named(table, request.sample.name)
    way = "keep one row of each, or give the samples of merged runs different numbers"
    refuse_repeats(table, ids, models, samples, way)


def _judge_different_items(answers: ItemAnswers, names: Collection[str]) -> list[str]:
    """Describe the items that some model has not answered, or refuse them."""
    request, lacking = answers.request, dict[str, Index]()
    for model in names:
        answered = np.zeros(len(answers.first), np.bool_)
        answered[answers.item[answers.find_rows(model)]] = True
        if not answered.all():
            lacking[model] = np.flatnonzero(~answered)
    if not lacking or request.missing != "error":
        verb = "score 0" if request.missing == "zero" else "are left out"
        return [
            f"{format_count(len(rows), 'item')} that {model} has not answered {verb}"
            for model, rows in lacking.items()
        ]
    items = format_count(len(answers.first), "item")
    lines = [
        f"model {quote(model)} has no answer to {len(rows)} of {items} (first at "
        f"{answers.table.where(answers.first[rows[:1]])})"
        for model, rows in lacking.items()
    ]
    way = f"under datasets.{request.dataset} write `missing: intersect` to compare the models "
    way += "on the items that all have answered, or `missing: zero` to score the others 0"
    raise DataError(f"{answers.table.shown}: {'; '.join(lines)}; {way}")


def _describe_unscored(
    answers: ItemAnswers, names: Collection[str], values: Mapping[str, Vector]
) -> list[str]:
    """Describe the samples that were answered and have no score."""
    notes = []
    for model in names:
        rows = answers.find_rows(model)
        for score, every in values.items():
            count = int(np.isnan(every[rows]).sum())
            if count:
                samples = format_count(len(rows), "sample")
                notes.append(f"{count} of {samples} of {model} have no score {quote(score)}")
    return notes


def _read_score(table: FileTable, score: ItemScoreRequest) -> Vector:
    """Read a score of each sample, nan where it is missing; values beyond its range are refused."""
    values = table.flags(score.column.name)
    rows = np.flatnonzero(_find_beyond(values, score.bounds))
    if len(rows):
        raise DataError(
            f"{table.shown}: column {quote(score.column.name)} has "
            f"{format_count(len(rows), 'value')} of {table.rows} beyond the bounds of the score "
            f"(first {mask_number(values[rows[0]])} at {table.where(rows[:1])}); correct its "
            "`bounds:` under scores, or the values"
        )
    return values


@record(eq=False)
class _HumanLabels:
    """The human label of each sample, nan where there is none.

    If `are_passes`, they are 0 or 1, and the judge's score has another scale.
    """

    value: Vector
    are_passes: bool


def _read_labels(
    table: FileTable, request: ItemsRequest, human: HumanRequest, judge: Vector
) -> _HumanLabels:
    """Read the human labels; refuse those that share no scale with the judge's score."""
    column, score = quote(human.column.name), quote(human.score)
    labels = table.amounts(human.column.name)
    if np.isnan(labels).all():
        raise DataError(
            f"{table.shown}: no sample has a label in column {column}; remove judge:, or name the "
            "column of labels"
        )
    low, high = request.scores[human.score].bounds
    if (low, high) == (None, None) and not ((judge < 0) | (judge > 1)).any():
        low, high = 0.0, 1.0
    known = labels[~np.isnan(labels)]
    if (low, high) != (0, 1) and np.isin(known, (0, 1)).all():
        if human.least is None:
            raise DataError(
                f"{table.shown}: the labels in column {column} are 0 or 1, and the score {score} "
                f"{_describe_scale(low, high)}; write under scores.{human.score} from which value "
                "on a sample passes (`from:`, with `better: higher`), or give labels on its scale"
            )
        return _HumanLabels(labels, are_passes=True)
    beyond = np.flatnonzero(_find_beyond(labels, (low, high)))
    if len(beyond):
        raise DataError(
            f"{table.shown}: column {column} has {format_count(len(beyond), 'label')} of "
            f"{len(known)} beyond the scale of the score {score}, which "
            f"{_describe_scale(low, high)} (first {mask_number(labels[beyond[0]])} at "
            f"{table.where(beyond[:1])}); give labels on its scale, or labels of 0 and 1 alone"
        )
    return _HumanLabels(labels, are_passes=False)


def _describe_scale(low: float | None, high: float | None) -> str:
    """Describe the scale of a score.

    >>> _describe_scale(1, 5)
    'goes from 1 to 5'
    """
    if low is None and high is None:
        return "has other values"
    if low is None or high is None:
        return f"is {low:g} or more" if high is None else f"is {high:g} or less"
    return f"goes from {low:g} to {high:g}"


def _find_beyond(values: Vector, bounds: tuple[float | None, float | None]) -> NDArray[np.bool_]:
    """Find values beyond bounds; None is no bound."""
    low, high = bounds
    return (values < (-inf if low is None else low)) | (values > (inf if high is None else high))


def _iter_item_columns(
    answers: ItemAnswers, model: str, values: dict[str, Vector], human: _HumanLabels | None
) -> Iterator[tuple[str, Vector]]:
    """Yield the columns of a model, with their names."""
    request, rows, items = answers.request, answers.find_rows(model), len(answers.first)
    item = answers.item[rows]
    for name, score in request.scores.items():
        own = values[name][rows]
        known = ~np.isnan(own)
        at, scored = item[known], own[known]
        count = np.bincount(at, minlength=items).astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = _sum_by_item(at, scored, items) / count
        spread = _sum_by_item(at, (scored - mean[at]) ** 2, items)
        if request.missing == "zero":
            mean = np.where(count > 0, mean, 0.0)
        yield name_item_column(model, name), mean
        most = count.max(initial=1.0)
        given = np.where(count > 0, count, most if request.missing == "zero" else 1.0)
        yield name_item_column(model, name, SAMPLES), given
        yield name_item_column(model, name, SPREAD), spread
        for least in score.passing:
            passed = _sum_by_item(at, scored >= least, items)
            yield name_item_column(model, name, f"{PASSES} {least:g}"), passed
    if human is not None and request.human is not None:
        judge = values[request.human.score][rows]
        labels = replace(human, value=human.value[rows])
        yield from _iter_human_columns(request, model, item, items, judge, labels)


def _iter_human_columns(
    request: ItemsRequest, model: str, item: Index, items: int, judge: Vector, human: _HumanLabels
) -> Iterator[tuple[str, Vector]]:
    """Yield sums of the human labels and the judge's scores of each item's samples.

    Where labels are passes, the judge's scores are taken as passes too.
    """
    assert request.human is not None
    name = request.human.score
    [least, *_] = request.scores[name].passing or (1.0,)
    scored = ~np.isnan(judge)
    if human.are_passes:
        judge = np.where(scored, judge >= least, np.nan)
        least = 1.0
    known = scored & ~np.isnan(human.value)
    at, says, truth = item[known], judge[known], human.value[known]
    columns = (
        np.ones(len(at)),
        truth,
        says,
        (truth >= least) & (says >= least),
        truth >= least,
        says >= least,
    )
    sums = [_sum_by_item(at, each, items) for each in columns]
    count = np.bincount(item[scored], minlength=items)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = _sum_by_item(item[scored], judge[scored], items) / count
    if request.missing == "zero":
        mean = np.where(count > 0, mean, 0.0)
    for part, each in zip(HUMAN_PARTS, [*sums, mean], strict=True):
        yield name_item_column(model, name, part), each


def _sum_by_item(item: Index, values: NDArray[Any], items: int) -> Vector:
    return np.asarray(np.bincount(item, values, items), np.float64)
