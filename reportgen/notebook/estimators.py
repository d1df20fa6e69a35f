"""Predict with estimators, fitted already or refitted on each split of cross-validation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import UsageError
from reportgen.records import record
from reportgen.version import describe_missing_package

Rows = NDArray[np.intp]
Split = tuple[Rows, Rows]  # rows that are fitted on, rows that are scored
MOST_APART = 1.1
"""How many times the smallest number of training rows the largest may be."""


@record(eq=False)
class Splits:
    """The splits of cross-validation, as the table of scores has them.

    `rows` (m,) is the row of each score, `fold` and `round_` (m,) the split and round that it is
    of; `ids` are the names of the scores where a row has several within a round, else None.
    `train_share` is the mean share of a split's rows that models are fitted on; None where it
    follows from the folds.
    """

    rows: Rows
    fold: Rows
    round_: Rows
    ids: tuple[str, ...] | None
    train_share: float | None

    @property
    def description(self) -> str:
        """The splits in words."""
        folds = len(np.unique(self.fold + (self.fold.max() + 1) * self.round_))
        if self.ids is not None:
            return f"{folds} splits, of which a row may be in several"
        rounds = len(np.unique(self.round_))
        return f"{folds // rounds} folds" + (f" in each of {rounds} rounds" if rounds > 1 else "")


@record(eq=False)
class Fitted:
    """What estimators predict: `outputs` by model, `classes` of each; `splits` if there are any."""

    outputs: Mapping[str, Any]
    classes: tuple[Any, ...] | None
    splits: Splits | None = None


def predict_all(estimators: Any, X: Any, y: Any, cv: Any, groups: Any) -> Fitted:
    """Predict with every estimator: on X, or on the rows that each split of `cv` leaves out."""
    if not isinstance(estimators, Mapping) or not estimators:
        raise UsageError("estimators must be a map of names, such as {'ridge': ridge}")
    if X is None:
        raise UsageError("estimators need X, the features of the rows of y")
    if all(isinstance(each, Mapping) for each in estimators.values()):
        splits = _read_indices(estimators)
        fitted = {name: each["estimator"] for name, each in estimators.items()}
    elif cv is None:
        return Fitted(
            {str(name): _predict(each, X, str(name)) for name, each in estimators.items()},
            _find_classes(estimators.values()),
        )
    else:
        from sklearn.base import is_classifier

        has_classes = any(map(is_classifier, estimators.values()))
        splits = list_splits(cv, X, y, groups, has_classes=has_classes)
        fitted = {
            name: [_fit_copy(each, X, y, train) for train, _ in splits]
            for name, each in estimators.items()
        }
    outputs = {
        str(name): _join(
            [
                _predict(copy, _take(X, test), str(name))
                for copy, (_, test) in zip(copies, splits, strict=True)
            ]
        )
        for name, copies in fitted.items()
    }
    classes = _find_classes([copy for copies in fitted.values() for copy in copies])
    return Fitted(outputs, classes, arrange_splits(splits))


def list_splits(cv: Any, X: Any, y: Any, groups: Any, *, has_classes: bool) -> list[Split]:
    """List the splits of a number of folds, a splitter, or pairs of training and test rows."""
    if not isinstance(cv, int) and not hasattr(cv, "split"):
        pairs: Iterable[Any] = cv
    else:
        try:
            from sklearn.model_selection import check_cv
        except ImportError:
            raise UsageError(describe_missing_package("cv", "scikit-learn")) from None
        splitter = check_cv(cv, y, classifier=has_classes)
        pairs = splitter.split(np.zeros((len(y), 1)) if X is None else X, y, groups)
    return [(_list_rows(train), _list_rows(test)) for train, test in pairs]


def _list_rows(rows: Any) -> Rows:
    """List rows that are given by their numbers or by a mask."""
    given = np.asarray(rows)
    return np.flatnonzero(given) if given.dtype == bool else given.astype(np.intp)


def arrange_splits(splits: Sequence[Split]) -> Splits:
    """Arrange splits in rounds: one that scores a row again begins the next round.

    Where rounds leave rows out, as random splits do, each split is a fold of one round, and a row
    has a score for each split that it is in.
    """
    sizes = [len(train) for train, _ in splits]
    if max(sizes) > MOST_APART * min(sizes):
        raise UsageError(
            f"the splits have {min(sizes):,} to {max(sizes):,} training rows, so their models "
            "cannot be averaged; give splits of one training size, as with max_train_size=, "
            "or the predictions of one fitted model with time="
        )
    rounds: list[int] = []
    seen: set[int] = set()
    for _, test in splits:
        if not rounds or seen.intersection(test.tolist()):
            rounds.append(0)
            seen = set()
        rounds[-1] += 1
        seen.update(test.tolist())
    rows = np.concatenate([test for _, test in splits])
    lengths = [len(test) for _, test in splits]
    is_partition = len(rows) == len(rounds) * len(np.unique(rows))
    if is_partition:
        folds = np.concatenate([np.arange(count) for count in rounds])
        of_round = np.repeat(np.arange(len(rounds)), rounds)
        return Splits(rows, np.repeat(folds, lengths), np.repeat(of_round, lengths), None, None)
    fold = np.repeat(np.arange(len(splits)), lengths)
    ids = tuple(f"{row}/{split}" for row, split in zip(rows.tolist(), fold.tolist(), strict=True))
    share = float(np.mean([len(train) / (len(train) + len(test)) for train, test in splits]))
    return Splits(rows, fold, np.zeros_like(fold), ids, share)


def _read_indices(estimators: Mapping[str, Any]) -> list[Split]:
    """Read the splits that results of `cross_validate` were made on, which all must share."""
    result: list[list[Split]] = []
    for name, each in estimators.items():
        if "estimator" not in each or "indices" not in each:
            raise UsageError(
                f"estimators[{name!r}] has no estimators or indices; call cross_validate with "
                "return_estimator=True and return_indices=True"
            )
        indices = each["indices"]
        result.append(list(zip(indices["train"], indices["test"], strict=True)))
    first, *others = result
    for other in others:
        is_same = len(other) == len(first) and all(
            np.array_equal(a, b)
            for mine, theirs in zip(first, other, strict=True)
            for a, b in zip(mine, theirs, strict=True)
        )
        if not is_same:
            raise UsageError(
                "the models were scored on different splits; give every cross_validate call the "
                "same splitter with a fixed random_state"
            )
    return first


def _fit_copy(estimator: Any, X: Any, y: Any, train: Rows) -> Any:
    from sklearn.base import clone

    return clone(estimator).fit(_take(X, train), _take(y, train))


def _take(values: Any, rows: Rows) -> Any:
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if hasattr(values, "__array__") or hasattr(values, "tocsr"):
        is_frame = hasattr(values, "columns")
        return values[rows] if not is_frame else values[rows.tolist()]
    return np.asarray(values)[rows]


def _join(parts: Sequence[Any]) -> Any:
    """Join what the copies of an estimator predict; several outputs stay several."""
    if isinstance(parts[0], list):
        return [np.concatenate(each) for each in zip(*parts, strict=True)]
    return np.concatenate(parts)


def _find_classes(estimators: Iterable[Any]) -> tuple[Any, ...] | None:
    """Find the classes that all estimators know; None where they have none, or several outputs."""
    result = {
        tuple(known.tolist())
        for each in estimators
        if isinstance(known := getattr(each, "classes_", None), np.ndarray)
    }
    if len(result) > 1:
        raise UsageError("the estimators were fitted on different classes; fit them on the same")
    return next(iter(result), None)


def _predict(estimator: Any, X: Any, name: str) -> Any:
    """Predict probabilities, else scores, else values."""
    methods = ("predict_proba", "decision_function", "predict")
    method = next((each for each in methods if hasattr(estimator, each)), None)
    if method is None:
        raise UsageError(f"estimators[{name!r}] has no predict; give predictions instead")
    try:
        return getattr(estimator, method)(X)
    except Exception as error:
        if type(error).__name__ != "NotFittedError":
            raise
        raise UsageError(
            f"estimators[{name!r}] is not fitted; fit it on other rows than X, or give cv=5"
        ) from None
