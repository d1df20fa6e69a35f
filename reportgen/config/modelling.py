"""Models in the config: their scores, which version they are, what they were trained on."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from reportgen.config.fields import Delimiter, Positive, Role, Strict, Text, about
from reportgen.config.ranking import LinesKeys, Order, RunKeys
from reportgen.terms import Scale

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class ArtifactKeys(Strict):
    """Where a model is kept, and the digest of its file."""

    uri: Text | None = about("Where it is kept.", None, example="s3://models/clv-2026-11.pkl")
    sha256: Sha256 = about(
        "SHA-256 of its file, 64 hexadecimal digits in lower case.", example=64 * "0"
    )


class TrainedOnKeys(Strict):
    """The rows that a model was trained on."""

    path: Text = about("The file with their ids, or a glob.", example="data/trained.csv")
    id: Text = about("The column that names each row, as the datasets do.", example="customer_id")


class Scores(Strict):
    """The file with one model's scores."""

    path: Text = about("The file, or a glob.", example="data/scores_clv.csv")
    id: Text = about("The column that names each row.", example="customer_id")
    column: Text | None = about("The column with the scores.", None, example="score")
    columns: dict[str, Text] | None = about("Named columns instead of one.", None)
    delimiter: Delimiter | None = about(
        "What stands between the fields of a CSV file; default: that of the dataset.", None
    )
    max_unpacked: Positive | None = about(
        "How many GB compressed files may hold once unpacked; default: that of the dataset.",
        None,
        example=4,
    )


class Model(Strict):
    """Something that gave every row a score."""

    label: Text | None = about("Its name in the report; default: its key.", None, example="CLV")
    role: Role = about(
        "baseline: the others are compared with it. benchmark: a simple model, compared like a "
        "candidate, that page one never recommends.",
        "candidate",
    )
    version: Text | None = about("Which version of it gave the scores.", None, example="2026-11")
    owner: Text | None = about("Who answers for it.", None, example="Pricing")
    artifact: ArtifactKeys | None = about("The model itself, which is not opened.", None)
    trained_on: TrainedOnKeys | None = about(
        "The ids that it was trained on; how many of them are judged is told, with W143 if any.",
        None,
    )
    scale: Scale = about(
        "What its score is: rank and score order the rows and are no amount; default: amount, or "
        "probability where the target is a class.",
        example="rank",
    )
    column: Text | None = about("The column with its scores.", None, example="score_clv")
    columns: dict[str, Text] | None = about(
        "Named columns instead of one: mean and sd, quantiles (q10 is the 10% one), or a "
        "score for each class, by its value or by a pattern such as p_{class}.",
        None,
        example={"mean": "score_mean", "sd": "score_sd"},
    )
    sums: Literal["error", "normalise"] = about(
        "What to do where the probabilities of a row do not sum to 1.", "error"
    )
    scores: dict[str, Scores] = about("Files of their own for the scores, by dataset.", {})
    run: dict[str, RunKeys] = about("Files of its answers to queries, by dataset.", {})
    lines: dict[str, LinesKeys] = about("Files of its scores, one a line of letor, by dataset.", {})
    order: Order = about(
        "Down a list scores fall, rise (distances), or are ranks; of two classes, whether a high "
        "score or a low one is more likely positive.",
        "descending",
    )
