"""The part of the language for lists of documents: what a policy does, and presets of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from reportgen.config.fields import NotNegative, Number, Positive, Strict, Text, about

Order = Literal["descending", "ascending", "rank"]
PRESETS: Mapping[str, Mapping[str, str]] = {
    "trec_eval": {"ties": "trec", "no_relevant": "zero"},
    "sklearn": {"no_relevant": "zero"},
    "lightgbm": {"gain": "exp2", "no_relevant": "one", "denominator": "min"},
}


class RankingKeys(Strict):
    """How documents of queries are judged: defaults of metrics, and what to do with gaps."""

    like: Literal["trec_eval", "sklearn", "lightgbm"] | None = about(
        "Begin as another program does; keys beside it say what differs.",
        None,
        example="trec_eval",
    )
    relevant: Positive = about("The lowest grade of a document that is relevant.", 1.0, example=2)
    grades: dict[str, Number] = about(
        "The grades that labels stand for, where the target holds labels.",
        {},
        example={"Exact": 2, "Other": 0},
    )
    ties: Literal["expected", "trec", "optimistic", "pessimistic"] = about(
        "Documents with equal scores: the mean over their orders; by id, as trec_eval does; the "
        "best order; the worst.",
        "expected",
    )
    gain: Literal["linear", "exp2"] = about(
        "What a grade g is worth: g, or 2^g - 1.", "linear", example="exp2"
    )
    denominator: Literal["relevant", "k", "min"] = about(
        "What average precision is divided by: the relevant documents, k, or the smaller.",
        "relevant",
    )
    no_relevant: Literal["skip", "zero", "one"] = about(
        "A query without a relevant document: left out of the measure, 0, or 1 (cg, dcg: 0).",
        "skip",
    )
    unjudged: Literal["not_relevant", "drop", "error"] = about(
        "Documents that nobody judged: not relevant; out of every list; an error.", "not_relevant"
    )
    missing_document: Literal["unretrieved", "last", "error"] | None = about(
        "Judged documents without a score: not retrieved; behind all others, tied; an error. "
        "Default: not retrieved in runs, an error in a table.",
        None,
        example="last",
    )
    missing_query: Literal["zero", "drop", "error"] = about(
        "A query that a run has no line for: an empty list; left out for all models; an error.",
        "zero",
    )
    depth: int | None = about(
        "How many ranks of a list are considered; default: all. Ties put in order end there; else "
        "tied documents that go on past it have equal shares of the ranks that are left, and "
        "measures of pairs see them all.",
        None,
        example=1000,
        ge=1,
    )
    top_grade: Positive | None = about(
        "The highest grade of the scale, for expected reciprocal rank; default: the largest that "
        "occurs.",
        None,
        example=4,
    )
    grade_weights: dict[str, NotNegative] = about(
        "How likely each grade is the lowest that counts as relevant, for graded average "
        "precision; default: all alike.",
        {},
        example={"1": 0.5, "2": 0.5},
    )
    negative: Literal["pooled", "not_relevant"] = about(
        "A grade below 0: as if not judged, or judged not relevant.", "pooled"
    )


class QrelsKeys(Strict):
    """A file of judgements; the dataset's `target` is its column of grades."""

    path: Text = about("The file, or a glob.", example="data/web.qrels")
    query: Text = about("The column that names the query.", "query", example="topic")
    id: Text = about("The column that names the document.", "document", example="doc")


class LetorKeys(Strict):
    """A file of documents line by line, as LETOR and SVMlight have them: grade qid:QUERY ….

    Features are not read.
    """

    path: Text = about("The file.", example="data/test.txt")
    groups: Text | None = about(
        "A file with the number of documents of each query, a line each; for lines without qid.",
        None,
        example="data/test.query",
    )


class LinesKeys(Strict):
    """A file with one model's scores, a line for each document of letor, in the same order."""

    path: Text = about("The file.", example="old.pred")


class RunKeys(Strict):
    """A file with one model's answers to queries."""

    path: Text = about("The file, or a glob.", example="runs/dense.run")
    query: Text = about("The column that names the query.", "query", example="topic")
    id: Text = about("The column that names the document.", "document", example="doc")
    column: Text = about("The column with the scores.", "score", example="distance")


class QueriesFileKeys(Strict):
    """A file with a line for each query: what else is known of it."""

    path: Text = about("The file, or a glob.", example="data/topics.csv")
    id: Text = about("The column that names the query.", example="topic")
