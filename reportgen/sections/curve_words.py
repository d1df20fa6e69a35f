"""What each curve is called and how it is drawn: one row a curve, so a new curve brings data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from reportgen.document import FigureKind


@dataclass(frozen=True)
class CurveWords:
    """A curve's page: its section, heading, axes, and how to read it.

    `x_label` and `y_label` may hold `{target}`, `{unit}`, `{statistic}` and `{buckets}`; `finding`
    names what the title quotes: the last point, or nothing. `marks` names the lines to read
    against, by the curve's own marks; a diagonal is drawn where `has_diagonal`.
    """

    section: str
    title: str
    x_label: str
    y_label: str
    reading: str
    drawing: FigureKind = "line"
    finding: str = ""
    marks: Mapping[str, str] = field(default_factory=dict)
    has_diagonal: bool = False
    has_markers: bool = False
    has_equal_axes: bool = False


CURVE_WORDS: Mapping[str, CurveWords] = MappingProxyType(
    {
        "ranking": CurveWords(
            "ranking",
            "Ranking curve",
            "bucket of rows, lowest score to highest",
            "{statistic} {target}{unit}",
            "Rows in {buckets} equal buckets by each model's score; points are the {statistic} of "
            "{target} in the bucket. A model that ranks well starts low and ends high.",
            finding="In the top bucket",
            marks={"random": "random order"},
            has_markers=True,
        ),
        "calibration": CurveWords(
            "ranking",
            "Calibration by bucket",
            "mean score{unit}",
            "mean {target}{unit}",
            "Points above the diagonal are predicted too low, points below it too high.",
            has_diagonal=True,
            has_markers=True,
            has_equal_axes=True,
        ),
        "lorenz": CurveWords(
            "ranking",
            "Lorenz curve",
            "share of rows, lowest score to highest",
            "share of {target}",
            "The further below the diagonal, the more of {target} lies with the highest scores.",
            has_diagonal=True,
            has_equal_axes=True,
        ),
        "concordance": CurveWords(
            "ranking",
            "Concordance of each row",
            "rank by the model's score",
            "share of other rows in the right order",
            "Where each row stands: how many of the others it is ordered rightly against. Below "
            "one half a row misleads more than it tells.",
            marks={"half": "one half"},
        ),
        "cutoff_auc": CurveWords(
            "ranking",
            "AUC over every cut-off",
            "cut-off in {target}",
            "ROC AUC of {target} above the cut-off",
            "Each cut-off asks how well the score tells the rows above it from those below.",
            marks={"random": "random order"},
        ),
        "lift": CurveWords(
            "ranking",
            "Lift",
            "share of rows, highest score first",
            "cumulative lift",
            "How much more the top of the order holds than a random choice would.",
            marks={"random": "random order"},
        ),
        "gain": CurveWords(
            "ranking",
            "Gain",
            "share of rows, highest score first",
            "share of {target} captured",
            "How much of all {target} the top of the order holds.",
            has_diagonal=True,
        ),
        "rec": CurveWords(
            "ranking",
            "Share of rows within an error",
            "absolute error{unit}",
            "share of rows",
            "The higher the curve, the more rows are predicted to within that error.",
            "steps",
        ),
        "residual": CurveWords(
            "ranking",
            "Residuals against rank",
            "rank by the model's score",
            "score minus {target}{unit}",
            "Above zero the model predicts too high, below it too low.",
            marks={"zero": "no error"},
        ),
        "roc": CurveWords(
            "curves",
            "ROC curve",
            "false positive rate",
            "true positive rate",
            "The nearer the upper left corner, the better positives are told from negatives.",
            has_diagonal=True,
            has_equal_axes=True,
        ),
        "precision_recall": CurveWords(
            "curves",
            "Precision against recall",
            "recall",
            "precision",
            "What share of the rows called positive are, as more of the positives are found.",
            marks={"prevalence": "share of positives"},
        ),
        "rroc": CurveWords(
            "costs",
            "RROC curve",
            "over-estimation{unit}",
            "under-estimation{unit}",
            "Each point is the model with a constant added; the nearer the upper left, the better.",
        ),
        "cost": CurveWords(
            "costs",
            "Expected cost over asymmetry",
            "weight of under-estimation, α",
            "expected cost{unit}",
            "The lowest curve is the cheapest model at that asymmetry.",
        ),
        "distribution_y": CurveWords(
            "data", "Distribution of {target}", "{target}{unit}", "share of rows",
            "Bars are shares of all rows.", "histogram",
        ),
        "distribution_score": CurveWords(
            "data", "Distribution of the scores", "score", "share of rows",
            "Bars are shares of all rows.", "histogram",
        ),
        "distribution_error": CurveWords(
            "data", "Distribution of the errors", "score minus {target}{unit}", "share of rows",
            "Bars are shares of all rows; right of zero the model predicts too high.", "histogram",
        ),
    }
)  # fmt: skip


def words_of(curve: str, section: str) -> CurveWords:
    """A curve's words; one that nobody has worded goes to `section` under its own name."""
    plain = curve.replace("_", " ")
    return CURVE_WORDS.get(curve) or CurveWords(section, plain, "x", plain, "")
