"""Page one for a reader who knows no statistics: what a measure asks, what a doubt means."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from reportgen.results import Better, MetricInfo, Scalar
from reportgen.wording.names import capital, lowered, name
from reportgen.wording.warnings import told, warning

_ORDER = "how well the scores put the rows in order"
_COST = "what errors cost where too low and too high do not cost the same"
GLOSSES: Mapping[str, str] = MappingProxyType(
    {
        "kendall": _ORDER,
        "kendall_a": _ORDER,
        "tau_tilde": f"{_ORDER} (one half is chance)",
        "spearman": _ORDER,
        "rho_tilde": f"{_ORDER} (one half is chance)",
        "regression_auc": (
            "how often, of two rows, the one where more happened has the higher score "
            "(one half is chance)"
        ),
        "cutoff_auc": "how well the scores tell rows above a cut-off from rows below it",
        "pearson": "how closely the scores follow what happened, on a straight line",
        "tied_scores": "how many pairs of rows the scores do not tell apart",
        "ranking_last": "what typically happened where the scores are highest",
        "ranking_first": "what typically happened where the scores are lowest",
        "ranking_difference": "how much more happened where the scores are highest than lowest",
        "ranking_slope": "how much more happens from one bucket of scores to the next",
        "topk_capture": "how much of the total the rows with the highest scores hold",
        "mae": "how far off a score is, on average",
        "median_ae": "how far off a score typically is",
        "mse": "how large the squared errors are, on average, a few large errors counting most",
        "mape": "how far off a score is, on average, in percent of what happened",
        "wape": "how large all errors together are, in percent of all that happened",
        "smape": "how far off a score is, in percent of the middle of score and what happened",
        "rmsle": "how far off the scores are as ratios, a few large ratios counting most",
        "deviance": "how far off the scores are, where large amounts may err by more than small",
        "interval_score": "how wide the predicted intervals are, and how far they miss",
        "quantile_coverage": "how many more or fewer rows lie below a predicted quantile than it "
        "says",
        "rmse": "how far off the scores are, a few large errors counting most",
        "r2": "how much of the spread of what happened the scores explain",
        "bias": "how much too high (above zero) or too low the scores are, on average",
        "error_variance": "how widely the errors spread",
        "over": "how much too high the scores are, on average",
        "under": "how much too low the scores are, on average, as a number below zero",
        "heaven_distance": "how far the scores are from no error, one-sided errors counting more",
        "aoc": "how widely the errors spread, whatever constant is added to the scores",
        "asymmetric_cost": _COST,
        "pinball": _COST,
        "mean_cost": "what errors cost on average over how much worse too low may be than too high",
        "accuracy": "how often a row is called right",
        "roc_auc": "how well the scores tell the two classes apart (one half is chance)",
        "log_loss": "how far off the probabilities are, sure mistakes counting most",
        "expected_cost": "what the errors of one case cost, on average",
    }
)
DIRECTIONS: Mapping[Better, str] = {"higher": "higher is better", "lower": "lower is better",
               "zero": "nearer zero is better"}  # fmt: skip
_TOO_NARROW = "so intervals may be too narrow"
CONSEQUENCES: Mapping[str, str] = MappingProxyType(
    {
        "W101": "How sure a number can be is set by the rarer class.",
        "W102": "Rank measures may then disagree.",
        "W103": "Intervals may be too narrow.",
        "W105": "Such resamples are left out, and the interval knows only the others.",
        "W106": f"Rows of a cluster say much the same, {_TOO_NARROW}.",
        "W107": f"Rows of one unit say much the same, {_TOO_NARROW}.",
        "W110": "The chosen model looks better on these rows than it will on new ones.",
        "W111": f"Rows that move together count for fewer than they are, {_TOO_NARROW}.",
        "W112": "Another seed could move a verdict.",
        "W130": "Intervals are as wide as so few would make them.",
        "W140": "They decide the value, and its interval may be too narrow.",
        "W115": "On new rows a fitted shift may save less than it seems to here.",
        "W116": "Other rows would have taught another shift.",
        "W117": "For new ones a fitted shift may save less than it seems to here.",
    }
)
_BRIEFS: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]] = MappingProxyType(
    {
        "W102": (
            (
                "{share_pairs} of the pairs of rows are equal",
                (" in {what}", "; {mode_share} of the rows have the value {mode}"),
            ),
        ),
        "W103": (
            (
                "{n} {counted} (fewer than {too_few}) cannot show how much single {counted} "
                "may weigh",
                (),
            ),
            ("5 % of the {counted} hold {top_share} of what makes it vary", ()),
        ),
    }
)


def gloss(metric: MetricInfo) -> str:
    """One sentence on what a metric asks and which way is better; empty where nobody has said.

    >>> mae = MetricInfo("mae", "mae", {}, "MAE", "lower", "", (0, None), "", "", "")
    >>> gloss(mae)
    'MAE says how far off a score is, on average; lower is better.'
    """
    said = GLOSSES.get(metric.name)
    if said is None:
        return ""
    subject = capital(lowered(name(metric.label, 40)))
    return f"{subject} says {said}; {DIRECTIONS[metric.better]}."


def briefly(code: str, numbers: Mapping[str, Scalar]) -> str:
    """A doubt in one short line, without what only a statistician reads."""
    for line, parts in _BRIEFS.get(code, ()):
        said = told(line, parts, numbers)
        if said:
            return said
    return warning(code, numbers)


def consequence(code: str) -> str:
    """What a doubt means for the reader, in one sentence; empty where the line says it."""
    return CONSEQUENCES.get(code, "")
