"""Which verdicts contradict each other, and for how many an interval is adjusted."""

from dataclasses import replace

import pytest

from reportgen.report.conclusion import conclude
from reportgen.report.wording.verdicts import does_contradict
from tests.report.conclusion.numbers_in import TAU, compared, results

CONTRARY = [
    ("better", "worse", True),
    ("clearly better", "worse", True),
    ("better", "cannot tell", True),
    ("better", "equivalent", False),
    ("better", "not worse", False),
    ("worse", "better", True),
    ("worse", "cannot tell", False),
    ("equivalent", "worse", True),
    ("not worse", "better", True),
    ("cannot tell", "cannot tell", False),
]


@pytest.mark.parametrize(("said", "other", "is_contrary"), CONTRARY)
def test_which_word_takes_back_another(said, other, is_contrary):
    assert does_contradict(other, said) is is_contrary


def test_an_interval_says_for_how_many_comparisons_it_is_adjusted():
    both = (compared(TAU, 0.011, 0.03), compared(TAU, 0.02, 0.04, "rfm"))
    assert [r.adjusted_for for r in conclude(results(*both, models=("boost", "rfm"))).rows] == [
        2,
        2,
    ]
    none = results(*both, models=("boost", "rfm"))
    none = replace(none, inference=replace(none.inference, adjust="none"))
    assert [row.adjusted_for for row in conclude(none).rows] == [0, 0]
    assert "not adjusted" in conclude(none).sentence
    assert "adjusted" not in conclude(results(compared(TAU, 0.011, 0.03))).sentence


def test_a_comparison_without_limits_is_not_adjusted_for():
    """As the limits of the others do not allow for it, either."""
    names = ("boost", "rfm", "last91")
    made = [
        compared(TAU, low, 0.03, name) for low, name in zip((0.011, 0.02, 0.0), names, strict=True)
    ]
    made[2] = replace(
        made[2],
        difference=0.0,
        low=None,
        high=None,
        adjusted_low=None,
        adjusted_high=None,
        p_value=None,
        p_adjusted=None,
    )
    rows = conclude(results(*made, models=names)).rows
    assert {row.candidate: row.adjusted_for for row in rows if row.low is not None} == {
        "boost": 2,
        "rfm": 2,
    }
