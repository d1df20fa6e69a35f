"""The keys of a dataset that are maps of their own: files of labels, slices, nouns, samples."""

from __future__ import annotations

from math import isnan
from typing import Annotated, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from reportgen.config.fields import Edge, Number, Seed, Strict, Text, about, said


class Labels(Strict):
    """The file with what happened, where the models' scores have files of their own."""

    path: Text = about("The file, or a glob.", example="data/labels.csv")


class SegmentKeys(Strict):
    """A column whose values slice the rows."""

    column: Text = about("The column's name.", example="region")
    bins: tuple[Edge, ...] = about(
        "Edges, ascending, that cut a numeric column into slices; .inf is allowed. Up to 30 whole "
        "numbers are slices without them.",
        (),
        example=[10, 100],
    )
    label: Text | None = about(
        "What the column is called in the report; default: its name.", None, example="Customers"
    )
    values: dict[str, Text] = about(
        "What its values are called in the report; default: as they stand in the column.",
        {},
        example={"repeat": "Repeat"},
    )

    @model_validator(mode="after")
    def _bins_ascend(self) -> Self:
        if any(map(isnan, self.bins)):
            raise said("has .nan among its bins; an edge is a number, or .inf")
        if len(self.bins) == 1:
            raise said("has one bin edge; a slice lies between two, such as bins: [10, .inf]")
        if any(not low < high for low, high in zip(self.bins, self.bins[1:], strict=False)):
            raise said("has bins out of order; write the edges from the lowest to the highest")
        return self


class SampleOf(Strict):
    """A fixed random part of the rows."""

    n: int = about("How many rows.", example=500, ge=1)
    seed: Seed = about("Where the draw starts; the same seed draws the same rows.", 1, example=1)


class Case(Strict):
    """What a row is."""

    one: Text = about("The noun for one row.", example="customer")
    many: Text | None = about(
        "The noun for several; default: with an s.", None, example="customers"
    )

    @property
    def nouns(self) -> tuple[str, str]:
        """One row, and several."""
        return self.one, self.many or f"{self.one}s"


class CutKeys(Strict):
    """Where a number is cut into two classes, of which the upper one is positive."""

    above: Number | None = about("Rows with more than this are positive.", None, example=100)
    quantile: float | None = about(
        "Rows above this quantile of the dataset's rows are positive.",
        None,
        example=0.9,
        gt=0,
        lt=1,
    )

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.above is None) == (self.quantile is None):
            raise said("wants above: 100, or quantile: 0.9, and not both")
        return self


PositiveClass = Annotated[
    Annotated[Text, Tag("value")] | Annotated[CutKeys, Tag("cut")],
    Discriminator(lambda given: "cut" if isinstance(given, dict | CutKeys) else "value"),
]
TrainShare = Annotated[
    Annotated[Literal["auto"], Tag("auto")]
    | Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False), Tag("share")],
    Discriminator(lambda given: "auto" if isinstance(given, str) else "share"),
]


class AcrossKeys(Strict):
    """Three or more datasets as a sample of such: each of them counts as one."""

    rope: float | None = about(
        "The largest difference on the primary metric that does not matter; default: its margin.",
        None,
        example=0.01,
        ge=0,
        allow_inf_nan=False,
    )
    cliques: Literal["holm", "nemenyi"] = about(
        "Which models are joined in the figure of mean ranks: those that signed ranks, adjusted by "
        "Holm over all pairs, do not tell apart, or whose mean ranks differ by less than Nemenyi's "
        "critical distance.",
        "holm",
    )


class FoldKeys(Strict):
    """How scores of several fits are judged, where a dataset names its folds."""

    question: Literal["procedure", "fitted"] = about(
        "procedure: how good is the way to learn, fitted again on other rows of this number? "
        "fitted: how good are the models that made these scores?",
        "procedure",
    )
    train_share: TrainShare = about(
        "The share of the rows that each model was fitted on; auto: those of the other folds.",
        "auto",
        example=0.8,
    )
    average: Literal["pooled", "folds"] = about(
        "How a function of counts, such as F, is found: pooled, from the counts of all rows; or "
        "folds, as the mean of its values on the folds, each by its weight.",
        "pooled",
    )
    pool: bool = about(
        "Rank the rows of all folds together, as if one fit had scored them; the report says so.",
        False,
    )

    @model_validator(mode="after")
    def _is_one_way(self) -> Self:
        if self.pool and self.average == "folds":
            raise said("has average: folds beside pool: true; keep one of the two")
        return self


class ScoreKeys(Strict):
    """What the scores are that were computed elsewhere."""

    title: Text = about("What they are called in the report.", "score", example="ROC AUC")
    better: Literal["higher", "lower"] = about("Which of two is better.", "higher")
    unit: Text = about("Their unit; 1 for a number without one.", "1", example="s")
    bounds: tuple[float | None, float | None] | None = about(
        "The least and the largest that they can be; a value beyond is refused.",
        None,
        example=[0, 1],
    )
