"""Data: what is said of the rows."""

from dataclasses import replace

from reportgen.report.document import Bullets
from reportgen.report.sections import data
from tests.report.sections import results_factory as made


def said(results):
    (facts, *_) = [
        block for block in data.build_data_section(results).blocks if isinstance(block, Bullets)
    ]
    return ["".join(span.text for span in item) for item in facts.items]


def test_weights_are_told_with_the_rows_they_count_for():
    results = made.wallet()
    weighted = replace(results.datasets[0], weight="size", effective_n=7.26)
    assert (
        "Rows are weighted by size; this equals 7.3 rows of equal weight "
        "(Kish's effective sample size)."
        in said(replace(results, datasets=(weighted, *results.datasets[1:])))
    )
