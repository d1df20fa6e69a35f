"""Data: what is said of the rows."""

from dataclasses import replace

from reportgen.document import Bullets
from reportgen.sections.about import data
from tests.sections import results_factory as made


def said(results):
    (facts, *_) = [block for block in data.section(results).blocks if isinstance(block, Bullets)]
    return ["".join(span.text for span in item) for item in facts.items]


def test_weights_are_told_with_the_rows_they_count_for():
    results = made.wallet()
    weighted = replace(results.datasets[0], weight="size", effective_n=7.26)
    assert (
        "Rows are weighted by size; by their weights they count for 7.3 rows of equal weight "
        "(Kish)." in said(replace(results, datasets=(weighted, *results.datasets[1:])))
    )
