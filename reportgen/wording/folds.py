"""What folds and rounds are, and what an interval says of them."""

from __future__ import annotations

from reportgen.results import DatasetInfo
from reportgen.wording.names import listed, name
from reportgen.wording.numbers import count, percent

PROCEDURE = "the way to learn, fitted again on as many other rows"
FITTED = "the models that made these scores, on other rows"


def question(dataset: DatasetInfo) -> str:
    """What intervals are about, in a few words; "" where one fit scored all rows."""
    if dataset.question is None:
        return ""
    return PROCEDURE if dataset.question == "procedure" else FITTED


def folds(dataset: DatasetInfo) -> str:
    """How many folds there are, in how many rounds, and by which columns."""
    rounds = dataset.rounds
    said = count(dataset.folds, "fold")
    if rounds is not None:
        said += f" in each of {count(rounds, 'round')}"
    columns = [each for each in (dataset.fold, dataset.repeat) if each is not None]
    return f"{said}, by {listed([name(each) for each in columns])}"


def train_share(dataset: DatasetInfo) -> str:
    """The share of the rows that each model was fitted on."""
    return percent(dataset.train_share)


def fitted_on(dataset: DatasetInfo) -> str:
    """What the models were fitted on: the other folds, or a smaller part of them."""
    return "rows of other folds" if _is_of_few(dataset) else "the other folds"


def shared(dataset: DatasetInfo) -> str:
    """What folds have in common: rows to learn from, or, where these are few, rows judged."""
    few = "many of the rows that their models could be judged on"
    return few if _is_of_few(dataset) else "most of the rows they learn from"


def _is_of_few(dataset: DatasetInfo) -> bool:
    return dataset.train_share is not None and dataset.train_share < 0.5
