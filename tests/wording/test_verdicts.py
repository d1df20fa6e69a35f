"""Numbers in, sentence out: every kind of verdict, word for word."""

from dataclasses import replace

import pytest

from reportgen import wording
from reportgen.results import Comparison, Estimate, MetricInfo
from reportgen.wording.robustness import leans

NB = "\u00a0"
KENDALL = MetricInfo(
    "kendall", "kendall", {}, "Kendall τ-b", "higher", "1", (-1.0, 1.0), "", "", "", 0.01, "0.01",
    True, "order",
)  # fmt: skip
MAE = MetricInfo(
    "mae", "mae", {}, "Mean absolute error", "lower", "dollars", (0.0, None), "", "", ""
)
BIAS = replace(MAE, key="bias", name="bias", label="Bias", better="zero")
COST = replace(MAE, key="cost", name="cost", label="Asymmetric cost")


def found(info, difference, low, high, verdict, **more):
    """A comparison with what the words depend on; its other numbers are of no account."""
    plain = {
        "dataset": "test", "segment": None, "key": info.key, "metric": info.name, "params": {},
        "unit": info.unit, "better": info.better, "candidate": "b", "baseline": "a",
        "difference": difference, "favours": None, "low": low, "high": high, "level": 0.95,
        "method": "", "se": None, "adjusted_low": None, "adjusted_high": None,
        "equivalence_low": None, "equivalence_high": None, "p_value": None, "p_adjusted": None,
        "test": "", "probability_better": None, "margin": info.margin, "verdict": verdict,
        "beyond_margin": False, "family": "primary", "n": 23_570,
    }  # fmt: skip
    return Comparison(**{**plain, **more})


CASES = {
    "clear winner": (
        KENDALL,
        found(KENDALL, 0.018, 0.0108, 0.0252, "better", beyond_margin=True),
        "Boosting ranks better than CLV on Kendall τ-b.",
        "Kendall τ-b is higher by 0.018 (95% interval 0.011 to 0.025), the whole interval "
        "beyond the margin of 0.01.",
    ),
    "better, not beyond the margin": (
        KENDALL,
        found(KENDALL, 0.012, 0.003, 0.021, "better"),
        "Boosting ranks better than CLV on Kendall τ-b.",
        "Kendall τ-b is higher by 0.012 (95% interval 0.0030 to 0.021); an advantage is "
        "shown, though not one beyond the margin of 0.01.",
    ),
    "not worse": (
        KENDALL,
        found(KENDALL, 0.004, -0.006, 0.014, "not worse"),
        "Boosting ranks no worse than CLV on Kendall τ-b.",
        "Kendall τ-b differs by +0.0040 (95% interval −0.0060 to +0.014); a loss beyond the "
        "margin of 0.01 is ruled out, an advantage is not shown.",
    ),
    "equivalent, by the interval at 1 − 2α": (
        KENDALL,
        found(KENDALL, 0.001, -0.011, 0.013, "equivalent",
              equivalence_low=-0.006, equivalence_high=0.008),
        "Boosting and CLV are equivalent on Kendall τ-b.",
        "Kendall τ-b differs by +0.0010 (90% interval −0.0060 to +0.0080), the whole interval "
        "inside the margin of 0.01 either way.",
    ),
    "worse, and the metric is better lower": (
        replace(MAE, margin=2.0),
        found(MAE, 5.3, 4.7, 5.9, "worse", margin=2.0, beyond_margin=True),
        "Boosting is worse than CLV on mean absolute error.",
        "Mean absolute error is higher by 5.3 dollars (95% interval 4.7 to 5.9), the whole "
        "interval beyond the margin of 2 dollars.",
    ),
    "inconclusive, with the n that would settle it": (
        KENDALL,
        found(KENDALL, 0.004, -0.015, 0.023, "inconclusive", n_to_settle=81_234),
        "The data cannot tell Boosting and CLV apart on Kendall τ-b.",
        "Kendall τ-b differs by +0.0040 (95% interval −0.015 to +0.023); neither an advantage "
        "nor a loss beyond the margin of 0.01 is ruled out. About 81,000 rows of this kind would "
        "settle it; there are 23,570.",
    ),
    "inconclusive, of clusters, which are what would settle it": (
        KENDALL,
        found(KENDALL, 0.004, -0.015, 0.023, "inconclusive", n_to_settle=41, units=12,
              counted="cluster"),
        "The data cannot tell Boosting and CLV apart on Kendall τ-b.",
        "Kendall τ-b differs by +0.0040 (95% interval −0.015 to +0.023); neither an advantage "
        "nor a loss beyond the margin of 0.01 is ruled out. About 41 clusters of this kind would "
        "settle it; there are 12.",
    ),
    "inconclusive, beyond any sample": (
        KENDALL,
        found(KENDALL, 0.0001, -0.02, 0.02, "inconclusive", n_to_settle=10**9),
        "The data cannot tell Boosting and CLV apart on Kendall τ-b.",
        "Kendall τ-b differs by +0.00010 (95% interval −0.020 to +0.020); "
        "neither an advantage nor a loss beyond the margin of 0.01 is ruled out. More than 1,000 "
        "times as many rows would be needed to settle it.",
    ),
    "no margin declared, better": (
        MAE,
        found(MAE, -1.3, -2.0, -0.5, "better"),
        "Boosting is better than CLV on mean absolute error.",
        "Mean absolute error is lower by 1.3 dollars (95% interval 0.50 to 2.0); the interval "
        "leaves out zero. No margin was declared, so whether the difference is large enough to "
        "matter is not judged.",
    ),
    "no margin declared, inconclusive": (
        MAE,
        found(MAE, 0.2, -0.5, 0.9, "inconclusive"),
        "The data cannot tell Boosting and CLV apart on mean absolute error.",
        "Mean absolute error differs by +0.20 dollars (95% interval −0.50 to +0.90); the "
        "interval holds zero, so neither is shown to be better. No margin was declared, so "
        "whether the difference is large enough to matter is not judged.",
    ),
    "adjusted for the family": (
        KENDALL,
        found(KENDALL, 0.018, 0.011, 0.025, "better", adjusted_low=0.004, adjusted_high=0.032),
        "Boosting ranks better than CLV on Kendall τ-b.",
        "Kendall τ-b is higher by 0.018 (adjusted 95% interval 0.0040 to 0.032); an advantage "
        "is shown, though not one beyond the margin of 0.01.",
    ),
    "undefined": (
        KENDALL,
        found(KENDALL, None, None, None, "undefined", status="undefined",
              reason="every y is equal"),
        "No verdict: Kendall τ-b is undefined.",
        "Kendall τ-b is undefined: every y is equal.",
    ),
    "not applicable": (
        MAE,
        found(MAE, None, None, None, "not applicable", status="not applicable",
              reason="the score is a rank, not an amount"),
        "No verdict: mean absolute error does not apply.",
        "Mean absolute error does not apply: the score is a rank, not an amount.",
    ),
    "method-sensitive": (
        KENDALL,
        found(KENDALL, 0.018, 0.0108, 0.0252, "better", beyond_margin=True,
              is_method_sensitive=True),
        "Boosting ranks better than CLV on Kendall τ-b.",
        "Kendall τ-b is higher by 0.018 (95% interval 0.011 to 0.025), the whole interval "
        "beyond the margin of 0.01. A second method gives another verdict: treat this one as "
        "method-sensitive.",
    ),
    "a metric that is best at zero": (
        replace(BIAS, margin=1.0),
        found(BIAS, -3.0, -4.0, -2.0, "better", margin=1.0, beyond_margin=True),
        "Boosting is better than CLV on bias.",
        "The size of bias is lower by 3.0 dollars (95% interval 2.0 to 4.0), the whole "
        "interval beyond the margin of 1 dollars.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_verdict_reads_word_for_word(case):
    metric, comparison, title, sentence = CASES[case]
    assert wording.title(comparison, metric, "Boosting", "CLV") == title
    assert wording.sentence(comparison, metric) == sentence


def test_a_bound_never_prints_on_the_margin_that_it_clears():
    near = found(KENDALL, 0.018, 0.0102, 0.026, "better", beyond_margin=True)
    assert "0.0102 to 0.0260" in wording.sentence(near, KENDALL)


def test_a_relative_margin_says_its_percent():
    metric = replace(MAE, margin=0.6662348, margin_text="2%")
    near = found(metric, 0.1, -0.2, 0.4, "equivalent")
    assert "margin of 0.666 dollars (2%)" in wording.sentence(near, metric)


def test_one_model_alone_is_told_with_its_interval():
    estimate = Estimate("test", None, "b", "kendall", "kendall", {}, "1", 0.3561, 0.346, 0.365,
                        0.95, "", None, 100)  # fmt: skip
    said = wording.alone(estimate, KENDALL, "Boosting")
    assert said == "Kendall τ-b of Boosting is 0.356 (95% interval 0.346 to 0.365)."
    gone = replace(estimate, value=None, status="undefined", reason="every y is equal")
    assert wording.alone(gone, KENDALL, "Boosting") == "Kendall τ-b is undefined: every y is equal."


def test_rank_and_error_measures_that_disagree_say_which_favours_whom():
    pairs = [
        (KENDALL, found(KENDALL, 0.018, 0.011, 0.025, "better")),
        (MAE, found(MAE, 5.3, 4.7, 5.9, "worse")),
        (COST, found(COST, -1.3, -2.0, -0.5, "better")),
    ]
    assert wording.disagreement(pairs[:2], "Boosting", "CLV") == (
        "Rank and error measures disagree: Boosting ranks the rows better (Kendall τ-b); "
        "on amounts CLV is better on mean absolute error."
    )
    assert wording.disagreement(pairs, "Boosting", "CLV").endswith(
        "on amounts CLV is better on mean absolute error, Boosting on asymmetric cost."
    )


def test_the_baseline_may_be_the_one_that_ranks_better():
    pairs = [
        (KENDALL, found(KENDALL, -0.018, -0.025, -0.011, "worse")),
        (MAE, found(MAE, -5.3, -5.9, -4.7, "better")),
    ]
    assert wording.disagreement(pairs, "Boosting", "CLV") == (
        "Rank and error measures disagree: CLV ranks the rows better (Kendall τ-b); "
        "on amounts Boosting is better on mean absolute error."
    )


def test_metrics_of_one_kind_that_disagree_are_only_listed():
    pairs = [
        (MAE, found(MAE, 5.3, 4.7, 5.9, "worse")),
        (COST, found(COST, -1.3, -2.0, -0.5, "better")),
    ]
    assert wording.disagreement(pairs, "Boosting", "CLV") == (
        "Metrics disagree: Boosting is better than CLV on asymmetric cost, "
        "worse on mean absolute error."
    )


def test_metrics_that_agree_or_are_open_do_not_disagree():
    pairs = [
        (KENDALL, found(KENDALL, 0.018, 0.011, 0.025, "better")),
        (MAE, found(MAE, 0.1, -0.3, 0.5, "inconclusive")),
    ]
    assert wording.disagreement(pairs, "Boosting", "CLV") == ""


SEVERAL = [
    (["better", "worse"], "B", "B is better than A on Kendall τ-b."),
    (["better", "better"], "C", "B and C are better than A on Kendall τ-b; C is ahead of the "
     "others."),
    (["better", "better"], "", "B and C are better than A on Kendall τ-b; the data do not say "
     "which of them is best."),
    (["not worse", "inconclusive"], "", "No candidate is shown to be better than A on "
     "Kendall τ-b."),
    (["worse", "worse"], "", "Both candidates are worse than A on Kendall τ-b."),
    (["equivalent", "equivalent"], "", "Both candidates are equivalent to A on Kendall τ-b."),
    (["undefined", "not applicable"], "", "No verdict: Kendall τ-b is not defined for any "
     "candidate."),
]  # fmt: skip


@pytest.mark.parametrize(("verdicts", "leader", "title"), SEVERAL)
def test_several_candidates_share_one_title(verdicts, leader, title):
    named = list(zip("BC", verdicts, strict=True))
    assert wording.several_title(named, "A", KENDALL, leader) == title


def test_bias_takes_no_part_in_a_disagreement():
    rank = (KENDALL, found(KENDALL, 0.02, 0.01, 0.03, "better"))
    bias = (BIAS, found(BIAS, 2.0, 1.0, 3.0, "worse"))
    assert wording.disagreement([rank, bias], "Boosting", "CLV") == ""
    leaning = [
        (m, replace(c, favours=side)) for (m, c), side in zip([rank, bias], "ba", strict=True)
    ]
    assert leans(leaning, "Boosting", "CLV") == ""
    size = (MAE, found(MAE, 2.0, 1.0, 3.0, "worse", favours="a"))
    assert "mean absolute error" in leans([*leaning, size], "Boosting", "CLV")


WITHOUT = [
    (KENDALL, 0.0, "equivalent", False, "Kendall τ-b is the same for both (no interval), inside "
     "the margin of 0.01 in every resample."),
    (KENDALL, 2.0, "inconclusive", False, "Kendall τ-b differs by +2.00 (no interval); without an "
     "interval neither an advantage nor a loss beyond the margin of 0.01 is ruled out."),
    (KENDALL, 2.0, "better", True, "Kendall τ-b differs by +2.00 (no interval), an advantage "
     "beyond the margin of 0.01 in every resample."),
    (KENDALL, 0.01, "better", False, "Kendall τ-b differs by +0.0100 (no interval); an advantage "
     "is shown, though not one beyond the margin of 0.01."),
    (MAE, 0.0, "inconclusive", False, "Mean absolute error is the same for both (no interval); "
     "without an interval neither is shown to be better. No margin was declared, so whether the "
     "difference is large enough to matter is not judged."),
    (MAE, 1.0, "worse", False, "Mean absolute error differs by +1.00 dollars (no interval); every "
     "resample gives the same difference. No margin was declared, so whether the difference is "
     "large enough to matter is not judged."),
]  # fmt: skip


@pytest.mark.parametrize(("metric", "value", "verdict", "beyond", "said"), WITHOUT)
def test_without_an_interval_none_is_spoken_of(metric, value, verdict, beyond, said):
    comparison = found(metric, value, None, None, verdict, beyond_margin=beyond)
    assert wording.sentence(comparison, metric) == said
    assert wording.short(comparison, metric).endswith(" (no interval)")


def test_a_limit_that_leaves_zero_out_never_prints_as_zero():
    opened = found(KENDALL, 0.011, 0.003, 0.019, "better", adjusted_low=0.0, adjusted_high=0.022)
    assert "(above 0, up to +0.022)" in wording.short(opened, KENDALL)
    assert "above 0, up to +0.022" in wording.sentence(opened, KENDALL)
    assert "above 0" not in wording.short(replace(opened, adjusted_low=1e-9), KENDALL)
    turned = replace(opened, verdict="worse", difference=-0.011, adjusted_low=-0.022,
                     adjusted_high=0.0)  # fmt: skip
    assert "(below 0, down to −0.022)" in wording.short(turned, KENDALL)
    assert "above 0" not in wording.short(replace(opened, verdict="inconclusive"), KENDALL)


@pytest.mark.parametrize("limits", [(None, None), (-2.0, 2.0)])
def test_an_interval_that_the_family_lacks_leaves_the_plain_one_named_as_such(limits):
    low, high = limits
    lacking = found(KENDALL, 0.011, 0.003, 0.019, "inconclusive", reason="no adjusted interval",
                    adjusted_low=low, adjusted_high=high)  # fmt: skip
    assert wording.short(lacking, KENDALL) == "+0.011 (+0.0030 to +0.019, not adjusted)"
    assert wording.sentence(lacking, KENDALL) == (
        "Kendall τ-b differs by +0.011 (95% interval +0.0030 to +0.019, not adjusted); the "
        "resamples are too few for an interval that allows for all comparisons, so neither an "
        "advantage nor a loss beyond the margin of 0.01 is ruled out."
    )
    form = wording.form_for(lacking, KENDALL)
    assert wording.interval_without_sign(lacking, form) == "0.0030 to 0.019, not adjusted"
    assert wording.adjusted_bounds(lacking) == (None, None)


def test_a_difference_without_any_interval_has_none():
    lacking = found(KENDALL, 0.011, None, None, "inconclusive", reason="no interval: few clusters")
    assert "no interval" in wording.short(lacking, KENDALL)


def test_a_flipped_segment_quotes_an_open_limit_as_above_zero():
    opened = found(KENDALL, -0.011, -0.019, -0.003, "worse", adjusted_low=-0.022, adjusted_high=0.0)
    form = wording.form_for(opened, KENDALL)
    assert wording.interval_without_sign(opened, form) == "above 0, up to 0.022"
    closed = replace(opened, adjusted_high=-0.002)
    assert wording.interval_without_sign(closed, wording.form_for(closed, KENDALL)) == (
        "0.0020 to 0.022"
    )


def test_what_is_best_at_zero_differs_in_size():
    assert wording.what_differs(BIAS) == "the size of bias"
    assert wording.what_differs(KENDALL) == "Kendall τ-b"
