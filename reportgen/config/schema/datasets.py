"""Datasets, models, ranked lists and prevalence."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import Annotated, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from reportgen.config.schema.fields import (
    Delimiter,
    Edge,
    Header,
    NotNegative,
    Number,
    Positive,
    Role,
    Seed,
    StrictModel,
    Text,
    TextFileKeys,
    describe_field,
    schema_error,
)
from reportgen.terms import Scale


class Labels(StrictModel):
    """The file with the target, where the models' scores have files of their own."""

    path: Text = describe_field("The file, or a glob.", example="data/labels.csv")


class SegmentKeys(StrictModel):
    """A column whose values slice the rows."""

    column: Text = describe_field("The column's name.", example="region")
    bins: tuple[Edge, ...] = describe_field(
        "Edges, ascending, that cut a numeric column into segments; .inf is allowed. Up to 30 "
        "whole numbers are segments without them.",
        (),
        example=[10, 100],
    )
    label: Text | None = describe_field(
        "What the column is called in the report; default: its name.", None, example="Customers"
    )
    values: dict[str, Text] = describe_field(
        "What its values are called in the report; default: as they stand in the column.",
        {},
        example={"repeat": "Repeat"},
    )

    @model_validator(mode="after")
    def _bins_ascend(self) -> Self:
        if any(map(isnan, self.bins)):
            raise schema_error("has .nan among its bins; an edge is a number, or .inf")
        if len(self.bins) == 1:
            raise schema_error(
                "has one bin edge; a segment lies between two, such as bins: [10, .inf]"
            )
        if any(not low < high for low, high in zip(self.bins, self.bins[1:], strict=False)):
            raise schema_error(
                "has bins out of order; write the edges from the lowest to the highest"
            )
        return self


class SampleOf(StrictModel):
    """A fixed random part of the rows."""

    n: int = describe_field("How many rows.", example=500, ge=1)
    seed: Seed = describe_field(
        "Where the draw starts; the same seed draws the same rows.", 1, example=1
    )


class Case(StrictModel):
    """Noun for one row, and for several."""

    one: Text = describe_field("The noun for one row.", example="customer")
    many: Text | None = describe_field(
        "The noun for several; default: with an s.", None, example="customers"
    )

    @property
    def nouns(self) -> tuple[str, str]:
        """One row, and several."""
        return self.one, self.many or f"{self.one}s"


class CutKeys(StrictModel):
    """Cut of a number into two classes, of which the upper one is positive."""

    above: Number | None = describe_field(
        "Rows with more than this are positive.", None, example=100
    )
    quantile: float | None = describe_field(
        "Rows above this quantile of the dataset's rows are positive.",
        None,
        example=0.9,
        gt=0,
        lt=1,
    )

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.above is None) == (self.quantile is None):
            raise schema_error("needs above: 100, or quantile: 0.9, and not both")
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


class AcrossKeys(StrictModel):
    """Three or more datasets as a sample of such: each of them counts as one."""

    rope: float | None = describe_field(
        "The largest difference on the primary metric that does not matter; default: its margin.",
        None,
        example=0.01,
        ge=0,
        allow_inf_nan=False,
    )
    cliques: Literal["holm", "nemenyi"] = describe_field(
        "Which models are joined in the figure of mean ranks: those that signed ranks, adjusted by "
        "Holm over all pairs, do not tell apart, or whose mean ranks differ by less than Nemenyi's "
        "critical distance.",
        "holm",
    )


class FoldKeys(StrictModel):
    """Evaluation of scores of several fits, where a dataset names its folds."""

    question: Literal["procedure", "fitted"] = describe_field(
        "procedure: how good is the algorithm, retrained on as many new rows? "
        "fitted: how good are the models that made these scores?",
        "procedure",
    )
    train_share: TrainShare = describe_field(
        "The share of the rows that each model was fitted on; auto: those of the other folds.",
        "auto",
        example=0.8,
    )
    average: Literal["pooled", "folds"] = describe_field(
        "How a function of counts, such as F, is found: pooled, from the counts of all rows; or "
        "folds, as the mean of its values on the folds, each by its weight.",
        "pooled",
    )
    pool: bool = describe_field(
        "Rank the rows of all folds together, as if one fit had scored them; the report says so.",
        False,
    )

    @model_validator(mode="after")
    def _is_one_way(self) -> Self:
        if self.pool and self.average == "folds":
            raise schema_error("has average: folds beside pool: true; keep one of the two")
        return self


class ScoreKeys(StrictModel):
    """Description of scores that were computed elsewhere."""

    title: Text = describe_field("What they are called in the report.", "score", example="ROC AUC")
    better: Literal["higher", "lower"] = describe_field(
        "Whether higher or lower is better.", "higher"
    )
    unit: Text = describe_field("Their unit; 1 for a number without one.", "1", example="s")
    bounds: tuple[float | None, float | None] | None = describe_field(
        "The least and the largest that they can be; a value beyond is refused.",
        None,
        example=[0, 1],
    )


class ItemScoreKeys(StrictModel):
    """One score of the answers to items."""

    column: Text | None = describe_field(
        "The column with the score, in a row for each item, model and sample; default: its name.",
        None,
        example="exact_match",
    )
    better: Literal["higher", "lower"] = describe_field(
        "Whether higher or lower is better.", "higher"
    )
    unit: Text = describe_field("The unit of the score; 1 if it has none.", "1", example="tokens")
    bounds: tuple[float | None, float | None] | None = describe_field(
        "The smallest and the largest possible value; a value outside is refused.",
        None,
        example=[0, 1],
    )
    from_: Number = describe_field(
        "A sample passes from this value on; for pass_at, pass_all and judge.",
        1.0,
        alias="from",
        example=0.5,
    )


class JudgeKeys(StrictModel):
    """A score that a judge gave, and human labels of some of the same samples."""

    score: Text = describe_field("The judge's score, by its name under scores.", example="judge")
    human: Text = describe_field(
        "The column with the human label, empty where there is none.", example="human"
    )
    correct: bool = describe_field(
        "Whether to correct the judge's mean with the human labels.", False
    )


Order = Literal["descending", "ascending", "rank"]
PRESETS: Mapping[str, Mapping[str, str]] = {
    "trec_eval": {"ties": "trec", "no_relevant": "zero", "missing_query": "drop"},
    "sklearn": {"no_relevant": "zero"},
    "lightgbm": {"gain": "exp2", "no_relevant": "one", "denominator": "min"},
}


class RankingKeys(StrictModel):
    """Evaluation of ranked documents: defaults of metrics, and what to do with gaps."""

    like: Literal["trec_eval", "sklearn", "lightgbm"] | None = describe_field(
        "Begin as another program does; keys beside it say what differs.", None, example="trec_eval"
    )
    relevant: Positive = describe_field(
        "The lowest grade of a document that is relevant.", 1.0, example=2
    )
    grades: dict[str, Number] = describe_field(
        "The grades that labels stand for, where the target holds labels.",
        {},
        example={"Exact": 2, "Other": 0},
    )
    ties: Literal["expected", "trec", "optimistic", "pessimistic"] = describe_field(
        "Documents with equal scores: the mean over their orders; by id, as trec_eval does; the "
        "best order; the worst.",
        "expected",
    )
    gain: Literal["linear", "exp2"] = describe_field(
        "What a grade g is worth: g, or 2^g - 1.", "linear", example="exp2"
    )
    denominator: Literal["relevant", "k", "min"] = describe_field(
        "What average precision is divided by: the relevant documents, k, or the smaller.",
        "relevant",
    )
    no_relevant: Literal["skip", "zero", "one"] = describe_field(
        "A query without a relevant document: left out of the measure, 0, or 1 (cg, dcg: 0).",
        "skip",
    )
    unjudged: Literal["not_relevant", "drop", "error"] = describe_field(
        "Documents that nobody judged: not relevant; out of every list; an error.", "not_relevant"
    )
    missing_document: Literal["unretrieved", "last", "error"] | None = describe_field(
        "Judged documents without a score: not retrieved; behind all others, tied; an error. "
        "Default: not retrieved in runs, an error in a table.",
        None,
        example="last",
    )
    missing_query: Literal["zero", "drop", "error"] = describe_field(
        "A query that a run has no line for: an empty list, as trec_eval -c; left out for all "
        "models; an error.",
        "zero",
    )
    depth: int | None = describe_field(
        "How many ranks of a list are considered; default: all. Ties put in order end there; else "
        "tied documents that go on past it have equal shares of the ranks that are left, and "
        "measures of pairs see them all.",
        None,
        example=1000,
        ge=1,
    )
    top_grade: Positive | None = describe_field(
        "The highest grade of the scale, for expected reciprocal rank; default: the largest that "
        "occurs.",
        None,
        example=4,
    )
    grade_weights: dict[str, NotNegative] = describe_field(
        "How likely each grade is the lowest that counts as relevant, for graded average "
        "precision; default: all alike.",
        {},
        example={"1": 0.5, "2": 0.5},
    )
    negative: Literal["pooled", "not_relevant"] = describe_field(
        "A grade below 0: as if not judged, or judged not relevant.", "pooled"
    )


class QrelsKeys(StrictModel):
    """A file of judgements; the dataset's `target` is its column of grades."""

    path: Text = describe_field("The file, or a glob.", example="data/web.qrels")
    query: Text = describe_field("The column that names the query.", "query", example="topic")
    id: Text = describe_field("The column that names the document.", "document", example="doc")
    columns: Header | None = describe_field(
        "The names of all columns, for a file without a header; default: found from its lines.",
        None,
        example=["query", "document", "grade"],
    )


class LetorKeys(StrictModel):
    """A file of documents line by line, as LETOR and SVMlight have them: grade qid:QUERY ….

    Features are not read.
    """

    path: Text = describe_field("The file.", example="data/test.txt")
    groups: Text | None = describe_field(
        "A file with the number of documents of each query, a line each; for lines without qid.",
        None,
        example="data/test.query",
    )


class LinesKeys(StrictModel):
    """A file with one model's scores, a line for each document of letor, in the same order."""

    path: Text = describe_field("The file.", example="old.pred")


class RunKeys(StrictModel):
    """A file with one model's answers to queries."""

    path: Text = describe_field("The file, or a glob.", example="runs/dense.run")
    query: Text = describe_field("The column that names the query.", "query", example="topic")
    id: Text = describe_field("The column that names the document.", "document", example="doc")
    column: Text = describe_field("The column with the scores.", "score", example="distance")
    columns: Header | None = describe_field(
        "The names of all columns, for a file without a header; default: found from its lines.",
        None,
        example=["query", "document", "rank"],
    )


class QueriesFileKeys(StrictModel):
    """A file with a line for each query: what else is known of it."""

    path: Text = describe_field("The file, or a glob.", example="data/topics.csv")
    id: Text = describe_field("The column that names the query.", example="topic")


Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class ArtifactKeys(StrictModel):
    """Location of a model, and the digest of its file."""

    uri: Text | None = describe_field(
        "Where it is kept.", None, example="s3://models/clv-2026-11.pkl"
    )
    sha256: Sha256 = describe_field(
        "SHA-256 of its file, 64 hexadecimal digits in lower case.", example=64 * "0"
    )


class TrainedOnKeys(StrictModel):
    """The rows that a model was trained on."""

    path: Text = describe_field("The file with their ids, or a glob.", example="data/trained.csv")
    id: Text = describe_field(
        "The column that names each row, as the datasets do.", example="customer_id"
    )


class Scores(TextFileKeys):
    """The file with one model's scores."""

    path: Text = describe_field("The file, or a glob.", example="data/scores_clv.csv")
    id: Text = describe_field("The column that names each row.", example="customer_id")
    column: Text | None = describe_field("The column with the scores.", None, example="score")
    columns: dict[str, Text] | None = describe_field("Named columns instead of one.", None)
    header: Header | None = describe_field(
        "The names of all columns, for a file without a header.", None, example=["id", "score"]
    )
    delimiter: Delimiter | None = describe_field(
        "What stands between the fields of a CSV file; default: that of the dataset.", None
    )
    max_unpacked: Positive | None = describe_field(
        "How many GB compressed files may hold once unpacked; default: that of the dataset.",
        None,
        example=4,
    )


class TimesKeys(StrictModel):
    """A factor that scores are multiplied by."""

    times: Number = describe_field(
        "The factor, not 0: such as 0.01 for cents, or -1 where low scores stand for high values.",
        example=0.01,
    )

    @model_validator(mode="after")
    def _is_not_zero(self) -> Self:
        if not self.times:
            raise schema_error("needs a factor other than 0")
        return self


Transform = Annotated[
    Annotated[Literal["exp", "expm1"], Tag("function")] | Annotated[TimesKeys, Tag("factor")],
    Discriminator(lambda given: "factor" if isinstance(given, dict | TimesKeys) else "function"),
]


class Model(StrictModel):
    """Something that gave every row a score."""

    label: Text | None = describe_field(
        "Its name in the report; default: its key.", None, example="CLV"
    )
    role: Role = describe_field(
        "baseline: the others are compared with it. benchmark: a simple model, compared like a "
        "candidate, that page one never recommends.",
        "candidate",
    )
    version: Text | None = describe_field(
        "Which version of it gave the scores.", None, example="2026-11"
    )
    owner: Text | None = describe_field("Who answers for it.", None, example="Pricing")
    artifact: ArtifactKeys | None = describe_field("The model itself, which is not opened.", None)
    trained_on: TrainedOnKeys | None = describe_field(
        "The ids that it was trained on; how many of them are judged is told, with W143 if any.",
        None,
    )
    scale: Scale = describe_field(
        "What its score is: rank and score order the rows and are no amount; default: amount, or "
        "probability where the target is a class.",
        example="rank",
    )
    transform: Transform | None = describe_field(
        "How its scores are converted on reading: exp or expm1 for logarithms, or a factor.",
        None,
        example={"times": 0.01},
    )
    column: Text | None = describe_field("The column with its scores.", None, example="score_clv")
    columns: dict[str, Text] | None = describe_field(
        "Named columns instead of one: mean and sd, quantiles (q10 is the 10% one), or a "
        "score for each class, by its value or by a pattern such as p_{class}.",
        None,
        example={"mean": "score_mean", "sd": "score_sd"},
    )
    sums: Literal["error", "normalise"] = describe_field(
        "What to do where the probabilities of a row do not sum to 1.", "error"
    )
    scores: dict[str, Scores] = describe_field("Files of their own for the scores, by dataset.", {})
    run: dict[str, RunKeys] = describe_field("Files of its answers to queries, by dataset.", {})
    lines: dict[str, LinesKeys] = describe_field(
        "Files of its scores, one a line of letor, by dataset.", {}
    )
    order: Order = describe_field(
        "Down a list scores fall, rise (distances), or are ranks; of two classes, whether a high "
        "score or a low one is more likely positive. Probabilities that rise the other way are "
        "those of the other class.",
        "descending",
    )
    allow: dict[str, Text] = describe_field(
        "Checks of the model that may fail, by name, each with the reason, which the report "
        "prints.",
        {},
        example={"scale": "a score in other units, by design"},
    )


SUM = 1e-6  # how far shares of all classes may be from 1
ShareOfClass = Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]
Shares = Annotated[
    Annotated[ShareOfClass, Tag("of positives")]
    | Annotated[dict[Text, ShareOfClass], Field(min_length=2), Tag("by class")],
    Discriminator(lambda given: "by class" if isinstance(given, dict) else "of positives"),
]


class PrevalenceKeys(StrictModel):
    """Shares of the classes other than those of the rows."""

    target: Shares = describe_field(
        "The share of positives where the models will be used, or the share of each class; rows "
        "are weighted to it.",
        example=0.05,
    )
    trained_at: Shares | None = describe_field(
        "That share in the rows that the models were fitted on: probabilities are then moved from "
        "it to target; default: they stay as they are.",
        None,
        example=0.5,
    )

    @model_validator(mode="after")
    def _is_whole(self) -> PrevalenceKeys:
        if self.trained_at is not None and self.is_by_class != isinstance(self.trained_at, dict):
            raise schema_error(
                "has target and trained_at in two forms; write both as numbers, or as maps"
            )
        for key, shares in (("target", self.target), ("trained_at", self.trained_at)):
            if isinstance(shares, dict) and abs(sum(shares.values()) - 1) > SUM:
                total = sum(shares.values())
                raise schema_error(f"has shares under {key} that sum to {total:g}, not to 1")
        return self

    @property
    def is_by_class(self) -> bool:
        """True if each class has its share, and not positives alone."""
        return isinstance(self.target, dict)
