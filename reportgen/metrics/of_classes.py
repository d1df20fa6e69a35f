"""Arrays of classes and of their scores, checked and made into the rows that metrics read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.rows import Classes, LabelSets
from reportgen.terms import Needs, Scale

SLACK = 1e-6  # by which probabilities of a row may miss 1, for each class


def rows_of_classes(y: ArrayLike, score: Any, *, needs: Needs) -> Classes:
    """The class of each row, and a score for each class, (n, k), or the class it is called, (n,).

    Columns are in the order of the classes: numbers from 0 to k - 1, or else as they are sorted.
    """
    truth, said = np.asarray(y), np.asarray(score)
    if truth.ndim != 1:
        raise ValueError(f"y has {truth.ndim} dimensions, but must name one class a row")
    if len(said) != len(truth):
        raise ValueError(f"score has {len(said)} rows, but y has {len(truth)}")
    if said.ndim == 1:
        names = np.unique(np.concatenate([truth, said]))
        code, called = (np.searchsorted(names, each) for each in (truth, said))
        return _rows(code, np.eye(len(names))[called], names, "label", needs)
    if said.ndim != 2:
        raise ValueError(f"score has {said.ndim} dimensions, but must have one or two")
    scores = _numbers(said)
    names = _names(truth, scores.shape[1])
    if needs == "probability":
        _refuse_none(scores)
    scale: Scale = "probability" if needs == "probability" else "score"
    return _rows(np.searchsorted(names, truth), scores, names, scale, needs)


def rows_of_labels(y: ArrayLike, score: Any, *, needs: Needs) -> LabelSets:
    """Which labels each row has, (n, k) of 0 and 1, and their scores, (n, k).

    Labels go by the number of their column.
    """
    had, said = _numbers(np.asarray(y), "y"), _numbers(np.asarray(score))
    if had.ndim != 2 or said.shape != had.shape:
        raise ValueError(
            f"y has the shape {had.shape} and score {said.shape}, but both must have a row for "
            "each row and a column for each label"
        )
    if not np.isin(had, (0.0, 1.0)).all():
        raise ValueError("y must hold 0 and 1 alone: whether a label is there")
    if needs != "order" and ((said < 0) | (said > 1)).any():
        raise ValueError("score must hold probabilities, between 0 and 1")
    scale: Scale = "score" if needs == "order" else "probability"
    return LabelSets(had > 0, said, tuple(map(str, range(had.shape[1]))), scale)


def _rows(
    code: NDArray[Any], scores: NDArray[np.float64], names: NDArray[Any], scale: Scale, needs: Needs
) -> Classes:
    labels = tuple(map(str, names.tolist()))
    rows = Classes(code.astype(np.intp), scores, labels, scale)
    if lack := rows.lacks(needs):
        raise ValueError(f"score {lack}: give a column for each class")
    return rows


def _names(truth: NDArray[Any], columns: int) -> NDArray[Any]:
    found = np.unique(truth)
    plain = np.arange(columns)
    if found.dtype.kind in "iufb" and np.isin(found, plain).all():
        return plain
    if len(found) != columns:
        raise ValueError(
            f"score has {columns} columns, and y {len(found)} classes; number them from 0 to "
            f"{columns - 1}, or give a column for each"
        )
    return found


def _numbers(said: NDArray[Any], name: str = "score") -> NDArray[np.float64]:
    try:
        found = said.astype(np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must hold numbers") from None
    if not np.isfinite(found).all():
        raise ValueError(f"{name} has values that are no finite number")
    return found


def _refuse_none(scores: NDArray[np.float64]) -> None:
    if ((scores < 0) | (scores > 1)).any():
        raise ValueError("score must hold probabilities, between 0 and 1")
    off = np.abs(scores.sum(axis=1) - 1)
    if (off > SLACK * scores.shape[1]).any():
        row = int(np.argmax(off))
        raise ValueError(f"the probabilities of row {row} sum to {scores[row].sum():g}, not to 1")
