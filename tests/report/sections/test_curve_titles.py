"""Titles that say where a curve leaves its band, or what it is worth: never more than it shows."""

import re
from dataclasses import replace

import pytest

from reportgen.report.document import Figure, iter_unfolded
from reportgen.report.layout import build_document
from reportgen.report.sections.curves.captions import make_caption
from reportgen.report.sections.curves.drawing import FigureContent, find_curve_info
from reportgen.report.sections.curves.figures import build_curve_figures
from reportgen.report.sections.curves.findings import describe_curve, describe_curve_estimates
from reportgen.report.sections.index import Index
from reportgen.results.curves import CurveResult
from tests.report.sections import results_factory as made
from tests.worked import results_of

PLACES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@pytest.fixture(scope="module")
def churn():
    return results_of("churn")


def curves_of(results, name):
    return [c for c in results.curves if c.curve == name and c.baseline is None and not c.segment]


def reliability(y, model="logistic", curve="reliability") -> CurveResult:
    """What happened at each probability, with a band of a tenth around the diagonal or y."""
    middle = PLACES if curve == "reliability" else y
    return CurveResult(
        "test",
        None,
        curve,
        {},
        model,
        None,
        PLACES,
        tuple(y),
        (),
        (),
        tuple(v - 0.1 for v in middle),
        tuple(v + 0.1 for v in middle),
        0.95,
        "",
        1000,
        "share",
        "share",
    )


def off(*places, by=0.2, of=PLACES):
    return [x + (by if x in places else 0.0) for x in of]


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (
            off(),
            "Logistic regression is not clearly miscalibrated at any probability",
        ),
        (off(0.2, 0.3), "Logistic regression underpredicts at 20% to 30%"),
        (off(0.6, 0.7, 0.8, by=-0.2), "Logistic regression overpredicts at 60% to 80%"),
        (
            off(0.2, 0.3, 0.5, 0.6, 0.7),
            "Logistic regression underpredicts at 50% to 70% and in 1 other range",
        ),
        # The band holds for all points at once, so that one outside it tells as much as several.
        (off(0.4), "Logistic regression underpredicts at 40%"),
    ],
)
def test_a_title_says_where_probabilities_leave_their_band(churn, y, said):
    assert describe_curve(Index(churn), [reliability(y)]) == said


def test_a_title_counts_narrow_ranges_of_small_probabilities(churn):
    """Most rows of a rare class lie within one point of 0: nothing was said of them."""
    x = (0.001, 0.0098, 0.0115, 0.0117, 0.012, 0.019, 0.03, 0.059, 0.091, 0.2)
    is_off = (0, 1, 1, 0, 1, 1, 0, 1, 1, 0)
    narrow = replace(
        reliability(off()),
        x=x,
        y=tuple(v + 0.002 * k for v, k in zip(x, is_off, strict=True)),
        band_low=tuple(v - 0.001 for v in x),
        band_high=tuple(v + 0.001 for v in x),
    )
    said = "Logistic regression underpredicts at 5.9% to 9.1% and in 2 other ranges"
    assert describe_curve(Index(churn), [narrow]) == said


def test_models_within_their_band_are_named_after_the_one_that_is_not(churn):
    curves = [
        reliability(off()),
        reliability(off(0.5, 0.6), "forest"),
        reliability(off(), "boosted"),
    ]
    assert describe_curve(Index(replace(churn, warnings=(), calibrations=())), curves) == (
        "Random forest underpredicts at 50% to 60%; Logistic regression and Gradient boosting "
        "are not clearly miscalibrated at any probability"
    )


@pytest.mark.parametrize("dropped", ["warnings", "calibrations"])
def test_a_model_that_the_page_doubts_as_a_whole_is_not_called_right(churn, dropped):
    # Of gradient boosting a warning says so, and so do the test and the slope below the figure.
    curves = [reliability(off()), reliability(off(), "boosted")]
    assert describe_curve(Index(replace(churn, **{dropped: ()})), curves) == (
        "Gradient boosting is miscalibrated overall, but not clearly in any one range; "
        "Logistic regression "
        "is not clearly miscalibrated at any probability"
    )


def test_a_model_that_is_off_on_average_is_not_said_to_be_so_overall(churn):
    def alone(c):
        right = {"slope": 1.0, "slope_low": 0.9, "slope_high": 1.1, "p_calibrated": 0.19}
        average = {"said": 0.2, "happened": 0.25, "p_total": 0.01}
        return replace(c, **right, **average)

    results = replace(churn, warnings=(), calibrations=tuple(map(alone, churn.calibrations)))
    assert describe_curve(Index(results), [reliability(off())]) == (
        "Logistic regression is too low on average, but not clearly in any one range"
    )


def test_a_model_of_which_the_slope_alone_says_it_is_not_called_off(churn):
    def alone(c):
        return replace(c, slope=0.8, slope_low=0.7, slope_high=0.9, p_calibrated=0.19)

    results = replace(churn, warnings=(), calibrations=tuple(map(alone, churn.calibrations)))
    assert describe_curve(Index(results), [reliability(off())]) == (
        "Logistic regression is too extreme overall, but not clearly in any one range"
    )
    warned = tuple(replace(w, model="boosted") for w in churn.warnings if w.code == "W120")[:1]
    curves = [reliability(off()), reliability(off(), "boosted")]
    assert describe_curve(Index(replace(results, warnings=warned)), curves) == (
        "Logistic regression is too extreme, and Gradient boosting is miscalibrated "
        "overall, but not clearly "
        "in any one range"
    )


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (off(0.4), "Logistic regression underpredicts at 40%"),
        (off(), "Logistic regression is not clearly miscalibrated in any bin"),
    ],
)
def test_the_band_of_bins_is_around_what_happened(churn, y, said):
    assert describe_curve(Index(churn), [reliability(y, curve="reliability_bins")]) == said


def test_without_a_band_nothing_is_said_of_departures(churn):
    bare = replace(reliability(off(0.5, 0.6)), band_low=(None,) * 11, band_high=(None,) * 11)
    assert describe_curve(Index(churn), [bare]) == ""


@pytest.mark.parametrize(
    ("config", "name", "said"),
    [
        (
            "wallet",
            "rank_lift",
            "CLV reaches 53% of the rank lift of a perfect order over a random one",
        ),
        (
            "wallet",
            "rroc",
            "Per customer, CLV overpredicts by $14.33 and underpredicts by $18.99",
        ),
        ("wallet", "error_density", "The most common error is estimated at +$9.48 for CLV"),
        (
            "wallet-costs",
            "gain",
            "The 10% of customers ranked highest by CLV hold 52% of spend in nine months",
        ),
    ],
)
def test_a_title_quotes_what_the_curve_holds(config, name, said):
    results = results_of(config)
    assert describe_curve(Index(results), curves_of(results, name)).startswith(said)


def test_values_that_are_equal_are_said_once():
    folds = results_of("folds")
    assert describe_curve_estimates(Index(folds), curves_of(folds, "precision_recall")) == (
        "Where 50% of the positives are found, the precision is 100% for every model"
    )


def test_thresholds_are_counted_by_the_model_whose_calls_are_worth_most(churn):
    first, second, _ = curves_of(churn, "decision_curve")
    short = [
        replace(first, x=PLACES[:4], y=(0.1, 0.2, 0.3, None)),
        replace(second, x=PLACES[:4], y=(0.2, 0.2, 0.1, 0.4)),
    ]
    assert describe_curve_estimates(Index(churn), short) == (
        "Estimated net benefit is highest at 1 of 4 thresholds for Logistic regression and "
        "2 for Random forest"
    )


def title_of(results, name):
    return next(
        block.title
        for section in build_document(results).sections
        for block in iter_unfolded(section.blocks)
        if isinstance(block, Figure) and block.id.startswith(name)
    )


def banded(results, name, low, high):
    """The results with another band around the differences of a curve."""
    return replace(
        results,
        curves=tuple(
            replace(
                c,
                band_low=tuple(low(k) for k in range(len(c.x))),
                band_high=tuple(high(k) for k in range(len(c.x))),
            )
            if c.curve == name and c.baseline
            else c
            for c in results.curves
        ),
    )


def test_who_is_higher_is_told_where_the_band_leaves_out_zero(churn):
    told = banded(churn, "precision_recall", lambda k: 0.1 if k < 50 else -0.1, lambda k: 0.2)
    assert title_of(told, "precision-recall-curve").endswith(
        "Gradient boosting is higher at values of recall from 1.0% to 50%"
    )
    parted = banded(churn, "decision_curve", lambda k: -0.1 if k == 5 else 0.1, lambda k: 0.2)
    assert "is higher at 98 of 99 thresholds between 1.0% and 99%" in title_of(
        parted, "decision-curve"
    )
    none = banded(churn, "decision_curve", lambda k: -0.1, lambda k: 0.1)
    assert (
        title_of(none, "decision-curve")
        == "Decision curve: no candidate is clearly different at any point"
    )


@pytest.mark.parametrize("is_lost", [False, True])
def test_a_difference_that_has_no_band_anywhere_says_why(churn, is_lost):
    curves = [c for c in churn.curves if c.curve == "roc" and c.baseline and not c.segment]
    none = tuple(None for _ in curves[0].x)
    shown = [replace(c, band_low=none, band_high=none) if is_lost else c for c in curves]
    index, names = Index(churn), {"candidate": "Forest", "baseline": "Logistic"}
    said = make_caption(
        FigureContent(index, find_curve_info(index, "roc"), names, tuple(shown), (), (), "roc")
    )
    assert ("There are too few rows for a band around the difference." in said) is is_lost


@pytest.mark.parametrize(("highest", "scale"), [(50.0, "log"), (5.0, "linear")])
def test_predicted_and_observed_values_have_the_same_scale(highest, scale):
    results = made.wallet()
    curve = replace(
        made.ranking("clv", (1.0, 2.0, 3.0)),
        curve="bucket_calibration",
        x=(1.0, 5.0, 50.0),
        y=(1.0, 2.0, highest),
    )
    index = Index(replace(results, curves=(curve,)))
    figure, *_ = build_curve_figures(index, ("ranking",))
    assert (figure.panels[0].x.scale, figure.panels[0].y.scale) == (scale, scale)


@pytest.mark.parametrize("name", ["gain", "rroc"])
def test_a_description_ends_where_the_axes_of_the_figure_end(name):
    """Of a figure of the first half it said that every model ends at 100%."""
    results = results_of("wallet")
    (figure,) = (
        block
        for section in build_document(results).sections
        for block in iter_unfolded(section.blocks)
        if isinstance(block, Figure) and block.id.startswith(f"{name}-curve")
    )
    panel, curve = figure.panels[0], curves_of(results, name)[0]
    shown = [
        y
        for x, y in zip(curve.x, curve.y, strict=True)
        if x <= panel.x.high and (name == "gain" or y >= panel.y.low)
    ]
    assert (shown[0], shown[-1]) != (curve.y[0], curve.y[-1])
    numbers = re.search(r"CLV: from (\S+) at the left to (\S+) at the right", figure.description)
    scale = 100 if name == "gain" else 1
    read = [float(text.replace("−", "-").rstrip("%")) for text in numbers.groups()]
    assert read == pytest.approx([scale * shown[0], scale * shown[-1]], abs=0.5)
