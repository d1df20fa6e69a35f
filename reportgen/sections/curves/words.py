"""What each curve is called and how it is drawn: one row a curve, so a new curve brings data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from reportgen.document import FigureKind


@dataclass(frozen=True)
class CurveWords:
    """A curve's page: its section, heading, axes, and how to read it.

    `title`, labels and `reading` (`reading_of_one` where one model is drawn) may hold the names of
    `curve_figures`.
    `finding` begins a title that quotes each model's last point. `marks` names the curve's own
    marks that are lines to read against, `noted` those that the caption quotes. A curve drawn
    `onto` another is a line in its figure, called `title`, or only points if `is_points`. A curve
    `under` another is a panel beneath the differences of that one. A curve `of_target` is the same
    for every model, and is drawn once. The differences of `is_compared` have a figure of their
    own, read as `difference` says.
    """

    section: str
    title: str
    x_label: str
    y_label: str
    reading: str
    drawing: FigureKind = "line"
    finding: str = ""
    marks: Mapping[str, str] = field(default_factory=dict)
    reading_of_one: str = ""
    noted: Mapping[str, str] = field(default_factory=dict)
    onto: str = ""
    of_target: bool = False
    is_compared: bool = False
    difference: str = ""
    has_diagonal: bool = False
    has_markers: bool = False
    has_equal_axes: bool = False
    is_points: bool = False
    under: str = ""


_RANK = "share of rows, from the lowest scores to the highest"
_TOP = "share of rows, from the highest scores down"

CURVE_WORDS: Mapping[str, CurveWords] = MappingProxyType(
    {
        "ranking": CurveWords(
            "ranking",
            "Ranking curve",
            "bucket of rows, from the lowest scores to the highest",
            "{statistic} {target}{unit}",
            "Rows in {buckets} equal buckets by each model's score; points are the {statistic} "
            "{target} in the bucket. A model that ranks well starts low and ends high.",
            finding="In the top bucket",
            is_compared=True,
            marks={"random": "random order"},
            has_markers=True,
        ),
        "bucket_calibration": CurveWords(
            "ranking",
            "Calibration by bucket",
            "mean score in the bucket{unit}",
            "mean {target} in the bucket{unit}",
            "Rows in {buckets} equal buckets by score. Points above the diagonal are predicted "
            "too low, points below it too high.",
            noted={"slope": "slope"},
            has_diagonal=True,
            has_markers=True,
            has_equal_axes=True,
        ),
        "calibration": CurveWords(
            "ranking",
            "Calibration",
            "score{unit}",
            "mean {target} at that score{unit}",
            "The mean of {target} at each score, as far as it rises with the score. Above the "
            "diagonal scores are too low, below it too high. The mean squared error is "
            "miscalibration (what better calibrated scores would save) less discrimination (what "
            "their order saves) plus uncertainty; on few rows the first two are too large.",
            noted={"miscalibration": "miscalibration", "discrimination": "discrimination",
                   "uncertainty": "uncertainty"},
            has_diagonal=True,
            has_equal_axes=True,
        ),
        "murphy": CurveWords(
            "ranking",
            "Murphy diagram: the loss at every threshold",
            "threshold of {target}{unit}",
            "mean elementary loss{unit}",
            "How far {target} lies from the threshold, where the score lies on its other side. A "
            "model that is lower at every threshold is better under every loss whose best score "
            "is the mean.",
            is_compared=True,
            difference="Below zero the candidate is better at that threshold. All below zero, it "
            "is better under every loss whose best score is the mean.",
        ),
        "concordance": CurveWords(
            "ranking",
            "Concordance of each row",
            _RANK,
            "share of the other rows in the right order",
            "How many of the other rows each row is in the right order with. Below one half, a row "
            "misleads more than it tells: points mark such rows, all of them up to 100, of more "
            "the lowest in each fiftieth of the axis. The band is that of the mean over a stretch.",
            marks={"random": "random order"},
            noted={"area": "area", "below half": "rows below one half"},
        ),
        "concordance_envelope": CurveWords(
            "ranking", "best", _RANK, "share that a row could agree with", "", onto="concordance"
        ),
        "concordance_lowest": CurveWords(
            "ranking", "row below one half", _RANK, "share that a row agrees with", "",
            onto="concordance", is_points=True,
        ),
        "auc_by_cutoff": CurveWords(
            "ranking",
            "AUC over every cut-off of {target}",
            "cut-offs of {target} from low to high, by their weight in the rank correlation",
            "AUC of telling above from below",
            "Each cut-off of {target} asks how well the score tells the rows above it from those "
            "below; one half is a random order.",
            noted={"area": "area"},
            is_compared=True,
            difference="Above zero the candidate tells better what lies above a cut-off. Below it, "
            "the share of the resamples in which the candidate is ahead; lines at 5, 50, 95 %.",
        ),
        "auc_by_cutoff_ahead": CurveWords(
            "ranking",
            "Who is ahead over every cut-off of {target}",
            "cut-offs of {target} from low to high, by their weight in the rank correlation",
            "share of resamples ahead",
            "Share of the resamples in which the candidate has the higher AUC, ties one half.",
            is_compared=True,
            under="auc_by_cutoff",
        ),
        "rank_lift": CurveWords(
            "ranking",
            "Lift of cumulative inverse rank",
            _TOP,
            "share of the inverse ranks of {target}",
            "How much of the highest ranks the top of each model's order holds, between the worst "
            "and the best order there could be.",
            noted={"share of best": "share of the best"},
            has_diagonal=True,
            has_equal_axes=True,
        ),
        "rank_lift_best": CurveWords(
            "ranking", "best", _TOP, "share of the inverse ranks", "", onto="rank_lift",
            of_target=True
        ),
        "rank_lift_worst": CurveWords(
            "ranking", "worst", _TOP, "share of the inverse ranks", "", onto="rank_lift",
            of_target=True
        ),
        "gain": CurveWords(
            "ranking",
            "Gain",
            _TOP,
            "share of all {target}",
            "How much of all {target} the top of each model's order holds.",
            noted={"share of best": "share of the best"},
            has_diagonal=True,
            has_equal_axes=True,
        ),
        "gain_best": CurveWords(
            "ranking", "best", _TOP, "share of all {target}", "", onto="gain", of_target=True
        ),
        "lift": CurveWords(
            "ranking",
            "Lift",
            _TOP,
            "mean {target} in the top, over its mean",
            "How many times the overall mean the top of each model's order has; 1 is a random "
            "order.",
        ),
        "concentration": CurveWords(
            "ranking",
            "Concentration of {target}",
            _RANK,
            "share of all {target}",
            "The further below the diagonal, the more of {target} lies with the highest scores; no "
            "order can pass the Lorenz curve of {target} itself.",
            noted={"gini": "Gini"},
            has_diagonal=True,
            has_equal_axes=True,
        ),
        "lorenz": CurveWords(
            "ranking", "Lorenz curve of {target}", _RANK, "share of all {target}", "",
            onto="concentration", of_target=True
        ),
        "rec": CurveWords(
            "ranking",
            "Share of rows within an error",
            "size of the error{unit}",
            "share of rows",
            "The higher the curve, the more rows are predicted to within that error.",
            "steps",
            noted={"area": "area"},
        ),
        "error_by_rank": CurveWords(
            "ranking",
            "Errors by rank",
            _RANK,
            "score minus {target}{unit}",
            "Above zero the score is too high, below it too low. The band is that of the mean over "
            "a stretch of rows.",
            marks={"mean": "mean error"},
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
            "RROC curve{sums}",
            "{mean}over-estimation{of_rows}{cost_unit}",
            "{mean}under-estimation{of_rows}{cost_unit}",
            "Each line is a model while one constant after the other is added to all its scores; "
            "the nearer the upper left, the better. Any constant in place of a score runs along "
            "the grey line: a model that is not above it knows nothing. The band is found against "
            "the asymmetry of costs and drawn back.",
            noted={"over": "over-estimation as it is", "under": "under-estimation as it is",
                   "aoc": "area over the curve"},
        ),
        "rroc_constant": CurveWords("costs", "any constant", "", "", "", onto="rroc",
                                    of_target=True),
        "rroc_hull": CurveWords("costs", "hull of all", "", "", "", onto="rroc", of_target=True),
        "cost": CurveWords(
            "costs",
            "Expected cost over asymmetry, {shift}",
            "{asymmetry}",
            "expected {loss} loss a row{cost_unit}",
            "The lowest line is the cheapest model at that asymmetry; {middle}.",
            reading_of_one="The line is what errors cost at each asymmetry; {middle}.",
            is_compared=True,
            difference="Below zero the candidate costs less.",
        ),
        "cost_constant": CurveWords("costs", "any constant", "", "", "", onto="cost",
                                    of_target=True),
        "cost_envelope": CurveWords("space", "lowest of all", "", "", ""),
        "rroc_path": CurveWords("space", "", "", "", ""),
        "cost_gap": CurveWords("space", "", "", "", ""),
        "rroc_region": CurveWords("space", "", "", "", ""),
        "rroc_isometric": CurveWords("space", "", "", "", ""),
        "rroc_points_hull": CurveWords("space", "", "", "", ""),
        "error_density": CurveWords(
            "costs",
            "Density of the errors",
            "score minus {target}{unit}",
            "density",
            "How errors are spread, smoothed; right of zero the model predicts too high.",
        ),
        "distribution_y": CurveWords(
            "data", "Distribution of {target}", "{target}{unit}", "share of rows",
            "Bars are shares of all rows.", "histogram", of_target=True,
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
    return CURVE_WORDS.get(curve) or CurveWords(section, plain, "x", plain, "", is_compared=True)
