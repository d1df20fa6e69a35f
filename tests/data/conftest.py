"""A small request that every test varies."""

from dataclasses import replace
from pathlib import Path

import pytest

from reportgen.data.requests import ColumnRequest, DatasetRequest, ModelRequest, TableRequest


def column(name, *at):
    return ColumnRequest(name, at)


def wide(path, **changes):
    """Ask for a table with id, y and the scores a and b; `changes` replace fields."""
    path = Path(path)
    request = DatasetRequest(
        name="test",
        table=TableRequest(
            str(path),
            path.name,
            column("id", "datasets", "test", "id"),
            ("datasets", "test", "path"),
        ),
        target=column("y", "datasets", "test", "target"),
        models={
            "first": ModelRequest(column("a", "models", "first", "column")),
            "second": ModelRequest(column("b", "models", "second", "column")),
        },
    )
    return replace(request, **changes)


def split(folder, labels="labels.csv", first="first.csv", second="second.csv", **changes):
    """Ask for labels and one file of scores a model."""

    def scores(model, name, score):
        at = ("models", model, "scores")
        table = TableRequest(str(folder / name), name, column("id", *at, "id"), (*at, "path"))
        return ModelRequest(column(score, *at, "column"), scores=table)

    models = {"first": scores("first", first, "a"), "second": scores("second", second, "b")}
    return wide(folder / labels, **{"models": models, **changes})


@pytest.fixture
def asked():
    """`asked.wide(path)` and `asked.split(folder)` make requests."""
    return type("Asked", (), {"wide": staticmethod(wide), "split": staticmethod(split)})
