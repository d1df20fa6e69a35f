"""Data: what is said of the rows."""

from dataclasses import replace

from reportgen.report.document import Bullets
from reportgen.report.sections import data
from reportgen.results.core import Warning
from tests.report.sections import results_factory as made


def said(results):
    (facts, *_) = [
        block for block in data.build_data_section(results).blocks if isinstance(block, Bullets)
    ]
    return ["".join(span.text for span in item) for item in facts.items]


def test_warnings_on_the_data_name_their_segment_and_model():
    base = made.wallet()
    few = Warning("W203", "The segment has 23 rows.", {}, "holdout", "region=R01", None, None)
    same = Warning("W202", "It has the same scores as CLV.", {}, "holdout", None, None, "boost")
    plain = Warning("W232", "9 of 150 queries have none.", {}, "holdout", None, None, None)
    blocks = data.build_data_section(replace(base, warnings=(few, same, plain))).blocks
    shown = str([block for block in blocks if isinstance(block, Bullets)][-1])
    assert "region: R01: the segment has 23 rows. W203" in shown
    assert "Gradient boosting: it has the same scores as CLV. W202" in shown
    assert "9 of 150 queries have none. W232" in shown


def test_weights_are_told_with_the_rows_they_count_for():
    results = made.wallet()
    weighted = replace(results.datasets[0], weight="size", effective_n=7.26)
    assert (
        "Rows are weighted by size; this equals 7.3 rows of equal weight "
        "(Kish's effective sample size)."
        in said(replace(results, datasets=(weighted, *results.datasets[1:])))
    )
