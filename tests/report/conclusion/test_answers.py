"""Numbers in, page one out: the answer, its sentence, the rows, what is to be read with care."""

from dataclasses import replace

import pytest

from reportgen.report.conclusion import conclude
from reportgen.report.sections.index import Index
from reportgen.report.sections.page_one_tables import build_candidate_forest
from reportgen.report.wording.answers import LONGEST_ANSWER, choose_fitting
from reportgen.report.wording.cost_advice import ActionWording, describe_regret
from reportgen.report.wording.numbers import NumberFormat
from reportgen.report.wording.verdicts import choose_row_format, format_row_interval
from reportgen.results.classification import OperatingPoint
from reportgen.results.core import GateResult, Warning
from reportgen.results.costs import IntervalEstimate
from reportgen.results.sensitivity import Deletion
from tests.report.conclusion.numbers_in import (
    AUC,
    CAPTURE,
    COST,
    MAE,
    REPEAT,
    TAU,
    compared,
    results,
)
from tests.report.sections import results_factory as made

BETTER, WORSE, OPEN = (0.011, 0.03), (-0.03, -0.011), (-0.02, 0.02)
TWO = ("boost", "rfm")

REPLACE = [
    (
        (compared(TAU, *BETTER),),
        "Gradient boosting is clearly better than CLV on Kendall's τ-b.",
        "good",
    ),
    (
        (compared(TAU, 0.009, 0.03),),
        "Gradient boosting is better than CLV on Kendall's τ-b.",
        "good",
    ),
    (
        (compared(TAU, 0.001, 0.009),),
        "Gradient boosting and CLV are equivalent on Kendall's τ-b.",
        "neutral",
    ),
    (
        (compared(TAU, -0.008, 0.008),),
        "Gradient boosting and CLV are equivalent on Kendall's τ-b.",
        "neutral",
    ),
    (
        (compared(TAU, -0.005, 0.02),),
        "Gradient boosting is not worse than CLV on Kendall's τ-b.",
        "neutral",
    ),
    (
        (compared(TAU, *OPEN),),
        "The data cannot tell Gradient boosting and CLV apart on Kendall's τ-b.",
        "neutral",
    ),
    (
        (compared(TAU, *WORSE),),
        "Gradient boosting is clearly worse than CLV on Kendall's τ-b.",
        "bad",
    ),
    (
        (compared(TAU, -0.03, -0.005),),
        "Gradient boosting is worse than CLV on Kendall's τ-b.",
        "bad",
    ),
    # Another kind of metric takes it back: the first in the config's order.
    (
        (compared(TAU, *BETTER), compared(CAPTURE, -0.01, 0.01)),
        "Gradient boosting is better on Kendall's τ-b; no difference shown on spend captured by "
        "the best 20%.",
        "open",
    ),
    (
        (compared(TAU, *BETTER), compared(MAE, 4.0, 6.0)),
        "Gradient boosting is clearly better than CLV on Kendall's τ-b; worse on mean absolute "
        "error.",
        "open",
    ),
    (
        (compared(TAU, *WORSE), compared(MAE, -6.0, -4.0)),
        "Gradient boosting is clearly worse than CLV on Kendall's τ-b; better on mean absolute "
        "error.",
        "bad",
    ),
    (
        (compared(TAU, *BETTER), compared(MAE, -6.0, -4.0)),
        "Gradient boosting is better than CLV on Kendall's τ-b.",
        "good",
    ),
    # One of the same kind takes the green away.
    (
        (compared(TAU, *BETTER), compared(AUC, *WORSE)),
        "Gradient boosting is better than CLV on Kendall's τ-b only; worse on regression AUC.",
        "open",
    ),
    # A segment never does, and yet it is said.
    (
        (compared(TAU, *BETTER), compared(TAU, *WORSE, segment="buyer=repeat", n=9_616)),
        "Gradient boosting is clearly better than CLV on Kendall's τ-b; worse for Customers: "
        "Repeat.",
        "open",
    ),
]


@pytest.mark.parametrize(("comparisons", "said", "tone"), REPLACE)
def test_whether_one_model_should_replace_the_other(comparisons, said, tone):
    segments = (REPEAT,) if any(c.segment for c in comparisons) else ()
    found = conclude(results(*comparisons, segments=segments))
    assert (found.decision, found.answer, found.tone) == ("replace", said, tone)
    assert len(found.answer.split()) <= LONGEST_ANSWER


CHOOSE = [
    # One is shown better than every other; the others by turns.
    (
        (compared(TAU, 0.02, 0.04), compared(TAU, 0.011, 0.03, "rfm")),
        (),
        "Gradient boosting is best on Kendall's τ-b, shown better than every other model.",
        "good",
    ),
    (
        (compared(TAU, 0.02, 0.04), compared(TAU, 0.011, 0.03, "rfm")),
        ("rfm",),
        "Gradient boosting and RFM are better than CLV on Kendall's τ-b; which is best is not "
        "shown.",
        "good",
    ),
    # One that the best is told from is not offered.
    (
        (compared(TAU, 0.02, 0.04), compared(TAU, 0.011, 0.03, "rfm")),
        ("clv",),
        "Gradient boosting and RFM are better than CLV; that Gradient boosting is best is not "
        "shown.",
        "good",
    ),
    (
        (compared(TAU, *OPEN), compared(TAU, -0.02, 0.03, "rfm")),
        ("boost", "clv"),
        "No model is shown better than CLV on Kendall's τ-b.",
        "neutral",
    ),
    (
        (compared(TAU, *WORSE), compared(TAU, *WORSE, "rfm")),
        (),
        "Keep CLV: shown better than every other model on Kendall's τ-b.",
        "neutral",
    ),
    # The best by the estimate is worse on another metric of its kind.
    (
        (compared(TAU, 0.02, 0.04), compared(TAU, 0.011, 0.03, "rfm"), compared(AUC, *WORSE)),
        (),
        "Gradient boosting is best on Kendall's τ-b only; worse on regression AUC.",
        "open",
    ),
    (
        (compared(TAU, 0.02, 0.04), compared(TAU, *OPEN, "rfm")),
        ("rfm", "clv"),
        "Gradient boosting is better than CLV on Kendall's τ-b; that it is best is not shown.",
        "good",
    ),
]


@pytest.mark.parametrize(("comparisons", "level", "said", "tone"), CHOOSE)
def test_which_model_to_choose(comparisons, level, said, tone):
    found = conclude(results(*comparisons, models=TWO, level=level))
    assert (found.decision, found.answer, found.tone) == ("choose", said, tone)


def test_every_model_that_is_better_is_counted():
    """A model that cannot be the best counts, too."""
    both = compared(TAU, *BETTER), compared(TAU, 0.012, 0.03, "rfm")
    clearly = (*both, compared(TAU, 0.011, 0.012, "last91"))
    found = conclude(results(*clearly, models=(*TWO, "last91"), level=("boost", "rfm")))
    assert found.answer == (
        "3 models are better than CLV; which of RFM and Gradient boosting is best is not shown."
    )
    assert sum(row.word == "clearly better" for row in found.rows) == 3


WHAT_TO_USE = [
    "Use Gradient boosting: best on Kendall's τ-b, shown better than every other model.",
    "Use Gradient boosting or RFM: better than CLV on Kendall's τ-b; which is best is not shown.",
    "Use Gradient boosting: better than CLV on Kendall's τ-b; that it is best is not shown.",
    "Keep CLV for now: no model is shown better on Kendall's τ-b.",
    "Keep CLV: shown better than every other model on Kendall's τ-b.",
    "Do not choose on Kendall's τ-b alone: Gradient boosting is best there, worse on "
    "regression AUC.",
    "Use Gradient boosting: better than CLV on Kendall's τ-b; that it is best is not shown.",
]


@pytest.mark.parametrize(("case", "said"), [*zip(CHOOSE, WHAT_TO_USE, strict=True)])
def test_a_declared_question_of_choice_is_answered_by_what_to_use(case, said):
    comparisons, level, _, tone = case
    found = conclude(
        results(*comparisons, models=TWO, level=level, decision="choose", question="Which model?")
    )
    assert (found.answer, found.tone) == (said, tone)
    assert len(said.split()) <= LONGEST_ANSWER


def test_nothing_is_advised_where_a_requirement_is_not_met_or_the_gain_does_not_matter():
    best = compared(TAU, 0.02, 0.04), compared(TAU, 0.011, 0.03, "rfm")
    asked = {"models": TWO, "decision": "choose", "question": "Which model?"}
    assert conclude(results(*best, gates=(gate("fail", key="kendall"),), **asked)).answer == (
        "1 of 1 requirement not met. Gradient boosting is best on Kendall's τ-b."
    )
    small = compared(TAU, 0.001, 0.009), compared(TAU, *OPEN, "rfm")
    assert conclude(results(*small, level=("clv",), **asked)).answer == (
        "Keep CLV for now: no model is shown better on Kendall's τ-b."
    )


def test_names_of_models_and_metrics_keep_their_small_letters_at_the_start_of_a_sentence():
    small = replace(TAU, label="tau b", phrase="")
    found = results(compared(small, *OPEN), metrics=(small,), gates=(gate("pass", key="kendall"),))
    found = replace(
        found,
        models=tuple(
            replace(m, label={"boost": "gbm v2", "clv": "clv now"}[m.name]) for m in found.models
        ),
    )
    made_of = conclude(found)
    assert made_of.sentence.startswith("tau b is ")
    assert made_of.requirements[0].name.startswith("tau b ")
    better = conclude(replace(found, comparisons=(compared(small, *BETTER),)))
    assert better.answer == "gbm v2 is clearly better than clv now on tau b."


def test_a_phrase_that_stands_for_a_name_begins_with_a_capital():
    phrased = replace(TAU, label="customer order", phrase="customer order")
    found = conclude(
        results(compared(phrased, *OPEN), metrics=(phrased,), gates=(gate("pass", key="kendall"),))
    )
    assert found.sentence.startswith("Customer order is ")
    assert found.requirements[0].name.startswith("Customer order ")


def test_of_costs_the_best_is_the_cheapest():
    cost = replace(COST, is_primary=True)
    found = conclude(
        results(
            compared(cost, -5.0, -2.0), compared(cost, 1.5, 3.0, "rfm"), models=TWO, metrics=(cost,)
        )
    )
    assert found.answer == (
        "Gradient boosting is cheapest on cost, shown better than every other model."
    )
    total = found.total
    assert (total.cases, total.value, total.low, total.high) == (
        23_570,
        -3.5 * 23_570,
        -5.0 * 23_570,
        -2.0 * 23_570,
    )
    assert "Over these 23,570 rows that comes to about −$82,000 (−120,000 to −47,000)." in (
        found.sentence
    )


def test_whether_the_rows_are_enough_to_choose():
    both = compared(TAU, 0.02, 0.04), compared(TAU, *OPEN, "rfm")
    yes = conclude(results(*both, models=TWO, decision="enough"))
    assert yes.answer == (
        "Yes: 23,570 rows are enough; Gradient boosting is shown better than every other model."
    )
    no = conclude(results(*both, models=TWO, level=("rfm",), decision="enough"))
    assert no.answer == "No: 23,570 rows are not enough to choose between the models."


@pytest.mark.parametrize(
    ("many", "end"),
    [(61_234, "; about 61,000 might be."), (10**9, "; not even 1,000 times as many."), (None, ".")],
)
def test_how_many_rows_might_be_enough(many, end):
    both = compared(TAU, 0.02, 0.04), compared(TAU, *OPEN, "rfm")
    open_ = results(*both, models=TWO, level=("rfm",), decision="enough")
    known = tuple(
        replace(each, n_to_settle=None if each.is_distinguishable else many)
        for each in open_.sensitivity.from_best
    )
    found = conclude(replace(open_, sensitivity=replace(open_.sensitivity, from_best=known)))
    assert found.answer == f"No: 23,570 rows are not enough to choose between the models{end}"
    told = "about 61,000 rows would show Gradient boosting, the best by value, to be better"
    assert (told in found.sentence) == (many == 61_234)


def test_more_rows_do_not_settle_a_choice_that_another_metric_contradicts():
    both = compared(TAU, *OPEN), compared(TAU, 0.02, 0.04, "rfm"), compared(AUC, *WORSE, "rfm")
    open_ = results(*both, models=TWO, level=("boost",), decision="enough")
    known = tuple(replace(each, n_to_settle=61_234) for each in open_.sensitivity.from_best)
    found = conclude(replace(open_, sensitivity=replace(open_.sensitivity, from_best=known)))
    assert found.answer == "No: 23,570 rows are not enough to choose between the models."
    assert ", is worse on regression AUC." in found.sentence


def test_a_warning_of_fitted_shifts_stands_only_where_a_number_rests_on_one():
    found = Warning("W116", "", {"rows": 10, "few": 30, "fit": "fit"}, dataset="holdout")
    plain = replace(results(compared(TAU, *BETTER)), warnings=(found,))
    assert not conclude(plain).cares
    shifted = replace(COST, params={"shift": "fitted"})
    with_shift = results(
        compared(TAU, *BETTER), compared(shifted, -5.0, -2.0), metrics=(TAU, shifted)
    )
    (care,) = conclude(replace(with_shift, warnings=(found,))).cares
    assert care.code == "W116"


def test_the_order_of_the_models():
    both = compared(TAU, 0.02, 0.04), compared(TAU, *WORSE, "rfm")
    found = conclude(results(*both, models=TWO, decision="rank"))
    assert found.answer == "From best to worst on Kendall's τ-b: Gradient boosting, CLV, RFM."
    level = conclude(results(*both, models=TWO, level=("clv",), decision="rank"))
    assert level.answer == (
        "From best to worst on Kendall's τ-b: Gradient boosting, CLV, RFM; the first is not shown "
        "best."
    )


def test_the_number_stands_in_the_sentence_with_its_interval_and_the_margin():
    found = conclude(results(compared(TAU, 0.0099, 0.0269)))
    assert found.sentence == (
        "Kendall's τ-b is 0.5184 for Gradient boosting and 0.5000 for CLV, a difference of "
        "+0.0184 (95% CI +0.0099 to +0.0269). An advantage is shown; one below 0.01, the "
        "smallest difference that matters, is not ruled out."
    )


def test_what_would_decide_is_said_where_the_data_do_not():
    found = replace(compared(TAU, *OPEN), n_to_settle=81_234)
    assert conclude(results(found)).sentence.endswith("About 81,000 rows would decide.")


def test_where_resamples_lack_no_rows_are_asked_for():
    lacking = replace(
        compared(TAU, *OPEN),
        low=0.005,
        high=0.03,
        adjusted_low=-1.0,
        adjusted_high=1.0,
        reason="no adjusted interval: too few resamples",
        replicates_to_settle=2_399,
    )
    said = conclude(results(lacking)).sentence
    assert said.endswith(
        "An interval that allows for all comparisons needs at least 2,399 resamples."
    )
    both = conclude(results(replace(lacking, low=-0.005, n_to_settle=81_234))).sentence
    assert both.endswith("at least 2,399 resamples. About 81,000 rows would decide.")


def test_a_difference_without_an_interval_says_why():
    none = replace(
        compared(TAU, *OPEN),
        low=None,
        high=None,
        adjusted_low=None,
        adjusted_high=None,
        reason="no interval: it does not vary over the resamples",
    )
    said = conclude(results(none)).sentence
    assert said.endswith("(no interval). It does not vary over the resamples.")


def test_a_contradicted_candidate_is_no_winner_and_page_one_says_why():
    both = (
        compared(TAU, 0.06, 0.08, "last91"),
        compared(TAU, *BETTER),
        compared(AUC, -0.08, -0.06, "last91"),
        compared(CAPTURE, -0.08, -0.05, "last91"),
    )
    found = conclude(tied(results(*both, models=("boost", "last91")), last91=0.67))
    row = next(row for row in found.rows if row.candidate == "last91")
    assert (row.word, row.contradicted_by, row.care) == (
        "clearly better",
        ("regression_auc",),
        1,
    )
    care = found.cares[0]
    assert (care.code, care.is_forced) == ("contradicted", True)
    assert care.title == "Do not pick Spend of the last 91 days on Kendall's τ-b alone."
    assert care.text == (
        "70% of its scores are zero, and Kendall's τ-b forgives the pairs that a score leaves "
        "tied. With ties counted as half it is worse on regression AUC: 0.430, the baseline 0.500. "
        "It is worse on spend captured by the best 20% too: −6.5 points (−8.0 to −5.0)."
    )


@pytest.mark.parametrize("change", [{"is_partial": True}, {"better": "zero"}, {"kind": "amount"}])
def test_what_answers_another_question_takes_no_green_away(change):
    other = replace(AUC, **change)
    found = conclude(results(compared(TAU, *BETTER), compared(other, *WORSE), metrics=(TAU, other)))
    assert found.rows[0].word == "clearly better"


def test_values_of_few_rows_are_not_printed_in_tens_of_percent():
    """One of four is a quarter, however wide the limits of a difference are."""
    wide = replace(compared(CAPTURE, 0.0, 1.0), difference=0.75)
    (row,) = conclude(results(compared(TAU, *BETTER), wide)).consequences
    form = choose_row_format(replace(row, value=1.0, baseline_value=0.25), CAPTURE)
    assert [form.amount(x) for x in (0.25, 1.0)] == ["25%", "100%"]


def test_a_difference_of_nothing_takes_no_advantage_back():
    """Such as the recall of two models neither of which calls anybody."""
    none = replace(
        compared(CAPTURE, -0.01, 0.01),
        difference=0.0,
        adjusted_low=None,
        adjusted_high=None,
        low=None,
        high=None,
    )
    found = conclude(results(compared(TAU, *BETTER), none))
    assert found.answer == "Gradient boosting is clearly better than CLV on Kendall's τ-b."
    assert [row.word for row in found.consequences] == ["cannot tell"]


def tied(results_, **shares):
    """The same results where so large a share of a model's score pairs is tied."""
    data = results_.datasets[0]
    columns = tuple(replace(c, tied_pairs=shares.get(c.model, c.tied_pairs)) for c in data.columns)
    return replace(results_, datasets=(replace(data, columns=columns),))


def test_many_ties_of_a_score_stand_on_page_one_whatever_the_verdict():
    found = conclude(tied(results(compared(TAU, *BETTER), compared(AUC, *OPEN)), boost=0.5))
    (care,) = found.cares
    assert (care.code, care.is_forced) == ("W102", True)
    assert care.text.endswith(
        "With ties counted as half: regression AUC 0.500, the baseline 0.500."
    )
    assert found.rows[0].care == 1
    few = conclude(tied(results(compared(TAU, *BETTER)), boost=0.2))
    assert few.cares == ()
    no_auc = conclude(tied(results(compared(TAU, *BETTER)), boost=0.5))
    assert "No metric of this report counts a tied pair as half" in no_auc.cares[0].text


def test_more_than_three_contradictions_are_one_point():
    names = tuple(f"m{i}" for i in range(9))
    both = [compared(TAU, *BETTER, m) for m in names] + [compared(AUC, *WORSE, m) for m in names]
    found = conclude(results(*both, models=names))
    assert [care.title for care in found.cares] == [
        "Contradicted by another metric of its kind: m0, m1, m2 and 6 others."
    ]
    assert {row.care for row in found.rows} == {1}


def test_that_warnings_were_not_looked_for_stands_beside_three_other_points():
    names = ("m0", "m1", "m2")
    both = [compared(TAU, *BETTER, m) for m in names] + [compared(AUC, *WORSE, m) for m in names]
    unchecked = Warning("W251", "left out", {"what": "curves"}, "holdout")
    weighty = Warning("W110", "chosen here", {}, "holdout")
    for models in (names[:1], names[:2], names):
        some = [each for each in both if each.candidate in models]
        found = replace(results(*some, models=models), warnings=(unchecked, weighty))
        *others, last = conclude(found).cares
        assert len(others) == 2
        assert (last.code, last.is_forced) == ("W251", True)
        assert last.text.startswith("Rows were streamed, so warnings about heavy tails,")


def test_a_warning_that_forbids_a_final_report_comes_before_what_is_borderline():
    moved = made.sensitivity().deletions[0]
    one = Deletion(
        "boost",
        "clv",
        1,
        "clv",
        0.01,
        0.0,
        0.02,
        "cannot tell",
        "better",
        True,
        False,
        False,
        False,
    )
    found = results(compared(TAU, *BETTER))
    found = replace(
        found,
        warnings=(
            Warning("W103", "heavy", {}, "holdout", None, "kendall", "boost"),
            Warning("W110", "chosen here", {}, "holdout"),
        ),
        sensitivity=replace(found.sensitivity, deletions=(replace(moved, sets=(one,)),)),
    )
    cares = conclude(found).cares
    assert [care.code for care in cares] == ["W110", "borderline", "W103"]
    assert cares[1].text == (
        "Without 1 row the verdict on Gradient boosting, Kendall's τ-b, would be “cannot tell”, "
        "not “clearly better”."
    )


def gate(status, rule="below", **more):
    plain = {
        "name": "error in bounds",
        "status": status,
        "reason": "",
        "rule": rule,
        "dataset": "holdout",
        "segment": None,
        "key": "mae",
        "metric": "mae",
        "model": "boost",
        "against": None,
        "bound": 40.0,
        "value": 38.6,
        "low": 37.4,
        "high": 39.9,
        "level": 0.95,
        "inconclusive": "warn",
    }
    return GateResult(**{**plain, **more})


DIFFERENCE = {
    "key": "kendall",
    "metric": "kendall",
    "against": "clv",
    "bound": 0.01,
    "value": 0.018,
    "low": 0.0114,
    "high": 0.025,
}
REQUIRED = [
    (
        gate("pass"),
        ("met", "Mean absolute error below $40", "Needs < $40; found $38.60 (37.40 to 39.90)."),
    ),
    (
        gate("fail", bound=39.0),
        ("not met", "Mean absolute error below $39", "Needs < $39; found $38.60 (37.40 to 39.90)."),
    ),
    (
        gate("inconclusive", "above", bound=38.0),
        (
            "cannot tell",
            "Mean absolute error above $38",
            "Needs > $38; found $38.60 (37.40 to 39.90).",
        ),
    ),
    (
        gate("pass", "non_inferior", **DIFFERENCE),
        (
            "met",
            "Gradient boosting less than 0.01 worse than CLV on Kendall's τ-b",
            "Needs > −0.01; found +0.018 (+0.011 to +0.025).",
        ),
    ),
    (
        gate("pass", "better", **DIFFERENCE),
        (
            "met",
            "Gradient boosting better than CLV on Kendall's τ-b by more than 0.01",
            "Needs > +0.01; found +0.018 (+0.011 to +0.025).",
        ),
    ),
    (
        gate("fail", "no_regression", **{**DIFFERENCE, "low": -0.04, "high": -0.02}),
        (
            "not met",
            "No sign that Gradient boosting is worse than CLV on Kendall's τ-b by 0.01 or more",
            "Needs > −0.01; found +0.018 (−0.040 to −0.020).",
        ),
    ),
    (
        gate("pass", "no_regression", **{**DIFFERENCE, "low": -0.02}),
        (
            "no harm seen",
            "No sign that Gradient boosting is worse than CLV on Kendall's τ-b by 0.01 or more",
            "Needs > −0.01; found +0.018 (−0.020 to +0.025).",
        ),
    ),
]


@pytest.mark.parametrize(("judged", "expected"), REQUIRED)
def test_a_requirement_says_what_it_needs_and_what_was_found(judged, expected):
    both = compared(TAU, *BETTER), compared(MAE, 4.0, 6.0)
    (made_of,) = conclude(results(*both, gates=(judged,))).requirements
    assert (made_of.status, made_of.name, made_of.text) == expected


def test_a_requirement_without_an_interval_says_why_the_data_cannot_tell():
    found = gate("inconclusive", low=None, high=None, reason="no interval: only 2 rows are of one")
    both = compared(TAU, *BETTER), compared(MAE, 4.0, 6.0)
    (asked,) = conclude(results(*both, gates=(found,))).requirements
    assert (asked.text, asked.needs) == ("no interval: only 2 rows are of one", None)


def test_a_failed_requirement_stands_before_the_answer_and_no_green_above_it():
    both = compared(TAU, *BETTER), compared(MAE, -6.0, -4.0)
    found = conclude(results(*both, gates=(gate("pass"), gate("fail", name="other"))))
    assert found.answer == (
        "1 of 2 requirements not met. Gradient boosting is clearly better than CLV on Kendall's "
        "τ-b."
    )
    assert found.tone == "bad"
    assert [r.status for r in found.requirements] == ["not met", "met"]


WHAT_TO_DO = [
    (
        (compared(TAU, *BETTER),),
        (),
        "Yes, replace CLV with Gradient boosting: clearly better on Kendall's τ-b.",
    ),
    (
        (compared(TAU, 0.009, 0.03),),
        (),
        "Yes, replace CLV with Gradient boosting: better on Kendall's τ-b.",
    ),
    (
        (compared(TAU, 0.001, 0.009),),
        (),
        "No need to replace CLV: Gradient boosting is equivalent on Kendall's τ-b.",
    ),
    (
        (compared(TAU, -0.005, 0.02),),
        (),
        "No need shown to replace CLV: Gradient boosting is not worse on Kendall's τ-b.",
    ),
    (
        (compared(TAU, *WORSE),),
        (),
        "No, keep CLV: Gradient boosting is clearly worse on Kendall's τ-b.",
    ),
    (
        (compared(TAU, *BETTER), compared(MAE, 4.0, 6.0)),
        (),
        "Keep CLV for now: Gradient boosting is better on Kendall's τ-b; worse on mean absolute "
        "error.",
    ),
    (
        (compared(TAU, *BETTER), compared(CAPTURE, -0.01, 0.01)),
        (),
        "Yes, replace CLV with Gradient boosting: better on Kendall's τ-b; no difference shown on "
        "capture of the top.",
    ),
    (
        (compared(TAU, *BETTER), compared(CAPTURE, -0.01, 0.01), compared(MAE, 4.0, 6.0)),
        (),
        "Keep CLV for now: Gradient boosting is better on Kendall's τ-b; worse on mean absolute "
        "error.",
    ),
    (
        (compared(TAU, *BETTER), compared(AUC, *WORSE)),
        (),
        "Keep CLV for now: Gradient boosting is better on Kendall's τ-b only; worse on regression "
        "AUC.",
    ),
    (
        (compared(TAU, *OPEN),),
        (),
        "Keep CLV for now: the data cannot tell it and Gradient boosting apart on Kendall's τ-b.",
    ),
    (
        (compared(TAU, *BETTER), compared(MAE, -6.0, -4.0)),
        (gate("fail"),),
        "No: 1 of 1 requirement not met. Gradient boosting is clearly better than CLV on Kendall's "
        "τ-b.",
    ),
]


@pytest.mark.parametrize(("comparisons", "gates", "said"), WHAT_TO_DO)
def test_a_declared_question_of_replacement_is_answered_by_what_to_do(comparisons, gates, said):
    asked = results(*comparisons, gates=gates, decision="replace", question="Replace CLV?")
    assert conclude(asked).answer == said
    assert len(said.split()) <= LONGEST_ANSWER
    plain = conclude(results(*comparisons, gates=gates, question="Replace CLV?")).answer
    assert not plain.startswith(("Yes", "No:", "No,", "No need", "Keep"))


def test_what_takes_an_advantage_back_is_said_in_fewer_words_before_it_is_left_out():
    said = f"the {CAPTURE.phrase}"
    longer = replace(CAPTURE, phrase=said, label=said)
    found = results(
        compared(TAU, *BETTER),
        compared(longer, -0.01, 0.01),
        metrics=(TAU, longer),
        decision="replace",
        question="Replace CLV?",
    )
    assert conclude(found).answer == (
        "Yes, replace CLV with Gradient boosting: clearly better, not shown on the spend "
        "captured by the best 20%."
    )
    said = f"{said} there"
    longer = replace(CAPTURE, phrase=said, label=said)
    found = results(
        compared(TAU, *BETTER),
        compared(longer, -0.01, 0.01),
        metrics=(TAU, longer),
        decision="replace",
        question="Replace CLV?",
    )
    assert conclude(found).answer == (
        "Yes, replace CLV with Gradient boosting: clearly better on Kendall's τ-b."
    )


def test_a_page_on_the_cheapest_action_is_about_its_model():
    kept = with_costs(("clv", "fitted"), options=TRIED)
    assert {row.model for row in kept.values} == {"clv"}
    other = with_costs(("boost", "fitted"), options=TRIED)
    assert (other.about, other.values) == ("boost", ())


def test_where_the_model_is_worse_and_who_gains_more_stand_beside_the_sentence():
    found = conclude(
        results(
            compared(TAU, 0.009, 0.03),
            compared(CAPTURE, -0.01, 0.01),
            compared(MAE, 4.0, 6.0),
            compared(TAU, *WORSE, segment="buyer=repeat", n=9_616),
            compared(TAU, 0.02, 0.04, "rfm"),
            compared(CAPTURE, -0.03, -0.01, "rfm"),
            models=TWO,
            segments=(REPEAT,),
            decision="replace",
            about="boost",
            headline=("topk_capture", "mae"),
        )
    )
    assert found.answer.endswith("; worse on mean absolute error.")
    assert found.beside == (
        "Gradient boosting is worse on mean absolute error ($5.50 against $0.50, 11 times as "
        "large) and for Customers: Repeat.",
        "RFM, which is not asked about, gains more by its estimate: +0.030 (95% CI +0.020 to "
        "+0.040); it is worse than CLV on spend captured by the best 20%.",
    )


BIAS = made.metric("bias", "Bias", "zero", "$", "amount", is_primary=True)


def test_nearer_zero_gains_more_where_zero_is_best():
    nearer, further = compared(BIAS, -9.0, -5.0, "rfm"), compared(BIAS, -4.0, -2.0)
    asked = {"models": TWO, "metrics": (BIAS,), "decision": "replace"}
    found = conclude(results(further, nearer, about="boost", **asked))
    assert [line.partition(",")[0] for line in found.beside] == ["RFM"]
    assert conclude(results(further, nearer, about="rfm", **asked)).beside == ()


def test_what_the_answer_says_is_not_said_again_beside_it():
    found = conclude(results(compared(TAU, *BETTER), compared(MAE, 0.1, 0.2)))
    assert found.answer.endswith("worse on mean absolute error.")
    assert found.beside == ()


def test_a_value_that_is_many_times_as_large_is_told_with_both_numbers():
    found = conclude(results(compared(TAU, *BETTER), compared(MAE, 19.0, 20.0)))
    assert found.answer.endswith("worse on mean absolute error.")
    assert found.beside == (
        "Gradient boosting is worse on mean absolute error ($20.00 against $0.50, 40 times as "
        "large).",
    )


def test_the_answer_keeps_what_takes_it_back_before_whom_else_it_beats():
    long = replace(MAE, label="an average error of the predicted amounts")
    both = compared(TAU, 0.02, 0.04), compared(TAU, *WORSE, "rfm"), compared(long, 4.0, 6.0)
    found = conclude(results(*both, models=TWO, metrics=(TAU, long), decision="choose"))
    assert found.answer == (
        "Use Gradient boosting: best on Kendall's τ-b; worse on an average error of the predicted "
        "amounts."
    )


def test_one_model_alone_is_reported_and_not_judged():
    found = conclude(made.alone())
    assert found.answer == "Kendall τ-b of Gradient boosting is 0.356; nothing is compared."
    assert (found.rows, found.consequences, found.chosen) == ((), (), "only model")
    assert [v.key for v in found.values] == ["kendall", "mae", "asymmetric_cost"]


def test_without_a_primary_metric_there_is_no_conclusion():
    plain = replace(TAU, is_primary=False)
    found = conclude(
        results(compared(plain, *BETTER), compared(MAE, 4.0, 6.0), metrics=(plain, MAE))
    )
    assert found.answer == "No conclusion: no primary metric was declared."
    assert (found.rows, [row.key for row in found.consequences]) == ((), ["kendall", "mae"])


def test_where_nothing_was_compared_there_is_no_conclusion():
    base = results(compared(TAU, *BETTER))
    found = conclude(replace(base, comparisons=()))
    assert found.answer == "No conclusion: no candidate was compared with CLV on Kendall's τ-b."


ASKED = [
    ({}, (), ("rfm", "best", 2)),
    ({"about": "boost"}, (), ("boost", "declared", 1)),
    ({}, (gate("pass"), gate("pass", "non_inferior", **DIFFERENCE)), ("rfm", "best", 2)),
    ({}, (gate("pass"),), ("rfm", "best", 2)),
]


@pytest.mark.parametrize(("report", "gates", "asked"), ASKED)
def test_the_model_that_the_page_is_about(report, gates, asked):
    both = (
        compared(TAU, *BETTER),
        compared(TAU, 0.03, 0.05, "rfm"),
        compared(MAE, 4.0, 6.0),
        compared(MAE, 4.0, 6.0, "rfm"),
    )
    found = conclude(results(*both, models=TWO, gates=gates, **report))
    assert (found.about, found.chosen, found.best_of) == asked
    assert found.rows[0].candidate == asked[0]


def test_ten_models_have_a_row_each_the_one_asked_about_first():
    names = tuple(f"m{i}" for i in range(9))
    every = (compared(TAU, 0.001 * i, 0.02 + 0.001 * i, m) for i, m in enumerate(names))
    found = conclude(results(*every, models=names, about="m4"))
    assert [row.candidate for row in found.rows] == [
        "m4",
        "m8",
        "m7",
        "m6",
        "m5",
        "m3",
        "m2",
        "m1",
        "m0",
    ]


def test_the_config_chooses_the_rows_and_their_order():
    every = [compared(m, *BETTER) for m in (TAU, AUC, MAE, CAPTURE)]
    plain = conclude(results(*every))
    assert [row.key for row in plain.consequences] == ["mae", "topk_capture"]
    named = conclude(results(*every, headline=("topk_capture", "regression_auc")))
    assert [row.key for row in named.consequences] == ["topk_capture", "regression_auc"]


def test_the_worst_segment_says_of_how_many():
    other = replace(REPEAT, segment="buyer=new", value="new", value_label="New")
    found = conclude(
        results(
            compared(TAU, *BETTER),
            compared(TAU, *WORSE, segment="buyer=repeat", n=9_616),
            compared(TAU, *BETTER, segment="buyer=new", n=100),
            segments=(other, REPEAT),
        )
    )
    (row,) = found.consequences
    assert (row.segment, row.worst_of, row.word, row.n) == (
        "buyer=repeat",
        2,
        "clearly worse",
        9_616,
    )
    assert found.rows[0].word == "clearly better"


@pytest.mark.parametrize("decision", ["replace", "choose", "rank", "shift", "enough"])
@pytest.mark.parametrize("name", ["m" * 300, "a b c d e f g h i j k l m n o p q", "x"])
def test_an_answer_has_at_most_eighteen_words_whatever_the_names(decision, name):
    both = compared(TAU, *BETTER), compared(CAPTURE, *OPEN), compared(TAU, *BETTER, "rfm")
    found = results(*both, models=TWO, decision=decision)
    models = tuple(replace(m, label=f"{name} {m.name}") for m in found.models)
    metrics = tuple(replace(m, phrase=f"{name} {m.key}") for m in found.metrics)
    said = conclude(replace(found, models=models, metrics=metrics)).answer
    assert 0 < len(said.split()) <= LONGEST_ANSWER


def test_what_is_too_long_to_say_is_cut_last():
    assert choose_fitting(["a b c d", "a b"], 3) == "a b"
    assert choose_fitting(["a b c d"], 3) == "a b c…"


def with_costs(advised, options=None, helps=False):
    """The wallet with costs per thousand cases, the advised model and method marked."""
    base = results(
        compared(replace(COST, is_primary=True), -5.0, -2.0),
        metrics=(replace(COST, is_primary=True),),
        decision="shift",
    )
    costs = made.costs()
    rows = options or [("clv", "none"), ("boost", "none")]
    plain = costs.options[-1]
    found = tuple(
        replace(
            plain,
            model=m,
            method=way,
            is_advised=(m, way) == advised,
            is_distinguishable=(m, way) not in {advised, ("clv", "fitted")},
        )
        for m, way in rows
    )
    shown = (1.0, 2.0) if helps else (-1.0, 2.0)
    decisions = tuple(
        replace(
            d,
            shift="optimal",
            models=tuple(
                replace(each, saving_by_shift=IntervalEstimate(1.0, *shown)) for each in d.models
            ),
        )
        for d in costs.decisions[:1]
    )
    return conclude(replace(base, costs=(replace(costs, options=found, decisions=decisions),)))


TRIED = [("clv", "none"), ("boost", "none"), ("clv", "fitted"), ("boost", "fitted")]
SHIFT = [
    (
        ("boost", "none"),
        None,
        False,
        "Use Gradient boosting; a constant is not shown to help it, other corrections are untried.",
    ),
    (
        ("boost", "none"),
        None,
        True,
        "Use Gradient boosting; a constant could help it, but none was fitted.",
    ),
    (
        ("clv", "none"),
        None,
        False,
        "Keep CLV; a constant is not shown to help it, other corrections are untried.",
    ),
    (("boost", "none"), TRIED, False, "Use Gradient boosting as it is, which is cheaper than CLV."),
    (
        ("clv", "none"),
        TRIED,
        False,
        "Keep CLV as it is: nothing that can be put to use is shown cheaper.",
    ),
    (("clv", "fitted"), TRIED, False, "Keep CLV and correct its scores, with a fitted constant."),
    (
        ("boost", "fitted"),
        TRIED,
        False,
        "Use Gradient boosting with a fitted constant: cheaper than CLV as it is.",
    ),
]


@pytest.mark.parametrize(("advised", "options", "helps", "said"), SHIFT)
def test_which_model_with_which_correction(advised, options, helps, said):
    found = with_costs(advised, options=options, helps=helps)
    assert found.answer == said
    assert (found.action.model, found.action.method) == advised


def test_the_best_action_says_what_it_saves_and_what_was_not_tried():
    found = with_costs(("boost", "none")).action
    assert "for CLV unadjusted, a difference of −" in found.text
    assert found.text.endswith("to fit one on: one might be cheaper still.")
    assert "that it would save anything is not shown: 0.0" in found.text
    tried = with_costs(("boost", "fitted"), options=TRIED).action
    assert tried.is_tried and tried.level_with == (("clv", "fitted"),)
    assert "adjusted for all 4 usable actions" in tried.text
    assert "Not distinguishable from the cheapest: CLV with a fitted constant." in tried.text
    assert "hindsight" not in tried.text and "still" not in tried.text


def test_a_saving_that_the_primary_comparison_has_told_is_not_told_again():
    saved = with_costs(("boost", "none")).action.saving
    cost = replace(COST, is_primary=True)
    base = results(compared(cost, -saved - 1, -saved + 1), metrics=(cost,), decision="shift")
    found = conclude(replace(base, costs=(made.costs(),)))
    assert found.action.is_primary and found.total is not None
    assert found.action.text.startswith(
        "In hindsight, the best constant to add to Gradient boosting on these rows is +"
    )
    other = with_costs(("clv", "fitted"), options=TRIED)
    assert not other.action.is_primary and other.total is None


def test_every_action_has_the_sign_of_a_difference_the_cheapest_first():
    found = with_costs(("boost", "fitted"), options=TRIED).action
    assert {(a.model, a.method) for a in found.actions} == set(TRIED)
    assert [a.cost for a in found.actions] == sorted(a.cost for a in found.actions)
    (advised,) = [a for a in found.actions if a.is_advised]
    assert (advised.difference, advised.low, advised.high) == (
        -found.saving,
        -found.high,
        -found.low,
    )
    assert [a.model for a in found.actions if a.is_level] == ["clv"]


GAPS = [
    (
        (-8.3, -11.4, -5.4),
        "would cost €8.30 per row more (5.40 to 11.40) than the correction advised.",
    ),
    (
        (2.0, 1.0, 3.0),
        "Not to know the best constant for these rows beforehand costs €2.00 per row",
    ),
    ((0.1, 0.0, 0.2), "It is not shown to cost more than the best constant for these rows"),
]


@pytest.mark.parametrize(("gap", "said"), GAPS)
def test_what_it_costs_not_to_know_the_best_constant(gap, said):
    terms = ActionWording({"clv": "CLV"}, "clv", "€", ("row", "rows"))
    assert said in describe_regret(IntervalEstimate(*gap), terms)


def test_a_limit_that_is_opened_to_zero_lies_on_the_side_of_its_difference():
    row = conclude(results(compared(TAU, *BETTER))).rows[0]
    form = NumberFormat(2, "")
    opened = replace(row, word="worse", difference=56.8, low=0.0, high=None)
    assert format_row_interval(opened, form) == "above 0"
    assert (
        format_row_interval(replace(opened, difference=-56.8, low=None, high=0.0), form)
        == "below 0"
    )


def test_a_sentence_that_allows_for_several_comparisons_says_so():
    both = compared(TAU, *OPEN), compared(TAU, *OPEN, "rfm")
    found = conclude(results(*both, models=TWO, about="boost"))
    assert found.rows[0].adjusted_for == 2
    assert (
        "Allowing for all 2 comparisons, neither a gain nor a loss of more than 0.01 is ruled out."
        in found.sentence
    )


def test_two_models_that_are_equal_keep_the_decimals_of_their_value():
    none = {"low": None, "high": None, "adjusted_low": None, "adjusted_high": None}
    nothing = replace(compared(replace(TAU, margin=None), -0.0, 0.0), is_same=True, **none)
    found = conclude(results(nothing))
    assert found.sentence.startswith(
        "Kendall's τ-b is 0.500 for Gradient boosting and 0.500 for CLV, a difference of 0 "
        "(no interval). The two do equally well on each of these 23,570 rows."
    )
    assert "margin" not in found.sentence


@pytest.mark.parametrize("model", ["boost", "clv"])
def test_the_answer_says_of_a_model_without_error_that_a_leak_is_to_be_ruled_out(model):
    raised = (Warning("W119", {}, dataset="holdout", model=model),)
    found = conclude(replace(results(compared(TAU, *BETTER)), warnings=raised))
    assert found.answer.endswith("rule out a leak.") == (model == "boost")
    assert (found.tone == "open") == (model == "boost")
    assert len(found.answer.split()) <= LONGEST_ANSWER


def test_of_several_models_the_one_without_error_is_named():
    raised = (Warning("W119", "", {}, "holdout", model="rfm"),)
    rows = (compared(TAU, *BETTER), compared(TAU, *BETTER, model="rfm"))
    found = conclude(replace(results(*rows, models=TWO, level=TWO), warnings=raised))
    assert "RFM makes no error: rule out a leak" in found.answer
    assert found.tone == "open"


@pytest.mark.parametrize("scale", ["amount", "probability"])
@pytest.mark.parametrize("info", [TAU, MAE])
def test_a_metric_of_order_says_that_it_does_not_judge_probabilities(scale, info):
    found = results(compared(replace(info, is_primary=True), *BETTER))
    models = tuple(replace(model, scale=scale) for model in found.models)
    said = " ".join(conclude(replace(found, models=models)).beside)
    is_told = info is TAU and scale == "probability"
    assert said.count("not whether the probabilities are right.") == is_told


def test_a_warning_on_page_one_is_of_its_model_and_counts_the_others():
    raised = [
        Warning("W120", "", {"error": error}, "holdout", model=model)
        for model, error in (("clv", 0.06), ("boost", 0.264), ("rfm", 0.05))
    ]
    found = replace(results(compared(TAU, *BETTER)), warnings=tuple(raised))
    (care,) = conclude(found).cares
    assert care.model == "boost" and "0.264" in care.text
    assert care.text.endswith(" CLV (0.0600) and rfm (0.0500) have this warning too.")
    (care,) = conclude(replace(found, warnings=tuple(raised[:1]))).cares
    assert care.model == "clv" and "too." not in care.text


def off_by(error, model, **more):
    return Warning("W120", "", {"error": error, **more}, "holdout", model=model)


@pytest.mark.parametrize(
    ("raised", "end"),
    [
        (
            (off_by(0.12, "boost", expected=0.34, happened=0.23),),
            "τ-b; its probabilities are too high.",
        ),
        ((off_by(0.12, "boost"), off_by(0.05, "clv")), "τ-b; its probabilities are not right."),
        ((off_by(0.12, "boost"), off_by(0.20, "clv")), "on Kendall's τ-b."),
        ((off_by(0.12, "clv"),), "on Kendall's τ-b."),
    ],
)
def test_an_order_that_is_better_with_wrong_probabilities_says_so(raised, end):
    """It is no reason to keep the other: an order may be calibrated anew."""
    asked = {"decision": "replace", "question": "Replace it?"}
    found = conclude(replace(results(compared(TAU, *BETTER), **asked), warnings=raised))
    assert found.answer.startswith("Yes, replace CLV with Gradient boosting: clearly better")
    assert found.answer.endswith(end)


def test_a_requirement_that_is_not_shown_qualifies_the_answer():
    asked = {"decision": "replace", "question": "Replace it?"}
    open_ = gate("inconclusive", key="kendall")
    found = conclude(results(compared(TAU, *BETTER), gates=(open_,), **asked))
    assert found.answer == (
        "Yes, replace CLV with Gradient boosting: clearly better on Kendall's τ-b; 1 of 1 "
        "requirement not shown."
    )
    assert found.tone == "open"
    kept = conclude(results(compared(TAU, *WORSE), gates=(open_,), **asked))
    assert "requirement" not in kept.answer


def test_classes_without_rows_stand_on_page_one():
    raised = tuple(
        Warning("W207", "", {"class": name, "others": 3}, "holdout") for name in ("d", "e")
    )
    (care,) = conclude(replace(results(compared(TAU, *BETTER)), warnings=raised)).cares
    assert care.text == (
        "No row is of class d or e: macro averages, such as of F or AUC, are over the 3 others "
        "that have rows."
    )


def test_a_target_that_does_not_vary_stands_on_page_one():
    raised = (
        Warning("W201", "", {"column": "y", "value": 0.0}, "holdout"),
        Warning("W204", "", {}, "holdout"),
    )
    (care,) = conclude(replace(results(compared(TAU, *BETTER)), warnings=raised)).cares
    assert care.text == "Every row has the same target, 0."


def test_a_metric_of_another_kind_that_is_worse_has_a_row_beside_one_that_is_not():
    error = made.metric(
        "ece", "Expected calibration error", "lower", "1", "probability", is_partial=True
    )
    loss = made.metric("log_loss", "Log loss", "lower", "1", "probability")
    rows = compared(TAU, *BETTER), compared(loss, -0.3, -0.2), compared(error, 0.05, 0.11)
    asked = {"metrics": (TAU, loss, error), "about": "boost", "decision": "replace"}
    found = conclude(results(*rows, **asked))
    assert [row.key for row in found.consequences] == ["log_loss", "ece"]
    assert found.tone == "open" and "calibration error" in found.answer
    named = conclude(results(*rows, headline=("log_loss",), **asked))
    assert [row.key for row in named.consequences] == ["log_loss"]
    alike = compared(TAU, *BETTER), compared(loss, 0.2, 0.3), compared(error, 0.05, 0.11)
    assert [r.key for r in conclude(results(*alike, **asked)).consequences] == ["log_loss"]


def test_the_point_of_the_primary_metric_is_named_where_there_are_several():
    found = results(compared(replace(COST, is_primary=True, params={"at": "learnt"}), -6.0, -4.0))
    (info,) = (replace(m, is_primary=True, params={"at": "learnt"}) for m in found.metrics)
    points = tuple(
        OperatingPoint("holdout", name, "fixed", "boost", 1, 2, 3, 4, (), {})
        for name in ("list", "learnt")
    )
    several = conclude(replace(found, metrics=(info,), points=points)).beside
    assert f"{info.label} judges the calls at “learnt”." in several
    alone = conclude(replace(found, metrics=(info,), points=points[1:])).beside
    assert not any("judges the calls at" in said for said in alone)


@pytest.mark.parametrize(("share", "is_told"), [(0.18, True), (0.004, False)])
def test_rows_left_out_stand_on_page_one_where_they_are_many(share, is_told):
    numbers = {
        "column": "b",
        "missing": 356,
        "removed": 356,
        "unused": 0,
        "share": share,
        "gone_positive": 1.0,
        "kept_positive": 0.19,
    }
    raised = (Warning("W204", "", numbers, "holdout", model="boost"),)
    cares = conclude(replace(results(compared(TAU, *BETTER)), warnings=raised)).cares
    assert bool(cares) is is_told
    if is_told:
        assert "100% of those left out are positive, 19% of the others" in cares[0].text


def test_that_most_rows_are_not_in_every_file_is_said_whatever_else_is():
    numbers = {"step": "joined", "column": "id", "missing": 180, "removed": 180, "unused": 0}
    numbers |= {"share": 0.6, "unmatched_share": 0.6}
    others = [Warning(code, "", {}, "holdout") for code in ("W142", "W110", "W109", "W143")]
    raised = (*others, Warning("W204", "", numbers, "holdout", model="boost"))
    cares = conclude(replace(results(compared(TAU, *BETTER)), warnings=raised)).cares
    assert len(cares) == 3
    assert "60% of all rows are not in every file" in cares[-1].text


VALUES = [
    ((1.40, 57.9), MAE, (-71.0, -42.0), "$1.40 for Gradient boosting and $57.90 for CLV"),
    ((0.9976, 0.0145), TAU, (0.91, 1.05), "0.998 for Gradient boosting and 0.015 for CLV"),
    ((0.9996, 0.9), CAPTURE, (0.02, 0.18), "99.96% for Gradient boosting and 90.00% for CLV"),
    ((1.0, 0.9), CAPTURE, (0.02, 0.18), "100% for Gradient boosting and 90% for CLV"),
]


@pytest.mark.parametrize(("values", "info", "limits", "said"), VALUES)
def test_a_value_has_two_digits_and_is_not_rounded_to_its_bound(values, info, limits, said):
    """One that lies at its bound is printed as the bound."""
    bounds = {"kendall": (-1.0, 1.0), "topk_capture": (0.0, 1.0)}.get(info.key, (0.0, None))
    info = replace(info, is_primary=True, margin=None, bounds=bounds)
    found = results(compared(info, *limits), metrics=(info,))
    each = dict(zip(("boost", "clv"), values, strict=True))
    found = replace(
        found, estimates=tuple(replace(e, value=each[e.model]) for e in found.estimates)
    )
    assert said in conclude(found).sentence


def test_the_sentence_the_forest_and_the_requirement_print_one_comparison_alike():
    both = compared(TAU, 0.011, 0.03), compared(TAU, -0.2, 0.1, "rfm")
    required = gate("pass", "non_inferior", **{**DIFFERENCE, "low": 0.011, "high": 0.03})
    found = results(*both, models=TWO, gates=(required,), about="boost")
    page = conclude(found)
    assert "+0.020 (95% CI +0.011 to +0.030" in page.sentence
    assert page.requirements[0].text == "Needs > −0.01; found +0.018 (+0.011 to +0.030)."
    row, other = build_candidate_forest(Index(found), page).rows
    assert (row.difference, row.interval) == ("+0.020", "+0.011 to +0.030")
    assert (other.difference, other.interval) == ("−0.050", "−0.200 to +0.100")
