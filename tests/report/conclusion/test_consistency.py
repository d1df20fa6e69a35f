"""What page one says in one place holds in every other place."""

from __future__ import annotations

from dataclasses import replace

from reportgen.report.conclusion import add_conclusion, conclude
from reportgen.report.sections import page_one
from reportgen.report.sections.index import Index
from reportgen.results import Results
from reportgen.results.conclusion import HeadlineComparison
from reportgen.results.core import GateResult
from reportgen.results.input_checks import InputFinding
from tests.laws.random_results import make
from tests.report.conclusion.numbers_in import AUC, MAE, TAU, compared, results
from tests.report.conclusion.test_answers import gate
from tests.report.sections import results_factory as made

BIAS = made.metric("bias", "Mean error", "zero", "$", "amount", is_primary=True)
BETTER, OPEN, WORSE = (0.011, 0.03), (-0.02, 0.02), (-0.03, -0.011)
TWO = ("boost", "rfm")


def two(boost, rfm, **more) -> Results:
    """Two candidates on one metric."""
    limits = compared(TAU, *boost), compared(TAU, *rfm, "rfm")
    return results(*limits, models=TWO, **{"decision": "choose", **more})


def make_constant(found: Results, model: str) -> Results:
    """The same results, where a model has one score for every row."""
    where = found.datasets[0].name
    return replace(found, checks=(InputFinding("W318", "constant", "failed", where, model),))


def stop(found: Results, *models: str) -> Results:
    """The same results, where the metric that decides is undefined for some models."""
    lost = {"value": None, "low": None, "high": None, "status": "undefined", "reason": "no y"}
    estimates = (replace(e, **lost) if e.model in models else e for e in found.estimates)
    return replace(found, estimates=tuple(estimates))


def test_a_candidate_with_one_score_for_every_row_says_why_it_is_not_used() -> None:
    """Its row is better and grey, and its note says why."""
    found = conclude(make_constant(two(BETTER, OPEN), "boost"))
    assert found.recommendation.use == ()
    assert [note.note for note in found.set_aside] == [
        "① Set aside: it gives every row the same score."
    ]
    alone = make_constant(results(compared(TAU, *BETTER), decision="choose"), "boost")
    answer = "Keep CLV: Gradient boosting gives every row the same score."
    assert conclude(alone).answer == answer


def test_a_candidate_that_fails_is_not_praised_where_it_is_not_used() -> None:
    """The answer names the requirement, not the verdict."""
    failed = GateResult(
        *("bound", "not met", "", "below", "holdout", None, "kendall", "kendall", "boost", None),
        *(0.4, 0.5, 0.45, 0.55, 0.95, "warn"),
    )
    found = conclude(results(compared(TAU, *BETTER), decision="choose", gates=(failed,)))
    assert found.answer == "Keep CLV: no candidate meets its requirements."


def test_neighbours_that_form_a_chain_are_not_called_alike() -> None:
    """One is better than the baseline, one worse: only neighbours are not told apart."""
    compared_three = compared(TAU, *BETTER), compared(TAU, *WORSE, "rfm")
    plain = results(*compared_three, models=TWO, decision="rank")
    loose = tuple(replace(pair, word="cannot tell") for pair in plain.pairs)
    found = conclude(replace(plain, pairs=loose))
    assert found.recommendation.order == (("boost", "clv", "rfm"),)
    assert found.answer == (
        "Cannot tell: 3 of the 3 models are too close to their neighbours to rank."
    )


def test_the_value_nearest_to_zero_is_called_so() -> None:
    """Of mean errors, the lowest is not the best."""
    limits = compared(BIAS, -0.4, -0.2), compared(BIAS, -0.3, -0.1, "rfm")
    found = conclude(results(*limits, models=TWO, metrics=(BIAS,), decision="choose", level=TWO))
    assert found.recommendation.use == ("boost", "rfm")
    assert "of Gradient boosting, the nearest to 0:" in found.key_line


def test_a_limit_at_the_margin_is_printed_as_the_margin() -> None:
    """A reader gets the verdict from the printed limits: 0.0075 is not 0.007."""
    margin = replace(TAU, margin=0.0075)
    found = results(compared(margin, -0.06, 0.0075), metrics=(margin,))
    row: HeadlineComparison = conclude(found).rows[0]
    forest = page_one.page_one_tables.build_candidate_forest(Index(found), conclude(found))
    assert row.word == "cannot tell"
    assert forest.rows[0].interval == "−0.0600 to +0.0075"


def test_nothing_is_said_only_if_every_other_metric_was_compared() -> None:
    """Not where one has no result, where a requirement failed, or where nothing can be told."""
    lost = replace(compared(MAE, -0.2, -0.1), low=None, high=None, word="no result")
    better = compared(TAU, *BETTER), compared(AUC, *BETTER)
    assert conclude(results(*better)).drawback == ("No loss was found on regression AUC.",)
    assert conclude(results(*better, lost)).drawback == ()
    failed = gate("not met", key=AUC.key, metric=AUC.name)
    assert "Nothing" not in " ".join(conclude(results(*better, gates=(failed,))).drawback)
    assert conclude(results(compared(TAU, *OPEN), compared(AUC, *OPEN))).drawback == ()


def test_a_gain_on_another_data_set_is_no_loss() -> None:
    """The sign of a sentence is that of its row."""
    found = results(compared(TAU, *WORSE))
    [first], [lead] = found.datasets, found.comparisons
    other = replace(first, name="march")
    elsewhere = replace(compared(TAU, *BETTER), dataset="march")
    estimates = tuple(replace(e, dataset="march") for e in found.estimates)
    both = replace(
        found,
        datasets=(first, other),
        comparisons=(lead, elsewhere),
        estimates=(*found.estimates, *estimates),
    )
    said = conclude(both)
    assert said.gain[0].startswith("On dataset march, Kendall's τ-b is better: ")
    assert not any("march" in each for each in said.drawback)


def test_more_rows_that_are_right_are_a_fact_whatever_the_verdict() -> None:
    """The answer says whether it may be chance."""
    accuracy = made.metric("accuracy", "Accuracy", "higher", "share", "decision", is_primary=True)
    for low in (-0.01, 0.01):
        found = conclude(results(compared(accuracy, low, 0.03), metrics=(accuracy,)))
        assert found.gain[0].endswith(" right.")


def test_a_better_model_that_is_not_used_is_named_with_its_reason() -> None:
    """Why it is set aside, and by how much it is ahead."""
    loss = compared(MAE, 4.0, 6.0), compared(MAE, -6.0, -4.0, "rfm")
    found = conclude(
        results(
            *(compared(TAU, 0.02, 0.04), compared(TAU, *BETTER, "rfm"), *loss),
            models=TWO,
            decision="choose",
        )
    )
    assert found.answer == (
        "Use RFM: Gradient boosting and RFM are clearly better than CLV, and RFM is the only one "
        "that qualifies."
    )
    assert found.unsure[0].startswith(
        "Gradient boosting does not qualify: it is worse than CLV on mean absolute error. On "
        "Kendall's τ-b, its value is 0.53"
    )


def test_the_values_of_a_model_that_is_not_used_have_two_digits_as_in_the_table() -> None:
    """They were rounded as their difference is."""
    loss = compared(MAE, 4.0, 6.0), compared(MAE, -6.0, -4.0, "rfm")
    both = compared(TAU, 0.02, 0.04), compared(TAU, *BETTER, "rfm")
    plain = results(*both, *loss, models=TWO, decision="choose")
    values = {"boost": 0.01421, "rfm": 0.00706, "clv": 0.00503}
    estimates = (
        replace(e, value=values[e.model]) if e.key == TAU.key else e for e in plain.estimates
    )
    found = conclude(replace(plain, estimates=tuple(estimates)))
    assert "its value is 0.0142, against 0.0071 for RFM" in found.unsure[0]


def test_an_order_names_what_separates_each_two_neighbours() -> None:
    """The order has “then” between its models, and a row for each pair."""
    ordered = compared(TAU, 0.05, 0.07), compared(TAU, *BETTER, "rfm")
    plain = results(*ordered, models=TWO, decision="rank")
    first, last = plain.pairs[0], replace(plain.pairs[0], first="rfm", second="clv")
    found = conclude(replace(plain, pairs=(first, last)))
    assert found.answer.endswith("the order is Gradient boosting, then RFM, then CLV.")
    assert [each.partition(" by ")[0] for each in found.gain] == [
        "Gradient boosting is better than RFM",
        "RFM is better than CLV",
    ]


def test_where_nothing_qualifies_and_one_is_stopped_the_answer_names_the_stop() -> None:
    """The others are out, so it is the one without a value that keeps the question open."""
    found = two(WORSE, WORSE)
    first = replace(found.comparisons[0], difference=None, low=None, high=None, word="no result")
    stopped = stop(replace(found, comparisons=(first, *found.comparisons[1:])), "boost")
    assert conclude(stopped).answer == (
        "Cannot tell: keep CLV for now. There is no result for Gradient boosting on Kendall's τ-b."
    )


def test_a_stopped_model_has_no_status_no_failure_and_no_difference() -> None:
    """What is met or failed by its values is not judged; the values stay."""
    names = ("bound", "not met", "", "below", "holdout", None, "kendall", "kendall", "boost", None)
    failed = GateResult(*names, *(0.4, 0.5, 0.45, 0.55, 0.95, "warn"))
    found = stop(two(BETTER, BETTER, gates=(failed,)), "boost")
    withheld = add_conclusion(found)
    assert withheld.conclusion is not None
    [required] = withheld.conclusion.requirements
    assert (required.status, required.is_failure) == ("not judged", False)
    assert [(c.word, c.difference is None) for c in withheld.comparisons] == [
        ("no result", True),
        ("clearly better", False),
    ]
    assert withheld.estimates == found.estimates


def test_the_costs_of_actions_are_shown_where_the_answer_is_about_costs() -> None:
    """A figure of another metric would contradict it."""
    found = next(r for r in map(make, range(6, 400, 8)) if r.metrics[0].kind != "cost" and r.costs)
    assert found.conclusion is not None and found.conclusion.actions
