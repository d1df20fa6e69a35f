"""Numbers in, page one out: the answer, its sentence, the rows, what is to be read with care."""

from dataclasses import replace

import pytest

from reportgen.report.conclusion import add_conclusion, conclude
from reportgen.report.sections.index import Index
from reportgen.report.sections.page_one_tables import build_candidate_forest
from reportgen.results.core import GateResult
from tests.report.conclusion.numbers_in import (
    AUC,
    CAPTURE,
    MAE,
    REPEAT,
    TAU,
    compared,
    results,
)
from tests.report.sections import results_factory as made

BETTER, WORSE, OPEN = (0.011, 0.03), (-0.03, -0.011), (-0.02, 0.02)
TWO = ("boost", "rfm")


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
        gate("met"),
        ("met", "Mean absolute error below $40", "Needs < $40; found $38.60 ($37.40 to $39.90)."),
    ),
    (
        gate("not met", bound=39.0),
        (
            "not met",
            "Mean absolute error below $39",
            "Needs < $39; found $38.60 ($37.40 to $39.90).",
        ),
    ),
    (
        gate("cannot tell", "above", bound=38.0),
        (
            "cannot tell",
            "Mean absolute error above $38",
            "Needs > $38; found $38.60 ($37.40 to $39.90).",
        ),
    ),
    (
        gate("met", "non_inferior", **DIFFERENCE),
        (
            "met",
            "Gradient boosting ranks rows at most 0.01 worse than CLV",
            "Needs > −0.01; found +0.018 (+0.011 to +0.025).",
        ),
    ),
    (
        gate("met", "better", **DIFFERENCE),
        (
            "met",
            "Gradient boosting better than CLV on Kendall's τ-b by more than 0.01",
            "Needs > +0.01; found +0.018 (+0.011 to +0.025).",
        ),
    ),
    (
        gate("not met", "no_regression", **{**DIFFERENCE, "low": -0.04, "high": -0.02}),
        (
            "not met",
            "Gradient boosting less than 0.01 worse than CLV on Kendall's τ-b",
            "Needs > −0.01; found +0.018 (−0.040 to −0.020).",
        ),
    ),
    (
        gate("no harm seen", "no_regression", **{**DIFFERENCE, "low": -0.02}),
        (
            "no harm seen",
            "Gradient boosting less than 0.01 worse than CLV on Kendall's τ-b",
            "Needs > −0.01; found +0.018 (−0.020 to +0.025).",
        ),
    ),
]


def test_a_bound_that_is_met_by_little_is_seen_to_be_met():
    near = gate("met", value=39.2, low=38.45, high=39.96)
    both = compared(TAU, *BETTER), compared(MAE, 4.0, 6.0)
    (asked,) = conclude(results(*both, gates=(near,))).requirements
    assert asked.text == "Needs < $40; found $39.20 ($38.45 to $39.96)."


def test_a_requirement_on_a_value_tells_no_interval():
    plain = gate("met", value=39.0, low=None, high=None)
    both = compared(TAU, *BETTER), compared(MAE, 4.0, 6.0)
    (asked,) = conclude(results(*both, gates=(plain,))).requirements
    assert asked.text == "Needs < $40; found $39.00."


def test_a_gate_says_what_its_requirement_says():
    both = compared(TAU, *BETTER), compared(MAE, 4.0, 6.0)
    made_of = add_conclusion(results(*both, gates=(gate("met"),)))
    assert made_of.gates[0].reason == made_of.conclusion.requirements[0].text != ""


@pytest.mark.parametrize(("judged", "expected"), REQUIRED)
def test_a_requirement_says_what_it_needs_and_what_was_found(judged, expected):
    both = compared(TAU, *BETTER), compared(MAE, 4.0, 6.0)
    (made_of,) = conclude(results(*both, gates=(judged,))).requirements
    assert (made_of.status, made_of.name, made_of.text) == expected


def test_a_requirement_without_an_interval_says_why_the_data_cannot_tell():
    found = gate("cannot tell", low=None, high=None, reason="no interval: only 2 rows are of one")
    both = compared(TAU, *BETTER), compared(MAE, 4.0, 6.0)
    (asked,) = conclude(results(*both, gates=(found,))).requirements
    assert (asked.text, asked.needs) == ("no interval: only 2 rows are of one", None)


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


def test_a_segment_without_a_result_is_not_one_of_those_compared():
    other = replace(REPEAT, segment="buyer=new", value="new", value_label="New")
    least = compared(TAU, -0.9, -0.8, segment="buyer=new", n=100)
    found = conclude(
        results(
            compared(TAU, *BETTER),
            compared(TAU, *WORSE, segment="buyer=repeat", n=9_616),
            replace(least, low=None, high=None, word="no result"),
            segments=(other, REPEAT),
        )
    )
    (row,) = found.consequences
    assert (row.segment, row.worst_of) == ("buyer=repeat", 1)


def test_a_metric_of_another_kind_that_is_worse_has_a_row_beside_one_that_is_not():
    error = made.metric(
        "ece", "Expected calibration error", "lower", "1", "probability", is_partial=True
    )
    loss = made.metric("log_loss", "Log loss", "lower", "1", "probability")
    rows = compared(TAU, *BETTER), compared(loss, -0.3, -0.2), compared(error, 0.05, 0.11)
    asked = {"metrics": (TAU, loss, error), "about": "boost", "decision": "replace"}
    found = conclude(results(*rows, **asked))
    assert [row.key for row in found.consequences] == ["log_loss", "ece"]
    assert found.recommendation.answer == "yes"
    assert "calibration error is" in found.drawback[0]
    named = conclude(results(*rows, headline=("log_loss",), **asked))
    assert [row.key for row in named.consequences] == ["log_loss"]
    alike = compared(TAU, *BETTER), compared(loss, 0.2, 0.3), compared(error, 0.05, 0.11)
    assert [r.key for r in conclude(results(*alike, **asked)).consequences] == ["log_loss"]


VALUES = [
    ((1.40, 57.9), MAE, (-71.0, -42.0), "$1.40 against $57.90"),
    ((0.9976, 0.0145), TAU, (0.91, 1.05), "0.998 against 0.015"),
    ((0.9996, 0.9), CAPTURE, (0.02, 0.18), "99.96% against 90.00%"),
    ((1.0, 0.9), CAPTURE, (0.02, 0.18), "100% against 90%"),
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
    assert said in conclude(found).key_line


def test_the_sentence_the_forest_and_the_requirement_print_one_comparison_alike():
    both = compared(TAU, 0.011, 0.03), compared(TAU, -0.2, 0.1, "rfm")
    required = gate("met", "non_inferior", **{**DIFFERENCE, "low": 0.011, "high": 0.03})
    found = results(*both, models=TWO, gates=(required,), about="boost")
    page = conclude(found)
    assert "+0.021 (95% CI +0.011 to +0.030" in page.key_line
    assert page.requirements[0].text == "Needs > −0.01; found +0.018 (+0.011 to +0.030)."
    row, other, _ = build_candidate_forest(Index(found), page).rows
    assert (row.difference, row.interval) == ("+0.021", "+0.011 to +0.030")
    assert (other.difference, other.interval) == ("−0.050", "−0.200 to +0.100")
