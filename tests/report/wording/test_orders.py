"""What curves say of the order of scores, where a low one says more."""

import pytest

from reportgen.metrics.curves import CURVES
from reportgen.report.prose.operating_points import describe_in_order

SAID = sorted(
    {
        text
        for curve in CURVES.values()
        if curve.shown is not None
        for text in (
            curve.shown.title,
            curve.shown.x_label,
            curve.shown.y_label,
            curve.shown.reading,
        )
        if "highest score" in text or "lowest score" in text
    }
)


@pytest.mark.parametrize("text", SAID)
def test_all_that_curves_say_of_the_order_of_scores_turns_with_it(text):
    turned, mixed = (
        describe_in_order(text, ["ascending"]),
        describe_in_order(text, ["rank", "descending"]),
    )
    assert describe_in_order(text, ["descending"]) == text
    for high, low in (("highest", "lowest"), ("lowest", "highest")):
        assert turned.count(f"{high} score") == text.count(f"{low} score")
    assert "highest" not in mixed and "lowest" not in mixed
