"""The sentences of the answer and of the points under it, each case by its numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reportgen.report.conclusion import conclude
from reportgen.results import Results
from reportgen.results.conclusion import Conclusion
from reportgen.results.core import ColumnProfile, Warning
from reportgen.results.curves import CurveResult
from reportgen.results.segments import GroupDifference, Stability
from reportgen.results.sensitivity import CaseDeletion, Deletion
from tests.report.conclusion.numbers_in import AUC, COST, MAE, REPEAT, TAU, compared, results
from tests.report.conclusion.test_answers import BETTER, DIFFERENCE, OPEN, WORSE, gate
from tests.worked import results_of

TWO = ("boost", "rfm")
LOSS = compared(MAE, 4.0, 6.0)
REPLACE = [
    ([compared(TAU, 0.011, 0.03)], (), "Yes: Gradient boosting is clearly better than CLV on"),
    ([compared(TAU, 0.001, 0.03)], (), "Yes: Gradient boosting is better than CLV on Kendall's"),
    ([compared(TAU, -0.005, 0.005)], (), "No: Gradient boosting and CLV are equivalent on"),
    ([compared(TAU, -0.03, -0.02)], (), "No: Gradient boosting is clearly worse than CLV on"),
    ([compared(TAU, -0.03, 0.005)], (), "No: Gradient boosting is not better than CLV by 0.01"),
    (
        [compared(TAU, -0.005, 0.03)],
        (),
        "Cannot tell: keep CLV for now. Gradient boosting is not worse, but the data cannot tell "
        "whether it is better.",
    ),
    (
        [compared(TAU, *OPEN)],
        (),
        "Cannot tell: keep CLV for now. The data cannot tell whether Gradient boosting is better "
        "on Kendall's τ-b.",
    ),
    (
        [compared(TAU, *BETTER), LOSS],
        (),
        "Cannot tell: keep CLV for now. Gradient boosting is clearly better for ranking rows, but "
        "worse for predicting amounts. A requirement on mean absolute error would settle this.",
    ),
    (
        [compared(TAU, *BETTER), LOSS],
        (gate("met"),),
        "Yes, for ranking rows: Gradient boosting is clearly better than CLV. For predicting "
        "amounts, it is worse.",
    ),
    (
        [compared(TAU, *BETTER), LOSS],
        (gate("not met"),),
        "No: the requirement is not met. Gradient boosting is clearly better than CLV on Kendall's "
        "τ-b.",
    ),
    (
        [compared(TAU, *OPEN), compared(MAE, -3.0, 1.0)],
        (gate("met"), gate("not met", "non_inferior", **{**DIFFERENCE, "low": -0.04})),
        "No: 1 of 2 requirements is not met. The data cannot tell whether Gradient boosting or CLV "
        "is better on Kendall's τ-b.",
    ),
    (
        [compared(TAU, *BETTER), compared(MAE, -3.0, 1.0)],
        (gate("cannot tell"),),
        "Cannot tell: keep CLV for now. Gradient boosting is clearly better, but the data cannot "
        "tell whether its mean absolute error is below $40.",
    ),
    (
        [compared(TAU, *BETTER), compared(AUC, -0.08, -0.06)],
        (),
        "Cannot tell: keep CLV for now. Gradient boosting is clearly better on Kendall's τ-b, but "
        "worse on regression AUC, a metric of the same kind.",
    ),
]


@pytest.mark.parametrize(("comparisons", "gates", "said"), REPLACE)
def test_whether_one_model_should_replace_the_other(comparisons, gates, said) -> None:
    """The answer, then its reason."""
    found = conclude(results(*comparisons, gates=gates, decision="replace", about="boost"))
    assert found.answer.startswith(said)
    assert len(found.answer.split()) <= 28


@pytest.mark.parametrize("change", [{"status": "skipped"}, {"segment": "buyer=repeat"}])
def test_a_loss_is_settled_by_a_requirement_that_is_judged_on_all_rows(change) -> None:
    """A first run skips it, and one slice is not the whole."""
    settled = replace(gate("met"), **change)
    found = results(compared(TAU, *BETTER), LOSS, gates=(settled,), segments=(REPEAT,))
    made = conclude(replace(found, report=replace(found.report, decision="replace")))
    assert made.recommendation.candidates[0].losses == ("mae",)
    assert made.recommendation.answer == "cannot tell"


def test_a_requirement_on_a_segment_of_few_rows_says_how_few() -> None:
    on_repeat = replace(gate("met"), segment="buyer=repeat")

    def describe(rows: int) -> str:
        segments = (replace(REPEAT, n=rows),)
        found = results(compared(TAU, *BETTER), LOSS, gates=(on_repeat,), segments=segments)
        return conclude(found).requirements[0].text

    assert describe(29).endswith("; the segment has only 29 rows.")
    assert "only" not in describe(30)


def choose(*comparisons, models=TWO, **more) -> Conclusion:
    """Conclude which of several models to use."""
    return conclude(results(*comparisons, models=models, decision="choose", **more))


def test_which_model_to_use() -> None:
    """All that are better are named, then between which of them the choice is open."""
    both = compared(TAU, *BETTER), compared(TAU, 0.03, 0.05, "rfm")
    assert choose(*both, level=("boost",)).answer == (
        "Use RFM or Gradient boosting: both are clearly better than CLV. The data cannot tell "
        "which of the two is better."
    )
    assert choose(*both).answer == (
        "Use RFM: RFM and Gradient boosting are clearly better than CLV, and RFM is the best of "
        "them."
    )
    one = compared(TAU, *BETTER), compared(TAU, *WORSE, "rfm")
    assert choose(*one).answer == (
        "Use Gradient boosting: it is clearly better than CLV on Kendall's τ-b."
    )
    assert choose(compared(TAU, *WORSE), compared(TAU, *WORSE, "rfm")).answer == (
        "Keep CLV: none of the 2 candidates is better on Kendall's τ-b."
    )
    assert choose(compared(TAU, *OPEN), compared(TAU, *OPEN, "rfm")).answer == (
        "Cannot tell: keep CLV for now. The data cannot tell whether another model is better on "
        "Kendall's τ-b."
    )


def test_of_many_models_the_answer_counts() -> None:
    """Nobody reads seven names."""
    names = tuple(f"m{number}" for number in range(7))
    every = [compared(TAU, 0.02, 0.05 + number / 100, m) for number, m in enumerate(names)]
    found = choose(*every, models=names, level=names)
    assert found.answer == (
        "Use one of 7 models: 7 of 7 are clearly better than CLV. The data cannot tell which of "
        "the top 7 is best."
    )


@pytest.mark.parametrize("decision", ["replace", "choose", "rank", "shift", "enough"])
@pytest.mark.parametrize("name", ["m" * 300, "a b c d e f", "x"])
def test_an_answer_has_at_most_28_words_whatever_the_names(decision: str, name: str) -> None:
    """Names of six words fit, and so do those of one long word."""
    both = compared(TAU, *BETTER), LOSS, compared(TAU, *BETTER, "rfm")
    found = results(*both, models=TWO, decision=decision, about="boost")
    models = tuple(replace(m, label=f"{name} {m.name}") for m in found.models)
    assert 0 < len(conclude(replace(found, models=models)).answer.split()) <= 28


def test_a_ranking_is_given_as_far_as_it_is_known() -> None:
    """Those that the data cannot tell apart stand together."""
    both = compared(TAU, *BETTER), compared(TAU, 0.03, 0.05, "rfm")
    found = conclude(results(*both, models=TWO, level=("boost",), decision="rank"))
    assert found.answer.startswith("Cannot tell: ")
    assert found.recommendation.order == (("rfm", "boost", "clv"),) or found.recommendation.order


def test_whether_the_rows_are_enough() -> None:
    """They are if they answer which model to use."""
    both = compared(TAU, *BETTER), compared(TAU, *WORSE, "rfm")
    yes = conclude(results(*both, models=TWO, decision="enough"))
    assert yes.answer == (
        "Yes: 23,570 rows are enough. Use Gradient boosting: it is clearly better than CLV on "
        "Kendall's τ-b."
    )
    no = conclude(results(compared(TAU, *OPEN), decision="enough"))
    assert no.answer == "No: 23,570 rows are too few to choose between the models."


def undefined(found: Results, *models: str) -> Results:
    """Leave out the value of the first metric for some models."""
    gone = {"value": None, "low": None, "high": None, "status": "undefined", "reason": "no y"}
    return replace(
        found,
        estimates=tuple(
            replace(e, **gone) if e.key == "kendall" and e.model in models else e
            for e in found.estimates
        ),
    )


def test_without_a_value_of_the_baseline_there_is_no_verdict() -> None:
    """Nothing is judged: no row, no difference, no requirement."""
    found = results(compared(TAU, *BETTER), LOSS, gates=(gate("met"),))
    stopped = conclude(undefined(found, "clv"))
    assert stopped.answer == "No verdict: Kendall's τ-b of CLV is undefined."
    assert (stopped.rows, stopped.consequences) == ((), ())
    assert {each.status for each in stopped.requirements} == {"not judged"}


def test_a_stop_on_one_of_several_leaves_the_others() -> None:
    """The others are judged as if it were not there."""
    both = compared(TAU, *BETTER), compared(TAU, *OPEN, "rfm")
    found = results(*both, models=TWO, decision="choose")
    made = conclude(undefined(found, "rfm")).recommendation
    assert made.answer == "yes" and made.use == ("boost",)
    assert [stop.model for stop in made.stops] == ["rfm"]
    assert {each.model: each.answer for each in made.candidates}["rfm"] == "no verdict"


def test_what_gets_better_and_what_gets_worse_stand_under_the_answer() -> None:
    """Costs and amounts have sentences of their own, and a segment is named."""
    segment = compared(TAU, *WORSE, segment="buyer=repeat", n=9_616)
    cost = compared(replace(COST, kind="cost"), -1.5, -0.5)
    found = conclude(
        results(
            compared(TAU, *BETTER),
            LOSS,
            cost,
            segment,
            segments=(REPEAT,),
            metrics=(TAU, MAE, replace(COST, kind="cost")),
            gates=(gate("met"),),
        )
    )
    assert found.gain[0].startswith("Errors cost ") and "less ($0.50 to $1.50)" in found.gain[0]
    assert found.drawback[0].startswith("Its amounts are off by $")
    assert "is worse for Customers: Repeat" in found.drawback[1]


def test_only_the_declared_cost_is_called_what_errors_cost() -> None:
    cost = replace(COST, kind="cost")
    pinball = replace(cost, key="pinball", name="pinball", label="Pinball loss", unit="$")
    asked = {"headline": ("pinball", "expected_cost"), "metrics": (TAU, pinball, cost)}
    rows = compared(TAU, *BETTER), compared(pinball, -1.5, -0.5), compared(cost, -1.5, -0.5)
    gain = conclude(results(*rows, **asked)).gain
    assert gain[0].startswith("It is better on pinball loss: ")
    assert gain[1].startswith("Errors cost ")


@pytest.mark.parametrize(
    ("overall", "other", "is_named"),
    [(WORSE, WORSE, False), (WORSE, (-0.02, 0.02), True), (BETTER, WORSE, True)],
)
def test_the_worst_segment_is_named_unless_all_are_worse_as_all_rows_are(
    overall: tuple[float, float], other: tuple[float, float], is_named: bool
) -> None:
    once = replace(REPEAT, segment="buyer=once", value="once", value_label="One-time")
    inside = compared(TAU, -0.05, -0.04, segment="buyer=repeat", n=9_616)
    rest = compared(TAU, *other, segment="buyer=once", n=13_954)
    found = conclude(results(compared(TAU, *overall), inside, rest, segments=(REPEAT, once)))
    said = [text for text in found.drawback if "is worse for Customers: Repeat" in text]
    assert bool(said) is is_named


def test_nothing_worse_is_said_with_the_number_of_metrics() -> None:
    """What is looked at and not found is said; what the data leave open is no finding."""
    found = conclude(results(compared(TAU, *BETTER), compared(MAE, -6.0, -1.0)))
    assert "amounts are off by" in found.gain[0] and found.drawback == ()  # not repeated here
    found = conclude(results(compared(TAU, *BETTER), compared(MAE, -6.0, 1.0)))
    assert found.drawback == ("On mean absolute error, the data cannot tell which is better.",)
    two = (compared(TAU, *BETTER), compared(MAE, -6.0, 1.0), compared(COST, -1.5, -0.5))
    found = conclude(results(*two, metrics=(TAU, MAE, COST)))
    assert found.drawback == (
        "No loss was found on 1 other metric. On 1 more, the data cannot tell which is better.",
    )


@pytest.mark.parametrize(
    ("about", "low", "high", "expected"),
    [
        (31_396, None, None, "Detecting a gain of 0.01 takes about 31,000 rows (80% power)."),
        (
            31_396,
            13_777,
            129_900,
            "Detecting a gain of 0.01 takes 14,000 to 130,000 rows (80% power). The range is "
            "wide, because there are only 1,000 rows.",
        ),
        (900, None, None, None),
    ],
)
def test_the_rows_that_a_margin_takes_are_given_with_the_power(
    about: int, low: int | None, high: int | None, expected: str | None
) -> None:
    """One number or a range, and none where there are as many rows as it takes."""
    row = replace(compared(TAU, *OPEN), units=1_000, units_to_detect=about)
    row = replace(row, units_to_detect_low=low, units_to_detect_high=high)
    said = [text for text in conclude(results(row)).unsure if text.startswith("Detecting")]
    assert said == ([] if expected is None else [expected])


def test_no_number_of_rows_is_told_without_a_margin() -> None:
    """The difference that was found is no effect that anybody asked for."""
    row = replace(compared(TAU, *OPEN), margin=None, units=1_000, se=0.02)
    told = " ".join(conclude(results(row)).unsure)
    assert "takes" not in told and "power" not in told


def top_error(model: str, value: float, low: float, high: float) -> CurveResult:
    """The error by rank of a model, in 25 bins of which the last is off by this much."""
    ends = [(0.0,) * 24 + (each,) for each in (value, low, high)]
    place = tuple((k + 0.5) / 25 for k in range(25))
    params = {"bins": 25}
    shape = ("holdout", None, "error_by_rank", params, model, None, place, *ends, (), (), 0.95)
    return CurveResult(*shape, "bootstrap", 100, y_unit="$")


LEADING_MAE = replace(MAE, is_primary=True, margin=1.0)
HIGH = top_error("boost", 98.0, 60.0, 140.0)
SAID = (
    "The highest 4% of its predictions are $98 too high on average ($60 to $140). Those of CLV are "
    "$"
)


@pytest.mark.parametrize(
    ("leading", "base", "expected"),
    [
        (LEADING_MAE, (-17.0, -39.0, 1.0), SAID + "17 too low."),
        (LEADING_MAE, (20.0, 5.0, 35.0), SAID + "20 too high."),
        (LEADING_MAE, (90.0, 50.0, 130.0), ""),
        (TAU, (-17.0, -39.0, 1.0), ""),
    ],
)
def test_predictions_that_are_too_high_at_the_top_are_told_where_amounts_decide(
    leading, base, expected
) -> None:
    """Only where those of the baseline are not as far off, as they are in most regressions."""
    rows = results(compared(leading, -3.0, 0.5), metrics=(leading,))
    found = replace(rows, curves=(HIGH, top_error("clv", *base)))
    said = [text for text in conclude(found).unsure if "predictions are" in text]
    assert said == ([expected] if expected else [])


def test_a_set_of_few_rows_that_changes_the_verdict_is_not_on_page_one() -> None:
    """Of equal models one is found in a large part of the reports: it tells nothing of them."""
    names = ("boost", "clv", 1, "clv", 0.0, -0.1, 0.1)
    one = Deletion(*names, "better", "not worse", True, None, False, False)
    rows = results(compared(TAU, -0.005, 0.03))
    tables = (CaseDeletion("holdout", "kendall", "1", "greedy by influence", 1, 1, (one,)),)
    found = replace(rows, sensitivity=replace(rows.sensitivity, deletions=tables))
    assert not any("separate" in text for text in conclude(found).unsure)


@pytest.mark.parametrize("code", ["W110", "W142"])
def test_a_weighty_warning_stands_on_page_one(code: str) -> None:
    """It is said in one sentence, before all else that is not certain."""
    raised = (Warning(code, "", {}, "holdout"),)
    found = conclude(replace(results(compared(TAU, *BETTER)), warnings=raised))
    assert found.unsure and found.unsure[0].endswith(".")
    other = (Warning("W103", "", {}, "holdout"),)
    assert (
        found.unsure[0]
        not in conclude(replace(results(compared(TAU, *BETTER)), warnings=other)).unsure
    )


@pytest.mark.parametrize(
    ("code", "numbers", "said"),
    [
        ("W143", {"shared": 9, "rows": 90}, "is tested on rows that it was trained on, so"),
        ("W144", {}, "is far worse on these rows than on its training rows."),
        ("W231", {"queries": 9, "of": 90}, "returns nothing for some of the queries."),
    ],
)
def test_a_warning_about_models_names_each(code: str, numbers: dict, said: str) -> None:
    """One about a model that page one is not about stands behind."""
    raised = (Warning(code, "", numbers, "holdout", model=m) for m in ("boost", "clv", "rfm"))
    found = conclude(replace(results(compared(TAU, *BETTER)), warnings=tuple(raised)))
    named = [text.partition(f" {said}")[0] for text in found.unsure if said in text]
    assert named == ["Gradient boosting", "CLV"]


def test_a_contradicted_candidate_is_set_aside_with_its_reason() -> None:
    """With many ties of its score the note says so."""
    both = compared(TAU, *BETTER, "rfm"), compared(TAU, *BETTER), compared(AUC, -0.08, -0.06)
    found = results(*both, models=TWO, decision="choose")
    plain = conclude(found)
    assert plain.recommendation.set_aside == ("boost",)
    assert plain.recommendation.use == ("rfm",)
    assert plain.set_aside[0].note.startswith(
        "① Set aside: on regression AUC, a metric of the same kind"
    )
    column = ColumnProfile(
        "score", "boost", "s", 100, 20, 82, 0, 0, 0, 1, 2, 9, 1, 0.0, 0.82, tied_pairs=0.7
    )
    info = replace(found.datasets[0], columns=(column,))
    tied = conclude(replace(found, datasets=(info,)))
    assert tied.set_aside[0].note.startswith("① Set aside: 82% of its scores are 0, and Kendall's")


def test_a_model_that_names_classes_itself_has_no_count_of_scores() -> None:
    """It flags what it names, whatever the score."""
    churn = results_of("churn")
    points = tuple(replace(each, share=None, threshold=None) for each in churn.points)
    found = conclude(replace(churn, points=points))
    assert "flagging the customers that it classifies as positive costs" in found.gain[0]
    assert "(the customers that it classifies as positive) costs" in found.drawback[0]


@pytest.mark.parametrize(("low", "is_named"), [(-0.02, True), (0.01, False)])
def test_segments_that_differ_in_sign_are_named_though_one_is_better(
    low: float, is_named: bool
) -> None:
    ends = (("new", low), ("repeat", 0.05))
    groups = tuple(GroupDifference(name, 100, d, d - 0.01, d + 0.01) for name, d in ends)
    found = results(
        compared(TAU, *BETTER), compared(TAU, *BETTER, segment="buyer=repeat"), segments=(REPEAT,)
    )
    pair = found.comparisons[0]
    of = (pair.dataset, pair.key, pair.candidate, pair.baseline, "buyer", False, groups, 0, 0.95, 1)
    uneven = Stability(*of, p_value=0.001, differs_by_segment=True)
    doubts = conclude(replace(found, stability=(uneven,))).unsure
    assert any("The difference depends on" in str(each) for each in doubts) is is_named
